/*
 * The side of a synthesizer that is trusted with the data (synth/trusted.h): it
 * answers with exact noise, and pays for each answer from a budget of its own.
 */
#ifndef RELEASE_MEASURING_H
#define RELEASE_MEASURING_H

#include "release/coded.h"
#include "synth/released.h"
#include "synth/trusted.h"

/*
 * THEOREM  release-steps
 *   Let a unit have at most m rows. Between neighbours the marginal of any set of
 *   columns changes by at most m in l1 and m^2 in squared l2 if a unit is added or
 *   removed, and by at most 2m and 2m^2 if it is replaced; its residual by what
 *   residual-marginals says. So a measurement of price rho is rho-zCDP, and so is a
 *   selection among scores that are sums of absolute differences of counts and public
 *   numbers, times weights of at most w, with sensitivity 2m or m times w. All steps
 *   together are rho-zCDP for the sum of their prices, which never exceeds the budget.
 * SOURCE   doc/proofs/release-steps.md
 * NEEDS    rows-are-bounded.
 * GIVES    calls as trusted.h describes them. Each measurement is added to
 *          `released`, each recoding, and the price of each selection. A price above
 *          what is left aborts.
 * FAILS    CUSTOS_ENOMEM, CUSTOS_EENTROPY, CUSTOS_ERANGE (noise on a scale that the
 *          samplers do not have; this depends on public parameters and on what was
 *          released).
 * TESTED   steps_cost_what_they_say the_law_of_neighbours_stays_within_the_price
 */
struct measuring {
    struct coded *coded;
    custos_rng *rng;
    uint64_t l1, l2_squared; /* of a marginal, between neighbours */
    amount left;             /* of rho */
    struct released *released;
    bool failed; /* a call that sees the rows has */
    void (*progress)(void *ctx, amount left); /* after each step; or NULL */
    void *progress_ctx;
};

/*
 * The rows of a column up to each of its codes: pays, and releases its running sums. *out
 * gets sums and variance, in `a`; the rest is the caller's. A price above what is left
 * aborts. May fail: as release-steps.
 */
CUSTOS_MUST_USE custos_status measuring_range(struct measuring *m, arena *a,
                                              size_t column, size_t cells,
                                              amount rho,
                                              struct released_range *out,
                                              custos_err *err);

/* l1 and l2_squared for a bound of m rows, at most 2^30. */
void measuring_bounds(custos_adjacency adjacency, uint64_t m, uint64_t *l1,
                      uint64_t *l2_squared);

/* Can a measurement, a residual of a set, or a choice among scores with weights of at most this, have this
   price? Asked before the charge. May fail: CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status measuring_check_noise(uint64_t l2_squared,
                                                    amount rho,
                                                    custos_err *err);
CUSTOS_MUST_USE custos_status
measuring_check_residual(const struct domain *d, struct colset set, uint64_t l1,
                         uint64_t l2_squared, amount rho, custos_err *err);
/* Also gives the variance of one draw. */
CUSTOS_MUST_USE custos_status measuring_check_range(size_t cells, uint64_t l1,
                                                    uint64_t l2_squared,
                                                    amount rho,
                                                    double *variance,
                                                    custos_err *err);
CUSTOS_MUST_USE custos_status measuring_check_choice(uint64_t l1,
                                                     uint64_t weight,
                                                     amount rho,
                                                     custos_err *err);

/* Its calls; borrows m. */
struct trusted measuring_trusted(struct measuring *m);

#endif
