/*
 * Reference values for the tests of the laws: computed with MPFR at REF_BITS,
 * rounded to nearest, directly from the textbook formulas and by other methods
 * than the library's. They are accurate to hundreds of bits more than any check
 * needs.
 */
#ifndef TEST_REF_H
#define TEST_REF_H

#include <mpfr.h>

#include "base/base.h"
#include "num/rat.h"

enum { REF_BITS = 1024 };

/* A rational from a valid text. The caller clears it. */
rat ref_rat(const char *text);

/*
 * Cut c of the dial of base-16 digit j of a geometric variable X of the given
 * rate: P[D mod 16 <= c], where D = floor(X / 16^j). The top digit, which
 * stands for all digits from j on, is D itself: P[D <= c].
 */
void ref_digit_cut(mpfr_t out, const rat *rate, size_t j, bool top, size_t c);

/*
 * Cut c of the dial that decides whether a discrete Laplace draw X is 0 and, if
 * not, the lowest digit of |X| - 1: P[X = 0 or |X| - 1 mod 16 < c].
 */
void ref_zero_cut(mpfr_t out, const rat *rate, size_t c);

/* P[X = x] for the geometric, discrete Laplace and discrete Gaussian laws. */
void ref_geometric(mpfr_t out, const rat *scale, i128 x);
void ref_laplace(mpfr_t out, const rat *scale, i128 x);
void ref_gaussian(mpfr_t out, const rat *variance, i128 x);

/*
 * The probability that the Gaussian sampler keeps a proposal y:
 * exp(-(|y| - v/t)^2 / 2v), where v is the variance and t = floor(sqrt v) + 1.
 */
void ref_accept(mpfr_t out, const rat *variance, u128 y);

/*
 * floor(p 2^bits) for p in [0, 1], bits <= 64; a p that was rounded to 1 counts
 * as just below 1. Fails the test if p is too close to a multiple to decide.
 */
uint64_t ref_word(const mpfr_t p, unsigned bits);

/* Fails the test unless lo <= p 2^bits <= hi. */
void ref_between(const mpfr_t p, unsigned bits, u128 lo, u128 hi);

void ref_set_u128(mpfr_t out, u128 x);

#endif
