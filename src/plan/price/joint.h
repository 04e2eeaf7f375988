/*
 * One Gaussian for several parts.
 */
#ifndef PLAN_JOINT_H
#define PLAN_JOINT_H

#include "plan/work.h"

/*
 * Gives those parts of an owner a joint Gaussian whose error bars it makes shorter
 * than those that they have, with `delta` for all of them; sets *made if there
 * are any. They must have their Laplace mechanisms. n: values at once, as
 * in choose_part.
 */
CUSTOS_MUST_USE custos_status joint_make(struct work *w, int owner,
                                         const rat *delta, size_t n,
                                         bool *made);

#endif
