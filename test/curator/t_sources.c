/*
 * The ten-row table D of the textbooks, queried through the curator:
 * thresholds, attribute means and points without noise, and what they cost with
 * noise.
 *
 * Points of {0,1}^3, and v = 4 d1 + 2 d2 + d3: 000 three times, 001 once, 010
 * twice, 101 three times, 110 once. Noise of scale 1/epsilon on each count.
 */
#include <stdio.h>

#include "base/base.h"
#include "curator/answer.h"
#include "curator/opened.h"
#include "support/support.h"

enum { POINTS = 8, ATTRIBUTES = 3, MEMORY = 1 << 22 };

static const char *const table_d = "d1,d2,d3,v\n"
                                   "0,0,0,0\n0,0,0,0\n0,0,0,0\n"
                                   "0,0,1,1\n"
                                   "0,1,0,2\n0,1,0,2\n"
                                   "1,0,1,5\n1,0,1,5\n1,0,1,5\n"
                                   "1,1,0,6\n";

#define POLICY(adjacency)                                                      \
    "custos: 1\n"                                                              \
    "adjacency: " adjacency "\n"                                               \
    "budget: {epsilon: 10}\n"                                                  \
    "query: {epsilon: 0.1}\n"                                                  \
    "tables:\n"                                                                \
    "  d:\n"                                                                   \
    "    source: d.csv\n"                                                      \
    "    unit: row\n"                                                          \
    "    columns:\n"                                                           \
    "      d1: {type: integer, range: [0, 1], nullable: false}\n"              \
    "      d2: {type: integer, range: [0, 1], nullable: false}\n"              \
    "      d3: {type: integer, range: [0, 1], nullable: false}\n"              \
    "      v: {type: integer, range: [0, 7], nullable: false}\n"

static void
open_with(const char *policy)
{
    test_rng_new_silent();
    test_store_write(&files, policy, "d.csv", table_d, NULL);
    open_store();
}

static int
begin_change_one(void **state)
{
    (void)state;
    open_with(POLICY("change-one"));
    return 0;
}

static int
begin_add_remove(void **state)
{
    (void)state;
    open_with(POLICY("add-remove"));
    return 0;
}

/* ----------------------------------------------------------------- price -- */

/* At this price each count of the query has noise of this scale. */
static void
assert_scale(const char *sql, const char *epsilon, const char *scale)
{
    struct plan_options options = {.epsilon = str_of(epsilon)};
    arena *a = arena_new(NULL, MEMORY);
    struct query *q = NULL;
    struct plan *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_non_null(a);
    if (sql_read(a, str_of(sql), &q, &err) ||
        plan_make(a, q, curator_policy(c), &options, &p, &err))
        fail_msg("%s: %s", sql, err.said);
    for (size_t i = 0; i < p->n_parts; i++) {
        const custos_facts *facts = custos_mech_facts(p->parts[i].mech);

        assert_int_equal(facts->law, CUSTOS_DISCRETE_LAPLACE);
        assert_string_equal(facts->scale, scale);
    }
    plan_free(p);
    arena_free(a);
}

/*
 * The ledger has exactly these charges, and its budget exactly this much left.
 */
static void
assert_charged(size_t charges, const char *each, const char *left)
{
    arena *a = arena_new(NULL, MEMORY);
    struct ledger_row *rows;
    size_t n = 1000, seen = 0;
    char text[64];
    custos_err err = CUSTOS_ERR_INIT;

    assert_non_null(a);
    assert_int_equal(ledger_rows(curator_ledger(c), 0, str_of(""), str_of(""),
                                 a, &rows, &n, &err),
                     0);
    for (size_t i = 0; i < n; i++) {
        if (!str_equal(rows[i].kind, str_of("charge")))
            continue;
        seen++;
        assert_true(str_equal(rows[i].epsilon, str_of(each)));
        assert_true(str_equal(rows[i].delta, str_of("0")));
    }
    assert_int_equal(seen, charges);
    assert_string_equal(test_left(c, "", text), left);
    arena_free(a);
}

/* ------------------------------------------------------------- questions -- */

static const int64_t below[POINTS] = {3, 4, 6, 6, 6, 9, 10, 10};
static const int64_t at[POINTS] = {3, 1, 2, 0, 0, 3, 1, 0};
static const char attributes[] = "SELECT sum(d1), sum(d2), sum(d3) FROM d";
static const char points[] = "SELECT v, count(*) FROM d GROUP BY v";

/* Eight questions, each at epsilon = 0.1: 8 epsilon. */
static void
thresholds(void **state)
{
    (void)state;
    for (int k = 0; k < POINTS; k++) {
        struct answer *a;
        char sql[64];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM d WHERE v <= %d", k);
        assert_scale(sql, "0.1", "10");
        a = test_ask(c, "", sql, "0.1");
        assert_int_equal(a->n_rows, 1);
        assert_int_equal(test_whole(a, 0, 0), below[k]);
        assert_true(a->cells[0].has_bar);
        answer_free(a);
    }
    assert_charged(POINTS, "0.1", "9.2");
}

/* Three counts in one query, each at epsilon = 0.1: 3 epsilon. */
static void
attribute_means(void **state)
{
    struct answer *a;

    (void)state;
    assert_scale(attributes, "0.3", "10");
    a = test_ask(c, "", attributes, "0.3");
    assert_int_equal(a->n_rows, 1);
    assert_int_equal(test_whole(a, 0, 0), 4);
    assert_int_equal(test_whole(a, 0, 1), 3);
    assert_int_equal(test_whole(a, 0, 2), 4);
    answer_free(a);
    assert_charged(1, "0.3", "9.7");
}

/*
 * Fractions of the ten rows, as the textbooks write them; dividing after noise
 * is free.
 */
static void
fractions_are_free(void **state)
{
    struct answer *a = test_ask(c, "",
                                "SELECT sum(d1) / 10.0, sum(d2) / 10.0, "
                                "sum(d3) / 10.0 FROM d",
                                "0.3");
    static const int64_t tenths[ATTRIBUTES] = {4, 3, 4};

    (void)state;
    for (size_t j = 0; j < ATTRIBUTES; j++) {
        struct datum want = {.type = TYPE_DECIMAL, .scale = 1, .n = tenths[j]};

        assert_int_equal(datum_cmp(&a->cells[j].value, &want), 0);
    }
    answer_free(a);
    assert_charged(1, "0.3", "9.7");
}

static void
ask_points(const char *epsilon)
{
    struct answer *a;

    assert_scale(points, epsilon, "10");
    a = test_ask(c, "", points, epsilon);
    assert_int_equal(a->n_rows, POINTS);
    for (size_t k = 0; k < POINTS; k++) {
        assert_int_equal(test_whole(a, k, 0), (int64_t)k);
        assert_int_equal(test_whole(a, k, 1), at[k]);
    }
    answer_free(a);
}

/* A row leaves one point and enters another: 2 epsilon. */
static void
points_under_change_one(void **state)
{
    (void)state;
    ask_points("0.2");
    assert_charged(1, "0.2", "9.8");
}

/* A row counts at one point only: 1 epsilon. */
static void
points_under_add_remove(void **state)
{
    (void)state;
    ask_points("0.1");
    assert_charged(1, "0.1", "9.9");
}

/* A budget of 10 allows exactly a hundred thresholds at epsilon = 0.1. */
static void
thresholds_until_it_is_spent(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    char sql[64];

    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) AS n%d FROM d WHERE v <= %d",
                 i, i % POINTS);
        answer_free(test_ask(c, "", sql, "0.1"));
    }
    assert_charged(100, "0.1", "0");
    assert_int_equal(test_refused(c, "", points, "0.000000001", &err),
                     CUSTOS_ESPENT);
}

int
main(void)
{
#define TEST(f, begin) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(thresholds, begin_change_one),
        TEST(attribute_means, begin_change_one),
        TEST(fractions_are_free, begin_change_one),
        TEST(points_under_change_one, begin_change_one),
        TEST(points_under_add_remove, begin_add_remove),
        TEST(thresholds_until_it_is_spent, begin_add_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
