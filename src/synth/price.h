/*
 * Prices of measurements and selections, and the noise that they buy. A price is
 * an amount of rho, so that a sum of prices is exact; noise is computed from it:
 * the variance exactly, epsilon rounded down.
 */
#ifndef SYNTH_PRICE_H
#define SYNTH_PRICE_H

#include "account/amount.h"

/* A larger rho would promise nothing. */
#define PRICE_MAX ((amount)1 << 120)

/*
 * THEOREM  marginal-price
 *   Let one unit change a marginal by at most l2_squared in squared l2. With
 *   discrete Gaussian noise of variance l2_squared/(2 rho) on every cell its
 *   release is rho-zCDP.
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, theorem 4; as gauss-rho.
 * NEEDS    0 < rho < PRICE_MAX, l2_squared >= 1.
 * GIVES    price_variance sets *out to exactly that variance.
 * FAILS    cannot.
 * TESTED   prices_buy_at_most_what_they_cost
 */
void price_variance(amount rho, uint64_t l2_squared, rat *out);

/*
 * THEOREM  selection-price
 *   The exponential mechanism P ~ exp(epsilon score/(2 sensitivity)) is
 *   epsilon^2/8-zCDP. (Without the 2, scores that are not monotone would cost
 *   epsilon^2/2.)
 * SOURCE   Cesar, Rogers 2021, arXiv:2004.07223 (bounded range).
 * NEEDS    0 < rho < PRICE_MAX.
 * GIVES    price_epsilon sets *out to the largest multiple of 10^-10 with
 *          epsilon^2/8 <= rho.
 * FAILS    cannot.
 * TESTED   prices_buy_at_most_what_they_cost
 */
void price_epsilon(amount rho, rat *out);

/*
 * THEOREM  release-within-budget
 *   Let steps of prices rho_1, rho_2, ... be taken, each rho_i-zCDP given all
 *   earlier results, where prices and their number may depend on these results, and
 *   no step be taken whose price exceeds what is left of rho. All results together
 *   are rho-zCDP.
 * SOURCE   Feldman, Zrnic 2021, arXiv:2008.11193, the Renyi filter; Whitehouse,
 *          Ramdas, Rogers, Wu 2023, arXiv:2203.05481, the filter for zCDP. (Prices
 *          may be chosen as it goes.)
 * NEEDS    price_spend before each step.
 * GIVES    *left is never negative: a price above it aborts.
 * FAILS    cannot.
 * TESTED   no_synthesizer_overspends
 */
void price_spend(amount *left, amount rho);

/* sqrt(2/pi), the mean of |Z| for a standard normal Z. */
#define PRICE_MEAN_ABSOLUTE 0.79788456080286536

/* What price_epsilon gives, as a double, rounded down. */
double price_epsilon_double(amount rho);

/*
 * What one unit changes in a marginal in l1, given l2_squared: that is m^2 for the m
 * rows of a unit that comes or goes, and 2 m^2, which is no square, for one whose
 * rows are replaced, 2m in l1.
 */
double price_l1(uint64_t l2_squared);

/* The standard deviation that price_variance stands for, as a double. */
double price_sigma(amount rho, uint64_t l2_squared);

#endif
