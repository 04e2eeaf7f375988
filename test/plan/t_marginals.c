/*
 * GROUPING SETS, ROLLUP and CUBE: how the price is divided, what is charged, and
 * that no table errs more than if the tables were asked for one by one.
 */
#include <math.h>
#include <string.h>

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
total_variance(const struct plan *p, size_t layer)
{
    const struct marginals *m = p->marginals;
    double sum = 0, fourth;

    for (size_t s = 0; s < m->n_sets; s++)
        sum += (double)marginals_cells(m, m->sets[s]) *
               marginals_variance(p, layer, s, &fourth);
    return sum;
}

static double
largest_variance(const struct plan *p, size_t layer)
{
    double most = 0, fourth;

    for (size_t s = 0; s < p->marginals->n_sets; s++)
        most = fmax(most, marginals_variance(p, layer, s, &fourth));
    return most;
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
            rat l1, l2;

            rat_init(&l1);
            rat_init(&l2);
            residual_sensitivity(t.plan->marginals, t.plan->marginals->noisy[k],
                                 false, 0, 1, &l1, &l2);
            assert_true(rat_double(&t.plan->parts[k].l2_squared) ==
                        rat_double(&l2) * pow((double)t.plan->rows, 2));
            rat_clear(&l1);
            rat_clear(&l2);
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

static void
check_charge(const char *sql, size_t layers)
{
    static const struct asked asked = {
        .delta = "9e-4", .epsilon = "0.5", .least = NO_LEAST};
    struct planned t;
    rat x, rho, sum;

    plan_good(&t, sql, &asked);
    assert_int_equal(t.plan->n_layers, layers);
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

/* All parts together have the price once; what is converted is within it. */
static void
marginals_charge_epsilon_once(void **state)
{
    const char *at = strstr(PAIRS, "count(*)");
    char sums[1000];

    (void)state;
    check_charge(PAIRS, 1);
    snprintf(sums, sizeof sums, "%.*savg(balance), sum(cost), %s",
             (int)(at - PAIRS), PAIRS, at);
    check_charge(sums, 3);
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
                ours = total_variance(t.plan, 0);
                theirs = one_by_one(t.plan, price == 0 ? 0.01 : 0, 0.05,
                                    change == 1);
                print_message("# %zu %s, price %d: %.4f of one by one\n", i,
                              asked.adjacency, price, ours / theirs);
                assert_true(ours <= theirs * (1 + 1e-6));
                plan_done(&t);
            }
}

/* ------------------------------------------------------------------ layers -- */

#define SUMS "sum(cost), avg(balance), count(*), sum(level)"

/* The variance of tables of one layer that are asked for one by one at a rho, over the
   square of its largest value. */
static double
layer_one_by_one(const struct plan *p, size_t layer, double rho, bool change)
{
    double rows = (double)p->rows, sum = 0, span;
    i128 low, high;

    sensitivity_row_ends(&p->parts[layer], &low, &high);
    span = (double)(high - low) / (double)(high > -low ? high : -low);
    for (size_t s = 0; s < p->marginals->n_sets; s++) {
        double n = (double)marginals_cells(p->marginals, p->marginals->sets[s]);

        sum += sqrt(n * (!change  ? 1
                         : n == 1 ? span * span
                                  : fmax(2, span * span)));
    }
    return rows * rows * sum * sum / (2 * rho);
}

/* The price of a query is that of all its counts and sums. Where all have noise of the
   same kind when they are asked for alone, each has the tables that it would have
   alone at its share; and all together never err more than if their tables were asked
   for one by one. */
static void
layers_share_the_price(void **state)
{
    static const char sql[] =
        "SELECT " SUMS " FROM visits GROUP BY ROLLUP (level, " MONTH ")";
    static const char *const alone[] = {"sum(cost)", "sum(balance)", "count(*)",
                                        "sum(level)"};

    (void)state;
    for (int change = 0; change < 2; change++) {
        struct asked asked = {.delta = "1e-6",
                              .max_rho = "1",
                              .rho = "0.3",
                              .adjacency = change ? "change-one" : "add-remove",
                              .least = NO_LEAST};
        double together = 0, apart = 0;
        struct planned t;
        rat sum;

        rat_init(&sum);
        plan_good(&t, sql, &asked);
        assert_int_equal(t.plan->n_layers, 4);
        add_rho(t.plan, &sum);
        assert_true(rat_is(&sum, "0.3"));
        for (size_t l = 0; l < t.plan->n_layers; l++) {
            char one[200], rho[40];
            double most, ours = total_variance(t.plan, l);
            struct planned s;
            rat share;

            rat_init(&share);
            for (size_t i = l; i < t.plan->n_parts; i += t.plan->n_layers)
                rat_add(&share, &share, &t.plan->parts[i].rho);
            snprintf(rho, sizeof rho, "%.12f", rat_double(&share));
            snprintf(one, sizeof one,
                     "SELECT %s FROM visits GROUP BY ROLLUP (level, " MONTH ")",
                     alone[l]);
            asked.rho = rho;
            plan_good(&s, one, &asked);
            assert_int_equal(s.plan->n_layers, 1);
            assert_true(change || marginals_are_residual(s.plan));
            if (s.plan->marginals->kind == t.plan->marginals->kind)
                assert_true(fabs(ours / total_variance(s.plan, 0) - 1) < 1e-3);
            most = (double)t.plan->parts[l].row_most;
            together += ours / (most * most);
            apart += layer_one_by_one(t.plan, l, rat_double(&share), change);
            plan_done(&s);
            asked.rho = "0.3";
            rat_clear(&share);
        }
        print_message("# %s: %.4f of one by one\n", asked.adjacency,
                      together / apart);
        assert_true(together <= apart * (1 + 1e-6));
        rat_clear(&sum);
        plan_done(&t);
    }
}

/* --------------------------------------------------------- largest variance -- */

/* A bound that no division of rho falls below: the least sum of the variances of all
   tables, each with a weight; the weights are moved towards the larger variances. */
static double
least_largest(const struct marginals *m, bool change, double rho)
{
    double weight[SQL_SETS_MAX], best = 0;

    for (size_t s = 0; s < m->n_sets; s++)
        weight[s] = 1 / (double)m->n_sets;
    for (int i = 0; i < 20000; i++) {
        double root[PLAN_PARTS_MAX] = {0}, moved[PLAN_PARTS_MAX], all = 0;
        double sum = 0;

        for (size_t f = 0; f < m->n_noisy; f++) {
            rat l1, l2;

            rat_init(&l1);
            rat_init(&l2);
            residual_sensitivity(m, m->noisy[f], change, 0, 1, &l1, &l2);
            moved[f] = rat_double(&l2);
            for (size_t k = 0; k < m->n_keys; k++)
                if (m->noisy[f] >> k & 1)
                    moved[f] *= 1 - 1 / (double)m->size[k];
            for (size_t s = 0; s < m->n_sets; s++)
                if ((m->noisy[f] & ~m->sets[s]) == 0)
                    root[f] += weight[s] /
                               pow((double)marginals_cells(m, m->sets[s]), 2);
            root[f] = sqrt(root[f]);
            all += sqrt(moved[f]) * root[f];
            rat_clear(&l1);
            rat_clear(&l2);
        }
        best = fmax(best, all * all / (2 * rho));
        for (size_t s = 0; s < m->n_sets; s++) {
            double above = 0;

            for (size_t f = 0; f < m->n_noisy; f++)
                if ((m->noisy[f] & ~m->sets[s]) == 0)
                    above += sqrt(moved[f]) / root[f];
            weight[s] *= above / pow((double)marginals_cells(m, m->sets[s]), 2);
            sum += weight[s];
        }
        for (size_t s = 0; s < m->n_sets; s++)
            weight[s] = weight[s] / sum + 1e-12;
    }
    return best;
}

/* With table_error = largest, the largest variance is never above that of the least
   total, and within 1 % of the least that residuals can have. */
static void
the_largest_variance_is_least(void **state)
{
    static const struct asked rho = {
        .delta = "1e-6", .max_rho = "1", .rho = "0.01", .least = NO_LEAST};
    static const struct asked pure = {.epsilon = "0.05", .least = NO_LEAST};

    (void)state;
    for (size_t i = 0; i <= COUNT_OF(QUERIES); i++)
        for (int way = 0; way < 4; way++) {
            const char *sql = i < COUNT_OF(QUERIES) ? QUERIES[i] : PAIRS;
            struct asked asked = way < 2 ? rho : pure;
            struct planned total, largest;
            char text[1000];
            double ours, theirs;

            asked.adjacency = way % 2 ? "change-one" : "add-remove";
            snprintf(text, sizeof text,
                     "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(table_error = "
                     "largest) %s",
                     sql + strlen("SELECT "));
            plan_good(&total, sql, &asked);
            plan_good(&largest, text, &asked);
            ours = largest_variance(largest.plan, 0);
            theirs = largest_variance(total.plan, 0);
            print_message("# %zu, %d: %.4f of the largest for the total\n", i,
                          way, ours / theirs);
            assert_true(ours <= theirs * (1 + 1e-6));
            if (marginals_are_residual(largest.plan)) {
                double rows = (double)largest.plan->rows;
                double least =
                    least_largest(largest.plan->marginals, way % 2 == 1, 0.01) *
                    rows * rows;

                print_message("# %.4f of the least\n", ours / least);
                assert_true(ours <= 1.01 * least);
            }
            plan_done(&total);
            plan_done(&largest);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_divide_rho),
        cmocka_unit_test(marginals_charge_epsilon_once),
        cmocka_unit_test(marginals_are_never_worse_than_one_by_one),
        cmocka_unit_test(layers_share_the_price),
        cmocka_unit_test(the_largest_variance_is_least),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
