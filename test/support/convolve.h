/*
 * Exact convolution of probability masses, by Kronecker substitution (von zur
 * Gathen, Gerhard 2013, section 8.4): the masses of a law are the digits of one
 * large integer, and the digits of the product of two such integers are the
 * convolution.
 *
 * Masses are whole multiples of 2^-64. With digits of 192 bits, a sum of up to
 * 2^20 products of two masses up to 2^65 does not carry; so GMP's product is
 * the exact convolution, and rounding each digit up to a multiple of 2^-64 adds
 * less than 2^-64 to it.
 */
#ifndef TEST_CONVOLVE_H
#define TEST_CONVOLVE_H

#include "base/base.h"
#include "custos.h"

enum { CONVOLVE_MAX = 1 << 20 };

/*
 * out[k] = the sum of a[i] b[k - i] 2^-64, rounded up. out has n + m - 1
 * places, n, m >= 1, and must not be a or b. Fails with CUSTOS_ENOMEM, or with
 * CUSTOS_EOVERFLOW for a mass above 2^65 or n + m > CONVOLVE_MAX.
 */
CUSTOS_MUST_USE custos_status convolve_up(const custos_alloc *alloc,
                                          const u128 *a, size_t n,
                                          const u128 *b, size_t m, u128 *out);

#endif
