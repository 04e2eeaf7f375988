/*
 * How large a weighted sum of noises gets, for the ends of quantiles. The noises
 * left of an edge have one weight, those right of it another, so the sum is
 * a X + b Y with X and Y sums of equal noises: their laws are tables, and the
 * tail is a sum over one of them. After noise, so doubles are safe.
 *
 * A wide Laplace law is put on a grid of g steps, g odd: a draw is g K + r with K
 * the nearest whole number and |r| < g/2. Given K, the mean of r points towards
 * 0 and is at most g^2/12t in size, so that by Hoeffding's bound all r together
 * add at most g (sqrt(ln(1/h) sum w^2 / 2) + sum w g/11t), except with
 * probability h.
 *
 * A sum of k discrete Gaussians is nearly one: its probabilities exceed those of
 * the discrete Gaussian of k times the variance by a factor of at most
 * 1 + 10 k exp(-pi^2 sigma^2), up to squares of that (Kairouz, Liu, Steinke 2021,
 * arXiv:2102.06387).
 */
#include "curator/quantile.h"

#include <math.h>
#include <stdlib.h>

enum {
    PER_SCALE = 32,  /* points of a table per Laplace scale, ... */
    DRAWS_MAX = 256, /* of at most so many draws */
    HALVINGS = 40,
    DEVIATIONS = 9, /* how far the table of a sum reaches, ... */
    SCALES = 24,    /* ... and so many scales more */
};

#define HOEFFDING 1e-4 /* part of the chance that is left to r */
#define ROUNDED (1 + 1e-9)

/* P[X = -reach .. reach]; then `at` becomes P[X >= x]. */
struct table {
    long reach;
    double *at;
};

/* Convolves with (rest) [x = 0] + top r^|x|: one pass to the right and one to the
   left. */
static void
convolve_laplace(const struct table *t, double rest, double top, double r,
                 double *room)
{
    size_t n = 2 * (size_t)t->reach + 1;
    double right = 0, left = 0;

    for (size_t i = 0; i < n; i++) {
        right = right * r + t->at[i];
        room[i] = top * right + rest * t->at[i];
    }
    for (size_t i = n; i-- > 0;) {
        room[i] += top * left;
        left = (left + t->at[i]) * r;
    }
    for (size_t i = 0; i < n; i++)
        t->at[i] = room[i];
}

/* The law of a sum of k draws round(N/g), N of scale t. */
static void
fill_laplace(const struct table *t, double scale, double g, size_t k,
             double *room)
{
    double q = exp(-1 / scale), r = exp(-g / scale);
    /* P[N >= (g + 1)/2] = q^((g+1)/2) / (1 + q) = P[round >= 1] */
    double beyond = exp(-(g + 1) / 2 / scale) / (1 + q);
    double top = beyond * (1 - r) / r, rest = 1 - 2 * beyond - top;

    t->at[t->reach] = 1;
    for (; k > 0; k--)
        convolve_laplace(t, rest, top, r, room);
}

static void
fill_gauss(const struct table *t, double deviation)
{
    double sum = 0;

    for (long x = -t->reach; x <= t->reach; x++)
        sum += t->at[x + t->reach] =
            exp(-(double)x * (double)x / 2 / deviation / deviation);
    for (long x = -t->reach; x <= t->reach; x++)
        t->at[x + t->reach] /= sum;
}

static void
sum_tails(const struct table *t)
{
    for (long i = 2 * t->reach; i-- > 0;)
        t->at[i] += t->at[i + 1];
}

/* P[X >= x] for a table of tails. */
static double
tail_at(const struct table *t, double x)
{
    double i = ceil(x - 1e-9) + (double)t->reach;

    if (i <= 0)
        return 1;
    return i > 2 * (double)t->reach ? 0 : t->at[(size_t)i];
}

/* An upper bound on P[a X + b Y >= c], apart from what the tables leave out. */
static double
weighted_tail(const struct table *x, double a, const struct table *y, double b,
              double c)
{
    double sum = 0;

    for (long i = -x->reach; i <= x->reach; i++) {
        double need = c - a * (double)i;
        double far = b > 0 ? tail_at(y, need / b) : need <= 1e-9;

        sum += x->at[i + x->reach] * far;
    }
    return sum * ROUNDED + 1e-9;
}

/* Chernoff's bound, for more draws than a table is made for, or very narrow
   Gaussians: the cumulant of weight w at s/t is at most
   w^2 s^2 / (1 - w^2 s^2) for a Laplace, w^2 s^2 / 2 for a Gaussian. */
static double
limit_chernoff(struct bar_law law, double a, size_t k, double b, size_t l,
               double chance)
{
    double best = HUGE_VAL, squares, most = fmax(a, b);

    squares = a * a * (double)k + b * b * (double)l;
    if (law.kind == BAR_GAUSSIAN)
        return law.scale * sqrt(-2 * log(chance) * squares) * ROUNDED;
    for (double s = 0.002; s < 0.999; s += 0.002) {
        double u = s / most;
        double cumulant = (double)k * a * a * u * u / (1 - a * a * u * u) +
                          (double)l * b * b * u * u / (1 - b * b * u * u);

        best = fmin(best, (cumulant - log(chance)) / u);
    }
    return best * law.scale * ROUNDED;
}

static long
reach_of(double deviation, double scale, size_t k)
{
    return (long)ceil(DEVIATIONS * deviation * sqrt((double)k) +
                      SCALES * scale) +
           1;
}

static double
limit_by_tables(struct bar_law law, double a, size_t k, double b, size_t l,
                double chance, double g)
{
    bool gauss = law.kind == BAR_GAUSSIAN;
    double t = law.scale / g, one = gauss ? t : t * M_SQRT2;
    struct table x = {reach_of(one, gauss ? 0 : t, k), NULL};
    struct table y = {reach_of(one, gauss ? 0 : t, l), NULL};
    size_t n = 2 * (size_t)(x.reach > y.reach ? x.reach : y.reach) + 1;
    double *room = calloc(3 * n, sizeof *room), low = 0, high;
    double rest = (double)k * a + (double)l * b;
    double nearly =
        gauss ? exp(20 * (double)(k + l) * exp(-M_PI * M_PI * t * t)) : 1;

    high = limit_chernoff(law, a, k, b, l, chance);
    if (!room)
        return high;
    x.at = room + n;
    y.at = room + 2 * n;
    if (gauss) {
        fill_gauss(&x, law.scale * sqrt((double)k));
        fill_gauss(&y, law.scale * sqrt((double)l));
    } else {
        fill_laplace(&x, law.scale, g, k, room);
        fill_laplace(&y, law.scale, g, l, room);
    }
    sum_tails(&y);
    high /= g;
    for (int i = 0; i < HALVINGS; i++) {
        double mid = low + (high - low) / 2;

        if (nearly * weighted_tail(&x, a, &y, b, mid) >
            (g > 1 ? chance * (1 - HOEFFDING) : chance))
            low = mid;
        else
            high = mid;
    }
    if (g > 1)
        high += sqrt(-log(HOEFFDING * chance) / 2 *
                     ((double)k * a * a + (double)l * b * b)) +
                rest / (11 * t);
    free(room);
    return fmin(high * g * ROUNDED, limit_chernoff(law, a, k, b, l, chance));
}

double
quantile_limit(struct bar_law law, double a, size_t k, double b, size_t l,
               double chance)
{
    double g = 1;

    if (k + l > DRAWS_MAX || k == 0 || l == 0 ||
        (law.kind == BAR_GAUSSIAN && (law.scale < 1.2 || law.scale > 1 << 16)))
        return limit_chernoff(law, a, k, b, l, chance);
    if (law.kind == BAR_LAPLACE && law.scale > 3 * PER_SCALE)
        g = 2 * floor(law.scale / PER_SCALE / 2) + 1;
    return limit_by_tables(law, a, k, b, l, chance, g);
}
