/*
 * GROUPING SETS, ROLLUP and CUBE: tables of counts that are planned together
 * (mech/marginals.h). Every table that gets noise is a part over a space of its
 * own; the plan's own space has the rows of the answer.
 */
#ifndef PLAN_PART_MARGINALS_H
#define PLAN_PART_MARGINALS_H

#include "mech/marginals.h"
#include "plan/work.h"

/* The sets of the query as sets of keys; slots: which key each expression of
   GROUP BY is. */
CUSTOS_MUST_USE custos_status marginals_start(struct work *w, const int *slots);

/* The sizes of the tables, once their keys are known. Sets plan->space.cells.
   May fail: CUSTOS_EUNSUPPORTED (a key is not public), CUSTOS_EOVERFLOW. */
CUSTOS_MUST_USE custos_status marginals_lay(struct work *w);

/* Chooses what gets noise, from the price, and makes the parts. */
CUSTOS_MUST_USE custos_status marginals_parts(struct work *w);

/* Gives the spaces of the parts the bounds of the plan's own space. */
void marginals_bound(struct plan *p);

/* Sets the sensitivities of the residual of part number i. */
void marginals_move(const struct plan *p, bool change, size_t i);

/* Sets the weights of the parts in the split of the price. */
void marginals_weigh(const struct work *w);

/* Where residuals are priced in epsilon and delta: sets the rho of each part. May
   fail: CUSTOS_ERANGE. */
CUSTOS_MUST_USE custos_status marginals_share(struct work *w);

/* Are residuals what gets the noise? */
bool marginals_are_residual(const struct plan *p);

/* Sets the weights of noisy tables, from their mechanisms. */
void marginals_trust(struct plan *p);

/* The variance of a cell of table number `set`, from the mechanisms; *fourth: the
   fourth cumulant where it is Laplace noise, else 0. */
double marginals_variance(const struct plan *p, size_t set, double *fourth);

#endif
