/*
 * Quantiles of a plan: parts that are not released by additive noise.
 */
#ifndef PLAN_QUANTILE_H
#define PLAN_QUANTILE_H

#include "plan/work.h"

/* Gives the part of aggregate i, which is new or shared. */
CUSTOS_MUST_USE custos_status quantile_part(struct work *w, size_t i,
                                            struct part *like);

/* Once all aggregates have their parts: the ranks of each, in order. */
CUSTOS_MUST_USE custos_status quantile_ranks(struct work *w);

/* The mechanisms, at part->epsilon. */
CUSTOS_MUST_USE custos_status quantile_choose(struct work *w,
                                              struct part *part);

/* What they cost in concentrated DP, rounded up. */
CUSTOS_MUST_USE custos_status quantile_rho(const struct part *part, rat *rho,
                                           custos_err *err);

void quantile_clear(struct part *part);

#endif
