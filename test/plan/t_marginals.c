/*
 * GROUPING SETS, ROLLUP and CUBE: how the price is divided, what is charged, and
 * that no table errs more than if the tables were asked for one by one.
 */
#include <math.h>

#include "account/convert.h"
#include "num/rat_double.h"
#include "plan/hospital.h"
#include "plan/part/marginals.h"

#define MONTH "extract(month FROM day)"
#define DOW "extract(dow FROM day)"

static const char *const QUERIES[] = {
    "SELECT count(*) FROM visits GROUP BY ROLLUP (level, " MONTH ")",
    "SELECT count(*) FROM visits GROUP BY CUBE (level, " MONTH ", " DOW ")",
    "SELECT count(*) FROM visits GROUP BY GROUPING SETS ((level, " MONTH
    "), (level, " DOW "), (" MONTH ", " DOW "))",
    "SELECT count(*) FROM visits GROUP BY GROUPING SETS ((level), (" MONTH
    "), (" DOW "))",
    "SELECT count(*) FROM visits GROUP BY GROUPING SETS ((level), (level), ())",
    "SELECT count(*) FROM patients GROUP BY ROLLUP (city, ward)",
};

/* Many tables: Gaussian noise wins although an epsilon is asked for. */
static const char PAIRS[] =
    "SELECT level AS a, " MONTH " AS b, " DOW
    " AS c, level % 2 AS d, CASE WHEN "
    "cost > 9 THEN 1 ELSE 2 END AS e, extract(quarter FROM day) AS f, count(*) "
    "FROM visits GROUP BY GROUPING SETS ((a, b), (a, c), (a, d), (a, e), (a, "
    "f), (b, c), (b, d), (b, e), (b, f), (c, d), (c, e), (c, f), (d, e), (d, "
    "f), (e, f))";

static double
total_variance(const struct plan *p)
{
    const struct marginals *m = p->marginals;
    double sum = 0, fourth;

    for (size_t s = 0; s < m->n_sets; s++)
        sum += (double)marginals_cells(m, m->sets[s]) *
               marginals_variance(p, s, &fourth);
    return sum;
}

static void
add_rho(const struct plan *p, rat *sum)
{
    for (size_t i = 0; i < p->n_parts; i++)
        rat_add(sum, sum, &p->parts[i].rho);
}

static void
marginals_divide_rho(void **state)
{
    static const struct asked asked = {
        .delta = "1e-6", .max_rho = "1", .rho = "0.3", .least = NO_LEAST};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(QUERIES); i++) {
        struct planned t;
        rat sum, rows;

        plan_good(&t, QUERIES[i], &asked);
        assert_true(marginals_are_residual(t.plan));
        assert_true(has_theorem(t.plan, "residual-marginals"));
        rat_init(&sum);
        rat_init(&rows);
        add_rho(t.plan, &sum);
        assert_true(rat_is(&sum, "0.3"));
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            uint64_t l1, l2;

            residual_sensitivity(t.plan->marginals, t.plan->marginals->noisy[k],
                                 false, &l1, &l2);
            assert_true(rat_double(&t.plan->parts[k].l2_squared) ==
                        (double)l2 * pow((double)t.plan->rows, 2));
            assert_true(t.plan->parts[k].space->groups ==
                            t.plan->parts[k].space->cells ||
                        t.plan->parts[k].space->groups == t.plan->rows);
        }
        assert_true(t.plan->charge.epsilon == AMOUNT_INFINITE);
        assert_true(t.plan->charge.delta == 0);
        rat_clear(&sum);
        rat_clear(&rows);
        plan_done(&t);
    }
}

/* All parts together have the price once; what is converted is within it. */
static void
marginals_charge_epsilon_once(void **state)
{
    static const struct asked asked = {
        .delta = "9e-4", .epsilon = "0.5", .least = NO_LEAST};
    struct planned t;
    rat x, rho, sum;

    (void)state;
    plan_good(&t, PAIRS, &asked);
    rat_init(&x);
    rat_init(&rho);
    rat_init(&sum);
    assert_true(marginals_are_residual(t.plan));
    zcdp_budget_down(&t.plan->epsilon, &t.plan->delta, &rho);
    add_rho(t.plan, &sum);
    assert_true(rat_cmp(&sum, &rho) <= 0);
    assert_true(rat_double(&sum) > rat_double(&rho) * (1 - 1e-9));
    amount_to_rat(t.plan->charge.rho, AMOUNT_LOSS, &x);
    assert_true(rat_double(&x) <= rat_double(&rho) * (1 + 1e-9));
    assert_true(rat_double(&x) > rat_double(&rho) * (1 - 1e-3));
    amount_to_rat(t.plan->charge.epsilon, AMOUNT_LOSS, &x);
    assert_true(rat_is(&x, "0.5"));
    amount_to_rat(t.plan->charge.epsilon_squared, AMOUNT_LOSS, &x);
    assert_true(rat_is(&x, "0.25"));
    assert_true(t.plan->charge.delta > 0 && t.plan->charge.delta_rho == 0);
    rat_clear(&x);
    rat_clear(&rho);
    rat_clear(&sum);
    plan_done(&t);
}

/* The least total variance of tables that are asked for one by one: Gaussian noise
   at shares of rho, or Laplace noise at shares of epsilon. */
static double
one_by_one(const struct plan *p, double rho, double epsilon, bool change)
{
    const struct marginals *m = p->marginals;
    double gauss = 0, laplace = 0, rows = (double)p->rows;

    for (size_t s = 0; s < m->n_sets; s++) {
        double n = (double)marginals_cells(m, m->sets[s]);
        bool several = change && n > 1;

        gauss += sqrt(n * (several ? 2 : 1));
        laplace += cbrt(n * (several ? 4 : 1));
    }
    return rows * rows *
           (rho > 0 ? gauss * gauss / (2 * rho)
                    : 2 * pow(laplace, 3) / (epsilon * epsilon));
}

static void
marginals_are_never_worse_than_one_by_one(void **state)
{
    static const struct asked rho = {
        .delta = "1e-6", .max_rho = "1", .rho = "0.01", .least = NO_LEAST};
    static const struct asked pure = {.epsilon = "0.05", .least = NO_LEAST};
    static const struct asked both = {
        .delta = "9e-4", .epsilon = "0.05", .least = NO_LEAST};

    (void)state;
    for (size_t i = 0; i <= COUNT_OF(QUERIES); i++)
        for (int change = 0; change < 2; change++)
            for (int price = 0; price < 3; price++) {
                struct asked asked = price == 0   ? rho
                                     : price == 1 ? pure
                                                  : both;
                struct planned t;
                double ours, theirs;

                asked.adjacency = change ? "change-one" : "add-remove";
                plan_good(&t, i < COUNT_OF(QUERIES) ? QUERIES[i] : PAIRS,
                          &asked);
                ours = total_variance(t.plan);
                theirs = one_by_one(t.plan, price == 0 ? 0.01 : 0, 0.05,
                                    change == 1);
                print_message("# %zu %s, price %d: %.4f of one by one\n", i,
                              asked.adjacency, price, ours / theirs);
                assert_true(ours <= theirs * (1 + 1e-6));
                plan_done(&t);
            }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_divide_rho),
        cmocka_unit_test(marginals_charge_epsilon_once),
        cmocka_unit_test(marginals_are_never_worse_than_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
