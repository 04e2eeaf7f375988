/*
 * The square root C of the matrix A of partial sums (A = C C), rounded to
 * multiples of 2^-m. Both are lower triangular and constant along diagonals,
 * so one column determines each. Everything here except factor_apply works on
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

/* x becomes C x in units of 2^-m. Needs |x[i]| <= 2^63. In place, exact. */
void factor_apply(const uint64_t *c, size_t n, i128 *x);

/*
 * Turns y, in units of 2^-m, into C^-1 y in units of 2^-FACTOR_FRACTION, each
 * step rounded to nearest. y may hold any numbers; those too large are clamped.
 */
void factor_solve(const uint64_t *c, size_t n, i128 *y);

#endif
