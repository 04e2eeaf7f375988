/*
 * The error bar of a share, from the two released numbers of a PART_SHARE.
 */
#ifndef CURATOR_BARS_SHARE_H
#define CURATOR_BARS_SHARE_H

#include "curator/bars.h"

/*
 * THEOREM  bars-share
 *   Let t = T + Nt and r = R + Nr with independent, equal and symmetric noises
 *   of known law, T, R >= 0 and T + R > 0. With t and r as released, let
 *   f(a) = P[(1 - a) Nt + a Nr >= |(1 - a) t - a r|] + P[Nt + Nr > t + r]. As
 *   upper end take any u > t/(t + r) with f(u) < beta/2, as lower end any
 *   u < t/(t + r) with f(u) < beta/2; where there is none, 1 or 0. This interval
 *   contains T/(T + R) with probability at least 1 - beta.
 * SOURCE   doc/proofs/bars-share.md
 * NEEDS    a scale above 0; 0 < beta < 1.
 * GIVES    an interval within [0, 1].
 * FAILS    cannot; NaN gives [0, 1].
 * TESTED   share_bar_covers share_bar_is_not_wide share_of_nothing_is_the_range
 */
struct bar bar_share(double t, double r, struct bar_law law, double beta);

/* The point estimate, within [0, 1]; always a number. */
double bar_share_point(double t, double r);

#endif
