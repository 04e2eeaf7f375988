/*
 * Plans with range selection: which values need it, which ranges there are, what
 * it costs.
 */
#include "plan/part/range_selection.h"

#include "plan/hospital.h"

static const char outlay[] = "SELECT sum(outlay) FROM claims";

static void
a_range_is_found_where_the_policy_allows_it(void **state)
{
    static const struct {
        const char *sql;
        bool found;
    } asked[] = {
        {outlay, true},
        {"SELECT avg(amount), stddev(amount), max(amount) FROM claims", true},
        {"SELECT sum(amount + outlay) FROM claims", true},
        {"SELECT sum(points) FROM claims", true},
        {"SELECT sum(points * 2) FROM claims", false}, /* it has a range */
        {"SELECT count(outlay) FROM claims", false},
        {"SELECT count(*) FROM claims WHERE outlay > 3", false},
        {"SELECT avg(CASE WHEN outlay > 3 THEN 1 ELSE 0 END) FROM claims",
         false},
        {"SELECT sum(outlay, contribution_bounds_per_row => (0, 5)) FROM "
         "claims",
         false},
        {"SELECT sum(x) FROM (SELECT outlay AS x FROM claims) c", true},
        {"SELECT sum(outlay) FROM (SELECT outlay FROM claims UNION ALL SELECT "
         "points AS outlay FROM claims) c",
         true},
        {"SELECT sum(cost) FROM visits", false},
    };
    static const char *const rejected[] = {
        "SELECT sum(income) FROM patients", /* has no find_range */
        "SELECT sum(outlay + income) FROM claims JOIN patients ON patient = id",
        "SELECT sum(outlay) FROM (SELECT outlay FROM claims UNION ALL SELECT "
        "nights AS outlay FROM stays) c",
        "SELECT sum(outlay), sum(amount) FROM claims",
        "SELECT corr(outlay, amount) FROM claims",
        "SELECT sum(x) FROM (SELECT patient, sum(outlay) AS x FROM claims "
        "GROUP BY patient) c",
        "SELECT sum(outlay) FROM claims c JOIN people p ON c.patient = "
        "p.household",
    };
    struct planned t;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        plan_good(&t, asked[i].sql, NULL);
        if (!plan_range_selection(t.plan) == asked[i].found)
            fail_msg("%s", asked[i].sql);
        plan_done(&t);
    }
    for (size_t i = 0; i < COUNT_OF(rejected); i++) {
        plan_for(&t, rejected[i], NULL);
        if (t.status != CUSTOS_EUNSUPPORTED)
            fail_msg("%s: %d", rejected[i], (int)t.status);
        plan_done(&t);
    }
}

/* "[0, 1] [0, 2]": the first `most` candidates; all: NULL. */
static void
ranges_are(const char *sql, size_t most, size_t n, const char *ranges)
{
    struct planned t;
    struct buf b;

    plan_good(&t, sql, NULL);
    assert_non_null(plan_range_selection(t.plan));
    assert_int_equal(plan_range_selection(t.plan)->n, n);
    buf_init(&b, NULL, 1 << 12);
    for (size_t i = 0; i < n; i++) {
        if (i >= most && i + 1 < n)
            continue;
        buf_add_text(&b, i ? " " : "");
        range_selection_words(plan_range_selection(t.plan), i, &b);
    }
    assert_string_equal(buf_text(&b), ranges);
    buf_clear(&b);
    plan_done(&t);
}

static void
ranges_end_at_the_declared_one(void **state)
{
    (void)state;
    ranges_are("SELECT sum(points) FROM claims", 10, 10,
               "[0, 1] [0, 2] [0, 5] [0, 10] [0, 20] [0, 50] [0, 100] "
               "[0, 200] [0, 500] [0, 1000]");
    ranges_are(outlay, 5, 74,
               "[0, 1] [-1, 1] [0, 2] [-2, 2] [0, 5] [-1000000000000, "
               "1000000000000]");
    ranges_are("SELECT sum(score) FROM claims", 1, 74,
               "[0, 1] [-1000000000000, 1000000000000]");
}

/* Is the limit of a candidate what the part of its plan is clamped to? */
static void
plans_have_their_ranges(void **state)
{
    const struct range_selection *r;
    struct planned t;

    (void)state;
    plan_good(&t, outlay, NULL);
    r = plan_range_selection(t.plan);
    for (size_t i = 0; i < r->n; i++) {
        const struct part *part = &r->plans[i]->parts[0];
        i128 most = r->upper[i] > -r->lower[i] ? r->upper[i] : -r->lower[i];
        rat l1;

        assert_int_equal(part->grid.digits, 0);
        assert_true(part->lower == r->lower[i] && part->upper == r->upper[i]);
        rat_init(&l1);
        rat_set_i128(&l1, 3 * most); /* rows_per_unit */
        assert_true(rat_cmp(&part->l1, &l1) == 0);
        rat_clear(&l1);
        assert_ptr_equal(r->plans[i]->ranged, part->of);
    }
    plan_done(&t);
}

/* The rho of the first part, which has Laplace noise, is the largest: coarse noise
   comes closest to its limit. */
static void
the_price_of_a_range_is_the_largest_of_its_plans(void **state)
{
    const struct asked pure = {.epsilon = "1", .delta = "1e-5"};
    const struct asked change = {.epsilon = "1", .adjacency = "change-one"};
    const struct asked rho = {.delta = "1e-4", .max_rho = "1", .rho = "0.01"};
    const struct range_selection *r;
    struct planned t;
    bool equal = false;
    rat x;

    (void)state;
    rat_init(&x);
    plan_good(&t, outlay, &pure);
    r = plan_range_selection(t.plan);
    assert_true(rat_is(&t.plan->epsilon, "1") && rat_is(&r->share, "1/5") &&
                rat_is(&r->rho, "1/200"));
    assert_int_equal(r->scores, CUSTOS_SCORES_MONOTONE);
    assert_int_equal(r->penalty, 5);
    for (size_t i = 0; i < r->n; i++) {
        assert_true(rat_is(&r->plans[i]->epsilon, "4/5"));
        rat_add(&x, &r->plans[i]->rho, &r->rho);
        assert_true(rat_cmp(&x, &t.plan->rho) <= 0);
        equal = equal || rat_cmp(&x, &t.plan->rho) == 0;
        assert_memory_equal(&r->plans[i]->charge, &t.plan->charge,
                            sizeof t.plan->charge);
    }
    assert_true(equal);
    plan_done(&t);
    plan_good(&t, outlay, &change);
    r = plan_range_selection(t.plan);
    assert_int_equal(r->scores, CUSTOS_SCORES_GENERAL);
    assert_int_equal(r->penalty, 10);
    plan_done(&t);
    /* epsilon^2 / 8 = 1/5 of the price */
    plan_good(&t, outlay, &rho);
    r = plan_range_selection(t.plan);
    assert_true(rat_is(&t.plan->rho, "0.01") && rat_is(&r->rho, "0.002") &&
                rat_is(&r->plans[0]->rho, "0.008"));
    rat_mul(&x, &r->share, &r->share);
    assert_true(rat_cmp_i64(&x, 0) > 0);
    rat_set_i64(&t.plan->epsilon, 8, 1);
    rat_div(&x, &x, &t.plan->epsilon);
    assert_true(rat_cmp(&x, &r->rho) <= 0);
    rat_set_i64(&t.plan->epsilon, 999, 1000);
    rat_mul(&t.plan->epsilon, &t.plan->epsilon, &r->rho);
    assert_true(rat_cmp(&x, &t.plan->epsilon) > 0);
    assert_true(t.plan->charge.epsilon == AMOUNT_INFINITE);
    plan_done(&t);
    rat_clear(&x);
}

/* Is the rule of each plan that of the plan's own share? It reports an epsilon of 17
   digits, rounded up. */
static void
rules_have_their_prices(const struct range_selection *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct selection *s = r->plans[i]->space.selection;
        rat x, most;

        if (!s)
            continue;
        rat_init(&x);
        rat_init(&most);
        assert_int_equal(
            rat_read(custos_keys_report(s->rule)->epsilon, "epsilon", &x, NULL),
            CUSTOS_OK);
        rat_set_i64(&most, 1000000001, 1000000000);
        rat_mul(&most, &most, &s->epsilon);
        assert_true(rat_cmp(&x, &s->epsilon) >= 0 && rat_cmp(&x, &most) < 0);
        rat_clear(&x);
        rat_clear(&most);
    }
}

/* Plans for all ranges fit into the default limit on planning, whatever follows. */
static void
planning_has_room_for_all_ranges(void **state)
{
    static const char *const asked[] = {
        "SELECT outlay, avg(amount) FROM claims GROUP BY outlay",
        "SELECT outlay, sum(amount), avg(amount), variance(amount), "
        "median(amount) FROM claims GROUP BY outlay",
        "SELECT open, sum(score), stddev(score), median(score) FROM claims "
        "GROUP BY open",
    };
    const struct asked small = {.delta = "1e-4"};
    const struct asked large = {.delta = "1e-4", .epsilon = "5"};
    struct planned t;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(asked); i++) {
        plan_good(&t, asked[i / 2], i % 2 ? &large : &small);
        assert_int_equal(plan_range_selection(t.plan)->n, 74);
        rules_have_their_prices(plan_range_selection(t.plan));
        plan_done(&t);
    }
}

/* An epsilon of a single aggregate includes the share of the range selection. */
static void
shares_of_aggregates_pay_too(void **state)
{
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT sum(outlay, epsilon => 0.5) FROM claims", NULL);
    assert_true(rat_is(&t.plan->epsilon, "0.5"));
    assert_true(rat_is(
        &plan_range_selection(t.plan)->plans[0]->parts[0].epsilon, "0.4"));
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_is_found_where_the_policy_allows_it),
        cmocka_unit_test(ranges_end_at_the_declared_one),
        cmocka_unit_test(plans_have_their_ranges),
        cmocka_unit_test(the_price_of_a_range_is_the_largest_of_its_plans),
        cmocka_unit_test(planning_has_room_for_all_ranges),
        cmocka_unit_test(shares_of_aggregates_pay_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
