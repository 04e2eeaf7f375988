/*
 * Aggregates as functions of released parts, each with its error bar.
 */
#ifndef CURATOR_AGGREGATE_H
#define CURATOR_AGGREGATE_H

#include "curator/answer.h"
#include "curator/bars.h"
#include "plan/evaluate.h"

/*
 * Half widths of a plan's parts, in steps: half[part * levels + k - 1] holds
 * with probability 1 - 0.05/k, so that k aggregates of one expression all hold
 * at 95 %. Also the laws of their noise; and, by aggregate, the half widths of
 * sums that are read from the parts of a mean.
 */
struct bars {
    i128 *half;
    size_t levels;
    struct bar_law *laws;
    double *sum_half;
};

/* For levels up to the one given. May fail: CUSTOS_ENOMEM, CUSTOS_EOVERFLOW. */
CUSTOS_MUST_USE custos_status bars_make(arena *a, const struct plan *p,
                                        size_t levels, struct bars *out,
                                        custos_err *err);

/* Aggregate `slot` of a group, its bar at 1 - 0.05/level. Cannot fail. */
bool aggregate_value(const struct plan *p, const struct released *r,
                     const struct bars *bars, size_t slot, size_t cell,
                     size_t level, struct value *out);

/* The half width of its bar at 95 %, where the plan alone determines it: for
   counts and sums. False: it depends on what is released. */
bool aggregate_within(const struct plan *p, const struct bars *bars,
                      size_t slot, struct datum *out);

#endif
