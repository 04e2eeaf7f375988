/*
 * Error bars. One draw may lie outside its bar with probability
 * p = 1 - (1-beta)^(1/n); then at least one of n draws does with probability
 * beta. The draws are independent, so no union bound is needed.
 *
 * THEOREM  interval-exact
 *   P[|Y| > m] is 2 q^(m+1) / (1+q) for discrete Laplace with q = exp(-1/t),
 *   q^(m+1) for the geometric law, and 2 G(m+1) / G(-inf) for the discrete
 *   Gaussian. n independent draws are all within m with probability (1 - P)^n.
 * SOURCE   doc/proofs/interval-exact.md
 * NEEDS    0 < beta < 1, n >= 1.
 * GIVES    the least integer m with (1 - P[|Y| > m])^n >= 1 - beta, or that
 *          plus 1 if the largest precision does not decide.
 * FAILS    CUSTOS_EINVAL for a law without an error bar.
 * TESTED   interval_laplace_is_least interval_gauss_is_least
 *          interval_covers
 */
#include "mech/interval.h"

#include "base/error.h"
#include "mech/i128.h"
#include "num/gauss_sum.h"
#include "num/ival_more.h"

enum { BITS_FIRST = 192, BITS_LAST = 1536 };

void
interval_share(ival *r, const rat *p, size_t n)
{
    ival count;
    rat q;

    ival_init(&count, ival_bits(r));
    rat_init(&q);
    rat_set_i128(&q, (i128)n);
    ival_set_rat(&count, &q);
    ival_set_rat(r, p);
    ival_neg(r, r);
    ival_log1p(r, r);
    ival_div(r, r, &count);
    ival_expm1(r, r);
    ival_neg(r, r);
    ival_clear(&count);
    rat_clear(&q);
}

/*
 * The real v with P[|Y| >= v] = p for the exponential laws: the least m is
 * ceil(v) - 1. v = t (ln(2/(1+q)) - ln p), or -t ln p if one-sided.
 */
static void
exponential_end(const custos_noise *noise, const rat *beta, size_t n, ival *v)
{
    ival x, y;
    rat q;

    ival_init(&x, ival_bits(v));
    ival_init(&y, ival_bits(v));
    rat_init(&q);
    interval_share(v, beta, n);
    ival_log(v, v);
    ival_neg(v, v);
    if (noise_law(noise) != CUSTOS_GEOMETRIC) {
        rat_set_i64(&q, -1, 1);
        rat_div(&q, &q, noise_parameter(noise));
        ival_set_rat(&x, &q);
        ival_exp(&x, &x);
        ival_log1p(&x, &x);
        ival_sub(v, v, &x);
        ival_set_i64(&y, 2);
        ival_log(&y, &y);
        ival_add(v, v, &y);
    }
    ival_set_rat(&x, noise_parameter(noise));
    ival_mul(v, v, &x);
    ival_clear(&x);
    ival_clear(&y);
    rat_clear(&q);
}

static void
exponential_half_width(const custos_noise *noise, const rat *beta, size_t n,
                       i128 *m)
{
    bool certain = false, fits = false;
    i128 end = 0;

    for (long bits = BITS_FIRST; !certain; bits *= 2) {
        ival v;

        ival_init(&v, bits);
        exponential_end(noise, beta, n, &v);
        fits = ival_ceil_up(&v, &end, &certain);
        ival_clear(&v);
        if (bits >= BITS_LAST) /* UNREACHABLE: the end is no integer */
            break;
    }
    /* Scales are at most 2^60 and beta at least 10^-528: 128 bits suffice. */
    CUSTOS_REQUIRE(fits);
    *m = end > 1 ? end - 1 : 0;
}

/* Whether P[|Y| > m] <= 1 - (1-beta)^(1/n) is certain. */
static bool
gauss_covers(const rat *variance, const rat *beta, size_t n, i128 m)
{
    bool below = false, above = false;
    rat from;

    rat_init(&from);
    rat_set_i128(&from, m + 1);
    for (long bits = BITS_FIRST; !(below || above); bits *= 2) {
        ival tail, allowed;

        ival_init(&tail, bits);
        ival_init(&allowed, bits);
        gauss_sum_all(&tail, variance);
        interval_share(&allowed, beta, n);
        ival_mul(&allowed, &allowed, &tail);
        gauss_sum(&tail, variance, &from);
        ival_mul_pow2(&tail, &tail, 1);
        below = ival_certainly_less(&tail, &allowed);
        above = ival_certainly_less(&allowed, &tail);
        ival_clear(&tail);
        ival_clear(&allowed);
        if (bits >= BITS_LAST) /* UNREACHABLE: the two are never equal */
            break;
    }
    rat_clear(&from);
    return below;
}

static void
gauss_half_width(const custos_noise *noise, const rat *beta, size_t n, i128 *m)
{
    const rat *variance = noise_parameter(noise);
    i128 low = -1, high = 1; /* low does not cover, high does */

    while (!gauss_covers(variance, beta, n, high)) {
        low = high;
        high *= 2; /* this ends: sigma <= 2^60, tails fall like exp(-m^2) */
    }
    while (high - low > 1) {
        i128 middle = low + (high - low) / 2;

        if (gauss_covers(variance, beta, n, middle))
            high = middle;
        else
            low = middle;
    }
    *m = high;
}

custos_status
interval_half_width(const custos_noise *noise, const rat *beta, size_t n,
                    i128 *m, custos_err *err)
{
    switch (noise_law(noise)) {
    case CUSTOS_DISCRETE_LAPLACE:
    case CUSTOS_TWO_SIDED_GEOMETRIC:
    case CUSTOS_GEOMETRIC:
        exponential_half_width(noise, beta, n, m);
        return CUSTOS_OK;
    case CUSTOS_DISCRETE_GAUSSIAN:
        gauss_half_width(noise, beta, n, m);
        return CUSTOS_OK;
    default:
        return custos_fail(err, CUSTOS_EINVAL,
                           "this noise law has no error bar");
    }
}

custos_status
noise_error_i128(const custos_noise *noise, const char *beta, size_t n, i128 *m,
                 custos_err *err)
{
    custos_status st;
    rat b;

    if (!noise)
        return custos_fail(err, CUSTOS_EINVAL, "noise must not be NULL");
    if (n == 0)
        return custos_fail(err, CUSTOS_ERANGE, "n must be at least 1");
    rat_init(&b);
    st = rat_read_open_unit(beta, "beta", &b, err);
    if (!st)
        st = interval_half_width(noise, &b, n, m, err);
    rat_clear(&b);
    return st;
}

/* ------------------------------------------------------- value by value -- */

void
laplace_law_init(struct laplace_law *l, const rat *rate)
{
    ival_init(&l->chance, BITS_FIRST);
    ival_init(&l->ratio, BITS_FIRST);
    ival_set_rat(&l->ratio, rate);
    ival_mul_pow2(&l->chance, &l->ratio, -1);
    ival_tanh(&l->chance, &l->chance);
    ival_neg(&l->ratio, &l->ratio);
    ival_exp(&l->ratio, &l->ratio);
}

void
laplace_law_next(struct laplace_law *l)
{
    ival_mul(&l->chance, &l->chance, &l->ratio);
}

void
laplace_law_clear(struct laplace_law *l)
{
    ival_clear(&l->chance);
    ival_clear(&l->ratio);
}
