/*
 * Exact rationals on GMP: arithmetic and conversions to machine integers.
 */
#include "num/rat.h"

#include <assert.h>

#include "base/base.h"

void
rat_init(rat *r)
{
    mpq_init(r->q);
}

void
rat_clear(rat *r)
{
    mpq_clear(r->q);
}

void
rat_set(rat *r, const rat *a)
{
    mpq_set(r->q, a->q);
}

void
rat_set_i64(rat *r, int64_t num, uint64_t den)
{
    static_assert(sizeof(long) == sizeof(int64_t), "GMP's si is 64 bits here");
    CUSTOS_REQUIRE(den >= 1);
    mpq_set_si(r->q, num, den);
    mpq_canonicalize(r->q);
}

static void
set_whole(mpz_t z, i128 value)
{
    u128 size = value < 0 ? -(u128)value : (u128)value;

    mpz_set_ui(z, (uint64_t)(size >> 64));
    mpz_mul_2exp(z, z, 64);
    mpz_add_ui(z, z, (uint64_t)size);
    if (value < 0)
        mpz_neg(z, z);
}

void
rat_set_i128(rat *r, i128 value)
{
    set_whole(mpq_numref(r->q), value);
    mpz_set_ui(mpq_denref(r->q), 1);
}

void
rat_set_pow2(rat *r, long exponent)
{
    CUSTOS_REQUIRE(exponent <= 1L << 14 && exponent >= -(1L << 14));
    mpq_set_ui(r->q, 1, 1);
    if (exponent >= 0)
        mpq_mul_2exp(r->q, r->q, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(r->q, r->q, (mp_bitcnt_t)-exponent);
}

void
rat_add(rat *r, const rat *a, const rat *b)
{
    mpq_add(r->q, a->q, b->q);
}

void
rat_sub(rat *r, const rat *a, const rat *b)
{
    mpq_sub(r->q, a->q, b->q);
}

void
rat_mul(rat *r, const rat *a, const rat *b)
{
    mpq_mul(r->q, a->q, b->q);
}

void
rat_div(rat *r, const rat *a, const rat *b)
{
    CUSTOS_REQUIRE(mpq_sgn(b->q) != 0);
    mpq_div(r->q, a->q, b->q);
}

void
rat_abs(rat *r, const rat *a)
{
    mpq_abs(r->q, a->q);
}

int
rat_sign(const rat *a)
{
    return mpq_sgn(a->q);
}

int
rat_cmp(const rat *a, const rat *b)
{
    return mpq_cmp(a->q, b->q);
}

int
rat_cmp_i64(const rat *a, int64_t b)
{
    return mpq_cmp_si(a->q, b, 1);
}

bool
rat_is_whole(const rat *a)
{
    return mpz_cmp_ui(mpq_denref(a->q), 1) == 0;
}

long
rat_log2_floor(const rat *a)
{
    mpz_t shifted;
    long e;

    CUSTOS_REQUIRE(rat_sign(a) > 0);
    e = (long)mpz_sizeinbase(mpq_numref(a->q), 2) -
        (long)mpz_sizeinbase(mpq_denref(a->q), 2);
    /* 2^(e-1) < a < 2^(e+1); the answer is e or e - 1. */
    mpz_init(shifted);
    if (e >= 0) {
        mpz_mul_2exp(shifted, mpq_denref(a->q), (mp_bitcnt_t)e);
        if (mpz_cmp(mpq_numref(a->q), shifted) < 0)
            e--;
    } else {
        mpz_mul_2exp(shifted, mpq_numref(a->q), (mp_bitcnt_t)-e);
        if (mpz_cmp(shifted, mpq_denref(a->q)) < 0)
            e--;
    }
    mpz_clear(shifted);
    return e;
}

/* Converts z to a 128-bit integer; false if it does not fit. */
static bool
fits_i128(const mpz_t z, i128 *out)
{
    uint64_t limb[2] = {0, 0};
    u128 size;

    if (mpz_sizeinbase(z, 2) > 127)
        return false;
    mpz_export(limb, NULL, -1, sizeof limb[0], 0, 0, z);
    size = (u128)limb[1] << 64 | limb[0];
    *out = mpz_sgn(z) < 0 ? -(i128)size : (i128)size;
    return true;
}

/* Divides the numerator by the denominator, rounding as `divide` does. */
static bool
quotient_i128(const rat *a, void (*divide)(mpz_ptr, mpz_srcptr, mpz_srcptr),
              i128 *out)
{
    mpz_t z;
    bool fits;

    mpz_init(z);
    divide(z, mpq_numref(a->q), mpq_denref(a->q));
    fits = fits_i128(z, out);
    mpz_clear(z);
    return fits;
}

bool
rat_floor_i128(const rat *a, i128 *out)
{
    return quotient_i128(a, mpz_fdiv_q, out);
}

bool
rat_ceil_i128(const rat *a, i128 *out)
{
    return quotient_i128(a, mpz_cdiv_q, out);
}

void
rat_clamp(rat *x, const rat *low, const rat *high)
{
    if (rat_cmp(x, low) < 0)
        rat_set(x, low);
    if (rat_cmp(x, high) > 0)
        rat_set(x, high);
}

bool
rat_floor_times(const rat *a, i128 n, i128 *out)
{
    mpz_t z;
    bool fits;

    mpz_init(z);
    set_whole(z, n);
    mpz_mul(z, z, mpq_numref(a->q));
    mpz_fdiv_q(z, z, mpq_denref(a->q));
    fits = fits_i128(z, out);
    mpz_clear(z);
    return fits;
}

bool
rat_floor_u64(const rat *a, uint64_t *out)
{
    i128 wide;

    if (!rat_floor_i128(a, &wide) || wide < 0 || wide > UINT64_MAX)
        return false;
    *out = (uint64_t)wide;
    return true;
}

uint64_t
rat_word(const rat *a, unsigned bits, size_t k)
{
    mpz_t z;
    uint64_t word;

    CUSTOS_REQUIRE(rat_sign(a) >= 0 && rat_cmp_i64(a, 1) < 0);
    CUSTOS_REQUIRE(bits >= 1 && bits <= 64);
    mpz_init(z);
    mpz_mul_2exp(z, mpq_numref(a->q), (mp_bitcnt_t)(bits * (k + 1)));
    mpz_fdiv_q(z, z, mpq_denref(a->q));
    mpz_fdiv_r_2exp(z, z, bits);
    word = mpz_get_ui(z);
    mpz_clear(z);
    return word;
}
