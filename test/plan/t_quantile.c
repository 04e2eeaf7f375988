/*
 * Quantiles of a plan: what they cost for a unit, which share a release, and
 * what is rejected.
 */
#include <math.h>
#include <stdlib.h>

#include "mech/quantile_box.h"
#include "num/rat_double.h"
#include "plan/hospital.h"

/*
 * The epsilon that one more value in a group costs, from the rates of the
 * nodes.
 */
static double
cost_of_value(const custos_quantile *q)
{
    double cost = 0;

    for (size_t i = 0; i < q->ranks; i++) {
        const struct node *n = &q->nodes[i];
        uint64_t most = n->num > n->den - n->num ? n->num : n->den - n->num;
        double one = 2 * rat_double(&n->slope.rate) * (double)most;

        cost = one > cost ? one : cost;
    }
    return cost * q->facts.levels;
}

/*
 * Over all groups, m values come or go under add/remove and 2 m under
 * change-one, wherever they are. (With a single group change-one costs less:
 * see the next test.)
 */
static void
quantile_price_is_by_value(void **state)
{
    static const struct {
        const char *sql, *adjacency;
        double values; /* that come and go */
    } cases[] = {
        {"SELECT median(age) FROM patients", NULL, 1},
        {"SELECT city, median(age) FROM patients GROUP BY city", NULL, 1},
        {"SELECT max(cost), median(cost) FROM visits", NULL, 20},
        {"SELECT level, max(cost), min(cost) FROM visits GROUP BY level", NULL,
         20},
        {"SELECT level, max(cost), min(cost) FROM visits GROUP BY level",
         "change-one", 40},
        {"SELECT x, percentile_disc(0.1) WITHIN GROUP (ORDER BY d1) FROM d "
         "GROUP BY x",
         "change-one", 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked asked = {.adjacency = cases[i].adjacency,
                              .epsilon = "0.9"};
        struct planned t;
        const struct part_quantiles *q;

        plan_good(&t, cases[i].sql, &asked);
        assert_int_equal(t.plan->n_parts, 1);
        q = t.plan->parts[0].quantiles;
        assert_true(rat_is(&t.plan->epsilon, "0.9"));
        assert_true(fabs(cost_of_value(q->draws) * cases[i].values - 0.405) <
                    1e-9);
        assert_true(fabs(cases[i].values /
                             strtod(custos_mech_facts(q->counts)->scale, NULL) -
                         0.495) < 1e-9);
        plan_done(&t);
    }
}

/* One group under change-one: the number of values changes by at most one. */
static void
one_group_replaced_costs_as_the_tree_says(void **state)
{
    struct asked asked = {.adjacency = "change-one", .epsilon = "0.9"};
    const struct node *n;
    struct planned t;

    (void)state;
    plan_good(&t,
              "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY age) FROM "
              "patients",
              &asked);
    n = &t.plan->parts[0].quantiles->draws->nodes[0];
    assert_int_equal(n->den, 4);
    assert_true(fabs(2 * rat_double(&n->slope.rate) * 4 - 0.405) < 1e-9);
    plan_done(&t);
}

/*
 * All ranks of one value form one part, sorted and without repetition; other
 * values have other parts.
 */
static void
ranks_of_one_value_share_a_price(void **state)
{
    static const char *const want[] = {"0", "0.25", "0.5", "1"};
    static const size_t rank[] = {3, 2, 1, 2, 0, 2};
    struct asked asked = {.epsilon = "1"};
    const struct plan *p;
    struct planned t;

    (void)state;
    plan_good(&t,
              "SELECT max(age), median(age), percentile_cont(0.25) WITHIN "
              "GROUP (ORDER BY age), percentile_disc(0.5) WITHIN GROUP (ORDER "
              "BY age), min(age), percentile_cont(0.50) WITHIN GROUP (ORDER "
              "BY age) FROM patients",
              &asked);
    p = t.plan;
    assert_int_equal(p->n_parts, 1);
    assert_int_equal(p->parts[0].quantiles->n, 4);
    assert_int_equal(part_width(&p->parts[0]), 4 * 2 + 4 * BOX_EDGES + 1);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(p->parts[0].quantiles->rank[i], want[i]);
    assert_int_equal(p->n_aggregates, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(p->aggregates[i].rank, rank[i]);
    plan_done(&t);
    plan_good(&t,
              "SELECT median(age), max(age, epsilon => 0.25), median(age + 1), "
              "median(age, contribution_bounds_per_row => (1, 9)) FROM "
              "patients",
              &asked);
    assert_int_equal(t.plan->n_parts, 4);
    assert_true(rat_is(&t.plan->parts[1].epsilon, "0.25"));
    assert_true(rat_is(&t.plan->parts[0].epsilon, "0.25"));
    plan_done(&t);
}

/* Without error bars, the whole price goes to the exponential mechanism. */
static void
without_bars_ranks_get_the_whole_price(void **state)
{
    struct asked asked = {.epsilon = "0.9"};
    const struct part_quantiles *q;
    struct planned t;

    (void)state;
    plan_good(&t,
              "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(quantile_bar = off) "
              "median(age) FROM patients",
              &asked);
    q = t.plan->parts[0].quantiles;
    assert_null(q->counts);
    assert_int_equal(part_width(&t.plan->parts[0]), 1);
    assert_int_equal(q->draws->nodes[0].around, 0);
    assert_true(fabs(cost_of_value(q->draws) - 0.9) < 1e-9);
    plan_done(&t);
}

/*
 * In rho, boxes of epsilon e on L levels cost e^2/8L and counts with noise of
 * deviation s cost D/2s^2, where D is the squared l2 sensitivity: m^2, and 2 m^2
 * under change-one. Boxes get 45 % of the price, those of several ranks 35 %.
 */
static void
quantiles_in_rho_cost_their_rho(void **state)
{
    static const struct {
        const char *sql, *adjacency;
        double values, squared, levels, boxes;
    } cases[] = {
        {"SELECT median(age) FROM patients", NULL, 1, 1, 1, 0.045},
        {"SELECT max(cost), median(cost) FROM visits", NULL, 20, 400, 2, 0.035},
        {"SELECT level, max(cost), min(cost) FROM visits GROUP BY level",
         "change-one", 40, 800, 2, 0.035},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked asked = {.adjacency = cases[i].adjacency,
                              .delta = "1e-4",
                              .max_rho = "1",
                              .rho = "0.1"};
        const struct part_quantiles *q;
        double boxes, deviation;
        struct planned t;

        plan_good(&t, cases[i].sql, &asked);
        q = t.plan->parts[0].quantiles;
        boxes = cost_of_value(q->draws) * cases[i].values;
        deviation = strtod(custos_mech_facts(q->counts)->scale, NULL);
        assert_true(fabs(boxes * boxes / 8 / cases[i].levels - cases[i].boxes) <
                    1e-9);
        assert_true(fabs(cases[i].squared / 2 / deviation / deviation -
                         (0.1 - cases[i].boxes)) < 1e-9);
        assert_true(rat_is(&t.plan->rho, "0.1"));
        plan_done(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_price_is_by_value),
        cmocka_unit_test(one_group_replaced_costs_as_the_tree_says),
        cmocka_unit_test(ranks_of_one_value_share_a_price),
        cmocka_unit_test(without_bars_ranks_get_the_whole_price),
        cmocka_unit_test(quantiles_in_rho_cost_their_rho),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
