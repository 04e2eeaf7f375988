/*
 * Reference values for the tests of the laws: MPFR at REF_BITS, rounded to
 * nearest, straight from the textbook formulas and by other routes than the
 * library takes. They are good to hundreds of bits more than any check looks
 * at.
 */
#ifndef TEST_REF_H
#define TEST_REF_H

#include <mpfr.h>

#include "base/base.h"
#include "num/rat.h"

enum { REF_BITS = 1024 };

/* A rational from text that is known to be good. The caller clears it. */
rat ref_rat(const char *text);

/*
 * Cut c of the dial of base-16 digit j of a geometric variable of the given
 * rate: P[D_j <= c]; for the top digit, which is not reduced, P[D <= c].
 */
void ref_digit_cut(mpfr_t out, const rat *rate, size_t j, bool top, size_t c);

/*
 * Cut c of the dial that tells a discrete Laplace draw X of 0 and the lowest
 * digit of |X| - 1 of others: P[X = 0 or |X| - 1 mod 16 < c].
 */
void ref_zero_cut(mpfr_t out, const rat *rate, size_t c);

/* P[X = x] for the geometric, discrete Laplace and discrete Gaussian laws. */
void ref_geometric(mpfr_t out, const rat *scale, i128 x);
void ref_laplace(mpfr_t out, const rat *scale, i128 x);
void ref_gaussian(mpfr_t out, const rat *variance, i128 x);

/* exp(-(|y| - v/t)^2 / 2v), t = floor(sqrt v) + 1. */
void ref_accept(mpfr_t out, const rat *variance, u128 y);

/*
 * floor(p 2^bits) for p in [0, 1], bits <= 64; p so close to 1 that it was
 * rounded to it counts as just below. Fails the test when p lies too near a
 * multiple to tell.
 */
uint64_t ref_word(const mpfr_t p, unsigned bits);

/* Fails the test unless lo <= p 2^bits <= hi. */
void ref_between(const mpfr_t p, unsigned bits, u128 lo, u128 hi);

void ref_set_u128(mpfr_t out, u128 x);

#endif
