/*
 * Berry-Esseen bounds around the saddle point. Every value comes with a bound
 * on its error; doc/proofs/saddle-point-bounds.md derives them.
 */
#include "account/saddle.h"

#include <math.h>

#define UNIT 0x1p-53

/*
 * ln E e^(tX) and its first two derivatives, each with a bound on its error,
 * and an upper bound on the tilted law's third absolute central moment.
 */
struct moments {
    double k0, k1, k2, third;
    double e0, e1, e2;
    double sizes; /* sums of |k0| and |k1|, for the rounding error of sums */
};

static struct moments
gaussian_moments(double size, double t)
{
    double v = size * size, e = 16 * UNIT * v;

    return (struct moments){t * (t + 1) / 2 * v, (t + 0.5) * v, v, 0,
                            e * t * (t + 1),     e * (t + 1),   e, 0};
}

/*
 * For epsilon = e, E e^(tX) = exp(t e) (1 + t c / d), where d = 2t + 1 and
 * c = exp(-d e) - 1. No term is larger than epsilon times a constant, so
 * mechanisms with a small epsilon have small errors.
 */
static struct moments
laplace_moments(double e, double t)
{
    double d = 2 * t + 1, c = expm1(-d * e), r = 1 + c, n = d + t * c;
    double f = (c - 2 * t * d * e * r) / (n * d);
    double k1 = e + f, k2 = -4 * e * r * (1 - t * e) / n - f * f - 4 * f / d;
    double e2 = 0x1p-44 * e * (1 + e);

    k2 = fmax(k2, 0);
    return (struct moments){t * e + log1p(t * c / d),
                            k1,
                            k2,
                            (e + fabs(k1)) * (k2 + e2) * (1 + 0x1p-40),
                            0x1p-48 * (1 + t) * e,
                            0x1p-46 * e,
                            e2,
                            0};
}

double
saddle_laplace_up(double epsilon, double t)
{
    struct moments one = laplace_moments(epsilon, t);

    return one.k0 + one.e0;
}

/*
 * Errors of masses, losses and exponents change the tilted law; e0, e1 and e2
 * account for that.
 */
static struct moments
atoms_moments(const struct loss *l, double t)
{
    double value, mass, s0 = 0, s1 = 0, s2 = 0, third = 0, least = INFINITY;
    double top = -INFINITY, n = 0, span, error, off;
    struct loss_range none = {0, 0, 0};

    for (size_t i = 0; loss_atom(l, i, &value, &mass); i++) {
        if (!(mass > 0))
            continue;
        top = fmax(top, value);
        least = fmin(least, value);
        n++;
    }
    if (n == 0)
        return (struct moments){.k0 = -INFINITY};
    for (size_t i = 0; loss_atom(l, i, &value, &mass); i++) {
        double m = mass * exp(t * (value - top));

        s0 += m;
        s1 += m * (value - top);
    }
    for (size_t i = 0; loss_atom(l, i, &value, &mass); i++) {
        double m = mass * exp(t * (value - top)) / s0;
        double y = fabs(value - top - s1 / s0);

        s2 += m * y * y;
        third += m * y * y * y;
    }
    span = top - least;
    error = loss_error(l, &none);
    off = 2 * (error * (1 + 2 * t) + UNIT * (16 + 4 * n + 4 * t * span));
    return (struct moments){log(s0) + t * top,
                            top + s1 / s0,
                            s2,
                            third + 4 * (off * span + error) * span * span,
                            off + 8 * UNIT * (fabs(log(s0)) + t * fabs(top)),
                            2 * off * span + error + 4 * UNIT * fabs(top),
                            4 * (off * span + error) * span,
                            0};
}

static struct moments
moments_all(const struct pld_part *parts, size_t n, double t)
{
    struct moments all = {0, 0, 0, 0, 0, 0, 0, 0};

    for (size_t i = 0; i < n; i++) {
        const struct loss *l = &parts[i].loss;
        struct moments one =
            l->base == BASE_GAUSSIAN  ? gaussian_moments(l->size, t)
            : l->base == BASE_LAPLACE ? laplace_moments(l->size, t)
                                      : atoms_moments(l, t);
        double k = (double)parts[i].count;

        all.k0 += k * one.k0;
        all.k1 += k * one.k1;
        all.k2 += k * one.k2;
        all.third += k * one.third;
        all.e0 += k * one.e0;
        all.e1 += k * one.e1;
        all.e2 += k * one.e2;
        all.sizes += k * (fabs(one.k0) + (1 + t) * fabs(one.k1));
    }
    all.e0 += UNIT * (double)(n + 4) * all.sizes;
    all.e1 += UNIT * (double)(n + 4) * all.sizes / (1 + t);
    all.e2 += UNIT * (double)(n + 4) * all.k2;
    return all;
}

/* erfcx(x)/2 = e^(x^2) erfc(x) / 2 for x >= 0, relative error below 1e-12. */
static double
half_erfcx(double x)
{
    double f = 0;

    if (x < 20)
        return exp(x * x) * erfc(x) / 2;
    for (int k = 40; k > 0; k--)
        f = k / 2.0 / (x + f);
    return 0.28209479177387814 / (x + f); /* 1 / (2 sqrt pi) */
}

/* Bounds on delta at epsilon = K'(t), which is itself enclosed. */
struct saddle {
    struct bounds delta, epsilon;
};

static struct saddle
saddle_at(const struct pld_part *parts, size_t n, double infinite, double t)
{
    struct moments k = moments_all(parts, n, t);
    double s = sqrt(k.k2), scale = exp(k.k0 - t * k.k1), a, normal, most, b;
    double off = k.e0 + t * k.e1 + 4 * UNIT * (fabs(k.k0) + t * fabs(k.k1));
    double wide = k.e2 / k.k2, error;

    if (!(wide < 0.5) || !(off < 0.5))
        return (struct saddle){{0, 1}, {0, INFINITY}};
    a = half_erfcx(t * s / M_SQRT2);
    normal = a - half_erfcx((t + 1) * s / M_SQRT2);
    most = exp(-t * log1p(1 / t)) / (t + 1);
    b = 0.56 * k.third / (k.k2 * s) * (1 + 4 * wide) * (1 + 1e-9);
    error = 2e-12 * a + 2 * b * most + 2 * wide * normal;
    return (struct saddle){
        {(1 - 2 * off) * scale * (normal - error),
         (infinite + (1 + 2 * off) * scale * (normal + error)) * (1 + 1e-12)},
        {k.k1 - k.e1, k.k1 + k.e1}};
}

struct search {
    const struct pld_part *parts;
    size_t n;
    double infinite, delta;
    struct bounds found; /* of epsilon(delta) */
};

enum side { SIDE_HIGH, SIDE_LOW };

/*
 * Applies the bounds at t. Returns whether this side's bound on delta is still
 * above delta.
 */
static bool
search_try(struct search *r, enum side side, double t)
{
    struct saddle s = saddle_at(r->parts, r->n, r->infinite, t);

    if (s.delta.high <= r->delta)
        r->found.high = fmin(r->found.high, s.epsilon.high);
    if (s.delta.low > r->delta)
        r->found.low = fmax(r->found.low, s.epsilon.low);
    return (side == SIDE_HIGH ? s.delta.high : s.delta.low) > r->delta;
}

/* Searches for the t at which the bound of one side crosses delta. */
static void
search_side(struct search *r, enum side side)
{
    double lo = 0, hi = 1;

    for (int i = 0; i < 40 && search_try(r, side, hi); i++) {
        lo = hi;
        hi *= 2;
    }
    for (int i = 0; i < 16; i++) {
        double t = (lo + hi) / 2;

        if (search_try(r, side, t))
            lo = t;
        else
            hi = t;
    }
}

custos_status
saddle_epsilon(const struct pld_part *parts, size_t n, double delta,
               struct bounds *out)
{
    double finite = 0;
    struct search r = {parts, n, 0, delta, {0, INFINITY}};

    for (size_t i = 0; i < n; i++) {
        const struct loss *l = &parts[i].loss;

        if (l->base == BASE_EXPONENTIAL ||
            (loss_is_continuous(l) && l->rate != 1))
            return CUSTOS_EINVAL;
        finite += (double)parts[i].count * log1p(-loss_infinite_or_lost(l));
    }
    r.infinite = -expm1(finite) * (1 + 1e-9);
    if (n > 0) {
        search_side(&r, SIDE_HIGH);
        search_side(&r, SIDE_LOW);
    }
    *out = (struct bounds){fmax(r.found.low, 0), fmax(r.found.high, 0)};
    return CUSTOS_OK;
}
