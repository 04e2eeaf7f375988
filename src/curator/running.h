/*
 * Error bars of running counts.
 */
#ifndef CURATOR_RUNNING_H
#define CURATOR_RUNNING_H

#include "curator/bars.h"
#include "mech/running.h"

/*
 * THEOREM  bars-running
 *   The noise of running sum t is a sum of draws with coefficients b_i, whose
 *   squares add up to W. For Gaussian draws of s steps it exceeds
 *   z s sqrt(W) + (sum of |b_i|) steps in absolute value with probability at most
 *   2 (1 - Phi(z)). For k Laplace draws of scale a, each with coefficient 1, it
 *   exceeds a x + k d, where d = 1 - a ln(2/(1+q)), q = exp(-1/a), with
 *   probability at most that of a sum of k Laplace variables of scale 1 beyond x.
 * SOURCE   bars-tail, whose order sums preserve; the density of a sum of Laplace
 *          variables: Kotz, Kozubowski, Podgorski 2001, "The Laplace
 *          Distribution and Generalizations", section 2.3
 * NEEDS    0 < miss < 1; the law of one draw, in steps.
 * GIVES    half[t], t = 0 .. n-1, in units of the counts: exceeded with
 *          probability at most `miss`; the rounding to whole numbers is included.
 * FAILS    cannot.
 * TESTED   running_bars_cover
 */
void running_bars(const struct running *r, struct bar_law law, double miss,
                  double *half);

#endif
