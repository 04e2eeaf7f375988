/*
 * The cost of a plan by its privacy-loss distribution: takes mechanisms with
 * exact parameters and gives lower and upper bounds on epsilon(delta) and
 * delta(epsilon).
 *
 * THEOREM  plan-pld
 *   The hockey-stick curve of a plan is below the composition of its
 *   mechanisms' dominating pairs, in each order of neighbours; the cost is the
 *   larger of the two. If the mechanisms attain their pairs, the plan attains
 *   the composed curve.
 * SOURCE   Zhu, Dong, Wang 2022, arXiv:2106.08567, Theorem 10;
 *          dominating-pairs, tilted-composition, saddle-point-bounds.
 * NEEDS    parameters fixed before the first answer. A discrete Gaussian must
 *          be on one integer; Laplace noise may be on a vector
 *          (laplace-vector). Permute-and-flip, noisy max and sparse vector are
 *          priced like any epsilon-DP mechanism.
 * GIVES    low <= the value of the pairs <= high, and the plan's value <=
 *          high.
 * FAILS    CUSTOS_ENOMEM. If a double cannot represent a parameter, or a count
 *          exceeds 2^40, there is a reason instead of bounds, never a guess.
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
    const char *reason;      /* why there are no parts; NULL when there are */
    struct pld_kept kept[2]; /* grids of earlier questions, by order */
};

/* n >= 1. Copies what it needs. */
CUSTOS_MUST_USE custos_status plan_parts_init(struct plan_parts *p,
                                              const custos_alloc *alloc,
                                              const struct mechanism *m,
                                              size_t n);
void plan_parts_clear(struct plan_parts *p);

/*
 * The parts of both a and b, each a number of times; 0 leaves them out. Equal
 * parts become one. Too high counts are a reason, not a failure.
 */
CUSTOS_MUST_USE custos_status plan_parts_join(
    struct plan_parts *p, const custos_alloc *alloc, const struct plan_parts *a,
    uint64_t times_a, const struct plan_parts *b, uint64_t times_b);

/* One part: the loss that arrays describe; see loss_of_arrays. */
CUSTOS_MUST_USE custos_status plan_parts_of_arrays(struct plan_parts *p,
                                                   const custos_alloc *alloc,
                                                   const double *losses,
                                                   const double *masses,
                                                   size_t n, double infinite);

/*
 * Bounds on epsilon at delta in (0, 1), or on delta at epsilon >= 0. They are
 * about `width` apart (for delta: relative to it). Either *out is set and
 * *reason is NULL, or *reason says why there are no bounds.
 */
CUSTOS_MUST_USE custos_status plan_pld_epsilon(struct plan_parts *p,
                                               const rat *delta, double width,
                                               struct bounds *out,
                                               const char **reason);
CUSTOS_MUST_USE custos_status plan_pld_delta(struct plan_parts *p,
                                             const rat *epsilon, double width,
                                             struct bounds *out,
                                             const char **reason);

/* The same, but only out->high is certified: half the work. */
CUSTOS_MUST_USE custos_status plan_pld_epsilon_up(struct plan_parts *p,
                                                  const rat *delta,
                                                  double width,
                                                  struct bounds *out,
                                                  const char **reason);

/* Converts a finite double to a rational, exactly. */
void bound_exact(double x, rat *out);

/* Writes x >= 0 as decimal text, rounded up or down. */
void bound_write_up(double x, char text[CUSTOS_NUMBER_MAX]);
void bound_write_down(double x, char text[CUSTOS_NUMBER_MAX]);

#endif
