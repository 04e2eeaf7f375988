/*
 * Error bars of correlations and slopes: the mean half width of a bar, as a
 * ratio to the error that 95 % of the answers stay below, measured in the same
 * run. n pairs about a line, a sixth of the price for each of the six numbers
 * that are released; the largest over clouds of points and laws of noise.
 * Coverage is printed beside it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curator/bars_pair.h"
#include "measure.h"
#include "noise/noise.h"

enum { RUNS = 5000, PARTS = 6, HALF = 100 };

/* In steps from the centres of ranges of +-HALF. */
static const struct cloud {
    double n, mean_x, mean_y, slope, spread_x, spread_y;
} clouds[] = {
    {10000, 5, -10, 0.5, 80, 30},
    {30000, 30, 40, -0.3, 60, 20},
    {100000, -20, 10, 0.1, 50, 50},
};

/* n, and the sums of x, y, xx, yy and xy. */
static void
sum_up(const struct cloud *c, double *sums)
{
    sums[0] = c->n;
    for (int i = 1; i < PARTS; i++)
        sums[i] = 0;
    for (int64_t i = 0; i < (int64_t)c->n; i++) {
        double u = (double)(i * 7919 % 1000) / 500.0 - 1;
        double v = (double)(i * 104729 % 997) / 498.5 - 1;
        double x = nearbyint(c->mean_x + u * c->spread_x);
        double y =
            nearbyint(c->mean_y + c->slope * (x - c->mean_x) + v * c->spread_y);

        sums[1] += x;
        sums[2] += y;
        sums[3] += x * x;
        sums[4] += y * y;
        sums[5] += x * y;
    }
}

static double
value_of(bool slope, const double *s)
{
    double xy = s[5] - s[1] * s[2] / s[0], xx = s[3] - s[1] * s[1] / s[0];
    double yy = s[4] - s[2] * s[2] / s[0];

    return slope ? xy / xx : xy / sqrt(xx * yy);
}

static void
draw(struct bar_law law, custos_rng *rng, i128 *out)
{
    custos_noise *noise = NULL;
    char scale[40];

    snprintf(scale, sizeof scale, "%.17g", law.scale);
    measure_need(custos_noise_new(NULL,
                                  law.kind == BAR_LAPLACE
                                      ? CUSTOS_DISCRETE_LAPLACE
                                      : CUSTOS_DISCRETE_GAUSSIAN,
                                  scale, &noise, NULL));
    measure_need(noise_draw(noise, rng, out, RUNS));
    custos_noise_free(noise);
}

static int
double_cmp(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The ratio at epsilon 1; *covered: the share of bars that hold. */
static double
measure(bool slope, const struct cloud *c, enum bar_kind kind, double *covered)
{
    static const double most[PARTS] = {1,           HALF,        HALF,
                                       HALF * HALF, HALF * HALF, HALF * HALF};
    static i128 noise[PARTS][RUNS];
    static double errors[RUNS];
    double sums[PARTS], exact, width = 0;
    struct bar_law laws[PARTS];
    custos_rng *rng = NULL;

    measure_need(custos_rng_new(&rng, NULL));
    sum_up(c, sums);
    exact = value_of(slope, sums);
    for (int i = 0; i < PARTS; i++) {
        laws[i] = (struct bar_law){kind, most[i] * PARTS};
        draw(laws[i], rng, noise[i]);
    }
    *covered = 0;
    for (size_t k = 0; k < RUNS; k++) {
        struct bar_part part[PARTS];
        double seen[PARTS];
        struct bar b = {0, 0};

        for (int i = 0; i < PARTS; i++) {
            seen[i] = sums[i] + (double)noise[i][k];
            part[i] = (struct bar_part){seen[i], laws[i]};
        }
        errors[k] = fabs(value_of(slope, seen) - exact);
        measure_need(
            !(slope ? bar_slope : bar_corr)(&(struct bar_pair){part[0],
                                                               part[1],
                                                               part[2],
                                                               part[3],
                                                               part[4],
                                                               part[5],
                                                               1,
                                                               {-HALF, HALF},
                                                               {-HALF, HALF}},
                                            0.05, &b));
        width += (b.high - b.low) / 2;
        *covered += b.low <= exact && exact <= b.high ? 1 : 0;
    }
    *covered /= RUNS;
    qsort(errors, RUNS, sizeof *errors, double_cmp);
    custos_rng_free(rng);
    return width / RUNS / errors[RUNS * 95 / 100];
}

int
main(void)
{
    for (int slope = 0; slope < 2; slope++) {
        double worst = 0, least = 1;

        for (int i = 0; i < 6; i++) {
            double covered,
                ratio = measure(slope, &clouds[i / 2],
                                i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE, &covered);

            fprintf(stderr,
                    "%-5s %-7s n %-6g: bar %.3f of the 95 %% error, covers "
                    "%.2f %%\n",
                    slope ? "slope" : "corr", i % 2 ? "Gauss" : "Laplace",
                    clouds[i / 2].n, ratio, 100 * covered);
            worst = fmax(worst, ratio);
            least = fmin(least, covered);
        }
        measure_print(slope ? "err_slope_bar" : "err_corr_bar", worst, "ratio");
        fprintf(stderr, "covers at least %.2f %%\n", 100 * least);
    }
    return 0;
}
