/*
 * The complementary error function. For large x, where the tails of Gaussian
 * noise are, its continued fraction is short and MPFR's series is long. A
 * search for a threshold needs hundreds of values.
 *
 * THEOREM  erfc-fraction
 *   For x > 0, sqrt(pi) e^(x^2) erfc(x) = 1/T_0, where T_(k-1) = x + (k/2)/T_k
 *   and x <= T_k <= x + ((k+1)/2)/x for all k >= 0.
 * SOURCE   DLMF 7.9.1 (Laplace 1805): the fraction converges for x > 0 and all
 *          its terms are positive, so each tail T_k is between its first two
 *          approximants.
 * NEEDS    x > 0.
 * GIVES    an interval that contains erfc(x) for every x of a, for any number
 *          of terms.
 * FAILS    cannot.
 * TESTED   functions_contain_their_values
 *          erfc_is_as_tight_as_asked erfc_of_few_terms_holds_the_value
 */
#include "base/base.h"
#include "num/ival.h"
#include "num/ival_more.h"

enum {
    FRACTION_FROM = 3, /* below this the fraction is long */
    TERMS_MAX = 400,   /* with more terms the series is shorter */
    GUARD_BITS = 20,
    SLOPE_BITS = 32,
    NARROW_LOG2 = -20,
};

/* r = x + (k/2) / t; x and t are positive. r may be t. */
static void
fraction_step(ival *r, const ival *x, const ival *t, unsigned long k,
              ival *work)
{
    mpfr_ui_div(work->lo, k, t->hi, MPFR_RNDD);
    mpfr_ui_div(work->hi, k, t->lo, MPFR_RNDU);
    ival_mul_pow2(work, work, -1);
    ival_add(r, x, work);
}

/*
 * How many terms bring the error below 2^-bits: for small x the error is about
 * exp(-2x sqrt(2n)); for large x, n terms give more than 4n bits.
 */
static unsigned long
fraction_terms(const ival *x, long bits)
{
    unsigned long whole = mpfr_get_ui(x->lo, MPFR_RNDD);
    unsigned long b = (unsigned long)bits;

    return whole >= b ? b / 4 : b * b / (12 * whole * whole) + b / 4 + 4;
}

void
ival_erfc_fraction(ival *r, const ival *a, unsigned long n)
{
    long bits = ival_bits(r) + GUARD_BITS;
    ival x, t, work;

    ival_init(&x, bits);
    ival_init(&t, bits);
    ival_init(&work, bits);
    ival_set(&x, a);
    fraction_step(&t, &x, &x, n + 1, &work);
    mpfr_set(t.lo, x.lo, MPFR_RNDD);
    for (unsigned long k = n; k >= 1; k--)
        fraction_step(&t, &x, &t, k, &work);
    ival_pi(&work);
    ival_sqrt(&work, &work);
    ival_mul(&t, &t, &work);
    ival_mul(&x, &x, &x);
    ival_neg(&x, &x);
    ival_exp(&x, &x);
    ival_div(r, &x, &t);
    ival_clear(&x);
    ival_clear(&t);
    ival_clear(&work);
}

/* erfc falls, so the ends swap. */
static void
erfc_wide(ival *r, const ival *a)
{
    mpfr_t lo;

    mpfr_init2(lo, mpfr_get_prec(r->lo));
    mpfr_erfc(lo, a->hi, MPFR_RNDD);
    mpfr_erfc(r->hi, a->lo, MPFR_RNDU);
    mpfr_swap(r->lo, lo);
    mpfr_clear(lo);
}

/*
 * For x >= 0, erfc falls no faster than (2/sqrt(pi)) e^(-x^2) < 2 e^(-x^2). So
 * if the interval is narrow, one value of the series bounds both ends.
 */
static void
erfc_narrow(ival *r, const ival *a, mpfr_t width)
{
    mpfr_t slope;

    mpfr_init2(slope, SLOPE_BITS);
    mpfr_set_zero(slope, 1);
    if (mpfr_sgn(a->lo) > 0)
        mpfr_sqr(slope, a->lo, MPFR_RNDD);
    mpfr_neg(slope, slope, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDU);
    mpfr_mul(width, width, slope, MPFR_RNDU);
    mpfr_mul_2ui(width, width, 1, MPFR_RNDU);
    mpfr_erfc(r->hi, a->lo, MPFR_RNDU);
    mpfr_set(r->lo, r->hi, MPFR_RNDD);
    mpfr_nextbelow(r->lo);
    mpfr_sub(r->lo, r->lo, width, MPFR_RNDD);
    mpfr_clear(slope);
}

static void
erfc_series(ival *r, const ival *a)
{
    mpfr_t width;

    mpfr_init2(width, SLOPE_BITS);
    mpfr_sub(width, a->hi, a->lo, MPFR_RNDU);
    if (mpfr_cmp_ui_2exp(width, 1, NARROW_LOG2) < 0 && !mpfr_nan_p(width))
        erfc_narrow(r, a, width);
    else
        erfc_wide(r, a);
    mpfr_clear(width);
}

void
ival_erfc(ival *r, const ival *a)
{
    bool far = mpfr_cmp_ui(a->lo, FRACTION_FROM) >= 0 &&
               mpfr_cmp_ui(a->hi, 1UL << 20) < 0;
    unsigned long n = far ? fraction_terms(a, ival_bits(r) + GUARD_BITS) : 0;

    if (far && n <= TERMS_MAX)
        ival_erfc_fraction(r, a, n);
    else
        erfc_series(r, a);
}
