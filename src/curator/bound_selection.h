/*
 * Between charge and release: runs the bound selection of a plan that has one.
 */
#ifndef CURATOR_BOUND_SELECTION_H
#define CURATOR_BOUND_SELECTION_H

#include "curator/curator.h"

/*
 * The plan to run: p itself, or the plan for the bound that p's bound_selection
 * chooses. Depends on the data only through the released bound. May fail:
 * CUSTOS_EENGINE, CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status bound_selection_run(struct engine *e,
                                                  custos_rng *rng,
                                                  const struct plan *p,
                                                  const struct plan **out,
                                                  custos_err *err);

/* Adds a remark to the answer: which bound was chosen. */
void bound_selection_report(const struct plan *p, struct answer *answer);

#endif
