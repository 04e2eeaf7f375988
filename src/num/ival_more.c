/*
 * Outward rounding, continued.
 */
#include "num/ival_more.h"

void
ival_pi(ival *r)
{
    mpfr_const_pi(r->lo, MPFR_RNDD);
    mpfr_const_pi(r->hi, MPFR_RNDU);
}

void
ival_zeta(ival *r, unsigned long n)
{
    CUSTOS_REQUIRE(n >= 2);
    mpfr_zeta_ui(r->lo, n, MPFR_RNDD);
    mpfr_zeta_ui(r->hi, n, MPFR_RNDU);
}

void
ival_from_zero(ival *r, const ival *a)
{
    mpfr_set(r->hi, a->hi, MPFR_RNDU);
    mpfr_set_zero(r->lo, 1);
}

void
ival_plus_minus(ival *r, const ival *a)
{
    mpfr_set(r->hi, a->hi, MPFR_RNDU);
    mpfr_neg(r->lo, r->hi, MPFR_RNDD);
}

long
ival_bits(const ival *x)
{
    return mpfr_get_prec(x->lo);
}

bool
ival_is_finite(const ival *a)
{
    return mpfr_number_p(a->lo) && mpfr_number_p(a->hi);
}

bool
ival_is_positive(const ival *a)
{
    return mpfr_sgn(a->lo) > 0;
}

bool
ival_is_narrow(const ival *a, long bits)
{
    mpfr_t wide;
    bool narrow;

    if (!ival_is_finite(a) || mpfr_sgn(a->lo) <= 0)
        return false;
    mpfr_init2(wide, mpfr_get_prec(a->lo));
    mpfr_sub(wide, a->hi, a->lo, MPFR_RNDU);
    mpfr_mul_2si(wide, wide, bits, MPFR_RNDU);
    narrow = mpfr_lessequal_p(wide, a->lo) != 0;
    mpfr_clear(wide);
    return narrow;
}

bool
ival_is_below_pow2(const ival *a, long exponent)
{
    return mpfr_cmp_si_2exp(a->hi, 1, exponent) < 0;
}

bool
ival_ceil_up(const ival *a, i128 *out, bool *certain)
{
    bool fits = false;
    i128 other;
    rat end;

    if (!ival_is_finite(a))
        return false;
    rat_init(&end);
    ival_up(a, &end);
    if (rat_ceil_i128(&end, out)) {
        ival_down(a, &end);
        *certain = rat_ceil_i128(&end, &other) && other == *out;
        fits = true;
    }
    rat_clear(&end);
    return fits;
}
