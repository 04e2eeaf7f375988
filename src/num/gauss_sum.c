/*
 * Sums term by term if few terms suffice (small variance, or terms that fall
 * fast), otherwise by the Euler-Maclaurin formula with a certified remainder.
 *
 * THEOREM  gauss-sum-enclosed
 *   With f(x) = exp(-x^2/2v), h_n = (-1)^n f^(n)/f (so h_0 = 1, h_1 = x/v,
 *   h_(n+1) = (x h_n - n h_(n-1))/v), b_k = B_2k/(2k)! and m >= 0:
 *   G(m) = integral_m^inf f + f(m) (1/2 + sum_{k<=K} b_k h_(2k-1)(m) + rho)
 *   where |rho| <= |b_K| h_(2K-1)(m) when m^2 >= (8K+2) v, and always
 *   |rho| <= 2 |b_K| sqrt((2K)! v^(1-2K)) exp(m^2/4v).
 * SOURCE   doc/proofs/gauss-sum-enclosed.md
 * NEEDS    v > 0, m an integer.
 * GIVES    an interval that contains G(m). Its width relative to G(m) is near
 *          2^-bits, where bits is the precision of the result.
 * FAILS    cannot; if the terms do not converge, the interval is wider.
 * TESTED   gauss_sum_agrees_with_plain_sums gauss_sum_routes_agree
 */
#include "num/gauss_sum.h"

#include "base/base.h"
#include "num/ival_more.h"

enum {
    GUARD_BITS = 32,
    DIRECT_VARIANCE_MAX = 256, /* the terms needed grow with the deviation */
    DIRECT_TERMS_MAX = 1 << 16,
    MACLAURIN_TERMS_MAX = 400,
};

/* r = exp(-num / den). */
static void
exp_minus(ival *r, const rat *num, const rat *den)
{
    rat z;

    rat_init(&z);
    rat_div(&z, num, den);
    ival_set_rat(r, &z);
    ival_neg(r, r);
    ival_exp(r, r);
    rat_clear(&z);
}

/* r = exp(-m^2 / 2v). */
static void
weight(ival *r, const rat *variance, const rat *m)
{
    rat square, two_v;

    rat_init(&square);
    rat_init(&two_v);
    rat_mul(&square, m, m);
    rat_add(&two_v, variance, variance);
    exp_minus(r, &square, &two_v);
    rat_clear(&square);
    rat_clear(&two_v);
}

/*
 * Sums term by term: t_(x+1) = t_x r_x and r_(x+1) = r_x exp(-1/v). The terms
 * from t_x on add up to at most t_x / (1 - r_x), because the ratios fall. Needs
 * m >= 0.
 */
static void
sum_direct(ival *sum, const rat *variance, const rat *m)
{
    long bits = ival_bits(sum);
    ival term, ratio, step, rest, one;
    rat odd, one_rat;

    ival_init(&term, bits);
    ival_init(&ratio, bits);
    ival_init(&step, bits);
    ival_init(&rest, bits);
    ival_init(&one, bits);
    rat_init(&odd);
    rat_init(&one_rat);
    rat_set_i64(&one_rat, 1, 1);
    rat_set_i64(&odd, 1, 2);
    rat_add(&odd, &odd, m); /* (x+1)^2 - x^2 = 2 (x + 1/2) */
    weight(&term, variance, m);
    exp_minus(&ratio, &odd, variance);
    exp_minus(&step, &one_rat, variance);
    ival_set_i64(&one, 1);
    ival_set_i64(sum, 0);
    for (long i = 0; i < DIRECT_TERMS_MAX; i++) {
        ival_sub(&rest, &one, &ratio);
        ival_div(&rest, &term, &rest);
        if (!ival_is_positive(&term)) /* smaller than MPFR can represent */
            break;
        ival_mul_pow2(&rest, &rest, bits);
        if (ival_certainly_less(&rest, sum)) {
            ival_mul_pow2(&rest, &rest, -bits);
            break;
        }
        ival_mul_pow2(&rest, &rest, -bits);
        ival_add(sum, sum, &term);
        ival_mul(&term, &term, &ratio);
        ival_mul(&ratio, &ratio, &step);
    }
    ival_from_zero(&rest, &rest);
    ival_add(sum, sum, &rest);
    ival_clear(&term);
    ival_clear(&ratio);
    ival_clear(&step);
    ival_clear(&rest);
    ival_clear(&one);
    rat_clear(&odd);
    rat_clear(&one_rat);
}

/* |B_2k| for k = 1, 2, ...: numerator and denominator. */
static const struct {
    int64_t num;
    uint64_t den;
} bernoulli[] = {
    {INT64_C(1), 6},
    {INT64_C(1), 30},
    {INT64_C(1), 42},
    {INT64_C(1), 30},
    {INT64_C(5), 66},
    {INT64_C(691), 2730},
    {INT64_C(7), 6},
    {INT64_C(3617), 510},
    {INT64_C(43867), 798},
    {INT64_C(174611), 330},
    {INT64_C(854513), 138},
    {INT64_C(236364091), 2730},
    {INT64_C(8553103), 6},
    {INT64_C(23749461029), 870},
    {INT64_C(8615841276005), 14322},
    {INT64_C(7709321041217), 510},
    {INT64_C(2577687858367), 6},
};

/* The terms of the formula, updated as k grows. */
struct maclaurin {
    ival slope;   /* m / v */
    ival inverse; /* 1 / v */
    ival h, last; /* h_(2k-1) and h_(2k-2) */
    ival b;       /* |b_k| */
    ival four_pi_squared;
    ival power;     /* (2 pi)^(2k) */
    ival factorial; /* (2k)! */
    ival cramer;    /* (2k)! v^(1-2k) */
    ival quarter;   /* exp(m^2 / 4v) */
    ival rest;      /* bound on |rho| */
    ival work;
};

static ival *
maclaurin_part(struct maclaurin *s, int i)
{
    ival *parts[] = {
        &s->slope,           &s->inverse,  &s->h,       &s->last, &s->b,
        &s->power,           &s->cramer,   &s->quarter, &s->rest, &s->work,
        &s->four_pi_squared, &s->factorial};

    return i < (int)COUNT_OF(parts) ? parts[i] : NULL;
}

static void
maclaurin_init(struct maclaurin *s, long bits, const rat *v, const rat *m)
{
    rat q, r;

    for (int i = 0; maclaurin_part(s, i); i++)
        ival_init(maclaurin_part(s, i), bits);
    rat_init(&q);
    rat_init(&r);
    rat_div(&q, m, v);
    ival_set_rat(&s->slope, &q);
    rat_set_i64(&r, 1, 1);
    rat_div(&r, &r, v);
    ival_set_rat(&s->inverse, &r);
    ival_set_rat(&s->cramer, v);
    rat_set_i64(&r, 1, 4);
    rat_mul(&q, &q, m);
    rat_mul(&q, &q, &r);
    ival_set_rat(&s->quarter, &q);
    ival_exp(&s->quarter, &s->quarter);
    ival_pi(&s->four_pi_squared);
    ival_mul(&s->four_pi_squared, &s->four_pi_squared, &s->four_pi_squared);
    ival_mul_pow2(&s->four_pi_squared, &s->four_pi_squared, 2);
    ival_set_i64(&s->power, 1);
    ival_set_i64(&s->factorial, 1);
    rat_clear(&q);
    rat_clear(&r);
}

static void
maclaurin_clear(struct maclaurin *s)
{
    for (int i = 0; maclaurin_part(s, i); i++)
        ival_clear(maclaurin_part(s, i));
}

/* Computes h_(n+1) from h_n = h and h_(n-1) = last. */
static void
hermite_step(struct maclaurin *s, int64_t n)
{
    ival_set_i64(&s->work, n);
    ival_mul(&s->work, &s->work, &s->inverse);
    ival_mul(&s->work, &s->work, &s->last);
    ival_set(&s->last, &s->h);
    ival_mul(&s->h, &s->h, &s->slope);
    ival_sub(&s->h, &s->h, &s->work);
}

/*
 * |b_k| = |B_2k| / (2k)!; after the end of the list it is computed as
 * 2 zeta(2k) / (2 pi)^2k, which takes far longer. Called for k = 1, 2, ...
 */
static void
bernoulli_step(struct maclaurin *s, int64_t k)
{
    rat b;

    ival_mul(&s->power, &s->power, &s->four_pi_squared);
    ival_set_i64(&s->work, (2 * k - 1) * (2 * k));
    ival_mul(&s->factorial, &s->factorial, &s->work);
    if (k <= (int64_t)COUNT_OF(bernoulli)) {
        rat_init(&b);
        rat_set_i64(&b, bernoulli[k - 1].num, bernoulli[k - 1].den);
        ival_set_rat(&s->b, &b);
        ival_div(&s->b, &s->b, &s->factorial);
        rat_clear(&b);
        return;
    }
    ival_zeta(&s->b, (unsigned long)(2 * k));
    ival_mul_pow2(&s->b, &s->b, 1);
    ival_div(&s->b, &s->b, &s->power);
}

/* Moves from k - 1 to k: h, |b_k|, and the bound on the remainder after k. */
static void
maclaurin_step(struct maclaurin *s, int64_t k, const rat *v, const rat *m)
{
    rat square, zeros;

    if (k == 1) {
        ival_set_i64(&s->last, 1);
        ival_set(&s->h, &s->slope);
    } else {
        hermite_step(s, 2 * k - 3);
        hermite_step(s, 2 * k - 2);
    }
    bernoulli_step(s, k);
    for (int64_t n = 2 * k - 1; n <= 2 * k; n++) {
        ival_set_i64(&s->work, n);
        ival_mul(&s->cramer, &s->cramer, &s->work);
        ival_mul(&s->cramer, &s->cramer, &s->inverse);
    }
    rat_init(&square);
    rat_init(&zeros);
    rat_mul(&square, m, m);
    rat_set_i64(&zeros, 8 * k + 2, 1);
    rat_mul(&zeros, &zeros, v);
    if (rat_cmp(&square, &zeros) >= 0) {
        ival_mul(&s->rest, &s->b, &s->h);
    } else {
        ival_sqrt(&s->rest, &s->cramer);
        ival_mul(&s->rest, &s->rest, &s->b);
        ival_mul(&s->rest, &s->rest, &s->quarter);
        ival_mul_pow2(&s->rest, &s->rest, 1);
    }
    rat_clear(&square);
    rat_clear(&zeros);
}

/*
 * r = the integral of f from m to infinity: sqrt(pi v / 2) erfc(m / sqrt(2v)).
 */
static void
integral(ival *r, const rat *v, const rat *m)
{
    ival root, pi;
    rat q, two;

    ival_init(&root, ival_bits(r));
    ival_init(&pi, ival_bits(r));
    rat_init(&q);
    rat_init(&two);
    rat_set_i64(&two, 2, 1);
    rat_mul(&q, m, m);
    rat_div(&q, &q, v);
    rat_div(&q, &q, &two);
    ival_set_rat(&root, &q);
    ival_sqrt(&root, &root);
    ival_erfc(r, &root);
    rat_div(&q, v, &two);
    ival_set_rat(&root, &q);
    ival_pi(&pi);
    ival_mul(&root, &root, &pi);
    ival_sqrt(&root, &root);
    ival_mul(r, r, &root);
    ival_clear(&root);
    ival_clear(&pi);
    rat_clear(&q);
    rat_clear(&two);
}

/* Needs m >= 0. */
static void
sum_maclaurin(ival *sum, const rat *v, const rat *m)
{
    long bits = ival_bits(sum);
    struct maclaurin s;
    ival f, inner;

    ival_init(&f, bits);
    ival_init(&inner, bits);
    maclaurin_init(&s, bits, v, m);
    ival_set_i64(&inner, 1);
    ival_mul_pow2(&inner, &inner, -1);
    for (int64_t k = 1; k <= MACLAURIN_TERMS_MAX; k++) {
        maclaurin_step(&s, k, v, m);
        ival_mul(&f, &s.b, &s.h);
        if (k % 2 == 1)
            ival_add(&inner, &inner, &f);
        else
            ival_sub(&inner, &inner, &f);
        if (ival_is_below_pow2(&s.rest, -bits))
            break;
    }
    ival_plus_minus(&s.rest, &s.rest);
    ival_add(&inner, &inner, &s.rest);
    weight(&f, v, m);
    ival_mul(&inner, &inner, &f);
    integral(sum, v, m);
    ival_add(sum, sum, &inner);
    maclaurin_clear(&s);
    ival_clear(&f);
    ival_clear(&inner);
}

/* G(m) for m >= 0. */
static void
sum_upper(ival *r, const rat *variance, const rat *m)
{
    if (rat_cmp_i64(variance, DIRECT_VARIANCE_MAX) < 0 ||
        rat_cmp(m, variance) > 0)
        sum_direct(r, variance, m);
    else
        sum_maclaurin(r, variance, m);
}

void
gauss_sum_all(ival *r, const rat *variance)
{
    ival sum, one;
    rat m;

    ival_init(&sum, ival_bits(r) + GUARD_BITS);
    ival_init(&one, ival_bits(r));
    rat_init(&m);
    rat_set_i64(&m, 1, 1);
    sum_upper(&sum, variance, &m);
    ival_mul_pow2(&sum, &sum, 1);
    ival_set_i64(&one, 1);
    ival_add(r, &sum, &one);
    ival_clear(&sum);
    ival_clear(&one);
    rat_clear(&m);
}

void
gauss_sum(ival *r, const rat *variance, const rat *m)
{
    ival sum, all;
    rat other;

    CUSTOS_REQUIRE(rat_sign(variance) > 0 && rat_is_whole(m));
    ival_init(&sum, ival_bits(r) + GUARD_BITS);
    ival_init(&all, ival_bits(r) + GUARD_BITS);
    rat_init(&other);
    if (rat_sign(m) >= 0) {
        sum_upper(&sum, variance, m);
    } else { /* the sum over Z minus G(1 - m), by symmetry */
        rat_set_i64(&other, 1, 1);
        rat_sub(&other, &other, m);
        sum_upper(&sum, variance, &other);
        gauss_sum_all(&all, variance);
        ival_sub(&sum, &all, &sum);
    }
    ival_set(r, &sum);
    ival_clear(&sum);
    ival_clear(&all);
    rat_clear(&other);
}
