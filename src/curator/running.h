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
 *   For Laplace draws with |b_i| <= 1 it exceeds a (W s^2/(1 - s^2) + ln(2/p))/s
 *   with probability at most p, for every 0 < s < 1.
 * SOURCE   doc/proofs/bars-running.md
 * NEEDS    0 < miss < 1; the law of one draw, in steps; W from above.
 * GIVES    half[t], t = 0 .. n-1, in units of the counts: exceeded with
 *          probability at most `miss`; the rounding to whole numbers is included.
 * FAILS    cannot.
 * TESTED   running_bars_cover
 */
void running_bars(const struct running *r, struct bar_law law, double miss,
                  double *half);

#endif
