/*
 * Outward rounding on MPFR. An increasing function maps the ends to the ends;
 * a decreasing one swaps them. A product takes the extremes of four products,
 * unless the signs determine which are the extremes.
 */
#include "num/ival.h"

#include "base/base.h"

void
ival_init(ival *x, long bits)
{
    CUSTOS_REQUIRE(bits >= 2 && bits <= 2L * IVAL_BITS_MAX);
    mpfr_init2(x->lo, bits);
    mpfr_init2(x->hi, bits);
    mpfr_set_zero(x->lo, 1);
    mpfr_set_zero(x->hi, 1);
}

void
ival_clear(ival *x)
{
    mpfr_clear(x->lo);
    mpfr_clear(x->hi);
}

/* Sets r to the complete real line, when nothing better is known. */
static void
set_all(ival *r)
{
    mpfr_set_inf(r->lo, -1);
    mpfr_set_inf(r->hi, 1);
}

/*
 * Makes an undefined end (inf - inf, 0 * inf) infinite, so that it bounds
 * nothing.
 */
static void
widen_undefined(ival *r)
{
    if (mpfr_nan_p(r->lo))
        mpfr_set_inf(r->lo, -1);
    if (mpfr_nan_p(r->hi))
        mpfr_set_inf(r->hi, 1);
}

void
ival_set(ival *r, const ival *a)
{
    mpfr_set(r->lo, a->lo, MPFR_RNDD);
    mpfr_set(r->hi, a->hi, MPFR_RNDU);
}

void
ival_set_rat(ival *r, const rat *a)
{
    mpfr_set_q(r->lo, a->q, MPFR_RNDD);
    mpfr_set_q(r->hi, a->q, MPFR_RNDU);
}

void
ival_set_i64(ival *r, int64_t a)
{
    mpfr_set_si(r->lo, a, MPFR_RNDD);
    mpfr_set_si(r->hi, a, MPFR_RNDU);
}

void
ival_add(ival *r, const ival *a, const ival *b)
{
    mpfr_add(r->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_add(r->hi, a->hi, b->hi, MPFR_RNDU);
    widen_undefined(r);
}

void
ival_neg(ival *r, const ival *a)
{
    mpfr_t lo;

    mpfr_init2(lo, mpfr_get_prec(r->lo));
    mpfr_neg(lo, a->hi, MPFR_RNDD);
    mpfr_neg(r->hi, a->lo, MPFR_RNDU);
    mpfr_swap(r->lo, lo);
    mpfr_clear(lo);
}

typedef int binary_op(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/* An op that grows with a and falls with b: each end of a with the other end
   of b. */
static void
by_other_end(ival *r, const ival *a, const ival *b, binary_op *op)
{
    mpfr_t lo;

    mpfr_init2(lo, mpfr_get_prec(r->lo));
    op(lo, a->lo, b->hi, MPFR_RNDD);
    op(r->hi, a->hi, b->lo, MPFR_RNDU);
    mpfr_swap(r->lo, lo);
    mpfr_clear(lo);
    widen_undefined(r);
}

void
ival_sub(ival *r, const ival *a, const ival *b)
{
    by_other_end(r, a, b, mpfr_sub);
}

/* The extremes of op over the four corners. */
static void
four_corners(ival *r, const ival *a, const ival *b, binary_op *op)
{
    mpfr_srcptr x[2] = {a->lo, a->hi}, y[2] = {b->lo, b->hi};
    ival all;
    mpfr_t corner;
    bool undefined = false;

    ival_init(&all, mpfr_get_prec(r->lo));
    mpfr_init2(corner, mpfr_get_prec(r->lo));
    for (int i = 0; i < 4; i++) {
        op(corner, x[i / 2], y[i % 2], MPFR_RNDD);
        undefined |= mpfr_nan_p(corner) != 0;
        if (i == 0 || mpfr_less_p(corner, all.lo))
            mpfr_set(all.lo, corner, MPFR_RNDD);
        op(corner, x[i / 2], y[i % 2], MPFR_RNDU);
        if (i == 0 || mpfr_greater_p(corner, all.hi))
            mpfr_set(all.hi, corner, MPFR_RNDU);
    }
    mpfr_swap(r->lo, all.lo);
    mpfr_swap(r->hi, all.hi);
    mpfr_clear(corner);
    ival_clear(&all);
    if (undefined)
        set_all(r);
}

/* The product if no point of a or b is negative: end times end. */
static void
mul_positive(ival *r, const ival *a, const ival *b)
{
    mpfr_mul(r->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_mul(r->hi, a->hi, b->hi, MPFR_RNDU);
    widen_undefined(r);
}

void
ival_mul(ival *r, const ival *a, const ival *b)
{
    if (mpfr_sgn(a->lo) > 0 && mpfr_sgn(b->lo) > 0)
        mul_positive(r, a, b);
    else
        four_corners(r, a, b, mpfr_mul);
}

void
ival_div(ival *r, const ival *a, const ival *b)
{
    if (mpfr_sgn(b->lo) <= 0 && mpfr_sgn(b->hi) >= 0)
        set_all(r);
    else if (mpfr_sgn(a->lo) > 0 && mpfr_sgn(b->lo) > 0)
        by_other_end(r, a, b, mpfr_div);
    else
        four_corners(r, a, b, mpfr_div);
}

void
ival_mul_pow2(ival *r, const ival *a, long exponent)
{
    mpfr_mul_2si(r->lo, a->lo, exponent, MPFR_RNDD);
    mpfr_mul_2si(r->hi, a->hi, exponent, MPFR_RNDU);
}

/* Increasing functions: end to end. An undefined end becomes infinite. */
#define IVAL_RISING(name)                                                      \
    void ival_##name(ival *r, const ival *a)                                   \
    {                                                                          \
        mpfr_##name(r->lo, a->lo, MPFR_RNDD);                                  \
        mpfr_##name(r->hi, a->hi, MPFR_RNDU);                                  \
        widen_undefined(r);                                                    \
    }

IVAL_RISING(exp)
IVAL_RISING(expm1)
IVAL_RISING(log)
IVAL_RISING(log1p)
IVAL_RISING(sqrt)
IVAL_RISING(tanh)

#undef IVAL_RISING

bool
ival_certainly_less(const ival *a, const ival *b)
{
    return mpfr_less_p(a->hi, b->lo) != 0;
}

bool
ival_certainly_less_rat(const ival *a, const rat *b)
{
    return mpfr_cmp_q(a->hi, b->q) < 0;
}

bool
ival_certainly_above_rat(const ival *a, const rat *b)
{
    return mpfr_cmp_q(a->lo, b->q) > 0;
}

void
ival_down(const ival *a, rat *out)
{
    CUSTOS_REQUIRE(mpfr_number_p(a->lo));
    mpfr_get_q(out->q, a->lo);
}

void
ival_up(const ival *a, rat *out)
{
    CUSTOS_REQUIRE(mpfr_number_p(a->hi));
    mpfr_get_q(out->q, a->hi);
}

/*
 * Rounds a * 2^k to an integer in direction `way`; false unless every point of
 * a gives the same integer.
 */
static bool
round_pow2(const ival *a, long k, mpfr_rnd_t way, mpz_t out)
{
    mpfr_t end;
    mpz_t other;
    bool same;

    if (!mpfr_number_p(a->lo) || !mpfr_number_p(a->hi))
        return false;
    mpz_init(other);
    mpfr_init2(end, mpfr_get_prec(a->lo));
    mpfr_mul_2si(end, a->lo, k, MPFR_RNDD); /* exact: a power of two */
    mpfr_get_z(out, end, way);
    mpfr_mul_2si(end, a->hi, k, MPFR_RNDU);
    mpfr_get_z(other, end, way);
    same = mpz_cmp(out, other) == 0;
    mpfr_clear(end);
    mpz_clear(other);
    return same;
}

bool
ival_floor_pow2(const ival *a, long k, mpz_t out)
{
    return round_pow2(a, k, MPFR_RNDD, out);
}

bool
ival_ceil_pow2(const ival *a, long k, mpz_t out)
{
    return round_pow2(a, k, MPFR_RNDU, out);
}

void
ival_forget_caches(void)
{
    mpfr_free_cache();
}
