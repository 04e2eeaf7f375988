/*
 * The square root C of the matrix A of partial sums (A = C C), rounded to
 * multiples of 2^-m. Both are lower triangular and constant along diagonals,
 * so one column determines each. Everything here except factor_row works on
 * public numbers or on values that already have their noise.
 */
#ifndef MECH_FACTOR_H
#define MECH_FACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum {
    FACTOR_MAX = 1 << 16,  /* of n */
    FACTOR_FRACTION = 16,  /* fraction bits of the result of factor_solve */
    FACTOR_GUARD_BITS = 12 /* 2^m >= 2^12 n */
};

/* m for n elements: at most 28. */
unsigned factor_bits(size_t n);

/*
 * c[k] = C's entry at distance k from the diagonal, in units of 2^-m; its
 * error is below one unit. c[0] = 2^m.
 */
void factor_fill(uint64_t *c, size_t n);

/* The sum of c[k]^2: the largest squared l2 change of C x, in units of 2^-2m,
   when one element of x changes by 1. */
u128 factor_energy(const uint64_t *c, size_t n);

/* Row t of C x, in units of 2^-m, from x[0] .. x[t]. Needs |x[i]| <= 2^63.
   Exact. */
i128 factor_row(const uint64_t *c, size_t t, const i128 *x);

/*
 * Element t of C^-1 y in units of 2^-FACTOR_FRACTION, rounded to nearest, from
 * row t of y, in units of 2^-m, and from the elements before, x[0] .. x[t-1]. y
 * may be any number; one too large is clamped. m = factor_bits(n).
 */
i128
factor_solve(const uint64_t *c, unsigned m, size_t t, i128 y, const i128 *x);

#endif
