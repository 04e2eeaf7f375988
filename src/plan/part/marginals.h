/*
 * GROUPING SETS, ROLLUP and CUBE: tables of counts and sums that are planned together
 * (mech/marginals.h). Every table that gets noise has a space of its own, with a part
 * for each *layer*, a count or a sum; the plan's own space has the rows of the answer.
 * The parts of the first table are those whose numbers the plan's aggregates have.
 */
#ifndef PLAN_PART_MARGINALS_H
#define PLAN_PART_MARGINALS_H

#include "mech/marginals.h"
#include "plan/work.h"

/* Adds a set to an ascending list, once. */
void marginals_add_set(uint32_t *list, size_t *n, uint32_t set);

/* The sets of the query as sets of keys; slots: which key each expression of
   GROUP BY is. */
CUSTOS_MUST_USE custos_status marginals_start(struct work *w, const int *slots);

/* The sizes of the tables, once their keys are known. Sets plan->space.cells.
   May fail: CUSTOS_EUNSUPPORTED (a key is not public), CUSTOS_EOVERFLOW. */
CUSTOS_MUST_USE custos_status marginals_lay(struct work *w);

/* Are these aggregates answered, and asked for in a way that tables can be? May fail:
   CUSTOS_EUNSUPPORTED, CUSTOS_EINVAL. */
CUSTOS_MUST_USE custos_status marginals_check(struct work *w);

/* Takes the plan's parts as layers, chooses what gets noise, from the price, and
   makes the parts of each layer, with their weights in the split of the price. May
   fail: CUSTOS_EOVERFLOW. */
CUSTOS_MUST_USE custos_status marginals_parts(struct work *w);

/* The number of a part's table among those that get noise, and its layer's tables. */
size_t marginals_table(const struct plan *p, size_t part);
const struct marginals *marginals_of(const struct plan *p, size_t part);

/* Gives the spaces of the parts the bounds of the plan's own space. */
void marginals_bound(struct plan *p);

/* Sets the sensitivities of the residual of part number i. */
void marginals_move(const struct plan *p, bool change, size_t i);

/* Where residuals are priced in epsilon and delta: sets the rho of each part. May
   fail: CUSTOS_ERANGE. */
CUSTOS_MUST_USE custos_status marginals_share(struct work *w);

/* Are residuals what gets the noise? */
bool marginals_are_residual(const struct plan *p);

/* Sets the weights of noisy tables, from their mechanisms. */
void marginals_trust(struct plan *p);

/* The variance of a cell of table number `set` of a layer, in its steps, from the
   mechanisms; *fourth: the fourth cumulant where it is Laplace noise, else 0. */
double marginals_variance(const struct plan *p, size_t layer, size_t set,
                          double *fourth);

/* About the half width of a 95 % bar of such a cell, in steps: without the rounding, but
   at least 1. */
i128 marginals_bar(const struct plan *p, size_t layer, size_t set);

#endif
