/*
 * Renyi curves: the divergence of order alpha > 1 between the answers of
 * neighbours, as closed forms, rounded up.
 */
#ifndef ACCOUNT_CURVE_H
#define ACCOUNT_CURVE_H

#include <stdint.h>

#include "num/rat.h"

/* alpha ratio / 2, ratio = D^2/sigma^2. Exact. */
void curve_gauss(const rat *ratio, const rat *alpha, rat *loss);

/* The Laplace law, continuous. */
void curve_laplace_up(const rat *epsilon, const rat *alpha, rat *loss);

/* The discrete one, at a whole sensitivity. */
void curve_discrete_laplace_up(const rat *epsilon, const rat *sensitivity,
                               const rat *alpha, rat *loss);

/* Randomized response over `values` answers. */
void curve_response_up(const rat *epsilon, uint64_t values, const rat *alpha,
                       rat *loss);

/* A Poisson sample of rate q, then whatever is epsilon-DP. */
void curve_sampled_response_up(const rat *epsilon, const rat *q,
                               const rat *alpha, rat *loss);

/* A Poisson sample of rate q, then a Gaussian. */
void curve_sampled_gauss_up(const rat *ratio, const rat *q, const rat *alpha,
                            rat *loss);

#endif
