/*
 * Running counts: one part of rows whose cells are added up along a key.
 */
#ifndef PLAN_PART_RUNNING_H
#define PLAN_PART_RUNNING_H

#include "plan/work.h"

/* The part of aggregate i, a running count or a total of one; not yet with a
   strategy. May fail: CUSTOS_EUNSUPPORTED, CUSTOS_EOVERFLOW, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status running_part(struct work *w, size_t i,
                                           struct part *like);

/* Do two parts add up the same cells, or none? */
bool running_same(const struct part *a, const struct part *b);

/* Sets the sensitivities of a part from its strategy (running-sums). */
void running_move(const struct plan *p, bool change, struct part *part);

/* Chooses the strategy of every running count, whose share of the price is
   known: that of the least mean variance. May fail: CUSTOS_ENOMEM, and as
   choose_part. */
CUSTOS_MUST_USE custos_status running_choose(struct work *w);

#endif
