/*
 * Certified half-line sums of the discrete Gaussian's weights:
 *
 *     G(m) = sum over integers x >= m of exp(-x^2 / 2v)
 *
 * for any variance v > 0, however large. The exact delta of the discrete
 * Gaussian and its error bars are computed from these sums.
 */
#ifndef NUM_GAUSS_SUM_H
#define NUM_GAUSS_SUM_H

#include "num/ival.h"

/* Encloses G(m); m is an integer of any sign. Cannot fail. */
void gauss_sum(ival *r, const rat *variance, const rat *m);

/* Encloses G(-infinity), the sum over all of Z. */
void gauss_sum_all(ival *r, const rat *variance);

#endif
