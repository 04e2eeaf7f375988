/*
 * What one release of a mechanism costs, in each currency, rounded up. The
 * count is not used here: `compose` and `charge` multiply.
 */
#ifndef ACCOUNT_COST_H
#define ACCOUNT_COST_H

#include <stdbool.h>

#include "account/mechanism.h"

/* (epsilon, delta)-DP with the mechanism's own delta; false for Gaussians. */
bool cost_epsilon_up(const struct mechanism *m, rat *epsilon);

/* The mechanism's own delta: 0 unless generic. Exact. */
void cost_delta(const struct mechanism *m, rat *delta);

/* Concentrated DP, up to cost_delta. */
void cost_rho_up(const struct mechanism *m, rat *rho);

/*
 * The divergence of order alpha > 1, the worse direction; false when there is
 * none (a delta of its own).
 */
bool cost_rdp_up(const struct mechanism *m, const rat *alpha, rat *loss);

/* mu^2 of Gaussian DP, up to cost_delta; false for the discrete Gaussian. */
bool cost_mu_squared_up(const struct mechanism *m, rat *mu_squared);

/* The least epsilon known at delta > 0; false when there is none. */
bool
cost_epsilon_at_up(const struct mechanism *m, const rat *delta, rat *epsilon);

#endif
