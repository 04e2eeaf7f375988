/*
 * What gets noise in GROUPING SETS, ROLLUP and CUBE, and how the price is divided.
 */
#ifndef PLAN_PART_MARGINALS_CHOOSE_H
#define PLAN_PART_MARGINALS_CHOOSE_H

#include "plan/work.h"

/* Sets kind and noisy tables of plan->marginals, from the price and the plan's parts,
   each a layer. *weights: of the parts of each noisy table and, for each, of the
   layers. May fail: CUSTOS_EOVERFLOW (too much planning), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status marginals_choose(struct work *w,
                                               unsigned **weights);

#endif
