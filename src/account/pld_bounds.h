/*
 * Bounds on what a plan costs, as narrow as asked for: chooses the step of the
 * grid and refines it, or does without a grid where parts are many, for both
 * orders of neighbours.
 */
#ifndef ACCOUNT_PLD_BOUNDS_H
#define ACCOUNT_PLD_BOUNDS_H

#include "account/pld.h"

/*
 * Bounds on epsilon at aim.value = delta, or on delta at aim.value = epsilon:
 * out[ORDER_REMOVE] and out[ORDER_ADD], whatever orders the parts name. The
 * cost of the plan is the larger of the two.
 *
 * `width` is the aim for high - low (for delta: relative to high), not a
 * promise: the result is what some 10^6 points give. Both are infinite when
 * more than delta is lost for certain.
 *
 * May fail: CUSTOS_ENOMEM; CUSTOS_EINVAL unless 0 < delta < 1 or epsilon >= 0,
 * and width > 0; CUSTOS_EOVERFLOW for counts past 2^40, losses past LOSS_MAX or
 * too many atoms: use another theorem then.
 */
CUSTOS_MUST_USE custos_status pld_bounds(const custos_alloc *alloc,
                                         const struct pld_part *parts, size_t n,
                                         struct pld_aim aim, double width,
                                         struct bounds out[2]);

/* A step for which the bounds of epsilon should be about `width` apart. */
double pld_step(const struct sketch *s, double width);

#endif
