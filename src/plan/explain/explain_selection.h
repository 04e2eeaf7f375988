/*
 * Lines of EXPLAIN for the stage that selects the plan that follows.
 */
#ifndef PLAN_EXPLAIN_SELECTION_H
#define PLAN_EXPLAIN_SELECTION_H

#include "plan/plan.h"

void explain_bound_selection(const struct bound_selection *r, struct buf *out);
void explain_range_selection(const struct range_selection *r, struct buf *out);

#endif
