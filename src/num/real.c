/*
 * Digits of a real number: encloses it more and more tightly until the
 * interval determines the digits.
 */
#include "base/base.h"
#include "num/ival.h"

/* z += 2^e, e >= 0. */
static void
add_pow2(mpz_t z, long e)
{
    mpz_t power;

    CUSTOS_REQUIRE(e >= 0);
    mpz_init_set_ui(power, 1);
    mpz_mul_2exp(power, power, (mp_bitcnt_t)e);
    mpz_add(z, z, power);
    mpz_clear(power);
}

/* floor(2^e - x 2^e) = 2^e - ceil(x 2^e); false if `near` is too wide. */
static bool
floor_one_minus(const ival *near, long e, mpz_t out)
{
    bool decided = ival_ceil_pow2(near, e, out);

    if (decided) {
        mpz_neg(out, out);
        add_pow2(out, e);
    }
    return decided;
}

bool
ival_bits_one_minus(const ival *near, unsigned bits, uint64_t *out)
{
    bool decided;
    mpz_t z;

    CUSTOS_REQUIRE(bits >= 1 && bits <= 64);
    mpz_init(z);
    decided = floor_one_minus(near, (long)bits, z);
    if (decided) {
        CUSTOS_REQUIRE(mpz_sgn(z) >= 0);
        *out = mpz_get_ui(z);
    }
    mpz_clear(z);
    return decided;
}

/* floor(x * 2^e), with as many bits as needed. */
static custos_status
floor_pow2(struct real x, long e, mpz_t out)
{
    custos_status st = CUSTOS_EINTERNAL;

    for (long bits = e > 0 ? e + 64 : 128; bits <= IVAL_BITS_MAX; bits *= 2) {
        bool decided;
        ival near;

        ival_init(&near, bits);
        x.eval(x.of, &near);
        decided = x.is == REAL_ONE_MINUS ? floor_one_minus(&near, e, out)
                                         : ival_floor_pow2(&near, e, out);
        ival_clear(&near);
        if (decided) {
            st = CUSTOS_OK;
            break;
        }
    }
    return st;
}

custos_status
real_bits(struct real x, size_t skip, unsigned bits, uint64_t *out)
{
    custos_status st;
    mpz_t z;

    CUSTOS_REQUIRE(bits >= 1 && bits <= 64);
    if (skip >= IVAL_BITS_MAX / 2)
        return CUSTOS_EINTERNAL;
    mpz_init(z);
    st = floor_pow2(x, (long)(skip + bits), z);
    if (!st) {
        CUSTOS_REQUIRE(mpz_sgn(z) >= 0);
        mpz_fdiv_r_2exp(z, z, bits);
        *out = mpz_get_ui(z);
    }
    mpz_clear(z);
    return st;
}
