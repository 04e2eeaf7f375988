/*
 * Error bars of ratios of released values: the mean half width of a bar, as a
 * ratio to the error that 95 % of the answers stay below, measured in the same
 * run. One figure for each range of denominators, in deviations of their
 * noise; the largest over kinds of ratio, laws of noise and data sets: made
 * values, and those in ../shared/data that are there. Only answers whose
 * released denominator is above 4 deviations count: below, the bar may be the
 * whole range. Coverage, of all answers, is printed beside it. Variances, whose
 * mean is unknown as well, have figures of their own, above 6 deviations.
 */
#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "curator/bars.h"
#include "measure.h"

enum { RUNS = 10000, KINDS = 4 };

static const char *const names[KINDS] = {"share", "sum / count", "avg", "var"};

#define LEAST 4 /* deviations */

struct figure {
    double bar, error, covered;
    size_t counted;
    size_t without; /* of these, answers whose bar is the whole range */
};

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

/* What a ratio depends on: how many have a property, and the first two moments of
   values between -50 and 50. */
struct shape {
    const char *name, *file, *flag, *number;
    double flagged; /* the value of the flag; made data: the share */
    double share, mean, square;
};

/* The made values: 30 % at the upper end, the others a quarter of the way up. */
static struct shape shapes[] = {
    {"made", NULL, NULL, NULL, 0, 0.3, -2.5, 1187.5},
    {"adult", "adult/adult.csv", "sex", "hours-per-week", 0, 0, 0, 0},
    {"pums", "pums/PUMS.csv", "married", "age", 1, 0, 0, 0},
    {"acs", "nist-acs/tx2019.csv", "SEX", "AGEP", 2, 0, 0, 0},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* false: the file is not there. */
static bool
shape_read(struct shape *s)
{
    static struct columns c;
    double low = INFINITY, high = -INFINITY;

    if (!s->file)
        return true;
    columns_read(&c, s->file, s->flag, s->number);
    for (size_t i = 0; i < c.rows; i++) {
        low = fmin(low, c.values[1][i]);
        high = fmax(high, c.values[1][i]);
    }
    for (size_t i = 0; i < c.rows; i++) {
        double x = 100 * (c.values[1][i] - low) / (high - low) - 50;

        s->share += (c.values[0][i] == s->flagged ? 1 : 0) / (double)c.rows;
        s->mean += x / (double)c.rows;
        s->square += x * x / (double)c.rows;
    }
    return c.rows > 0;
}

/* As many values of this shape as are so many deviations of the noise of their
   count. */
static struct figure
measure(const struct shape *s, int kind, enum bar_kind law, double deviations)
{
    static i128 noise[3][RUNS];
    static double errors[RUNS];
    struct bar range = kind == 0 ? (struct bar){0, 1} : (struct bar){-50, 50};
    double scale = 20, unit = law == BAR_LAPLACE ? sqrt(2) : 1, exact;
    double n = ceil(deviations * scale * unit);
    double sum = nearbyint(n * (kind == 0 ? s->share : s->mean));
    double squares = nearbyint(n * s->square);
    struct bar_law laws[3] = {{law, scale},
                              {law, scale * range.high},
                              {law, scale * range.high * range.high}};
    struct figure f = {0};
    custos_rng *rng = NULL;

    measure_need(custos_rng_new(&rng, NULL));
    for (int i = 0; i < 3; i++)
        measure_draw(laws[i], rng, noise[i], RUNS);
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
    f.error = measure_most(errors, f.counted);
    f.covered /= RUNS;
    f.bar /= (double)(f.counted - f.without);
    custos_rng_free(rng);
    return f;
}

/* Kinds from `first` on, up to `end`: the largest bar. Where most answers have
   none, the rest is no sample, and is left out. */
static void
print_figure(const char *name, const double deviations[2], int first, int end)
{
    double worst = 0, least = 1;

    for (int k = first * 4 * SHAPES; k < end * 4 * SHAPES; k++) {
        const struct shape *s = &shapes[k % SHAPES];
        int law = k / SHAPES % 2, kind = k / SHAPES / 4;
        double n = deviations[k / SHAPES / 2 % 2];
        struct figure f;

        if (s->square == 0)
            continue;
        f = measure(s, kind, law ? BAR_GAUSSIAN : BAR_LAPLACE, n);
        fprintf(stderr,
                "%-5s %-11s %-7s %5g deviations: bar %.3f of the 95 %% error, "
                "covers %.2f %%, whole range %.1f %%\n",
                s->name, names[kind], law ? "Gauss" : "Laplace", n,
                f.bar / f.error, 100 * f.covered,
                100 * (double)f.without / (double)f.counted);
        if (2 * f.without < f.counted)
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

    for (size_t i = 0; i < SHAPES; i++)
        if (!shape_read(&shapes[i]))
            fprintf(stderr, "%s is not there\n", shapes[i].file);
    print_figure("err_ratio_bar_4", near, 0, 3);
    print_figure("err_ratio_bar_6", middle, 0, 3);
    print_figure("err_ratio_bar", far, 0, 3);
    print_figure("err_variance_bar_6", middle, 3, KINDS);
    print_figure("err_variance_bar", far, 3, KINDS);
    return 0;
}
