/*
 * A plan by its privacy-loss distribution: mechanisms with exact parameters
 * in, bounds on epsilon(delta) and delta(epsilon) out, from both sides.
 *
 * THEOREM  plan-pld
 *   The hockey-stick curve of a plan lies below that of its mechanisms'
 *   dominating pairs, composed, in each order of neighbours; the cost is the
 *   larger of the two. Where the pairs are attained, so is the curve.
 * SOURCE   Zhu, Dong, Wang 2022, arXiv:2106.08567, Theorem 10;
 *          dominating-pairs, tilted-composition, saddle-point-bounds.
 * NEEDS    parameters fixed before the first answer. The discrete Gaussian
 *          is that of one whole number; Laplace noise may be on a vector
 *          (laplace-vector); permute-and-flip, noisy max and sparse vector are
 *          priced as any epsilon-DP mechanism.
 * GIVES    low <= the value of the pairs <= high, and the plan's <= high.
 * FAILS    CUSTOS_ENOMEM. Parameters out of the reach of doubles and counts
 *          past 2^40 give a reason in place of bounds, never a guess.
 * TESTED   plan_pld_encloses_the_gaussian, plan_pld_says_why_not,
 *          plan_pld_prices_every_mechanism, plan_pld_delta_in_both_orders
 */
#ifndef ACCOUNT_PLAN_PLD_H
#define ACCOUNT_PLAN_PLD_H

#include "account/loss_of.h"
#include "account/mechanism.h"
#include "account/pld_bounds.h"

struct plan_parts {
    custos_alloc alloc;
    struct pld_part *parts; /* each loss borrows from `owned` */
    struct loss_of *owned;
    size_t n, room;
    const char *reason; /* why there are no parts; NULL when there are */
};

/* n >= 1. Copies what it needs. */
CUSTOS_MUST_USE custos_status plan_parts_init(struct plan_parts *p,
                                              const custos_alloc *alloc,
                                              const struct mechanism *m,
                                              size_t n);
void plan_parts_clear(struct plan_parts *p);

/*
 * Bounds on epsilon at delta in (0, 1), or on delta at epsilon >= 0, about
 * `width` apart (for delta: relative to it). Either *out is set and *reason is
 * NULL, or *reason says why there are no bounds.
 */
CUSTOS_MUST_USE custos_status plan_pld_epsilon(const struct plan_parts *p,
                                               const rat *delta, double width,
                                               struct bounds *out,
                                               const char **reason);
CUSTOS_MUST_USE custos_status plan_pld_delta(const struct plan_parts *p,
                                             const rat *epsilon, double width,
                                             struct bounds *out,
                                             const char **reason);

/* The upper bound alone: half the work. */
CUSTOS_MUST_USE custos_status plan_pld_epsilon_up(const struct plan_parts *p,
                                                  const rat *delta,
                                                  double width,
                                                  struct bounds *out,
                                                  const char **reason);

/* A finite double, exactly. */
void bound_exact(double x, rat *out);

/* x >= 0 as decimal text, rounded up or down. */
void bound_write_up(double x, char text[CUSTOS_NUMBER_MAX]);
void bound_write_down(double x, char text[CUSTOS_NUMBER_MAX]);

#endif
