/*
 * Plans with bound selection: which tables need it, what it costs, which plans
 * may follow.
 */
#include "plan/part/bound_selection.h"

#include "plan/hospital.h"

/*
 * In `people` the unit is a household; the policy does not say how many people
 * it has.
 */
static const char people[] = "SELECT count(*) FROM people";

static void
a_race_is_where_no_bound_is_declared(void **state)
{
    static const struct {
        const char *sql;
        bool bound_selection;
    } asked[] = {
        {people, true},
        {"SELECT count(*) FROM people WHERE person > 3", true},
        {"SELECT count(*) FROM visits", false},
        {"SELECT count(*) FROM patients", false}, /* its unit is a key */
        {"SELECT count(*) FROM d", false},
        {"SELECT count(*) FROM homes", false},
        {"SELECT count(*) FROM homes JOIN people ON member = person", false},
        {"SELECT count(*) FROM people a JOIN people b ON a.household = "
         "b.household",
         true},
        {"SELECT count(*) FROM people JOIN cities ON cities.people = person",
         true},
        {"SELECT count(*) FROM (SELECT household FROM people UNION ALL SELECT "
         "household FROM people) u",
         true},
        {"SELECT sum(n) FROM (SELECT household, count(*) AS n FROM people "
         "GROUP BY household) u",
         true},
        {"SELECT count(distinct household) FROM people", false},
        {"SELECT count(*), count(distinct household) FROM people", true},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 7) "
         "count(*) FROM people",
         false},
    };
    struct planned t;

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        plan_good(&t, asked[i].sql, NULL);
        if (!plan_bound_selection(t.plan) == asked[i].bound_selection)
            fail_msg("%s", asked[i].sql);
        plan_done(&t);
    }
    plan_good(&t, asked[13].sql, NULL);
    assert_int_equal(t.plan->rows, 7);
    plan_done(&t);
}

static void
check_price(const char *sql, const struct asked *asked)
{
    struct planned t;
    const struct bound_selection *r;
    bool rho = false, delta = false;
    rat x;

    plan_good(&t, sql, asked);
    r = plan_bound_selection(t.plan);
    assert_non_null(r);
    assert_int_equal(r->n, BOUND_SELECTION_MAX);
    assert_int_equal(t.plan->n_parts, 0);
    rat_init(&x);
    for (size_t i = 0; i < r->n; i++) {
        const struct plan *p = r->plans[i];

        assert_int_equal(p->rows, (uint64_t)1 << i);
        rat_add(&x, &p->epsilon, &r->share);
        assert_true(rat_cmp(&x, &t.plan->epsilon) == 0);
        assert_true(rat_cmp(&p->rho, &t.plan->rho) < 0);
        assert_true(rat_cmp(&p->delta, &t.plan->delta) <= 0);
        delta = delta || rat_cmp(&p->delta, &t.plan->delta) == 0;
        /* x: what the selection costs in rho, minus its cost in epsilon */
        rat_sub(&x, &t.plan->rho, &p->rho);
        rat_sub(&x, &x, &r->share);
        rho = rho || rat_sign(&x) < 0;
        assert_memory_equal(&p->charge, &t.plan->charge, sizeof p->charge);
    }
    assert_true(rho && delta);
    rat_clear(&x);
    plan_done(&t);
}

static void
the_price_of_a_race_is_the_largest_of_its_plans(void **state)
{
    const struct asked pure = {.epsilon = "1"};
    const struct asked both = {
        .epsilon = "1", .delta = "1e-5", .adjacency = "change-one"};
    struct planned t;

    (void)state;
    check_price(people, &pure);
    check_price(people, &both);
    check_price("SELECT person % 7, count(*), count(distinct household) FROM "
                "people GROUP BY person % 7",
                &both);
    plan_good(&t, people, &pure);
    assert_true(rat_is(&t.plan->epsilon, "1"));
    assert_true(rat_is(&plan_bound_selection(t.plan)->share, "1/4"));
    assert_true(rat_is(&plan_bound_selection(t.plan)->scale, "8"));
    assert_int_equal(plan_bound_selection(t.plan)->few, 48);
    assert_int_equal(plan_bound_selection(t.plan)->most, 112);
    assert_true(rat_is(
        &plan_bound_selection(t.plan)->plans[0]->parts[0].epsilon, "3/4"));
    assert_true(
        rat_is(&plan_bound_selection(t.plan)->plans[10]->parts[0].l1, "1024"));
    plan_done(&t);
    /*
     * The epsilon of a single aggregate also includes the share of the bound
     * selection.
     */
    plan_good(&t, "SELECT count(*, epsilon => 0.4) FROM people", NULL);
    assert_true(rat_is(&t.plan->epsilon, "0.4"));
    assert_true(rat_is(
        &plan_bound_selection(t.plan)->plans[0]->parts[0].epsilon, "0.3"));
    plan_done(&t);
}

/*
 * Joining a table four times on the unit multiplies the unit's rows, so large
 * bounds have no plan.
 */
static void
bounds_end_where_no_plan_is_possible(void **state)
{
    static const char sql[] =
        "SELECT count(*) FROM people a JOIN people b ON a.household = "
        "b.household JOIN people c ON a.household = c.household JOIN people e "
        "ON a.household = e.household";
    struct planned t;

    (void)state;
    plan_good(&t, sql, NULL);
    assert_int_equal(plan_bound_selection(t.plan)->n,
                     5); /* 32^4 rows are too much work */
    plan_done(&t);
}

static void
accuracy_cannot_be_priced(void **state)
{
    const struct asked within = {.within = "10"};
    struct planned t;

    (void)state;
    plan_for(&t, people, &within);
    assert_int_equal(t.status, CUSTOS_EUNSUPPORTED);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_where_no_bound_is_declared),
        cmocka_unit_test(the_price_of_a_race_is_the_largest_of_its_plans),
        cmocka_unit_test(bounds_end_where_no_plan_is_possible),
        cmocka_unit_test(accuracy_cannot_be_priced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
