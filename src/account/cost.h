/*
 * What one release of a mechanism costs in each currency, rounded up. A price
 * that holds "up to delta" holds except on outcomes of probability delta. The
 * mechanism's count is ignored here: `compose` and `charge` multiply by it.
 */
#ifndef ACCOUNT_COST_H
#define ACCOUNT_COST_H

#include <stdbool.h>

#include "account/mechanism.h"

/* The epsilon at the mechanism's own delta; false for Gaussians. */
bool cost_epsilon_up(const struct mechanism *m, rat *epsilon);

/* The mechanism's own delta: 0 unless its kind is generic. Exact. */
void cost_delta(const struct mechanism *m, rat *delta);

/* The rho of concentrated DP, which holds up to cost_delta. */
void cost_rho_up(const struct mechanism *m, rat *rho);

/*
 * The divergence of order alpha > 1, in the worse of its two directions; false
 * when there is none, because the mechanism has a delta of its own.
 */
bool cost_rdp_up(const struct mechanism *m, const rat *alpha, rat *loss);

/* mu^2 of Gaussian DP, up to cost_delta; false for the discrete Gaussian. */
bool cost_mu_squared_up(const struct mechanism *m, rat *mu_squared);

/* The least known epsilon at delta > 0; false when there is none. */
bool
cost_epsilon_at_up(const struct mechanism *m, const rat *delta, rat *epsilon);

#endif
