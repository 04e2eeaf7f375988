/*
 * Bounds on the cost of a plan, as narrow as asked for, in both orders of
 * neighbours. Chooses the step of the grid and refines it; for many parts it
 * first tries to do without a grid.
 */
#ifndef ACCOUNT_PLD_BOUNDS_H
#define ACCOUNT_PLD_BOUNDS_H

#include "account/pld.h"

/*
 * The finest grid computed so far for one order of the neighbours. It bounds
 * the whole curve, so later questions may need no grid of their own.
 */
struct pld_kept {
    struct pld grid; /* grid.up is NULL if there is none */
    struct pld_aim aim;
    double asked, reached; /* the width wanted at the aim, and the one found */
};

void pld_kept_clear(struct pld_kept *k);

/*
 * Bounds on epsilon at aim.value = delta, or on delta at aim.value = epsilon:
 * out[ORDER_REMOVE] and out[ORDER_ADD]; the orders set in the parts are
 * ignored. The cost of the plan is the larger of the two.
 *
 * `width` is the target for high - low (for delta: relative to high), not a
 * promise: the grid has at most PLD_POINTS_MAX points. Both bounds are infinite
 * if the probability of an infinite loss certainly exceeds delta.
 *
 * Looks at the kept grids of these parts first (zeroed at the beginning), and
 * computes others only if those are not as narrow as asked, and could be made
 * narrower. Keeps what it computes.
 *
 * May fail: CUSTOS_ENOMEM; CUSTOS_EINVAL unless 1e-200 < delta < 1 or
 * 0 <= epsilon <= LOSS_MAX, and width > 0 and n > 0; CUSTOS_EOVERFLOW for
 * counts above 2^40, losses above LOSS_MAX or too many atoms: use another
 * theorem then.
 */
CUSTOS_MUST_USE custos_status pld_bounds(const custos_alloc *alloc,
                                         const struct pld_part *parts, size_t n,
                                         struct pld_aim aim, double width,
                                         struct pld_kept kept[2],
                                         struct bounds out[2]);

/* About the epsilon at delta, as a scale for widths. No bound. */
CUSTOS_MUST_USE custos_status pld_rough_epsilon(const custos_alloc *alloc,
                                                const struct pld_part *parts,
                                                size_t n, double delta,
                                                double *out);

/* A step for which the bounds on epsilon should be about `width` apart. */
double pld_step(const struct sketch *s, double width);

#endif
