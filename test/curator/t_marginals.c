/*
 * Error bars of GROUPING SETS, ROLLUP and CUBE: simulated coverage of every table
 * and each way of putting the noise. Where the noise deviates by 10 or more, it
 * is within 1 % of 95 %; where it deviates less, it is 95 % or more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curator/marginals.h"
#include "mech/i128.h"
#include "plan/hospital.h"
#include "plan/part/marginals.h"
#include "support/support.h"

enum { RUNS = 1500 };

static struct bar_law
law_of(const struct part *part)
{
    return (struct bar_law){part->mech_kind == CUSTOS_GAUSSIAN ? BAR_GAUSSIAN
                                                               : BAR_LAPLACE,
                            strtod(custos_mech_facts(part->mech)->scale, NULL)};
}

/* One release over no rows: what comes out is noise; by layer. */
static void
release_once(const struct plan *p, custos_rng *rng, i128 **out)
{
    i128 *values[PLAN_PARTS_MAX], *layer[PLAN_PARTS_MAX];

    for (size_t i = 0; i < p->n_parts; i++) {
        size_t n = p->parts[i].space->cells;
        const struct marginals *m = marginals_of(p, i);
        custos_sealed *sealed = NULL;

        values[i] = calloc(n, sizeof(i128));
        assert_non_null(values[i]);
        assert_int_equal(seal_i128(NULL, values[i], n, &sealed, NULL), 0);
        assert_int_equal(p->parts[i].residual
                             ? residual_release(m,
                                                m->noisy[marginals_table(p, i)],
                                                p->parts[i].mech, rng, sealed,
                                                values[i], NULL)
                             : release_i128(p->parts[i].mech, rng, sealed,
                                            values[i], n, NULL),
                         0);
        custos_sealed_free(sealed);
    }
    for (size_t l = 0; l < p->n_layers; l++) {
        for (size_t t = 0; t < p->marginals->n_noisy; t++)
            layer[t] = values[t * p->n_layers + l];
        assert_int_equal(
            marginals_rebuild(&p->marginals[l], layer, out[l], NULL), 0);
    }
    for (size_t i = 0; i < p->n_parts; i++)
        free(values[i]);
}

/* The share of cells within their bar, by table. */
static void
check_coverage(const char *sql, const struct asked *asked,
               enum marginals_kind kind, double most)
{
    custos_rng *rng = test_rng_seeded(5);
    struct cell_noise noise[16];
    double half[16], squares[16] = {0};
    size_t within[16] = {0};
    const struct marginals *m;
    struct planned t;
    i128 *out;

    plan_good(&t, sql, asked);
    assert_int_equal(t.plan->n_layers, 1);
    m = t.plan->marginals;
    assert_int_equal(m->kind, kind);
    assert_true(m->n_sets <= COUNT_OF(half));
    marginals_noise(t.plan, noise);
    marginals_bars(t.plan, noise, law_of(&t.plan->parts[0]), 0.05, half);
    out = calloc(t.plan->space.cells, sizeof *out);
    assert_non_null(out);
    for (int run = 0; run < RUNS; run++) {
        release_once(t.plan, rng, &out);
        for (size_t s = 0; s < m->n_sets; s++)
            for (size_t c = m->first[s]; c < m->first[s + 1]; c++) {
                within[s] += fabs((double)out[c]) <= half[s];
                squares[s] += pow((double)out[c], 2);
            }
    }
    for (size_t s = 0; s < m->n_sets; s++) {
        double n = (double)RUNS * (double)(m->first[s + 1] - m->first[s]);
        double share = (double)within[s] / n, slack = 5 * sqrt(0.0475 / RUNS);
        double fourth, want = marginals_variance(t.plan, 0, s, &fourth);

        print_message("# table %zu: %.4f within %.0f, variance %.2f of %.2f\n",
                      s, share, half[s], squares[s] / n, want);
        assert_true(share >= 0.95 - slack / (n > 4.0 * RUNS ? 2 : 1));
        assert_true(share <= most + slack);
        if (want >= 100)
            assert_true(fabs(squares[s] / n / want - 1) < 0.2);
    }
    free(out);
    plan_done(&t);
    test_rng_free(rng);
}

#define CUBE                                                                   \
    "SELECT count(*) FROM visits GROUP BY CUBE (level, extract(month FROM "    \
    "day))"

static void
marginals_bars_cover(void **state)
{
    static const struct asked fine = {
        .delta = "1e-6", .max_rho = "10", .rho = "0.5"};
    static const struct asked coarse = {
        .delta = "1e-6", .max_rho = "1000000", .rho = "400"};
    static const struct asked tiny = {
        .delta = "1e-6", .max_rho = "1000000", .rho = "100000"};
    static const struct asked change = {.delta = "1e-6",
                                        .max_rho = "10",
                                        .rho = "0.5",
                                        .adjacency = "change-one"};
    static const struct asked pure = {.epsilon = "1"};

    (void)state;
    check_coverage(CUBE, &fine, MARGINALS_RESIDUAL, 0.96);
    check_coverage(CUBE, &change, MARGINALS_TABLES, 0.96);
    check_coverage(CUBE, &coarse, MARGINALS_RESIDUAL, 1);
    check_coverage(CUBE, &tiny, MARGINALS_RESIDUAL, 1);
    check_coverage(CUBE, &pure, MARGINALS_TABLES, 0.96);
    check_coverage(
        "SELECT count(*) FROM visits GROUP BY GROUPING SETS ((level),"
        " (extract(month FROM day)))",
        &pure, MARGINALS_TABLES, 0.96);
}

/* ----------------------------------------------------- sums and averages -- */

/* Each table's share of bars that hold: of an average's sum and count, of the sum
   that is read from both, and of the average itself, over `rows` rows that add up to
   `centred`, in multiples of their half range. */
static void
check_sums(const char *sql, const struct asked *asked, enum marginals_kind kind,
           double rows, double centred, double most)
{
    custos_rng *rng = test_rng_seeded(6);
    double half[3][16];
    struct cell_noise noise[32];
    struct bar_law laws[2][16];
    size_t within[4][16] = {{0}};
    const struct plan_aggregate *f;
    const struct marginals *m;
    struct planned t;
    i128 *out[2];

    plan_good(&t, sql, asked);
    m = t.plan->marginals;
    f = &t.plan->aggregates[0];
    assert_int_equal(m->kind, kind);
    assert_int_equal(t.plan->n_layers, 2);
    assert_true(f->rows >= 0 && f->sum >= 0 && m->n_sets <= 16);
    marginals_noise(t.plan, noise);
    for (size_t l = 0; l < 2; l++) {
        marginals_bars(t.plan, noise + l * m->n_sets, law_of(&t.plan->parts[l]),
                       0.05, half[l]);
        for (size_t s = 0; s < m->n_sets; s++)
            laws[l][s] = marginals_law(t.plan, &noise[l * m->n_sets + s]);
        out[l] = calloc(t.plan->space.cells, sizeof *out[l]);
        assert_non_null(out[l]);
    }
    marginals_sum_bars(t.plan, f, noise, 0.05, half[2]);
    for (int run = 0; run < RUNS; run++) {
        release_once(t.plan, rng, out);
        for (size_t c = 0; c < t.plan->space.cells; c++) {
            const struct part *part = &t.plan->parts[f->sum];
            size_t s = marginals_set_of(m, c);
            double n = (double)out[f->rows][c], sum = (double)out[f->sum][c];
            double step = (double)(part->upper - part->centre);
            struct bar range = {-step, step}, bar;

            within[0][s] += fabs((double)out[0][c]) <= half[0][s];
            within[1][s] += fabs((double)out[1][c]) <= half[1][s];
            within[2][s] += fabs(sum + (double)part->centre * n) <= half[2][s];
            bar = bar_ratio(
                (struct bar_part){sum + centred * step, laws[f->sum][s]},
                (struct bar_part){n + rows, laws[f->rows][s]}, range, 0.05);
            within[3][s] += bar.low <= centred * step / rows &&
                            centred * step / rows <= bar.high;
        }
    }
    for (size_t s = 0; s < m->n_sets; s++)
        for (int what = 0; what < 4; what++) {
            double n = (double)RUNS * (double)(m->first[s + 1] - m->first[s]);
            double share = (double)within[what][s] / n;
            double slack = 5 * sqrt(0.0475 / RUNS) / (n > 4.0 * RUNS ? 2 : 1);

            print_message("# table %zu, %d: %.4f\n", s, what, share);
            assert_true(share >= 0.95 - slack);
            assert_true(what == 3 || share <= most + slack);
        }
    free(out[0]);
    free(out[1]);
    plan_done(&t);
    test_rng_free(rng);
}

static void
bars_of_sums_and_averages_cover(void **state)
{
    static const char sql[] =
        "SELECT avg(cost), sum(cost) FROM visits GROUP BY ROLLUP (level, level "
        "% 2)";
    static const struct asked rho = {
        .delta = "1e-6", .max_rho = "10", .rho = "0.5"};
    static const struct asked change = {.delta = "1e-6",
                                        .max_rho = "10",
                                        .rho = "0.5",
                                        .adjacency = "change-one"};
    static const struct asked pure = {.epsilon = "1"};

    (void)state;
    check_sums(sql, &rho, MARGINALS_RESIDUAL, 5000, 1000, 0.96);
    check_sums(sql, &rho, MARGINALS_RESIDUAL, 300, -200, 0.96);
    check_sums(sql, &change, MARGINALS_TABLES, 5000, 1000, 0.96);
    check_sums(sql, &pure, MARGINALS_TABLES, 5000, 1000, 0.97);
    check_sums("SELECT avg(cost) FROM visits GROUP BY GROUPING SETS ((level), "
               "(extract(dow FROM day)))",
               &pure, MARGINALS_TABLES, 5000, -3000, 0.97);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_bars_cover),
        cmocka_unit_test(bars_of_sums_and_averages_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
