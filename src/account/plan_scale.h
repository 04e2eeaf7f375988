/*
 * A copy of a plan with more or less noise, or run several times; its
 * parameters are exact.
 */
#ifndef ACCOUNT_PLAN_SCALE_H
#define ACCOUNT_PLAN_SCALE_H

#include "account/plan.h"

/*
 * Noise multiplied by factor > 0, counts by times >= 1. The copy has the
 * plan's hooks. May fail: CUSTOS_ENOMEM; CUSTOS_EOVERFLOW when a count would
 * pass 2^63.
 */
CUSTOS_MUST_USE custos_status plan_scale(const struct custos_plan *plan,
                                         const rat *factor, uint64_t times,
                                         struct custos_plan *out);
void plan_scale_clear(struct custos_plan *copy);

/*
 * Rounds the noise of a copy to 17 digits, as custos_plan_write writes it, so
 * that what is checked is what is given out. More noise does not always cost
 * less (see certified-as-drawn).
 */
void plan_round(struct custos_plan *copy);

/* A copy of one mechanism, its noise multiplied. out is initialized here. */
void mechanism_scale(const struct mechanism *m, const rat *factor,
                     struct mechanism *out);

/*
 * Makes m the mechanism that it is for a group of `size` units. May fail:
 * CUSTOS_EINVAL (it is sampled), CUSTOS_ERANGE (the group is too large).
 */
CUSTOS_MUST_USE custos_status mechanism_group(struct mechanism *m,
                                              uint64_t size, custos_err *err);

#endif
