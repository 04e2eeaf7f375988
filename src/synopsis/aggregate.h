/*
 * An aggregate of a group, with its error bar.
 */
#ifndef SYNOPSIS_AGGREGATE_H
#define SYNOPSIS_AGGREGATE_H

#include "evaluate/evaluate.h"
#include "synopsis/cell_counts.h"
#include "synopsis/question.h"

/*
 * Aggregate i of the question in group number `group`; e: by reading. The bar of a
 * count or sum is that of a linear question; a mean is r where the sum of (value - r)
 * may be 0 (Fieller), a quantile v where the share of values up to v may be its rank.
 * Each holds with probability 1 - beta. Variances, minimum and maximum have no bar.
 * `scratch` is for the way there. False without memory or steps.
 */
CUSTOS_MUST_USE bool
aggregate_of(const struct question *q, const struct cell_counts *e,
             size_t group, size_t i, double beta, arena *scratch,
             struct value *out);

#endif
