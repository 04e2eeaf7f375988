/*
 * The mechanism of one part, for the plan and for the search by accuracy.
 */
#ifndef PLAN_CHOOSE_H
#define PLAN_CHOOSE_H

#include "plan/work.h"

/*
 * Makes the part's mechanism at its epsilon, and its bar for n values at once
 * at 95 %; `delta` is what a Gaussian may use.
 */
CUSTOS_MUST_USE custos_status choose_part(struct work *w, struct part *part,
                                          const rat *delta, size_t n,
                                          custos_err *err);

#endif
