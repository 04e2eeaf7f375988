/*
 * THEOREM  discrete-gaussian-by-rejection
 *   Let y be discrete Laplace of scale t >= 1 and keep it with probability
 *   exp(-(|y| - v/t)^2 / 2v). A kept y has the law P[y] ~ exp(-y^2 / 2v), and
 *   the number of proposals is independent of it.
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Algorithm 3
 *          (sampling from the discrete Gaussian).
 * NEEDS    v > 0; proposals and coins that are independent and exact.
 * GIVES    exactly the discrete Gaussian of variance parameter v.
 * FAILS    CUSTOS_EENTROPY, CUSTOS_EINTERNAL; both depend only on the coins.
 * DIFFERS  proposals come from dials, not from nested Bernoulli draws; the
 *          coin is compared in fixed point first (gauss-verdict-error).
 * TESTED   law_gaussian_by_tapes, gaussian_fits_thirty_scales
 *
 * THEOREM  gauss-verdict-error
 *   The probability that accept_fixed computes differs from the true one by
 *   less than 1024 units of 2^-63, that is 2^-53. A verdict that is not
 *   "undecided" agrees with the exact comparison.
 * SOURCE   doc/proofs/gauss-verdict-error.md
 * NEEDS    2^-40 <= v <= 2^120.
 * GIVES    P[undecided] <= 2^-52.
 * FAILS    cannot.
 * TESTED   accept_fixed_is_within_its_error
 */
#include "noise/gauss.h"

#include "base/base.h"
#include "noise/expfix.h"
#include "random/rng.h"

/* sqrt(2v) */
static void
eval_spread(const void *p, ival *out)
{
    const struct gauss *g = p;

    ival_set_rat(out, &g->variance);
    ival_mul_pow2(out, out, 1);
    ival_sqrt(out, out);
}

/* 7.99 sqrt(2v) */
static void
eval_limit(const void *p, ival *out)
{
    ival factor;
    rat value;

    rat_init(&value);
    ival_init(&factor, mpfr_get_prec(out->lo));
    eval_spread(p, out);
    rat_set_i64(&value, 799, 100);
    ival_set_rat(&factor, &value);
    ival_mul(out, out, &factor);
    ival_clear(&factor);
    rat_clear(&value);
}

/* 1 / sqrt(2v) */
static void
eval_slope(const void *p, ival *out)
{
    ival one;

    ival_init(&one, mpfr_get_prec(out->lo));
    ival_set_i64(&one, 1);
    eval_spread(p, out);
    ival_div(out, &one, out);
    ival_clear(&one);
}

/* (v/t) / sqrt(2v) */
static void
eval_offset(const void *p, ival *out)
{
    const struct gauss *g = p;
    ival center;

    ival_init(&center, mpfr_get_prec(out->lo));
    ival_set_rat(&center, &g->center);
    eval_slope(p, out);
    ival_mul(out, out, &center);
    ival_clear(&center);
}

/*
 * *out = floor(x 2^e); false if it exceeds 64 bits. If x is rational (an exact
 * square root), an enclosure may never decide the floor. Then *out may be one
 * too low, which the proof allows.
 */
static bool
floor_u64(const struct gauss *g, void (*eval)(const void *, ival *), long e,
          uint64_t *out)
{
    ival near;
    rat down;
    bool fits;

    rat_init(&down);
    ival_init(&near, 256);
    eval(g, &near);
    ival_mul_pow2(&near, &near, e);
    ival_down(&near, &down);
    fits = rat_floor_u64(&down, out);
    ival_clear(&near);
    rat_clear(&down);
    return fits;
}

/* floor(sqrt(v)) + 1, exactly: floor(sqrt(a/b)) = floor(sqrt(floor(a/b))). */
static uint64_t
proposal_scale(const rat *variance)
{
    mpz_t z;
    uint64_t t;

    mpz_init(z);
    mpz_fdiv_q(z, mpq_numref(variance->q), mpq_denref(variance->q));
    mpz_sqrt(z, z);
    t = mpz_get_ui(z) + 1;
    mpz_clear(z);
    return t;
}

custos_status
gauss_init(struct gauss *g, const rat *variance)
{
    bool fits;
    rat scale;

    rat_init(&g->variance);
    rat_init(&g->center);
    rat_init(&scale);
    rat_set(&g->variance, variance);
    g->t = proposal_scale(variance);
    rat_set_i128(&scale, (i128)g->t);
    rat_div(&g->center, variance, &scale);
    rat_clear(&scale);
    g->shift = 0;
    g->slope = 0;
    g->limit = 0;
    fits = floor_u64(g, eval_limit, 0, &g->limit);
    fits &= floor_u64(g, eval_offset, 60, &g->offset);
    if (g->limit > 0) {
        g->shift = (unsigned)__builtin_clzll(g->limit);
        fits &= floor_u64(g, eval_slope, 124 - (long)g->shift, &g->slope);
    }
    if (!fits) { /* UNREACHABLE: the range of variances excludes it */
        gauss_clear(g);
        return CUSTOS_EINTERNAL;
    }
    return CUSTOS_OK;
}

void
gauss_clear(struct gauss *g)
{
    rat_clear(&g->center);
    rat_clear(&g->variance);
}

/*
 * 2^63 exp(-(y s - c)^2) for s = 1/sqrt(2v), c = offset; y s - c has 60
 * fraction bits and is in (-1, 8).
 */
static inline uint64_t
accept_fixed(const struct gauss *g, u128 y)
{
    uint64_t past = ((uint64_t)(y >> 64) != 0) | ((uint64_t)y > g->limit);
    uint64_t far = (uint64_t)0 - past;
    uint64_t a = mul_high((uint64_t)y << g->shift, g->slope) - g->offset;
    uint64_t minus = (uint64_t)0 - (a >> 63);

    a = (a ^ minus) - minus;
    a = (a << 1) & ~far;
    return exp_fixed(mul_high(a, a) | far);
}

struct verdicts
gauss_judge(const struct gauss *g, const struct outcomes *proposals,
            const uint64_t *coins, size_t from, size_t n)
{
    struct verdicts v = {0, 0};

    for (size_t i = from; i < n; i++) {
        uint64_t p = accept_fixed(g, outcome_size(proposals, i));
        struct exp_verdict coin = exp_compare(p, (word)coins[i]);

        v.accepted |= (uint64_t)coin.below << i;
        v.undecided |= (uint64_t)coin.undecided << i;
    }
    return v;
}

/* exp of the exponent of one proposal, -(y - center)^2 / 2v, which is exact. */
static void
eval_accept(const void *p, ival *out)
{
    ival_set_rat(out, p);
    ival_exp(out, out);
}

custos_status
gauss_settle(const struct gauss *g, u128 y, word head, custos_rng *rng,
             unsigned *accept)
{
    custos_status st = CUSTOS_OK;
    unsigned below = 0;
    rat exponent, twice;
    struct real p = {REAL_ITSELF, eval_accept, &exponent};

    rat_init(&exponent);
    rat_init(&twice);
    rat_set_i128(&exponent, (i128)y);
    rat_sub(&exponent, &exponent, &g->center);
    rat_mul(&exponent, &exponent, &exponent);
    rat_add(&twice, &g->variance, &g->variance);
    rat_div(&exponent, &exponent, &twice);
    *accept = 1; /* exp(0) = 1 accepts with every coin */
    if (rat_sign(&exponent) != 0) {
        mpq_neg(exponent.q, exponent.q);
        st = real_at_or_below(p, head, rng, &below);
        *accept = !below;
    }
    rat_clear(&twice);
    rat_clear(&exponent);
    return st;
}
