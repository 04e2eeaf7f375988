/*
 * The least price: a charge is raised to the policy's minimum in each lane,
 * which bounds the number of charges against a budget. The noise stays that of
 * the requested price.
 */
#include "account/filter.h"
#include "plan/hospital.h"
#include "plan/part/bound_selection.h"

/* In units of 10^-20, rounded up. */
static amount
units(const char *text)
{
    amount a;
    rat r;

    rat_init(&r);
    assert_int_equal(rat_read(text, "amount", &r, NULL), CUSTOS_OK);
    a = amount_from_rat_up(&r, AMOUNT_LOSS);
    rat_clear(&r);
    return a;
}

static void
explain_of(const struct planned *t, struct buf *b)
{
    buf_init(b, NULL, 1 << 16);
    plan_explain(t->plan, b);
    assert_false(b->failed);
}

static void
least_price_is_charged_in_both_lanes(void **state)
{
    struct asked tiny = {.delta = "1e-4", .epsilon = "1e-9"};
    struct asked large = {.delta = "1e-4", .epsilon = "5"};
    struct planned t;
    struct filter f;
    struct buf b;

    (void)state;
    assert_int_equal(filter_of_promise("100", "1e-4", &f, NULL), CUSTOS_OK);
    plan_good(&t, "SELECT count(*) FROM patients", &tiny);
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("0.01"));
    assert_true(t.plan->charge.rho >= f.limit[1] / 10000);
    assert_true(t.plan->charge.rho <= f.limit[1] / 10000 + 1);
    /* the noise is that of the requested price */
    assert_true(rat_is(&t.plan->epsilon, "1e-9"));
    assert_string_equal(custos_mech_facts(t.plan->parts[0].mech)->scale,
                        "1000000000");
    explain_of(&t, &b);
    assert_non_null(strstr(buf_text(&b), "price      epsilon 0.01, rho "));
    assert_non_null(strstr(buf_text(&b),
                           "raised to the policy's minimum; noise as for "
                           "epsilon 0.000000001, rho "));
    buf_clear(&b);
    plan_done(&t);

    plan_good(&t, "SELECT count(*) FROM patients", &large);
    assert_false(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("5"));
    explain_of(&t, &b);
    assert_null(strstr(buf_text(&b), "least"));
    buf_clear(&b);
    plan_done(&t);
}

/* Each lane has its own minimum, set by the owner, who may set it to 0. */
static void
least_price_is_the_owners(void **state)
{
    struct asked asked = {.delta = "1e-4", .epsilon = "1e-9"};
    struct planned t;

    (void)state;
    asked.least = NO_LEAST;
    plan_good(&t, "SELECT count(*) FROM patients", &asked);
    assert_false(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("1e-9"));
    plan_done(&t);

    asked.least = "min_epsilon: 1/3, min_rho: 0";
    plan_good(&t, "SELECT count(*) FROM patients", &asked);
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("1/3")); /* rounded up */
    assert_true(t.plan->charge.rho < units("1e-17"));
    plan_done(&t);

    asked.least = "min_epsilon: 0, min_rho: 0.5";
    plan_good(&t, "SELECT count(*) FROM patients", &asked);
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("1e-9"));
    assert_true(t.plan->charge.rho == units("0.5"));
    plan_done(&t);

    asked.delta = NULL; /* pure: no rho lane */
    asked.least = NULL;
    plan_good(&t, "SELECT count(*) FROM patients", &asked);
    assert_true(t.plan->charge.epsilon == units("0.01"));
    assert_true(t.plan->charge.rho < units("1e-17"));
    plan_done(&t);

    plan_good(&t, "SELECT count(*) FROM cities", &asked);
    assert_true(t.plan->is_public && !t.plan->raised);
    plan_done(&t);
}

/*
 * An accuracy that costs less than the least price is charged the least price.
 */
static void
least_price_is_that_of_an_accuracy_too(void **state)
{
    struct asked within = {.within = "1e9", .delta = "1e-4"};
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM patients", &within);
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("0.01"));
    plan_done(&t);
}

/* The budget allows 10,000 charges of the least price, or one fewer. */
static void
least_price_bounds_the_number_of_charges(void **state)
{
    static const char *const deltas[] = {NULL, "1e-4"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(deltas); i++) {
        struct asked tiny = {.delta = deltas[i], .epsilon = "1e-9"};
        struct planned t;
        struct filter f;
        int n = 0;

        assert_int_equal(
            filter_of_promise("100", deltas[i] ? deltas[i] : "0", &f, NULL),
            CUSTOS_OK);
        plan_good(&t, "SELECT count(*) FROM patients", &tiny);
        while (n < 20000 && !filter_admit(&f, &t.plan->charge, NULL))
            n++;
        assert_in_range(n, 9999, 10000);
        plan_done(&t);
    }
}

/* A bound selection and the query after it are one charge, raised once. */
static void
least_price_is_of_the_whole_race(void **state)
{
    struct asked tiny = {.delta = "1e-4", .epsilon = "1e-9"};
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM people", &tiny);
    assert_non_null(plan_bound_selection(t.plan));
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == units("0.01"));
    for (size_t i = 0; i < plan_bound_selection(t.plan)->n; i++) {
        assert_memory_equal(&plan_bound_selection(t.plan)->plans[i]->charge,
                            &t.plan->charge, sizeof t.plan->charge);
        assert_true(
            rat_cmp_i64(&plan_bound_selection(t.plan)->plans[i]->epsilon, 1) <
            0);
    }
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_price_is_charged_in_both_lanes),
        cmocka_unit_test(least_price_is_the_owners),
        cmocka_unit_test(least_price_is_that_of_an_accuracy_too),
        cmocka_unit_test(least_price_bounds_the_number_of_charges),
        cmocka_unit_test(least_price_is_of_the_whole_race),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
