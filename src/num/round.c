/*
 * Directed rounding of exact rationals, by GMP's floor and ceiling division.
 */
#include "num/round.h"

void
rat_ceil(rat *r, const rat *a)
{
    mpz_cdiv_q(mpq_numref(r->q), mpq_numref(a->q), mpq_denref(a->q));
    mpz_set_ui(mpq_denref(r->q), 1);
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
