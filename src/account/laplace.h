/*
 * The rho of Laplace noise: less than that of epsilon-DP, because few outcomes
 * have the whole loss epsilon.
 */
#ifndef ACCOUNT_LAPLACE_H
#define ACCOUNT_LAPLACE_H

#include "num/rat.h"

/*
 * Of discrete noise of scale l1/epsilon or more on each coordinate of a vector
 * of whole numbers, which moves by at most l1 >= 1 in l1 and, unless it is NULL,
 * by at most l2_squared in l2 squared. All are above 0; epsilon is below 2^21.
 */
void laplace_rho_up(const rat *epsilon, const rat *l1, const rat *l2_squared,
                    rat *rho);

/* Of continuous noise: e^-epsilon - 1 + epsilon. */
void laplace_continuous_rho_up(const rat *epsilon, rat *rho);

#endif
