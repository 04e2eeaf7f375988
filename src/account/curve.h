/*
 * Renyi curves in closed form: the divergence of order alpha > 1 between the
 * output laws of neighbours, rounded up.
 */
#ifndef ACCOUNT_CURVE_H
#define ACCOUNT_CURVE_H

#include <stdint.h>

#include "num/rat.h"

/* alpha ratio / 2, where ratio = D^2/sigma^2. Exact. */
void curve_gauss(const rat *ratio, const rat *alpha, rat *loss);

/* Continuous Laplace noise. */
void curve_laplace_up(const rat *epsilon, const rat *alpha, rat *loss);

/* Discrete Laplace noise, for an integer sensitivity. */
void curve_discrete_laplace_up(const rat *epsilon, const rat *sensitivity,
                               const rat *alpha, rat *loss);

/* Randomized response over `values` answers. */
void curve_response_up(const rat *epsilon, uint64_t values, const rat *alpha,
                       rat *loss);

/* A Poisson sample of rate q, then any epsilon-DP mechanism. */
void curve_sampled_response_up(const rat *epsilon, const rat *q,
                               const rat *alpha, rat *loss);

/* A Poisson sample of rate q, then a Gaussian. */
void curve_sampled_gauss_up(const rat *ratio, const rat *q, const rat *alpha,
                            rat *loss);

#endif
