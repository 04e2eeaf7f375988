/*
 * Error bars of correlations, slopes and lines: the mean half width of a bar, as a
 * ratio to the error that 95 % of the answers stay below, measured in the same
 * run. The pairs are made, about a line, or two columns in ../shared/data; each of
 * the six numbers that are released takes a sixth of the price. A line is judged
 * where x is 0, the low end of its range. Each figure is the largest over data sets
 * and laws of noise; coverage is printed beside it.
 */
#include <math.h>
#include <stdio.h>

#include "columns.h"
#include "curator/bars_pair.h"
#include "measure.h"

enum { RUNS = 5000, PARTS = 6, HALF = 100 };

enum kind { CORR, SLOPE, LINE, KINDS };

static const char *const names[] = {"corr", "slope", "line"};
static const char *const figures[] = {"err_corr_bar", "err_slope_bar",
                                      "err_line_bar"};

/* In steps from the centres of ranges of +-HALF; or columns of a file, at more
   than epsilon 1 where there are few rows. */
static const struct cloud {
    double n, mean_x, mean_y, slope, spread_x, spread_y;
    const char *file, *x, *y;
    double epsilon;
} clouds[] = {
    {10000, 5, -10, 0.5, 80, 30, NULL, NULL, NULL, 1},
    {30000, 30, 40, -0.3, 60, 20, NULL, NULL, NULL, 1},
    {100000, -20, 10, 0.1, 50, 50, NULL, NULL, NULL, 1},
    {0, 0, 0, 0, 0, 0, "adult/adult.csv", "education-num", "hours-per-week", 1},
    {0, 0, 0, 0, 0, 0, "pums/PUMS.csv", "age", "educ", 10},
    {0, 0, 0, 0, 0, 0, "nist-acs/tx2019.csv", "EDU", "AGEP", 2},
};

enum { CLOUDS = sizeof clouds / sizeof *clouds };

/* n, and the sums of x, y, xx, yy and xy. */
struct sums {
    double at[PARTS];
};

static void
add_pair(struct sums *s, double x, double y)
{
    const double one[PARTS] = {1, x, y, x * x, y * y, x * y};

    for (int i = 0; i < PARTS; i++)
        s->at[i] += one[i];
}

static void
sum_made(const struct cloud *c, struct sums *s)
{
    for (int64_t i = 0; i < (int64_t)c->n; i++) {
        double u = (double)(i * 7919 % 1000) / 500.0 - 1;
        double v = (double)(i * 104729 % 997) / 498.5 - 1;
        double x = nearbyint(c->mean_x + u * c->spread_x);

        add_pair(s, x,
                 nearbyint(c->mean_y + c->slope * (x - c->mean_x) +
                           v * c->spread_y));
    }
}

/* Stretches a column to the range. */
static void
stretch(double *x, size_t n)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    for (size_t i = 0; i < n; i++)
        x[i] = nearbyint(2 * HALF * (x[i] - low) / (high - low) - HALF);
}

/* No pairs if the file is not there. */
static struct sums
sum_up(const struct cloud *c)
{
    static struct columns columns;
    struct sums s = {{0}};

    if (!c->file) {
        sum_made(c, &s);
        return s;
    }
    columns_read(&columns, c->file, c->x, c->y);
    stretch(columns.values[0], columns.rows);
    stretch(columns.values[1], columns.rows);
    for (size_t i = 0; i < columns.rows; i++)
        add_pair(&s, columns.values[0][i], columns.values[1][i]);
    return s;
}

static double
value_of(enum kind kind, const double *s)
{
    double xy = s[5] - s[1] * s[2] / s[0], xx = s[3] - s[1] * s[1] / s[0];
    double yy = s[4] - s[2] * s[2] / s[0];

    if (kind == CORR)
        return xy / sqrt(xx * yy);
    return kind == SLOPE ? xy / xx
                         : s[2] / s[0] + xy / xx * (-HALF - s[1] / s[0]);
}

static bool
bar_of(enum kind kind, const struct bar_part *part, struct bar *out)
{
    struct bar_pair p = {part[0], part[1], part[2],       part[3],      part[4],
                         part[5], 1,       {-HALF, HALF}, {-HALF, HALF}};

    if (kind == LINE)
        return bar_intercept(&p, -HALF, 0.05, out);
    return (kind == SLOPE ? bar_slope : bar_corr)(&p, 0.05, out);
}

/* The ratio; *covered: the share of bars that hold. */
static double
measure(enum kind kind, const struct sums *s, double epsilon,
        enum bar_kind noise_kind, double *covered)
{
    static const double most[PARTS] = {1,           HALF,        HALF,
                                       HALF * HALF, HALF * HALF, HALF * HALF};
    static i128 noise[PARTS][RUNS];
    static double errors[RUNS];
    double exact = value_of(kind, s->at), width = 0;
    struct bar_law laws[PARTS];
    custos_rng *rng = NULL;

    measure_need(custos_rng_new(&rng, NULL));
    for (int i = 0; i < PARTS; i++) {
        laws[i] = (struct bar_law){noise_kind, most[i] * PARTS / epsilon};
        measure_draw(laws[i], rng, noise[i], RUNS);
    }
    *covered = 0;
    for (size_t k = 0; k < RUNS; k++) {
        struct bar_part part[PARTS];
        double seen[PARTS];
        struct bar b = {0, 0};

        for (int i = 0; i < PARTS; i++) {
            seen[i] = s->at[i] + (double)noise[i][k];
            part[i] = (struct bar_part){seen[i], laws[i]};
        }
        errors[k] = fabs(value_of(kind, seen) - exact);
        measure_need(!bar_of(kind, part, &b));
        width += (b.high - b.low) / 2;
        *covered += b.low <= exact && exact <= b.high ? 1 : 0;
    }
    *covered /= RUNS;
    custos_rng_free(rng);
    return width / RUNS / measure_most(errors, RUNS);
}

int
main(void)
{
    static struct sums sums[CLOUDS];

    for (int i = 0; i < CLOUDS; i++)
        sums[i] = sum_up(&clouds[i]);
    for (int kind = 0; kind < KINDS; kind++) {
        double worst = 0, least = 1;

        for (int i = 0; i < 2 * CLOUDS; i++) {
            const struct cloud *c = &clouds[i / 2];
            double covered, ratio;

            if (sums[i / 2].at[0] == 0)
                continue; /* the file is not there */
            ratio = measure((enum kind)kind, &sums[i / 2], c->epsilon,
                            i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE, &covered);
            fprintf(stderr,
                    "%-5s %-7s %-19s n %-6g: bar %.3f of the 95 %% error, "
                    "covers %.2f %%\n",
                    names[kind], i % 2 ? "Gauss" : "Laplace",
                    c->file ? c->file : "made", sums[i / 2].at[0], ratio,
                    100 * covered);
            worst = fmax(worst, ratio);
            least = fmin(least, covered);
        }
        measure_print(figures[kind], worst, "ratio");
        fprintf(stderr, "covers at least %.2f %%\n", 100 * least);
    }
    return 0;
}
