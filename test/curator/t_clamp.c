/*
 * A clamp that the analyst writes bounds a column without a declared range:
 * exact values from the complete curator, without noise.
 */
#include <stdio.h>

#include "base/base.h"
#include "support/hospital.h"
#include "support/said.h"
#include "support/support.h"

static const char policy[] =
    "custos: 1\n"
    "budget: {epsilon: 1000, delta: 1e-3, n: 900}\n"
    "query: {epsilon: 2, max_epsilon: 10, delta: 1e-5}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      n: {type: integer}\n"
    "      m: {type: decimal, scale: 2}\n"
    "      f: {type: real}\n"
    "      s: {type: text}\n"
    "      d: {type: date}\n";

/*
 * Values below, inside and above the clamp, NULL, and NaN where the import
 * allows it.
 */
static const char rows[] = "id,n,m,f,s,d\n"
                           "1,-5,-5.25,-5.5,-inf,1900-01-01\n"
                           "2,3,3.25,3.5,3.5,2020-01-03\n"
                           "3,50,50.75,1e300,inf,2999-01-01\n"
                           "4,,,,,\n"
                           "5,7,7.5,nan,nan,2020-01-05\n";

/*
 * Sums without noise. greatest and least skip NULL. A NaN that is stored or
 * read from text is NULL; one that an expression produces is above all numbers,
 * as in PostgreSQL.
 */
static const struct {
    const char *sql;
    int64_t want;
} cases[] = {
    {"sum(least(greatest(n, 0), 10))", 0 + 3 + 10 + 0 + 7},
    {"sum(greatest(least(n, 10), 0))", 0 + 3 + 10 + 10 + 7},
    {"sum(least(10, greatest(0, n)))", 0 + 3 + 10 + 0 + 7},
    {"sum(least(abs(n), 10))", 5 + 3 + 10 + 10 + 7},
    {"sum(CASE WHEN n IS NULL THEN 0 ELSE least(greatest(n, 0), 10) END)", 20},
    {"sum(4 * least(greatest(m, 0), 10.5))", 0 + 13 + 42 + 0 + 30},
    {"sum(2 * least(greatest(f, 0), 10))", 0 + 7 + 20 + 0 + 0},
    {"sum(2 * greatest(least(f, 10), 0))", 0 + 7 + 20 + 20 + 20},
    {"sum(2 * least(greatest(CAST(s AS real), 0), 10))", 0 + 7 + 0 + 0 + 0},
    {"sum(floor(greatest(least(CAST(s AS real), 10), 0)))",
     10 + 3 + 10 + 10 + 10},
    {"sum(2 * least(greatest((f * f) - (f * f), 0), 10))", 0 + 0 + 20 + 0 + 0},
    {"avg(least(greatest(n, 0), 10))", 4},
    {"count(least(greatest(n, 0), 10))", 5},
    {"sum(least(greatest(d, DATE '2020-01-01'), DATE '2020-01-11') - DATE "
     "'2020-01-01')",
     0 + 2 + 10 + 0 + 4},
};

static void
clamps_give_ranges(void **state)
{
    struct test_store files;
    struct curator *c;

    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "t.csv", rows, NULL);
    test_store_init(&files);
    c = test_open(&files);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char sql[256];
        struct answer *a;

        snprintf(sql, sizeof sql, "SELECT CAST(%s AS integer) FROM t",
                 cases[i].sql);
        a = test_ask(c, "", sql, "");
        if (test_whole(a, 0, 0) != cases[i].want)
            fail_msg("%s: %lld", cases[i].sql, (long long)test_whole(a, 0, 0));
        answer_free(a);
    }
    curator_close(c);
    test_store_remove(&files);
}

/*
 * A clamp at one end does not give a range. A minus sign turns a lower limit
 * into an upper one, but NaN is still above it.
 */
static void
half_a_range_is_none(void **state)
{
    static const char *const sums[] = {
        "sum(greatest(n, 0))",           "sum(least(n, 10))",
        "sum(greatest(n, 0) + 10)",      "sum(greatest(-greatest(f, 0), -9))",
        "sum(least(greatest(n, m), 5))", "sum(least(n, nullif(5, 5)))",
    };
    struct test_store files;
    struct curator *c;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    test_rng_new_silent();
    test_store_write(&files, policy, "t.csv", rows, NULL);
    test_store_init(&files);
    c = test_open(&files);
    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        char sql[256];

        snprintf(sql, sizeof sql, "SELECT %s FROM t", sums[i]);
        assert_int_equal(test_refused(c, "", sql, "", &err),
                         CUSTOS_EUNSUPPORTED);
        assert_non_null(strstr(whole_said(&err), "range"));
    }
    curator_close(c);
    test_store_remove(&files);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamps_give_ranges),
        cmocka_unit_test(half_a_range_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
