/*
 * Directed rounding of rationals, on GMP's integers.
 */
#include "num/rat_round.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum {
    DIGITS = 17,
    LOG2_MAX = 1328, /* just below log2 of 10^RAT_EXPONENT_MAX */
};

static_assert(RAT_EXPONENT_MAX == 400, "LOG2_MAX goes with it");

void
rat_round_up(rat *r, const rat *a, unsigned bits)
{
    long shift;
    mpz_t num, den;

    CUSTOS_REQUIRE(rat_sign(a) > 0 && bits >= 1);
    shift = (long)bits - 1 - rat_log2_floor(a); /* a 2^shift has `bits` bits */
    mpz_init_set(num, mpq_numref(a->q));
    mpz_init_set(den, mpq_denref(a->q));
    if (shift >= 0)
        mpz_mul_2exp(num, num, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(den, den, (mp_bitcnt_t)-shift);
    mpz_cdiv_q(num, num, den);
    mpq_set_z(r->q, num);
    if (shift >= 0)
        mpq_div_2exp(r->q, r->q, (mp_bitcnt_t)shift);
    else
        mpq_mul_2exp(r->q, r->q, (mp_bitcnt_t)-shift);
    mpz_clear(num);
    mpz_clear(den);
}

void
rat_floor(rat *r, const rat *a)
{
    mpz_t z;

    mpz_init(z);
    mpz_fdiv_q(z, mpq_numref(a->q), mpq_denref(a->q));
    mpq_set_z(r->q, z);
    mpz_clear(z);
}

void
rat_ceil(rat *r, const rat *a)
{
    mpz_cdiv_q(mpq_numref(r->q), mpq_numref(a->q), mpq_denref(a->q));
    mpz_set_ui(mpq_denref(r->q), 1);
}

void
rat_trunc(rat *r, const rat *a)
{
    if (rat_sign(a) < 0)
        rat_ceil(r, a);
    else
        rat_floor(r, a);
}

typedef void mpz_division(mpz_t, const mpz_t, const mpz_t);

static void
round_places(rat *r, const rat *a, unsigned places, mpz_division *divide)
{
    mpz_t power, scaled;

    mpz_init(power);
    mpz_init(scaled);
    mpz_ui_pow_ui(power, 10, places);
    mpz_mul(scaled, mpq_numref(a->q), power);
    divide(scaled, scaled, mpq_denref(a->q));
    mpz_set(mpq_numref(r->q), scaled);
    mpz_set(mpq_denref(r->q), power);
    mpq_canonicalize(r->q);
    mpz_clear(scaled);
    mpz_clear(power);
}

void
rat_places_up(rat *r, const rat *a, unsigned places)
{
    round_places(r, a, places, mpz_cdiv_q);
}

void
rat_places_down(rat *r, const rat *a, unsigned places)
{
    round_places(r, a, places, mpz_fdiv_q);
}

bool
rat_parts_i128(const rat *a, i128 *num, i128 *den)
{
    i128 top, bottom;
    rat part;
    bool fit;

    rat_init(&part);
    mpz_set(mpq_numref(part.q), mpq_numref(a->q));
    fit = rat_floor_i128(&part, &top);
    mpz_set(mpq_numref(part.q), mpq_denref(a->q));
    fit = fit && rat_floor_i128(&part, &bottom);
    rat_clear(&part);
    if (fit) {
        *num = top;
        *den = bottom;
    }
    return fit;
}

size_t
rat_size(const rat *a)
{
    return mpz_sizeinbase(mpq_numref(a->q), 2) +
           mpz_sizeinbase(mpq_denref(a->q), 2);
}

bool
rat_is_pow2(const rat *a, long *e)
{
    if (rat_sign(a) <= 0 || mpz_popcount(mpq_numref(a->q)) != 1 ||
        mpz_popcount(mpq_denref(a->q)) != 1)
        return false;
    *e = rat_log2_floor(a);
    return true;
}

/* z = a * 10^power, rounded in the direction given. */
static void
scale_ten(mpz_t z, const rat *a, long power, enum rat_direction direction)
{
    mpz_t ten, den;

    mpz_init(ten);
    mpz_init_set(den, mpq_denref(a->q));
    mpz_ui_pow_ui(ten, 10, (unsigned long)(power < 0 ? -power : power));
    mpz_set(z, mpq_numref(a->q));
    mpz_mul(power < 0 ? den : z, power < 0 ? den : z, ten);
    if (direction == RAT_UP)
        mpz_cdiv_q(z, z, den);
    else
        mpz_fdiv_q(z, z, den);
    mpz_clear(ten);
    mpz_clear(den);
}

/* Writes digits * 10^exponent: as plain digits if short, else with an e. */
static size_t
lay_out(const char *digits, size_t len, long exponent, char *text)
{
    long point = (long)len + exponent; /* digits before the decimal point */
    int said;

    if (exponent >= 0 && point <= 20)
        said = snprintf(text, RAT_DECIMAL_MAX, "%s%.*s", digits, (int)exponent,
                        "00000000000000000000");
    else if (point > 0 && point < (long)len)
        said = snprintf(text, RAT_DECIMAL_MAX, "%.*s.%s", (int)point, digits,
                        digits + point);
    else if (point <= 0 && point > -6)
        said = snprintf(text, RAT_DECIMAL_MAX, "0.%.*s%s", (int)-point,
                        "000000", digits);
    else
        said = snprintf(text, RAT_DECIMAL_MAX, "%.1s%s%se%ld", digits,
                        len > 1 ? "." : "", digits + 1, point - 1);
    CUSTOS_REQUIRE(said > 0 && said < RAT_DECIMAL_MAX);
    return (size_t)said;
}

size_t
rat_decimal(const rat *a, enum rat_direction direction,
            char text[RAT_DECIMAL_MAX])
{
    char digits[DIGITS + 8];
    long power;
    size_t len;
    mpz_t z;

    CUSTOS_REQUIRE(rat_sign(a) >= 0);
    if (rat_sign(a) == 0) {
        text[0] = '0';
        text[1] = '\0';
        return 1;
    }
    CUSTOS_REQUIRE(rat_log2_floor(a) <= LOG2_MAX);
    mpz_init(z);
    if (rat_log2_floor(a) < -LOG2_MAX) {
        scale_ten(z, a, RAT_EXPONENT_MAX, direction); /* 0, 1 or 2 */
        len = (size_t)snprintf(text, RAT_DECIMAL_MAX, "%lu%s", mpz_get_ui(z),
                               mpz_sgn(z) ? "e-400" : "");
        mpz_clear(z);
        return len;
    }
    /* Estimates log10(a): 0.30103 is just above log10(2). */
    power = rat_log2_floor(a) * 30103 / 100000;
    power = DIGITS - 1 - power;
    scale_ten(z, a, power, direction);
    while (mpz_sizeinbase(z, 10) > DIGITS + 1)
        scale_ten(z, a, --power, direction);
    while (mpz_sizeinbase(z, 10) < DIGITS)
        scale_ten(z, a, ++power, direction);
    mpz_get_str(digits, 10, z);
    if (strlen(digits) > DIGITS) {
        scale_ten(z, a, --power, direction);
        mpz_get_str(digits, 10, z);
    }
    mpz_clear(z);
    len = strlen(digits);
    while (len > 1 && digits[len - 1] == '0') {
        digits[--len] = '\0';
        power--;
    }
    return lay_out(digits, len, -power, text);
}
