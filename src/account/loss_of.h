/*
 * Makes a struct loss from a mechanism's exact parameters. The doubles are
 * within one unit in the last place of the parameters, which loss_error
 * covers.
 *
 * THEOREM  dominating-pairs
 *   Each loss has the hockey-stick curve of its mechanism, in both orders:
 *   Laplace and Gaussian noise on a value that moves by the sensitivity;
 *   discrete Laplace noise on an integer that moves by D, with losses
 *   eps (2x - D) / D, x = 0 .. D; discrete Gaussian noise, with losses
 *   D (2x - D) / 2v, x in Z; k-ary randomized response, with losses eps, 0
 *   and -eps; any (eps, delta)-DP mechanism, by KOV15's pair; any
 *   eps-bounded-range mechanism (such as the exponential one), by
 *   delta(e) = (1 - exp((e - eps)/2))^2 / (1 - exp(-eps)).
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Theorem 7
 *          (discrete Gaussian); Kairouz, Oh, Viswanath 2015, arXiv:1311.0776;
 *          Dong, Durfee, Rogers 2020, arXiv:1909.13830; Zhu, Dong, Wang 2022,
 *          arXiv:2106.08567, Theorem 11 (Poisson sampling);
 *          doc/proofs/quadrature-weights.md, 4.
 * NEEDS    epsilon, sigma, variance, sensitivity > 0; rate in (0, 1].
 * GIVES    out->loss, for the order ORDER_REMOVE; out owns its atoms.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW if a double cannot represent the
 *          parameters, or probabilities that matter, and for LINE_ATOMS_MAX
 *          atoms or more: use another currency then.
 * TESTED   curves_of_mechanisms_agree_with_exact_sums,
 *          discrete_gaussian_atoms_are_accurate,
 *          mechanisms_out_of_reach_are_refused
 */
#ifndef ACCOUNT_LOSS_OF_H
#define ACCOUNT_LOSS_OF_H

#include <stdint.h>

#include "account/loss.h"
#include "custos.h"
#include "num/rat.h"

struct loss_of {
    custos_alloc alloc;
    struct loss loss;
    struct loss_atom *atoms;
    size_t n;
};

void loss_of_clear(struct loss_of *l);

/* mu = sensitivity / sigma; mu > 0. */
CUSTOS_MUST_USE custos_status loss_of_gaussian(const rat *mu, const rat *rate,
                                               struct loss_of *out);

/*
 * THEOREM  laplace-vector
 *   Independent Laplace noise, continuous or discrete, on the coordinates of a
 *   vector that moves by at most D in l1: its hockey-stick curve is at most
 *   that of one coordinate moving by D.
 * SOURCE   doc/proofs/laplace-vector.md
 * NEEDS    the same noise on every coordinate.
 * GIVES    the curve of one coordinate covers a vector of the same l1
 *          sensitivity.
 * FAILS    cannot.
 * TESTED   one_coordinate_is_the_worst_exactly,
 *          vectors_stay_below_the_claimed_curve,
 *          continuous_vectors_stay_below
 */
CUSTOS_MUST_USE custos_status loss_of_laplace(const rat *epsilon,
                                              const rat *rate,
                                              struct loss_of *out);
CUSTOS_MUST_USE custos_status loss_of_exponential(const rat *epsilon,
                                                  const rat *rate,
                                                  struct loss_of *out);
CUSTOS_MUST_USE custos_status loss_of_discrete_laplace(
    const custos_alloc *alloc, const rat *epsilon, uint64_t sensitivity,
    const rat *rate, struct loss_of *out);
CUSTOS_MUST_USE custos_status loss_of_discrete_gaussian(
    const custos_alloc *alloc, const rat *variance, uint64_t sensitivity,
    const rat *rate, struct loss_of *out);

/* choices >= 2 */
CUSTOS_MUST_USE custos_status loss_of_response(const custos_alloc *alloc,
                                               const rat *epsilon,
                                               uint64_t choices,
                                               const rat *rate,
                                               struct loss_of *out);

/*
 * The loss that n given numbers describe: losses[i], rising, with the
 * probability masses[i] under P, and `infinite` of P where Q has none. It is
 * the law for both orders of the neighbours. Probabilities too small for
 * doubles, and losses above LOSS_MAX, count as lost. Needs n >= 1 and masses,
 * infinite >= 0, all finite.
 */
CUSTOS_MUST_USE custos_status loss_of_arrays(const custos_alloc *alloc,
                                             const double *losses,
                                             const double *masses, size_t n,
                                             double infinite,
                                             struct loss_of *out);

/* A copy that owns its own atoms. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status loss_of_copy(const custos_alloc *alloc,
                                           const struct loss_of *from,
                                           struct loss_of *out);

/* epsilon >= 0 here, delta in [0, 1) */
CUSTOS_MUST_USE custos_status loss_of_approximate(const custos_alloc *alloc,
                                                  const rat *epsilon,
                                                  const rat *delta,
                                                  const rat *rate,
                                                  struct loss_of *out);

#endif
