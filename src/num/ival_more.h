/*
 * More on intervals: pi, zeta, ceilings, tests and widening.
 */
#ifndef NUM_IVAL_MORE_H
#define NUM_IVAL_MORE_H

#include "base/base.h"
#include "num/ival.h"

void ival_pi(ival *r);

/*
 * erfc by n terms of its continued fraction; a > 0. With few terms the result
 * is wide.
 */
void ival_erfc_fraction(ival *r, const ival *a, unsigned long n);
void ival_zeta(ival *r, unsigned long n); /* n >= 2 */

/* The interval [0, 1] times a >= 0. */
void ival_from_zero(ival *r, const ival *a);

/* The interval [-1, 1] times a >= 0. */
void ival_plus_minus(ival *r, const ival *a);

/* The precision of x in bits. */
long ival_bits(const ival *x);

bool ival_is_finite(const ival *a);
bool ival_is_positive(const ival *a); /* every point is above 0 */

/* Whether hi - lo <= lo 2^-bits, and lo > 0. */
bool ival_is_narrow(const ival *a, long bits);

/* Whether every point is below 2^exponent; needs a >= 0. */
bool ival_is_below_pow2(const ival *a, long exponent);

/*
 * The ceiling of the upper end; *certain says whether every point has the same
 * ceiling. False if an end is infinite or the ceiling exceeds 128 bits.
 */
bool ival_ceil_up(const ival *a, i128 *out, bool *certain);

#endif
