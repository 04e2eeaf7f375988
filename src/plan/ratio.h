/*
 * Shares that are written as a ratio of counts.
 */
#ifndef PLAN_RATIO_H
#define PLAN_RATIO_H

#include "plan/work.h"

/*
 * Rewrites sum(x)/count(*), count(x)/count(*) and sum(x)/count(x) as avg(...)
 * where that is the share of some rows. Any other expression is left as it is.
 * May fail: CUSTOS_ENOMEM, or as typing of x does.
 */
CUSTOS_MUST_USE custos_status ratio_as_mean(struct work *w, struct expr *e);

#endif
