/*
 * An answer that would not fit is rejected before it is charged.
 */
#include <stdio.h>

#include "base/base.h"
#include "curator/answer.h"
#include "support/hospital.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1, delta: 1e-6, n: 1000}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      a: {type: integer, range: [1, 1000], nullable: false}\n"
    "      b: {type: integer, range: [1, 1000], nullable: false}\n"
    "      c: {type: text, values: [x, y], nullable: false}\n"
    "      d: {type: text}\n";

enum { LONG = 5000 };

static void
too_large_is_refused_before_the_charge(void **state)
{
    static const char wide[] =
        "SELECT a, b, count(*), avg(a), avg(b), sum(a), sum(b), stddev(a), "
        "stddev(b), avg(a + b) FROM t GROUP BY 1, 2";
    static char text[LONG + 100];
    struct test_store files;
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char left[64];

    (void)state;
    snprintf(
        text, sizeof text,
        "SELECT a, b, upper('%0*d' || c), count(*) FROM t GROUP BY 1, 2, c",
        LONG, 0);
    test_rng_new_silent();
    test_store_write(&files, policy, "t.csv", "a,b,c,d\n1,2,x,y\n", NULL);
    test_store_init(&files);
    assert_int_equal(curator_open(files.store, &c, &err), 0);
    assert_int_equal(test_refused(c, "", wide, "0.1", &err), CUSTOS_EOVERFLOW);
    assert_int_equal(test_refused(c, "", text, "0.1", &err), CUSTOS_EOVERFLOW);
    assert_string_equal(test_left(c, "", left), "1");
    answer_free(test_ask(
        c, "", "SELECT a, c || '!', count(*) FROM t GROUP BY 1, 2", "0.1"));
    assert_string_equal(test_left(c, "", left), "0.9");
    curator_close(c);
    test_store_remove(&files);
}

/* The most groups that the answer can have; 0 if it does not fit. */
static size_t
groups_that_fit(const char *sql)
{
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct plan_options options = {.epsilon = str_of("0.1")};
    struct policy *p = NULL;
    struct query *q = NULL;
    struct plan *plan = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    size_t cells;

    assert_non_null(a);
    if (policy_read(a, str_of(policy), "policy", &p, &err) ||
        sql_read(a, str_of(sql), &q, &err))
        fail_msg("%s: %s", sql, err.said);
    st = plan_make(a, q, p, &options, &plan, &err);
    if (st && st != CUSTOS_EOVERFLOW)
        fail_msg("%s: %s", sql, err.said);
    cells = st ? 0 : plan->space.cells;
    plan_free(plan);
    arena_free(a);
    return cells;
}

/* For each end of an interval the output is evaluated again: memory for it
   counts. */
static void
intervals_are_measured(void **state)
{
    static const char *const ends = ", DP_INTERVAL_LOW(n) AS l%d, "
                                    "DP_INTERVAL_HIGH(n) AS h%d";
    struct buf b;

    (void)state;
    for (int n = 0; n <= 8; n += 4) {
        buf_init(&b, NULL, 1 << 16);
        buf_printf(&b,
                   "SELECT a, c, CASE WHEN upper('%0*d' || c) = 'y' THEN 0 "
                   "ELSE count(*) END AS n",
                   LONG, 0);
        for (int i = 0; i < n; i++)
            buf_printf(&b, ends, i, i);
        buf_add_text(&b, " FROM t GROUP BY a, c");
        assert_int_equal(groups_that_fit(buf_text(&b)), n ? 0 : 2000);
        buf_clear(&b);
    }
}

/* Twenty quantiles of each of three values, added up. */
static void
quantiles_add(struct buf *b)
{
    for (int i = 0; i < 3; i++)
        for (int rank = 1; rank <= 20; rank++)
            buf_printf(b,
                       " + percentile_cont(0.%02d) WITHIN GROUP (ORDER BY "
                       "a + %d)",
                       4 * rank, i);
}

/* Each number of quantiles in an expression has error bars of its own: what they take
   is little, or is counted before the charge. */
static void
bars_of_quantiles_are_measured(void **state)
{
    struct test_store files;
    struct curator *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;
    char left[64];

    (void)state;
    buf_init(&b, NULL, 1 << 18);
    test_rng_new_seeded(1);
    test_store_write(&files, policy, "t.csv", "a,b,c,d\n1,2,x,y\n", NULL);
    test_store_init(&files);
    assert_int_equal(curator_open(files.store, &c, &err), 0);
    buf_add_text(&b, "SELECT 0");
    quantiles_add(&b);
    buf_add_text(&b, " FROM t");
    answer_free(test_ask(c, "", buf_text(&b), "0.1"));
    assert_string_equal(test_left(c, "", left), "0.9");
    for (int with = 0; with < 2; with++) {
        b.len = 0;
        buf_printf(&b, "SELECT a, upper('%0*d' || c), count(*)", 3 * LONG, 0);
        if (with)
            quantiles_add(&b);
        buf_add_text(&b, " FROM t GROUP BY a, c");
        assert_int_equal(groups_that_fit(buf_text(&b)), with ? 0 : 2000);
    }
    buf_clear(&b);
    curator_close(c);
    test_store_remove(&files);
}

/* Answers with a million groups, the default limit, do fit. */
static void
a_million_counts_fit(void **state)
{
    static const char *const fit[] = {
        "SELECT a, b, count(*) FROM t GROUP BY 1, 2",
        "SELECT a, b, count(*) AS n, avg(a) FROM t GROUP BY 1, 2 HAVING "
        "count(*) > 0 ORDER BY n DESC",
        "SELECT a, b, count(*), avg(a), avg(b), sum(a), sum(b), stddev(a), "
        "stddev(b), avg(a + b) FROM t GROUP BY 1, 2 ORDER BY 3 LIMIT 10",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(fit); i++)
        assert_int_equal(groups_that_fit(fit[i]), 1000 * 1000);
}

/* Nobody knows how many groups will be discovered: the limit is what fits. */
static void
groups_of_the_data_fit(void **state)
{
    (void)state;
    assert_int_equal(groups_that_fit("SELECT d, count(*) FROM t GROUP BY d"),
                     1 << 20);
    assert_int_equal(
        groups_that_fit("SELECT d, count(*), avg(a), avg(b), sum(a), sum(b), "
                        "stddev(a), stddev(b), avg(a + b) FROM t GROUP BY d"),
        1 << 19);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_large_is_refused_before_the_charge),
        cmocka_unit_test(intervals_are_measured),
        cmocka_unit_test(bars_of_quantiles_are_measured),
        cmocka_unit_test(a_million_counts_fit),
        cmocka_unit_test(groups_of_the_data_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
