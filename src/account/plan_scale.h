/*
 * A copy of a plan with more or less noise, or with larger counts. Its
 * parameters are exact.
 */
#ifndef ACCOUNT_PLAN_SCALE_H
#define ACCOUNT_PLAN_SCALE_H

#include "account/plan.h"

/*
 * Multiplies all noise by factor > 0 and all counts by times >= 1. The copy
 * uses the plan's allocator. May fail: CUSTOS_ENOMEM; CUSTOS_EOVERFLOW if a
 * count would exceed 2^63.
 */
CUSTOS_MUST_USE custos_status plan_scale(const struct custos_plan *plan,
                                         const rat *factor, uint64_t times,
                                         struct custos_plan *out);
void plan_scale_clear(struct custos_plan *copy);

/*
 * Rounds the noise of a copy to 17 digits, as custos_plan_write writes it, so
 * that the plan that is checked is the plan that is given out. Needed because
 * more noise does not always cost less (certified-as-drawn).
 */
void plan_round(struct custos_plan *copy);

/* Initializes *out as a copy of one mechanism with its noise multiplied. */
void mechanism_scale(const struct mechanism *m, const rat *factor,
                     struct mechanism *out);

/*
 * Turns m into the mechanism that a group of `size` units sees. May fail:
 * CUSTOS_EINVAL (m is sampled), CUSTOS_ERANGE (the group is too large).
 */
CUSTOS_MUST_USE custos_status mechanism_group(struct mechanism *m,
                                              uint64_t size, custos_err *err);

#endif
