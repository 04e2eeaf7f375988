/*
 * Range selection, end to end: which range is found on which data, what it costs,
 * and with which probabilities.
 */
#include "curator/range_selection.h"

#include <math.h>
#include <stdio.h>

#include "curator/opened.h"
#include "engine/made.h"
#include "mech/sealed.h"
#include "plan/part/range_selection.h"
#include "sql/tree.h"
#include "support/said.h"
#include "support/support.h"

enum { UNITS = 400, TEXT_MOST = 1 << 20 };

static const char policy[] =
    "custos: 2\n"
    "adjacency: %s\n"
    "budget: {epsilon: 10000, delta: 1e-3, n: 500}\n"
    "query: {epsilon: 1, max_epsilon: 500, delta: 0, max_rho: 10}\n"
    "tables:\n"
    "  v:\n"
    "    source: v.csv\n"
    "    unit: who\n"
    "    rows_per_unit: 2\n"
    "    columns:\n"
    "      who: {type: integer}\n"
    "      x: {type: integer, find_range: true}\n"
    "      d: {type: decimal, scale: 2, find_range: true}\n"
    "      r: {type: real, find_range: true}\n"
    "      far: {type: integer, find_range: true}\n"
    "      none: {type: integer, find_range: true}\n"
    "      seven: {type: integer, range: [0, 1000000], find_range: true}\n"
    "      odd: {type: boolean}\n"
    "  rows:\n"
    "    source: v.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      who: {type: integer}\n"
    "      x: {type: integer, find_range: true}\n"
    "      d: {type: decimal, scale: 2}\n"
    "      r: {type: real}\n"
    "      far: {type: integer}\n"
    "      none: {type: integer}\n"
    "      seven: {type: integer}\n"
    "      odd: {type: boolean}\n";

/* Unit u has two rows: x is u modulo 100, and 0. */
static int
begin_with(const char *adjacency)
{
    static const char *const far[] = {"9223372036854775807",
                                      "-9223372036854775808"};
    static const char *const reals[] = {"nan", "inf", "-inf", "1.5", "-0.25"};
    char text[sizeof policy + 16];
    struct buf v;

    snprintf(text, sizeof text, policy, adjacency);
    buf_init(&v, NULL, TEXT_MOST);
    buf_add_text(&v, "who,x,d,r,far,none,seven,odd\n");
    for (int u = 0; u < UNITS; u++)
        buf_printf(&v, "%d,%d,%d.99,%s,%s,,7,%s\n%d,0,0,,,,,\n", u, u % 100,
                   u % 10, reals[u % 5], far[u % 2], u % 2 ? "true" : "false",
                   u);
    assert_false(v.failed);
    test_rng_new_seeded(1);
    test_store_write(&files, text, "v.csv", buf_text(&v), NULL);
    buf_clear(&v);
    open_store();
    return 0;
}

static int
begin(void **state)
{
    (void)state;
    return begin_with("add-remove");
}

static int
begin_change(void **state)
{
    (void)state;
    return begin_with("change-one");
}

static bool
says(const struct answer *a, const char *what)
{
    return strstr(a->remarks.ptr, what) != NULL;
}

static void
found(const char *sql, const char *range)
{
    struct answer *a = test_ask(c, "", sql, "500");

    if (!says(a, range) || !says(a, "was found from the data, for an epsilon "
                                    "of 100 within the price"))
        fail_msg("%.99s: not %s\n%s", sql, range, a->remarks.ptr);
    answer_free(a);
}

/*
 * At epsilon 500 each unit outside weighs e^-100 (under change-one e^-50), and
 * each range as much as a unit: the range with the least sum is found.
 */
static void
the_range_is_the_first_that_holds_all(void **state)
{
    static const char *const asked[][2] = {
        {"SELECT sum(x) FROM v", "the range [0, 100] of x"},
        {"SELECT avg(x), variance(x), median(x) FROM v",
         "the range [0, 100] of x"},
        {"SELECT odd, sum(x) FROM v GROUP BY odd", "the range [0, 100] of x"},
        {"SELECT sum(x) FROM rows", "the range [0, 100] of x"},
        {"SELECT sum(x) FROM v WHERE x < 10", "the range [0, 10] of x"},
        {"SELECT sum(x) FROM v WHERE x > 1000", "the range [0, 1] of x"},
        {"SELECT sum(x) FROM v WHERE who < 10 AND x < 3",
         "the range [0, 1] of x"}, /* one unit outside is less than two ranges */
        {"SELECT sum(x - 50) FROM v", "the range [-50, 50] of x - 50"},
        {"SELECT sum(-x) FROM v", "the range [-100, 100] of - x"},
        {"SELECT sum(a.x) FROM v a JOIN v b ON a.who = b.who",
         "the range [0, 100] of a.x"},
        {"SELECT sum(d) FROM v", "the range [0, 10] of d"},
        {"SELECT sum(d / 100) FROM v", "the range [0, 1] of d / 100"},
        {"SELECT sum(r) FROM v", "the range [-2, 2] of r"},
        {"SELECT sum(far) FROM v",
         "the range [-1000000000000, 1000000000000] of far"},
        {"SELECT sum(far) FROM v WHERE NOT odd",
         "the range [0, 1000000000000] of far"},
        {"SELECT sum(none), avg(none) FROM v", "the range [0, 1] of none"},
        {"SELECT max(seven) FROM v", "the range [0, 10] of seven"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++)
        found(asked[i][0], asked[i][1]);
}

/* However long the expression is, the answer says which range was found. */
static void
a_long_expression_is_cut(void **state)
{
    struct buf sql;

    (void)state;
    buf_init(&sql, NULL, TEXT_MOST);
    buf_add_text(&sql, "SELECT sum(greatest(x");
    for (int i = 0; i < 60; i++)
        buf_add_text(&sql, ", -1000000000000000000");
    buf_add_text(&sql, ")) FROM v");
    assert_false(sql.failed);
    found(
        buf_text(&sql),
        "the range [0, 100] of GREATEST(x, -1000000000000000000, -10000... was "
        "found");
    buf_clear(&sql);
}

/* The value is near the truth, the price is charged once, and asking again is free
   and has the same range. */
static void
a_range_is_one_charge(void **state)
{
    static const char sql[] = "SELECT sum(x) FROM v";
    struct answer *a, *b;
    char before[64], left[64];

    (void)state;
    answer_free(test_ask(c, "", "EXPLAIN SELECT sum(x) FROM v", "8"));
    assert_string_equal(test_left(c, "", before), "10000");
    a = test_ask(c, "", sql, "8");
    assert_string_equal(test_left(c, "", left), "9992");
    assert_true(llabs(test_whole(a, 0, 0) - UNITS / 100 * 4950) < 2000);
    assert_true(a->cells[0].has_bar);
    assert_true(says(a, "for an epsilon of 1.6 within the price"));
    b = test_ask(c, "", sql, "8");
    assert_true(b->stored);
    assert_int_equal(test_whole(a, 0, 0), test_whole(b, 0, 0));
    assert_true(str_equal(a->remarks, b->remarks));
    assert_string_equal(test_left(c, "", left), "9992");
    answer_free(a);
    answer_free(b);
}

/* ------------------------------------------------------------------- law -- */

/* Units, and a value of each in one of two rows; in the other it is 0. */
static const struct {
    int units, value;
} held[] = {{7, 1}, {8, 2}, {6, 5}, {3, 8}, {2, 20}, {1, 50}};
enum { RANGES = 6 }; /* [0, 1], [0, 2], [0, 5], [0, 10], [0, 20], [0, 50] */
static const int outside[RANGES] = {20, 12, 6, 3, 1, 0};

static void
law_open(struct made *m, const char *adjacency)
{
    char law[400];
    struct buf b;
    int u = 0;

    snprintf(law, sizeof law,
             "custos: 2\nadjacency: %s\nbudget: {epsilon: 100}\n"
             "query: {epsilon: 1}\ntables:\n  v:\n    source: v.csv\n"
             "    unit: who\n    rows_per_unit: 2\n    columns:\n"
             "      who: {type: integer}\n"
             "      x: {type: integer, range: [0, 50], find_range: true}\n",
             adjacency);
    made_folder(m);
    buf_init(&b, NULL, TEXT_MOST);
    buf_add_text(&b, "who,x\n");
    for (size_t i = 0; i < COUNT_OF(held); i++)
        for (int n = 0; n < held[i].units; n++, u++)
            buf_printf(&b, "%d,%d\n%d,%d\n", u, held[i].value, u,
                       n % 2 ? held[i].value : 0);
    assert_false(b.failed);
    made_file(m, "v.csv", buf_text(&b));
    buf_clear(&b);
    made_ready(m, law);
}

static void
law_is(const char *adjacency, double rate, int64_t penalty)
{
    uint64_t counts[RANGES] = {0};
    double expected[RANGES], all = 0, p;
    int runs = test_size(200, 2000);
    custos_rng *rng = NULL;
    struct plan *plan = NULL;
    struct query *q = NULL;
    struct made m;

    law_open(&m, adjacency);
    test_rng_new_seeded(91);
    assert_int_equal(custos_rng_new(&rng, &m.err), CUSTOS_OK);
    assert_int_equal(sql_read(m.a, str_of("SELECT sum(x) FROM v"), &q, &m.err),
                     CUSTOS_OK);
    assert_int_equal(plan_make(m.a, q, m.policy, NULL, &plan, &m.err),
                     CUSTOS_OK);
    assert_int_equal(plan_range_selection(plan)->n, RANGES);
    assert_int_equal(plan_range_selection(plan)->penalty, penalty);
    for (int i = 0; i < RANGES; i++)
        all += exp(-rate * (double)(outside[i] + penalty * i));
    for (int i = 0; i < RANGES; i++)
        expected[i] =
            runs * exp(-rate * (double)(outside[i] + penalty * i)) / all;
    for (int i = 0; i < runs; i++) {
        size_t taken;

        assert_int_equal(
            range_selection_run(m.engine, rng, plan, &taken, &m.err),
            CUSTOS_OK);
        counts[taken]++;
    }
    p = test_chi_square_p(counts, expected, RANGES);
    print_message("# %s: p = %.3g\n", adjacency, p);
    assert_true(p > 1e-6); /* the rate of false alarms, but the seed is fixed */
    plan_free(plan);
    custos_rng_free(rng);
    made_close(&m);
}

/* At epsilon 1 the mechanism has 1/5. */
static void
ranges_have_their_probabilities(void **state)
{
    (void)state;
    law_is("add-remove", 0.2, 5);
    law_is("change-one", 0.1, 10);
}

/*
 * What theorem range-found says about units outside, by its exact probabilities on
 * the worst counts: before candidate j as many units are outside as are needed to
 * break the claim, or just one is.
 */
static void
few_units_are_outside_the_range(void **state)
{
    (void)state;
    for (double rate = 1.0 / 64; rate <= 4; rate *= 2)
        for (int j = 0; j < RANGES_MAX; j++)
            for (int few = 0; few < 2; few++) {
                double p = ceil(1 / rate), most = p * j + 5 / rate;
                double all = 0, bad = 0;

                for (int i = 0; i < RANGES_MAX; i++) {
                    double out = i >= j ? 0 : few ? 1 : floor(most) + 1;
                    double weight = exp(-rate * (out + p * (i - j)));

                    all += weight;
                    bad += out > most || i > j + 3 ? weight : 0;
                }
                assert_true(bad <= 0.05 * all);
            }
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_range_is_the_first_that_holds_all),
        cmocka_unit_test_setup_teardown(the_range_is_the_first_that_holds_all,
                                        begin_change, end),
        TEST(a_range_is_one_charge),
        TEST(a_long_expression_is_cut),
        cmocka_unit_test(ranges_have_their_probabilities),
        cmocka_unit_test(few_units_are_outside_the_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
