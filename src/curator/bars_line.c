/*
 * The bar of a regression line at a point. Given r, the line there, every test
 * needs the slope. It is taken of lines through the exact means, which are known
 * far better than the slope, if these are far enough from the point.
 */
#include "curator/bars_pair.h"

#include <math.h>

#include "curator/bar_search.h"
#include "curator/pair_test.h"

enum { PIECES = 4 }; /* of the bar of kappa */

/* One corner of the bars of slope and kappa: the tested number, and its
   factors. */
static double
line_corner(const struct pair_test *t, double r, double b, double kappa,
            double *f)
{
    const struct bar_pair *p = t->p;
    double z = t->zero;

    f[ROWS] = b * z + kappa * b * z * z - r - r * kappa * z;
    f[SUM_X] = -b - 2 * kappa * b * z + r * kappa;
    f[SUM_Y] = 1 + kappa * z;
    f[SQUARES_X] = kappa * b;
    f[SQUARES_Y] = 0;
    f[PRODUCT] = -kappa;
    return f[ROWS] * p->rows.value + f[SUM_X] * p->sum_x.value +
           f[SUM_Y] * p->sum_y.value + f[SQUARES_X] * p->squares_x.value +
           f[PRODUCT] * p->product.value * p->product_step;
}

/* The slopes to try if the line is r at zero: of lines through the means, or all
   in the bar of the slope. */
static struct bar
slopes_from(const struct pair_test *t, double r)
{
    struct bar b = {INFINITY, -INFINITY};

    if (t->rise.high == t->rise.low)
        return t->b;
    for (int i = 0; i < 4; i++) {
        double k = (i & 1 ? t->rise.high : t->rise.low) *
                   ((i & 2 ? t->m.high : t->m.low) - r);

        b = (struct bar){fmin(b.low, k), fmax(b.high, k)};
    }
    return b;
}

/* The test for kappa in one piece of its bar. */
static double
ask_piece(const struct pair_test *t, double side, double r, struct bar slopes,
          struct bar kappa)
{
    double f[NOISES] = {0}, least = INFINITY, size = 0;

    for (int i = 0; i < 4; i++) {
        double at[NOISES];
        double u = line_corner(t, r, i & 1 ? slopes.high : slopes.low,
                               i & 2 ? kappa.high : kappa.low, at);

        least = fmin(least, -side * u);
        for (int k = 0; k < NOISES; k++)
            f[k] = fmax(f[k], fabs(at[k]));
    }
    for (int k = 0; k < NOISES; k++)
        size += f[k] * fabs(t->value[k]);
    return pair_noise_above(t, f, least, size);
}

/* Both sides of the test grow with kappa, so its bar is taken in pieces. */
static double
ask_intercept(const void *ctx, double side, double r)
{
    const struct pair_test *t = ctx;
    struct bar slopes = slopes_from(t, r);
    double low = t->kappa.low, width = (t->kappa.high - low) / PIECES, most = 0;

    for (int i = 0; i < PIECES; i++) {
        double end = i + 1 < PIECES ? low + (i + 1) * width : t->kappa.high;

        most = fmax(most, ask_piece(t, side, r, slopes,
                                    (struct bar){low + i * width, end}));
    }
    return most;
}

/* Sets the bar of the mean over the mean square, from the point `zero`. */
static bool
find_kappa(struct pair_test *t, double beta)
{
    const struct bar_pair *p = t->p;
    double z = t->zero;
    struct bar_term terms[3] = {{p->sum_x.law, 1, -2 * z},
                                {p->rows.law, -z, z * z},
                                {p->squares_x.law, 0, 1}};

    return bar_quotient(terms, 3, p->sum_x.value - z * p->rows.value,
                        p->squares_x.value - 2 * z * p->sum_x.value +
                            z * z * p->rows.value,
                        beta, &t->kappa);
}

/* An upper bound on the probability that noise makes the denominator
   N - (kappa + e) X' + kappa e XX' negative, e in rise. */
static double
line_sign(const struct pair_test *t, double *below)
{
    const struct bar_pair *p = t->p;
    double f[NOISES] = {0}, z = t->zero, size = 0;

    *below = INFINITY;
    for (int i = 0; i < 4; i++) {
        double k = i & 1 ? t->kappa.high : t->kappa.low;
        double e = i & 2 ? t->rise.high : t->rise.low;
        double at[NOISES] = {[ROWS] = (1 + k * z) * (1 + e * z),
                             [SUM_X] = -k - e - 2 * z * k * e,
                             [SQUARES_X] = k * e};

        *below =
            fmin(*below, at[ROWS] * p->rows.value + at[SUM_X] * p->sum_x.value +
                             at[SQUARES_X] * p->squares_x.value);
        for (int j = 0; j < NOISES; j++)
            f[j] = fmax(f[j], fabs(at[j]));
    }
    for (int j = 0; j < NOISES; j++)
        size += f[j] * fabs(t->value[j]);
    return pair_sign(t, f, *below, size);
}

/* Takes lines through the means, where these leave fewer slopes, and the sign of
   the denominator is hardly in doubt. */
static double
choose_path(struct pair_test *t, double r, double beta, double *below)
{
    double sign = line_sign(t, below), through, other;
    struct bar a = {t->a.low - t->zero, t->a.high - t->zero}, slopes;

    if (!(a.low > 0 || a.high < 0))
        return sign;
    t->rise = (struct bar){1 / a.high, 1 / a.low};
    slopes = slopes_from(t, r);
    through = line_sign(t, &other);
    if (slopes.high - slopes.low < t->b.high - t->b.low &&
        through < SHARE * beta) {
        *below = other;
        return through;
    }
    t->rise = (struct bar){0, 0};
    return sign;
}

bool
bar_intercept(const struct bar_pair *p, double at, double beta, struct bar *out)
{
    double f[NOISES] = {0}, below, level, middle, slope;
    struct pair_test t;

    if (!pair_test_init(&t, p, beta) || !(t.at.xx > 0))
        return false;
    t.zero = at;
    if (!bar_slope(p, SHARE * beta, &t.b) || !find_kappa(&t, SHARE * beta))
        return false;
    middle = t.at.mean_y + t.at.xy / t.at.xx * (at - t.at.mean_x);
    level = (1 - 4 * SHARE) * beta / 2 - choose_path(&t, middle, beta, &below);
    slope = pair_far(slopes_from(&t, middle));
    f[SUM_X] = slope + pair_far(t.kappa) * fabs(middle);
    f[SUM_Y] = 1 + pair_far(t.kappa) * fabs(at);
    f[PRODUCT] = pair_far(t.kappa);
    f[SQUARES_X] = pair_far(t.kappa) * slope;
    f[ROWS] = fabs(middle);
    return pair_search(&t, ask_intercept, level, middle,
                       pair_spread(&t, f) / fmax(below, 1), out);
}
