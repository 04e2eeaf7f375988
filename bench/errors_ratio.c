/*
 * Error bars of ratios of released values: the mean half width of a bar, as a
 * ratio to the error that 95 % of the answers stay below, measured in the same
 * run. One figure for each range of denominators, in deviations of their
 * noise; the largest over kinds of ratio and laws of noise. Only answers whose
 * released denominator is above 4 deviations count: below, the bar may be the
 * whole range. Coverage, of all answers, is printed beside it. Variances, whose
 * mean is unknown as well, have figures of their own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curator/bars.h"
#include "measure.h"
#include "mech/i128.h"
#include "noise/noise.h"

enum { RUNS = 10000, KINDS = 4 };

static const char *const names[KINDS] = {"share", "sum / count", "avg", "var"};

#define LEAST 4 /* deviations */

struct figure {
    double bar, error, covered;
    size_t counted;
    size_t without; /* of these, answers whose bar is the whole range */
};

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

/* One answer: its point, and its bar; false: the bar is the whole range. */
static bool
answer(int kind, struct bar_part part[3], struct bar range, double *point,
       struct bar *bar)
{
    double limit = (range.high - range.low) * (range.high - range.low) / 4;
    struct bar_term terms[2] = {{part[1].law, 1, 0}, {part[0].law, 0, 1}};

    switch (kind) {
    case 0:
    case 1:
        *point = part[1].value / part[0].value;
        return bar_quotient(terms, 2, part[1].value, part[0].value, 0.05, bar);
    case 2:
        *point = bar_ratio_point(part[1].value, part[0].value, range);
        *bar = bar_ratio(part[1], part[0], range, 0.05);
        return bar->low > range.low || bar->high < range.high;
    default:
        *point = bar_variance_point(part[2].value, part[1].value, part[0].value,
                                    range, BAR_POPULATION);
        *bar = bar_variance(part[2], part[1], part[0], range, BAR_POPULATION,
                            0.05);
        return bar->low > 0 || bar->high < limit;
    }
}

/* n values, 30 % of them at the upper end of the range, the others a quarter of
   the way up. */
static struct figure
measure(int kind, enum bar_kind law, double deviations)
{
    static i128 noise[3][RUNS];
    static double errors[RUNS];
    struct bar range = kind == 0 ? (struct bar){0, 1} : (struct bar){-50, 50};
    double scale = 20, width = range.high - range.low;
    double unit = law == BAR_LAPLACE ? sqrt(2) : 1;
    double n = ceil(deviations * scale * unit), up = nearbyint(0.3 * n);
    double low = kind == 0 ? 0 : range.low + width / 4;
    double sum = up * range.high + (n - up) * low, exact;
    double squares = up * range.high * range.high + (n - up) * low * low;
    struct bar_law laws[3] = {{law, scale},
                              {law, scale * range.high},
                              {law, scale * range.high * range.high}};
    struct figure f = {0};
    custos_rng *rng = NULL;

    measure_need(custos_rng_new(&rng, NULL));
    for (int i = 0; i < 3; i++)
        draw(laws[i], rng, noise[i]);
    exact = kind == 3 ? squares / n - sum / n * (sum / n) : sum / n;
    for (size_t i = 0; i < RUNS; i++) {
        struct bar_part part[3] = {{n + (double)noise[0][i], laws[0]},
                                   {sum + (double)noise[1][i], laws[1]},
                                   {squares + (double)noise[2][i], laws[2]}};
        struct bar bar = {0, 0};
        double point;

        if (answer(kind, part, range, &point, &bar)) {
            f.covered += bar.low <= exact && exact <= bar.high;
        } else {
            f.covered++;
            bar.high = bar.low = NAN;
        }
        if (part[0].value < LEAST * scale * unit)
            continue;
        f.bar += isnan(bar.low) ? 0 : (bar.high - bar.low) / 2;
        f.without += isnan(bar.low) ? 1 : 0;
        errors[f.counted++] = fabs(point - exact);
    }
    qsort(errors, f.counted, sizeof *errors, double_cmp);
    f.error = errors[f.counted * 95 / 100];
    f.covered /= RUNS;
    f.bar /= (double)(f.counted - f.without);
    custos_rng_free(rng);
    return f;
}

/* Kinds from `first` on, up to `end`: their largest bar. */
static void
print_figure(const char *name, const double deviations[2], int first, int end)
{
    double worst = 0, least = 1;

    for (int k = first * 4; k < end * 4; k++) {
        double n = deviations[k / 2 % 2];
        struct figure f = measure(k / 4, k % 2 ? BAR_GAUSSIAN : BAR_LAPLACE, n);

        fprintf(stderr,
                "%-11s %-7s %5g deviations: bar %.3f of the 95 %% error, "
                "covers %.2f %%, whole range %.1f %%\n",
                names[k / 4], k % 2 ? "Gauss" : "Laplace", n, f.bar / f.error,
                100 * f.covered, 100 * (double)f.without / (double)f.counted);
        worst = fmax(worst, f.bar / f.error);
        least = fmin(least, f.covered);
    }
    measure_print(name, worst, "ratio");
    fprintf(stderr, "covers at least %.2f %%\n", 100 * least);
}

int
main(void)
{
    static const double near[] = {4.5, 5.8}, middle[] = {7, 15},
                        far[] = {25, 200};

    print_figure("err_ratio_bar_4", near, 0, 3);
    print_figure("err_ratio_bar_6", middle, 0, 3);
    print_figure("err_ratio_bar", far, 0, 3);
    print_figure("err_variance_bar_4", near, 3, KINDS);
    print_figure("err_variance_bar_6", middle, 3, KINDS);
    print_figure("err_variance_bar", far, 3, KINDS);
    return 0;
}
