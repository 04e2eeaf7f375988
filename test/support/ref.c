/*
 * Textbook formulas with high precision.
 */
#include "support/ref.h"

#include "support/support.h"

rat
ref_rat(const char *text)
{
    rat r;

    rat_init(&r);
    assert_int_equal(rat_read(text, "number", &r, NULL), CUSTOS_OK);
    return r;
}

void
ref_set_u128(mpfr_t out, u128 x)
{
    mpz_t z;

    mpz_init_set_ui(z, (uint64_t)(x >> 64));
    mpz_mul_2exp(z, z, 64);
    mpz_add_ui(z, z, (uint64_t)x);
    mpfr_set_z(out, z, MPFR_RNDN);
    mpz_clear(z);
}

/* out = exp(-rate x) */
static void
decay(mpfr_t out, const rat *rate, u128 x)
{
    ref_set_u128(out, x);
    mpfr_mul_q(out, out, rate->q, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
}

void
ref_digit_cut(mpfr_t out, const rat *rate, size_t j, bool top, size_t c)
{
    mpfr_t whole;

    decay(out, rate, (u128)(c + 1) << (4 * j));
    mpfr_ui_sub(out, 1, out, MPFR_RNDN);
    if (top)
        return;
    mpfr_init2(whole, REF_BITS);
    decay(whole, rate, (u128)16 << (4 * j));
    mpfr_ui_sub(whole, 1, whole, MPFR_RNDN);
    mpfr_div(out, out, whole, MPFR_RNDN);
    mpfr_clear(whole);
}

/* Term by term: P[0] (1 + 2 (q + .. + q^c) (1 + q^16 + q^32 + ..)). */
void
ref_zero_cut(mpfr_t out, const rat *rate, size_t c)
{
    mpfr_t q, x;

    mpfr_init2(q, REF_BITS);
    mpfr_init2(x, REF_BITS);
    mpfr_set_ui(out, 0, MPFR_RNDN);
    for (size_t k = 1; k <= c; k++) {
        decay(x, rate, k);
        mpfr_add(out, out, x, MPFR_RNDN);
    }
    decay(x, rate, 16);
    mpfr_ui_sub(x, 1, x, MPFR_RNDN);
    mpfr_div(out, out, x, MPFR_RNDN);
    mpfr_mul_2ui(out, out, 1, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    decay(q, rate, 1);
    mpfr_ui_sub(x, 1, q, MPFR_RNDN);
    mpfr_mul(out, out, x, MPFR_RNDN);
    mpfr_add_ui(q, q, 1, MPFR_RNDN);
    mpfr_div(out, out, q, MPFR_RNDN); /* P[0] = (1 - q) / (1 + q) */
    mpfr_clear(x);
    mpfr_clear(q);
}

static rat
inverse(const rat *scale)
{
    rat rate;

    rat_init(&rate);
    rat_set_i64(&rate, 1, 1);
    rat_div(&rate, &rate, scale);
    return rate;
}

void
ref_geometric(mpfr_t out, const rat *scale, i128 x)
{
    rat rate = inverse(scale);
    mpfr_t next;

    mpfr_init2(next, REF_BITS);
    decay(out, &rate, (u128)x);
    decay(next, &rate, (u128)x + 1);
    mpfr_sub(out, out, next, MPFR_RNDN);
    mpfr_clear(next);
    rat_clear(&rate);
}

void
ref_laplace(mpfr_t out, const rat *scale, i128 x)
{
    rat rate = inverse(scale);
    mpfr_t zero;

    mpfr_init2(zero, REF_BITS);
    ref_zero_cut(zero, &rate, 0);
    decay(out, &rate, (u128)(x < 0 ? -x : x));
    mpfr_mul(out, out, zero, MPFR_RNDN);
    mpfr_clear(zero);
    rat_clear(&rate);
}

/* out = exp(-x^2 / 2v) */
static void
bell(mpfr_t out, const rat *variance, u128 x)
{
    ref_set_u128(out, x);
    mpfr_sqr(out, out, MPFR_RNDN);
    mpfr_div_q(out, out, variance->q, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
}

void
ref_gaussian(mpfr_t out, const rat *variance, i128 x)
{
    mpfr_t sum, term;

    mpfr_init2(sum, REF_BITS);
    mpfr_init2(term, REF_BITS);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (u128 k = 1; k == 1 || mpfr_get_exp(term) > -REF_BITS; k++) {
        bell(term, variance, k);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_mul_2ui(sum, sum, 1, MPFR_RNDN);
    mpfr_add_ui(sum, sum, 1, MPFR_RNDN);
    bell(out, variance, (u128)(x < 0 ? -x : x));
    mpfr_div(out, out, sum, MPFR_RNDN);
    mpfr_clear(term);
    mpfr_clear(sum);
}

void
ref_accept(mpfr_t out, const rat *variance, u128 y)
{
    mpfr_t center;
    mpz_t t;

    mpz_init(t);
    mpfr_init2(center, REF_BITS);
    mpfr_set_q(center, variance->q, MPFR_RNDN);
    mpfr_sqrt(center, center, MPFR_RNDN);
    mpfr_get_z(t, center, MPFR_RNDD);
    mpz_add_ui(t, t, 1);
    mpfr_set_q(center, variance->q, MPFR_RNDN);
    mpfr_div_z(center, center, t, MPFR_RNDN);
    ref_set_u128(out, y);
    mpfr_sub(out, out, center, MPFR_RNDN);
    mpfr_sqr(out, out, MPFR_RNDN);
    mpfr_div_q(out, out, variance->q, MPFR_RNDN);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_clear(center);
    mpz_clear(t);
}

uint64_t
ref_word(const mpfr_t p, unsigned bits)
{
    mpfr_t x, off;
    mpz_t z;
    uint64_t word;

    mpfr_init2(x, REF_BITS);
    mpfr_init2(off, REF_BITS);
    mpz_init(z);
    mpfr_ui_sub(off, 1, p, MPFR_RNDN);
    if (mpfr_cmp_ui_2exp(off, 1, -(long)bits - 1) < 0) {
        mpz_clear(z);
        mpfr_clear(off);
        mpfr_clear(x);
        return UINT64_MAX >> (64 - bits);
    }
    mpfr_mul_2ui(x, p, bits, MPFR_RNDN);
    mpfr_get_z(z, x, MPFR_RNDN);
    mpfr_sub_z(off, x, z, MPFR_RNDN);
    /*
     * Fails within 2^-512 of a whole number, where the bits are not enough to
     * decide.
     */
    assert_true(!mpfr_zero_p(off) && mpfr_get_exp(off) > -REF_BITS / 2);
    mpfr_get_z(z, x, MPFR_RNDD);
    assert_true(mpz_sgn(z) >= 0 && mpz_sizeinbase(z, 2) <= bits);
    word = mpz_get_ui(z);
    mpz_clear(z);
    mpfr_clear(off);
    mpfr_clear(x);
    return word;
}

void
ref_between(const mpfr_t p, unsigned bits, u128 lo, u128 hi)
{
    mpfr_t x, end;

    mpfr_init2(x, REF_BITS);
    mpfr_init2(end, REF_BITS);
    mpfr_mul_2ui(x, p, bits, MPFR_RNDN);
    ref_set_u128(end, lo);
    assert_true(mpfr_cmp(end, x) <= 0);
    ref_set_u128(end, hi);
    assert_true(mpfr_cmp(x, end) <= 0);
    mpfr_clear(end);
    mpfr_clear(x);
}
