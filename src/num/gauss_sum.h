/*
 * Half-line sums of the discrete Gaussian's weights, certified:
 *
 *     G(m) = sum over whole x >= m of exp(-x^2 / 2v)
 *
 * for any variance v > 0, however large. They are all that the exact privacy
 * of the discrete Gaussian and its error bars need.
 */
#ifndef NUM_GAUSS_SUM_H
#define NUM_GAUSS_SUM_H

#include "num/ival.h"

/* Encloses G(m); m is whole, of any sign. Cannot fail. */
void gauss_sum(ival *r, const rat *variance, const rat *m);

/* Encloses G(-infinity), the sum over all of Z. */
void gauss_sum_all(ival *r, const rat *variance);

#endif
