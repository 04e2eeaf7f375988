/*
 * Shared by the tests of the accountant: numbers of 200 bits, computed with
 * MPFR directly, and a small deterministic source of parameters.
 */
#ifndef TEST_ACCOUNT_MP_H
#define TEST_ACCOUNT_MP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "num/rat.h"
#include "support/support.h"

enum { MP_BITS = 200 };

static uint64_t mp_seed = 99;

static inline uint64_t
mp_next(void)
{
    mp_seed ^= mp_seed << 13;
    mp_seed ^= mp_seed >> 7;
    mp_seed ^= mp_seed << 17;
    return mp_seed;
}

/* A number between 2^low and 2^high: uniform exponent, 40 random bits. */
static inline void
mp_random(rat *r, int low, int high)
{
    int e = low + (int)(mp_next() % (uint64_t)(high - low));
    rat scale;

    rat_init(&scale);
    rat_set_pow2(&scale, e - 40);
    rat_set_i64(r, (int64_t)((1ull << 40) + (mp_next() >> 24)), 1);
    rat_mul(r, r, &scale);
    rat_clear(&scale);
}

static inline rat
mp_rat(const char *text)
{
    rat r;

    rat_init(&r);
    assert_int_equal(rat_read(text, "number", &r, NULL), CUSTOS_OK);
    return r;
}

static inline void
mp_set(mpfr_t r, const rat *a)
{
    mpfr_set_q(r, a->q, MPFR_RNDN);
}

/* Asserts a >= b (1 - 2^-120) and a <= b (1 + slack) + 1e-40. */
static inline void
mp_check_up(const rat *a, const mpfr_t b, double slack)
{
    mpfr_t x;

    mpfr_init2(x, MP_BITS);
    mpfr_mul_2si(x, b, -120, MPFR_RNDN); /* the reference's own rounding */
    mpfr_sub(x, b, x, MPFR_RNDN);
    if (mpfr_cmp_q(x, a->q) > 0)
        fail_msg("unsafe: %.20g below %.20Lg", mpq_get_d(a->q),
                 mpfr_get_ld(b, MPFR_RNDN));
    mpfr_mul_d(x, b, 1 + slack, MPFR_RNDN);
    mpfr_add_d(x, x, 1e-40, MPFR_RNDN);
    if (mpfr_cmp_q(x, a->q) < 0)
        fail_msg("loose: %.20g above %.20Lg", mpq_get_d(a->q),
                 mpfr_get_ld(b, MPFR_RNDN));
    mpfr_clear(x);
}

/* 2 P[Z > x] */
static inline void
mp_two_tails(mpfr_t r, const mpfr_t x)
{
    mpfr_t root;

    mpfr_init2(root, MP_BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(r, x, root, MPFR_RNDN);
    mpfr_erfc(r, r, MPFR_RNDN);
    mpfr_clear(root);
}

/* The delta that mu-GDP needs at epsilon, from the normal distribution. */
static inline void
mp_gdp_delta(mpfr_t r, const rat *mu_squared, const rat *epsilon)
{
    mpfr_t mu, e, x, y;

    mpfr_inits2(MP_BITS, mu, e, x, y, (mpfr_ptr)0);
    mp_set(mu, mu_squared);
    mp_set(e, epsilon);
    mpfr_sqrt(mu, mu, MPFR_RNDN);
    mpfr_div(x, e, mu, MPFR_RNDN);
    mpfr_div_ui(mu, mu, 2, MPFR_RNDN);
    mpfr_add(y, x, mu, MPFR_RNDN);
    mpfr_sub(x, x, mu, MPFR_RNDN);
    mp_two_tails(r, x);
    mp_two_tails(y, y);
    mpfr_exp(x, e, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_sub(r, r, y, MPFR_RNDN);
    mpfr_div_ui(r, r, 2, MPFR_RNDN);
    mpfr_clears(mu, e, x, y, (mpfr_ptr)0);
}

#endif
