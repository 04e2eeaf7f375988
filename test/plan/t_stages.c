/*
 * The stages of a plan: what is released in which order, over which cells.
 */
#include "account/laplace.h"
#include "plan/hospital.h"
#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"
#include "plan/work.h"

static void
stages_are(const struct plan *p, const char *kinds)
{
    static const char letters[] = {[STAGE_BOUND] = 'B',
                                   [STAGE_RANGE] = 'R',
                                   [STAGE_GROUPS] = 'G',
                                   [STAGE_VALUES] = 'V'};

    assert_int_equal(p->n_stages, strlen(kinds));
    for (size_t i = 0; i < p->n_stages; i++) {
        assert_int_equal(letters[p->stages[i].kind], kinds[i]);
        assert_ptr_equal(p->stages[i].plan, p);
    }
}

static void
a_query_has_its_stages(void **state)
{
    static const struct {
        const char *sql, *stages;
    } cases[] = {
        {"SELECT count(*) FROM patients", "V"},
        {"SELECT level, count(*), sum(cost) FROM visits GROUP BY level", "V"},
        {"SELECT median(cost), count(*) FROM visits", "V"},
        {"SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis", "GV"},
        {"SELECT 1", ""},
    };
    struct asked asked = {.delta = "1e-4"};
    struct planned t;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        plan_good(&t, cases[i].sql, &asked);
        stages_are(t.plan, cases[i].stages);
        for (size_t k = 0; k < t.plan->n_stages; k++)
            assert_ptr_equal(t.plan->stages[k].space, &t.plan->space);
        plan_done(&t);
    }
}

/* Nothing but the bound is released before it is known, and then all the rest. */
static void
a_bound_is_a_stage_with_plans_after_it(void **state)
{
    struct asked asked = {.delta = "1e-4"};
    const struct bound_selection *r;
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM people", &asked);
    stages_are(t.plan, "B");
    assert_int_equal(t.plan->n_parts, 0);
    r = plan_bound_selection(t.plan);
    assert_non_null(r);
    for (size_t i = 0; i < r->n; i++) {
        assert_null(plan_bound_selection(r->plans[i]));
        stages_are(r->plans[i], "V");
        assert_int_equal(r->plans[i]->rows, 1 << i);
    }
    plan_done(&t);
}

/* Likewise a range, which is found once for all groups. */
static void
a_range_is_a_stage_with_plans_after_it(void **state)
{
    struct asked asked = {.delta = "1e-4"};
    const struct range_selection *r;
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT outlay, avg(points) FROM claims GROUP BY outlay",
              &asked);
    stages_are(t.plan, "R");
    assert_int_equal(t.plan->n_parts, 0);
    r = plan_range_selection(t.plan);
    assert_non_null(r);
    for (size_t i = 0; i < r->n; i++) {
        assert_null(plan_range_selection(r->plans[i]));
        stages_are(r->plans[i], "GV");
        assert_true(rat_cmp(&r->plans[i]->delta, &t.plan->delta) <= 0);
    }
    plan_done(&t);
}

/* The second part of a plan moves to a space of one cell. */
static void
parts_over_other_cells_are_a_stage_of_their_own(void **state)
{
    struct asked asked = {.adjacency = "change-one", .delta = "1e-4"};
    struct cell_space total = {.cells = 1, .groups = 1};
    uint8_t was[SHA256_BYTES], is[SHA256_BYTES];
    custos_err err = CUSTOS_ERR_INIT;
    struct planned t, alone;
    struct work w;
    rat rho, x;

    (void)state;
    plan_good(&alone, "SELECT sum(level) FROM visits", &asked);
    plan_good(&t,
              "SELECT level, count(*), sum(level) FROM visits GROUP BY level",
              &asked);
    assert_true(plan_digest(t.plan, was));
    w = (struct work){
        .a = t.a, .policy = t.policy, .plan = t.plan, .err = &err};
    assert_int_equal(t.plan->n_parts, 2);
    total.bounding = t.plan->space.bounding;
    t.plan->parts[1].space = &total;
    t.plan->n_stages = 0;
    assert_int_equal(stages_make(&w), CUSTOS_OK);
    stages_are(t.plan, "VV");
    assert_ptr_equal(t.plan->stages[0].space, &t.plan->space);
    assert_ptr_equal(t.plan->stages[1].space, &total);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(t.plan->stages[i].first, i);
        assert_int_equal(t.plan->stages[i].n_parts, 1);
        assert_ptr_equal(t.plan->stages[i].parts, &t.plan->parts[i]);
    }
    assert_int_equal(plan_values(t.plan), 5 + 1);

    /* Each has the sensitivity of its own space, and the price is their sum. */
    assert_int_equal(sensitivity_make(&w), CUSTOS_OK);
    assert_int_equal(rat_cmp(&t.plan->parts[1].l1, &alone.plan->parts[0].l1),
                     0);
    assert_true(t.plan->parts[1].one_cell && !t.plan->parts[0].one_cell);
    rat_init(&rho);
    rat_init(&x);
    for (size_t i = 0; i < 2; i++) {
        const struct part *part = &t.plan->parts[i];

        laplace_rho_up(&part->epsilon, &part->l1, &part->l2_squared, &x);
        rat_add(&rho, &rho, &x);
    }
    assert_int_equal(charge_make(&w), CUSTOS_OK);
    assert_int_equal(rat_cmp(&t.plan->rho, &rho), 0);
    rat_clear(&rho);
    rat_clear(&x);
    assert_true(plan_digest(t.plan, is));
    assert_memory_not_equal(was, is, sizeof is);
    plan_done(&t);
    plan_done(&alone);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_has_its_stages),
        cmocka_unit_test(a_bound_is_a_stage_with_plans_after_it),
        cmocka_unit_test(a_range_is_a_stage_with_plans_after_it),
        cmocka_unit_test(parts_over_other_cells_are_a_stage_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
