/*
 * Between charge and release: the bound of a plan that has a bound selection.
 */
#ifndef CURATOR_BOUND_SELECTION_H
#define CURATOR_BOUND_SELECTION_H

#include "curator/curator.h"

/*
 * The plan that p is from here on: p itself, or that at the bound which its
 * bound_selection takes. Of the data it depends on what the bound selection released alone. May
 * fail: CUSTOS_EENGINE, CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status bound_selection_run(struct engine *e,
                                                  custos_rng *rng,
                                                  const struct plan *p,
                                                  const struct plan **out,
                                                  custos_err *err);

/* Says in its answer that the bound was chosen. */
void bound_selection_report(const struct plan *p, struct answer *answer);

#endif
