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

/* One release over no rows: what comes out is noise. */
static void
release_once(const struct plan *p, custos_rng *rng, i128 *out)
{
    const struct marginals *m = p->marginals;
    i128 *values[PLAN_PARTS_MAX];

    for (size_t i = 0; i < p->n_parts; i++) {
        size_t n = p->parts[i].space->cells;
        custos_sealed *sealed = NULL;

        values[i] = calloc(n, sizeof(i128));
        assert_non_null(values[i]);
        assert_int_equal(seal_i128(NULL, values[i], n, &sealed, NULL), 0);
        assert_int_equal(p->parts[i].residual
                             ? residual_release(m, m->noisy[i],
                                                p->parts[i].mech, rng, sealed,
                                                values[i], NULL)
                             : release_i128(p->parts[i].mech, rng, sealed,
                                            values[i], n, NULL),
                         0);
        custos_sealed_free(sealed);
    }
    assert_int_equal(marginals_rebuild(m, values, out, NULL), 0);
    for (size_t i = 0; i < p->n_parts; i++)
        free(values[i]);
}

/* The share of cells within their bar, by table. */
static void
check_coverage(const char *sql, const struct asked *asked,
               enum marginals_kind kind, double most)
{
    custos_rng *rng = test_rng_seeded(5);
    struct bar_law laws[PLAN_PARTS_MAX];
    double half[16], squares[16] = {0};
    size_t within[16] = {0};
    const struct marginals *m;
    struct planned t;
    i128 *out;

    plan_good(&t, sql, asked);
    m = t.plan->marginals;
    assert_int_equal(m->kind, kind);
    assert_true(m->n_sets <= COUNT_OF(half));
    for (size_t i = 0; i < t.plan->n_parts; i++)
        laws[i] = law_of(&t.plan->parts[i]);
    marginals_bars(t.plan, laws, 0.05, half);
    out = calloc(t.plan->space.cells, sizeof *out);
    assert_non_null(out);
    for (int run = 0; run < RUNS; run++) {
        release_once(t.plan, rng, out);
        for (size_t s = 0; s < m->n_sets; s++)
            for (size_t c = m->first[s]; c < m->first[s + 1]; c++) {
                within[s] += fabs((double)out[c]) <= half[s];
                squares[s] += pow((double)out[c], 2);
            }
    }
    for (size_t s = 0; s < m->n_sets; s++) {
        double n = (double)RUNS * (double)(m->first[s + 1] - m->first[s]);
        double share = (double)within[s] / n, slack = 5 * sqrt(0.0475 / RUNS);
        double fourth, want = marginals_variance(t.plan, s, &fourth);

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginals_bars_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
