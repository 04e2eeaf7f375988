/*
 * Finds the ends of bars. Each candidate for the exact value gets one test: how
 * likely is it that noise alone moved the released values so far from it?
 * (tail.h bounds that probability from above.) If the probability is below the
 * level, the candidate is rejected: it is outside the bar, and by the theorems
 * of bars.h so is everything beyond it.
 */
#ifndef CURATOR_BAR_SEARCH_H
#define CURATOR_BAR_SEARCH_H

#include "curator/bars.h"

/*
 * The test of a candidate: an upper bound on the probability that noise moves
 * the released values at least this far, if the candidate is the exact value.
 * side: +1 for candidates above the middle, -1 below.
 */
struct bar_search {
    double (*ask)(const void *ctx, double side, double candidate);
    const void *ctx;
    double spread; /* of the noise, on the scale of candidates */
};

/* The rejected candidates next to the middle, to within 0.2 % of the half
   width; a limit where that is not rejected. Finite limits. Cannot fail. */
struct bar bar_search(const struct bar_search *q, double level,
                      struct bar middle, struct bar limits);

double bar_clamp(double x, struct bar b);

/* Its numbers are finite, and its scale is above 0. */
bool bar_part_is_sound(struct bar_part p);

/* How often one end may miss, minus a bound on the probability that the noise of
   the count is above count - d (rho in doc/proofs/bars-ratio.md). */
double bar_level(struct bar_part count, enum bar_divisor d, double beta);

#endif
