/*
 * Conversions from one privacy currency to another, each by the best known
 * bound and rounded the safe way: costs up, budgets down. Orders are given as
 * alpha; Gaussian DP is given by mu squared, because the squares add up under
 * composition.
 *
 * All numbers are positive unless stated otherwise; delta is in (0, 1). A
 * function that returns bool returns false, and sets nothing, if the result
 * exceeds 2^1300 or does not exist.
 */
#ifndef ACCOUNT_CONVERT_H
#define ACCOUNT_CONVERT_H

#include <stdbool.h>

#include "custos.h"
#include "num/rat.h"

/* --------------------------------------------------------- concentrated -- */

/*
 * The least epsilon found such that rho-zCDP, rho >= 0, implies
 * (epsilon, delta)-DP.
 */
bool zcdp_epsilon_up(const rat *rho, const rat *delta, rat *epsilon);

/* The least delta found for rho >= 0 and epsilon >= 0; at most 1. */
void zcdp_delta_up(const rat *rho, const rat *epsilon, rat *delta);

/* The largest rho found that gives (epsilon, delta)-DP; 0 if there is none. */
void zcdp_budget_down(const rat *epsilon, const rat *delta, rat *rho);

/* ---------------------------------------------------------------- Renyi -- */

/* The epsilon that follows from a divergence <= `loss` of order alpha > 1. */
bool rdp_epsilon_up(const rat *alpha, const rat *loss, const rat *delta,
                    rat *epsilon);

/* The largest loss of order alpha that gives (epsilon, delta)-DP, or 0. */
void rdp_budget_down(const rat *alpha, const rat *epsilon, const rat *delta,
                     rat *loss);

/* ------------------------------------------------------------- Gaussian -- */

/* Exact, by the curve of the normal distribution; mu_squared >= 0. */
bool gdp_epsilon_up(const rat *mu_squared, const rat *delta, rat *epsilon);
void gdp_budget_down(const rat *epsilon, const rat *delta, rat *mu_squared);

/* ----------------------------------------------------------------- pure -- */

/* epsilon tanh(epsilon/2), the best rho of epsilon-DP. */
void pure_rho_up(const rat *epsilon, rat *rho);

/* The divergence of order alpha > 1 of randomized response; <= epsilon. */
void pure_rdp_up(const rat *epsilon, const rat *alpha, rat *loss);

/* The square of the least mu such that epsilon-DP implies mu-GDP. */
void pure_mu_squared_up(const rat *epsilon, rat *mu_squared);

/*
 * Sets *out to the least number such that (epsilon, have)-DP implies
 * (*out, delta)-DP, rounded up. False if delta < have.
 */
bool approx_epsilon_up(const rat *epsilon, const rat *have, const rat *delta,
                       rat *out);

#endif
