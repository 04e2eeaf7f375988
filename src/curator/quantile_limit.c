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
 * probability h. The tables of all sums of up to n Laplaces follow from one
 * another, and are made together.
 *
 * A sum of k discrete Gaussians is nearly one: its probabilities exceed those of
 * the discrete Gaussian of k times the variance by a factor of at most
 * 1 + 10 k exp(-pi^2 sigma^2), up to squares of that (Kairouz, Liu, Steinke 2021,
 * arXiv:2102.06387). A wide one needs no table: each draw is stochastically at most
 * a continuous Gaussian plus 1 (Canonne, Kamath, Steinke 2020, arXiv:2004.00010).
 */
#include "curator/quantile.h"

#include <math.h>
#include <string.h>

enum {
    PER_SCALE = 32,  /* points of a table per Laplace scale, ... */
    DRAWS_MAX = 256, /* of at most so many draws; ... */
    PER_FINE = 96,   /* ... more of them for the counts of one rank */
    DRAWS_FINE = 16,
    HALVINGS = 12,
    Z_HALVINGS = 60,
    PASSES = 2,       /* of a convolution */
    FILLING = 16,     /* steps that a point of a Gaussian table takes */
    NO_TABLE = 1000,  /* steps without a table */
    DEVIATIONS = 9,   /* how far the table of a sum reaches, ... */
    SCALES = 24,      /* ... and so many scales more */
    SIGMA_WIDE = 256, /* Gaussians above it need no table, ... */
};

#define SIGMA_NARROW 1.2 /* ... and for those below it there is none */
#define HOEFFDING 1e-4   /* part of the chance that is left to r */
#define ROUNDED (1 + 1e-9)

/* P[X = -reach .. reach]; then `at` becomes P[X >= x]. */
struct table {
    long reach;
    double *at;
};

static double
at_point(const struct table *t, long x)
{
    return x < -t->reach || x > t->reach ? 0 : t->at[x + t->reach];
}

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

/* Fills the laws of sums of 1 .. n draws round(N/g), N of scale t. */
static void
fill_laplace(struct table *sums, double scale, double g, size_t n, double *room)
{
    double q = exp(-1 / scale), r = exp(-g / scale);
    /* P[N >= (g + 1)/2] = q^((g+1)/2) / (1 + q) = P[round >= 1] */
    double beyond = exp(-(g + 1) / 2 / scale) / (1 + q);
    double top = beyond * (1 - r) / r, rest = 1 - 2 * beyond - top;

    for (size_t k = 0; k < n; k++) {
        const struct table *t = &sums[k], *less = k > 0 ? &sums[k - 1] : NULL;

        for (long x = -t->reach; x <= t->reach; x++)
            t->at[x + t->reach] = less ? at_point(less, x) : x == 0;
        convolve_laplace(t, rest, top, r, room);
    }
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

/* ------------------------------------------------------- without tables -- */

static double
sum_of_squares(const struct noise_sum *s)
{
    return s->a * s->a * (double)s->k + s->b * s->b * (double)s->l;
}

/* Chernoff's bound: the cumulant of weight w at u/t is at most
   w^2 u^2 / (1 - w^2 u^2) <= w^2 u^2 / (1 - max w u) for a Laplace, and
   w^2 u^2 / 2 for a Gaussian. */
double
quantile_limit_far(const struct noise_sum *s, double chance)
{
    double squares = sum_of_squares(s), far = -log(chance);

    if (s->law.kind == BAR_GAUSSIAN)
        return s->law.scale * sqrt(2 * far * squares) * ROUNDED;
    return s->law.scale * (2 * sqrt(far * squares) + fmax(s->a, s->b) * far) *
           ROUNDED;
}

static double
limit_wide_gauss(const struct noise_sum *s, double chance)
{
    double low = 0, high = sqrt(-2 * log(chance));

    for (int i = 0; i < Z_HALVINGS; i++) {
        double mid = low + (high - low) / 2;

        if (erfc(mid / M_SQRT2) / 2 * ROUNDED > chance)
            low = mid;
        else
            high = mid;
    }
    return (high * s->law.scale * sqrt(sum_of_squares(s)) +
            (double)s->k * s->a + (double)s->l * s->b) *
           ROUNDED;
}

/* ----------------------------------------------------------- with tables -- */

/* The step of the grid of the tables of sums of up to so many draws. */
static double
step_of(struct bar_law law, size_t draws)
{
    int per = draws <= DRAWS_FINE ? PER_FINE : PER_SCALE;

    return law.kind == BAR_GAUSSIAN ? 1 : 2 * floor(law.scale / per / 2) + 1;
}

/* How far the table of k of these draws reaches. */
static long
reach_of(struct bar_law law, size_t draws, size_t k)
{
    double t = law.scale / step_of(law, draws);
    bool gauss = law.kind == BAR_GAUSSIAN;

    return (long)ceil(DEVIATIONS * (gauss ? t : t * M_SQRT2) * sqrt((double)k) +
                      (gauss ? 0 : SCALES * t)) +
           1;
}

static size_t
points_of(struct bar_law law, size_t draws)
{
    if (draws > DRAWS_MAX ||
        (law.kind == BAR_GAUSSIAN &&
         (law.scale < SIGMA_NARROW || law.scale > SIGMA_WIDE)))
        return 0;
    return 2 * (size_t)reach_of(law, draws, draws) + 1;
}

/* Laplace: tables of the sums of 1 .. draws; and room for two more. */
struct quantile_tables {
    struct bar_law law;
    size_t draws, points; /* of the largest table; 0: there are none */
    bool filled;
    struct table *sums;
    double *one, *two;
};

struct quantile_tables *
quantile_tables_new(arena *a, struct bar_law law, size_t draws)
{
    struct quantile_tables *t = arena_take(a, 1, sizeof *t);
    size_t sums = law.kind == BAR_LAPLACE && draws <= DRAWS_MAX ? draws : 0;

    if (!t)
        return NULL;
    *t = (struct quantile_tables){
        .law = law,
        .draws = draws,
        .points = points_of(law, draws),
        .sums = arena_take(a, sums + 1, sizeof *t->sums),
    };
    t->one = arena_take(a, t->points + 1, sizeof(double));
    t->two = arena_take(a, t->points + 1, sizeof(double));
    for (size_t k = 0; t->sums && k < sums; k++) {
        long reach = reach_of(law, draws, k + 1);

        t->sums[k].reach = reach;
        t->sums[k].at = arena_take(a, 2 * (size_t)reach + 1, sizeof(double));
        if (!t->sums[k].at)
            return NULL;
    }
    return t->sums && t->one && t->two ? t : NULL;
}

uint64_t
quantile_limit_count(const struct quantile_tables *t, uint64_t steps)
{
    bool gauss = t->law.kind == BAR_GAUSSIAN;
    uint64_t once = gauss ? 0 : (uint64_t)PASSES * t->points * t->draws;
    uint64_t each =
        (uint64_t)t->points * (gauss ? FILLING + HALVINGS : 2 + HALVINGS) +
        NO_TABLE;

    return steps > once ? (steps - once) / each : 0;
}

/* The law of a sum of k draws, in `room` or in t->sums. */
static struct table
table_of(struct quantile_tables *t, size_t k, double *room)
{
    struct table sum = {reach_of(t->law, t->draws, k), room};

    if (t->law.kind == BAR_GAUSSIAN) {
        fill_gauss(&sum, t->law.scale * sqrt((double)k));
        return sum;
    }
    if (!t->filled)
        fill_laplace(t->sums, t->law.scale, step_of(t->law, t->draws), t->draws,
                     room);
    t->filled = true;
    return t->sums[k - 1];
}

static double
limit_by_tables(struct quantile_tables *t, const struct noise_sum *s,
                double chance, double far)
{
    double g = step_of(t->law, t->draws), scale = t->law.scale / g;
    double low = QUANTILE_LIMIT_LEAST * far / g, high = far / g;
    struct table y = table_of(t, s->l, t->one);
    struct table x = table_of(t, s->k, t->two);
    double rest = (double)s->k * s->a + (double)s->l * s->b, nearly = 1;

    if (t->law.kind == BAR_GAUSSIAN)
        nearly =
            exp(20 * (double)(s->k + s->l) * exp(-M_PI * M_PI * scale * scale));
    else
        memcpy(t->one, y.at, (2 * (size_t)y.reach + 1) * sizeof(double));
    y.at = t->one;
    sum_tails(&y);
    for (int i = 0; i < HALVINGS; i++) {
        double mid = low + (high - low) / 2;

        if (nearly * weighted_tail(&x, s->a, &y, s->b, mid) >
            (g > 1 ? chance * (1 - HOEFFDING) : chance))
            low = mid;
        else
            high = mid;
    }
    if (g > 1)
        high += sqrt(-log(HOEFFDING * chance) / 2 * sum_of_squares(s)) +
                rest / (11 * scale);
    return high * g * ROUNDED;
}

double
quantile_limit(struct quantile_tables *t, const struct noise_sum *s,
               double chance)
{
    double far = quantile_limit_far(s, chance), limit = far;

    if (t->points > 0)
        limit = limit_by_tables(t, s, chance, far);
    else if (s->law.kind == BAR_GAUSSIAN && s->law.scale > SIGMA_WIDE)
        limit = limit_wide_gauss(s, chance);
    return fmin(limit, far);
}
