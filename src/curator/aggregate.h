/*
 * Aggregates as functions of released parts, each with its error bar.
 */
#ifndef CURATOR_AGGREGATE_H
#define CURATOR_AGGREGATE_H

#include "curator/answer.h"
#include "curator/bars.h"
#include "curator/quantile.h"
#include "evaluate/evaluate.h"

/*
 * Half widths of the bars of a plan's parts, in grid steps. The bar
 * half[part * levels + k - 1] covers with probability 1 - 0.05/k, so that the
 * bars of k aggregates in one expression all cover together at 95 %; where the
 * bars of n values hold at once, with probability 1 - 0.05/(k n). Also the
 * noise law of each part; and, by aggregate, the half widths of sums that are
 * computed from a centred sum and a count.
 */
struct bars {
    i128 *half;
    size_t levels;
    size_t at_once; /* values of a column whose bars hold together; or 1 */
    struct bar_law *laws;
    double *sum_half;
    double **tables; /* layer * levels + k - 1: by table of plan->marginals */
    double **table_sums; /* aggregate * levels + k - 1: of centred sums */
    struct bar_law
        *table_laws; /* layer * tables + table: of the noise of a cell */
    double *
        *running; /* part * levels + k - 1: of each sum of a running count */
    struct quantile_bars **quantiles; /* part * levels + k - 1 */
};

/*
 * THEOREM  bars-at-once
 *   If each of n bars misses its value with probability at most 0.05/n, all of
 *   them cover with probability at least 95 %, however their noises depend on
 *   each other; so do those of any rows that HAVING or LIMIT leaves.
 * SOURCE   Boole's inequality
 * NEEDS    n, the number of groups, is public; counts, sums and running counts
 *          alone, whose bars exist at every level (check_bars, plan/part/parts.c).
 * GIVES    bars for 1 to `levels` aggregates and, if the query asks for bars that
 *          hold at once, for all `groups` of them.
 * FAILS    CUSTOS_ENOMEM, CUSTOS_EOVERFLOW.
 * TESTED   simultaneous_bars_all_cover
 */
CUSTOS_MUST_USE custos_status bars_make(arena *a, const struct plan *p,
                                        size_t levels, size_t groups,
                                        struct bars *out, custos_err *err);

/* How often a bar may miss: each of `level` aggregates, in each value that holds
   at once, gets its share of 5 %. */
double bars_miss(const struct bars *bars, size_t level);

/* One step of a grid. */
double step_of_grid(struct grid g);

/* The value of aggregate `slot` in a group, with its bar at 1 - 0.05/level.
   Cannot fail. */
bool aggregate_value(const struct plan *p, const struct released *r,
                     const struct bars *bars, size_t slot, size_t cell,
                     size_t level, struct value *out);

/* The number of rows that belongs to the sums of f: released, or known without
   noise. */
struct bar_part aggregate_rows(const struct plan *p, const struct released *r,
                               const struct bars *bars,
                               const struct plan_aggregate *f, size_t cell);

/* The half width of an aggregate's 95 % bar, where the plan alone determines
   it: for counts, sums, and means of a known number of rows. False: it depends
   on the released values. */
bool aggregate_within(const struct plan *p, const struct bars *bars,
                      size_t slot, struct datum *out);

#endif
