/*
 * Quantiles of a plan: parts that are not released by additive noise.
 */
#ifndef PLAN_QUANTILE_H
#define PLAN_QUANTILE_H

#include "plan/work.h"

/* Fills *like with the part of aggregate i, which may exist already. */
CUSTOS_MUST_USE custos_status quantile_part(struct work *w, size_t i,
                                            struct part *like);

/* Sets the ranks of each part, in order; after all aggregates have parts. */
CUSTOS_MUST_USE custos_status quantile_ranks(struct work *w);

/* Chooses the mechanisms, at part->epsilon. */
CUSTOS_MUST_USE custos_status quantile_choose(struct work *w,
                                              struct part *part);

/* How many per cent of the price the boxes get; the rest is for the counts. */
int quantile_box_percent(const struct plan *p, const struct part *part);

/* The cost of a part in concentrated DP, rounded up. */
CUSTOS_MUST_USE custos_status quantile_rho(const struct plan *p,
                                           const struct part *part, rat *rho,
                                           custos_err *err);

void quantile_clear(struct part *part);

#endif
