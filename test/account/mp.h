/*
 * What the tests of the accountant share: numbers at 200 bits, computed by
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

/* A number between 2^low and 2^high, log-uniform, of 40 bits. */
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

/* a >= b, and a <= b (1 + slack) + tiny. */
static inline void
mp_check_up(const rat *a, const mpfr_t b, double slack)
{
    mpfr_t x;

    mpfr_init2(x, MP_BITS);
    mpfr_set(x, b, MPFR_RNDN);
    /* the reference's own rounding */
    mpfr_mul_d(x, x, 1 - 0x1p-120, MPFR_RNDN);
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

#endif
