/*
 * Error bars of partial sums. For a single draw, the exact quantile; for a sum
 * of draws, a bound by moments, rounded up throughout.
 *
 * THEOREM  sums-error
 *   The absolute value of a sum of k discrete Laplace draws of scale a exceeds
 *   m with probability at most 2 exp(k K(s/a) - s m / a), for every 0 < s < 1,
 *   where K(x) = 2 ln(1-q) - ln(1 - q e^x) - ln(1 - q e^-x), q = e^(-1/a).
 *   For a sum of discrete Gaussian draws with weights b_i, this probability is
 *   at most 2 exp(-m^2 / (2 sigma^2 sum b_i^2)).
 * SOURCE   Chernoff 1952 with the law's moment generating function; Canonne,
 *          Kamath, Steinke 2020, arXiv:2004.00010, on tails (the discrete
 *          Gaussian is subgaussian); for the weights,
 *          doc/proofs/sums-square-root.md
 * NEEDS    1 <= t <= n, 0 < beta < 1.
 * GIVES    *half_width, exceeded with probability at most beta.
 * FAILS    CUSTOS_ERANGE, CUSTOS_EPARSE, CUSTOS_EINVAL, from parameters.
 * TESTED   sums_error_covers, sums_error_is_not_wide,
 *          sums_error_follows_its_bounds, sums_error_of_one_draw_is_exact
 */
#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/interval.h"
#include "mech/sums.h"
#include "num/ival_more.h"

enum {
    BITS = 256,
    TILTS = 24, /* tilts s = 2^-j, and 3/4 of each */
};

/*
 * B = A C^-1 has first column b = C^-1 (1, 1, ...). weights[t] is the sum of
 * b_0^2 .. b_t^2 in units of 2^-32. Two units of 2^-16 are added to each b,
 * which is more than the error of factor_solve.
 */
void
sums_weigh(struct custos_sums *s, i128 *work)
{
    const unsigned m = factor_bits(s->n);
    uint64_t sum = 0; /* below 2^32 (n + 1) */

    for (size_t t = 0; t < s->n; t++) {
        uint64_t b;

        work[t] = factor_solve(s->root, m, t, (i128)1 << m, work);
        b = (uint64_t)(work[t] + 2);
        sum += b * b;
        s->weights[t] = sum;
    }
}

/* r = ln(1 - exp(-x)), x > 0. */
static void
log_missing(ival *r, const rat *x)
{
    ival_set_rat(r, x);
    ival_neg(r, r);
    ival_expm1(r, r);
    ival_neg(r, r);
    ival_log(r, r);
}

/* r = K(s/a) for the scale a. */
static void
laplace_cumulant(ival *r, const rat *a, const rat *s)
{
    rat x, one;
    ival part;

    rat_init(&x);
    rat_init(&one);
    ival_init(&part, BITS);
    rat_set_i64(&one, 1, 1);
    rat_div(&x, &one, a);
    log_missing(r, &x);
    ival_mul_pow2(r, r, 1);
    rat_sub(&x, &one, s);
    rat_div(&x, &x, a);
    log_missing(&part, &x);
    ival_sub(r, r, &part);
    rat_add(&x, &one, s);
    rat_div(&x, &x, a);
    log_missing(&part, &x);
    ival_sub(r, r, &part);
    ival_clear(&part);
    rat_clear(&one);
    rat_clear(&x);
}

/* a (k K(s/a) + log) / s, rounded up. */
static i128
chernoff(const rat *a, const rat *s, size_t k, const ival *log)
{
    ival m, part;
    rat count;
    i128 up;
    bool certain;

    ival_init(&m, BITS);
    ival_init(&part, BITS);
    rat_init(&count);
    laplace_cumulant(&m, a, s);
    rat_set_i128(&count, (i128)k);
    ival_set_rat(&part, &count);
    ival_mul(&m, &m, &part);
    ival_add(&m, &m, log);
    rat_div(&count, a, s);
    ival_set_rat(&part, &count);
    ival_mul(&m, &m, &part);
    CUSTOS_REQUIRE(ival_ceil_up(&m, &up, &certain)); /* below 2^120 */
    rat_clear(&count);
    ival_clear(&part);
    ival_clear(&m);
    return up;
}

/* The best of a few tilts; all are valid and none depends on data. */
static i128
laplace_error(const custos_sums *sums, size_t k, const ival *log)
{
    const rat *a = noise_parameter(sums->noise);
    i128 best = I128_MAX;
    rat s;

    rat_init(&s);
    for (int j = 0; j < TILTS; j++)
        for (int quarters = 3; quarters <= 4; quarters++) {
            i128 m;

            if (j == 0 && quarters == 4)
                rat_set_i64(&s, 7, 8); /* at s = 1 the moment is infinite */
            else
                rat_set_i64(&s, quarters, (uint64_t)4 << j);
            m = chernoff(a, &s, k, log);
            best = m < best ? m : best;
        }
    rat_clear(&s);
    return best;
}

/*
 * sigma sqrt(2 W log) in units of the elements, plus 1 for the rounding in
 * factor_solve and of the sums to integers. W is the weight of sum t.
 */
static i128
root_error(const custos_sums *sums, size_t t, const ival *log)
{
    const unsigned m = factor_bits(sums->n);
    ival x, part;
    rat weight;
    i128 up;
    bool certain;

    ival_init(&x, BITS);
    ival_init(&part, BITS);
    rat_init(&weight);
    rat_set_i128(&weight, (i128)sums->weights[t - 1]);
    rat_mul(&weight, &weight, noise_parameter(sums->noise));
    ival_set_rat(&x, &weight);
    ival_mul(&x, &x, log);
    ival_mul_pow2(&x, &x, 1 - 32 - 2 * (long)m);
    ival_sqrt(&x, &x);
    ival_set_i64(&part, 1);
    ival_add(&x, &x, &part);
    CUSTOS_REQUIRE(ival_ceil_up(&x, &up, &certain)); /* below 2^100 */
    rat_clear(&weight);
    ival_clear(&part);
    ival_clear(&x);
    return up;
}

/* The number of draws in sum t. */
static size_t
draws_in(const custos_sums *sums, size_t t)
{
    if (sums->method == CUSTOS_EVERY_PREFIX)
        return 1;
    if (sums->method == CUSTOS_EVERY_ELEMENT)
        return t;
    return (size_t)__builtin_popcountll(t);
}

custos_status
sums_error_i128(const custos_sums *sums, size_t t, const char *beta,
                i128 *half_width, custos_err *err)
{
    custos_status st;
    rat miss, ratio;
    ival log;

    if (!sums)
        return custos_fail(err, CUSTOS_EINVAL, "sums must not be NULL");
    if (t == 0 || t > sums->n)
        return custos_fail(err, CUSTOS_ERANGE,
                           "t must lie between 1 and the number of elements");
    rat_init(&miss);
    rat_init(&ratio);
    ival_init(&log, BITS);
    st = rat_read_open_unit(beta, "beta", &miss, err);
    if (st)
        goto out;
    rat_set_i64(&ratio, 2, 1);
    rat_div(&ratio, &ratio, &miss);
    ival_set_rat(&log, &ratio);
    ival_log(&log, &log);
    if (sums->method == CUSTOS_SQUARE_ROOT)
        *half_width = root_error(sums, t, &log);
    else if (draws_in(sums, t) == 1)
        st = interval_half_width(sums->noise, &miss, 1, half_width, err);
    else
        *half_width = laplace_error(sums, draws_in(sums, t), &log);
out:
    ival_clear(&log);
    rat_clear(&ratio);
    rat_clear(&miss);
    return st;
}
