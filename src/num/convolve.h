/*
 * Exact convolution of probability masses, by Kronecker substitution: the
 * masses of a law, one after the other, are the digits of one large integer,
 * and the product of two such integers has the convolution for its digits.
 *
 * THEOREM  convolution-rounded-up
 *   Masses are whole multiples of 2^-64. With digits of 192 bits no sum of
 *   products of two masses up to 2^65 carries, up to 2^20 of them; so GMP's
 *   product is the exact convolution, and rounding each digit up to a multiple
 *   of 2^-64 adds less than 2^-64 to it.
 * SOURCE   Kronecker 1882; von zur Gathen, Gerhard 2013, section 8.4
 * NEEDS    masses of at most 2^65; n + m <= CONVOLVE_MAX.
 * GIVES    out[i + j] >= sum of a[i] b[j] 2^-64, by less than 1.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW past the limits.
 * TESTED   convolution_agrees_with_the_sum
 */
#ifndef NUM_CONVOLVE_H
#define NUM_CONVOLVE_H

#include "base/base.h"
#include "custos.h"

enum { CONVOLVE_MAX = 1 << 20 };

/* out has n + m - 1 places, n, m >= 1, and may not be a or b. */
CUSTOS_MUST_USE custos_status convolve_up(const custos_alloc *alloc,
                                          const u128 *a, size_t n,
                                          const u128 *b, size_t m, u128 *out);

#endif
