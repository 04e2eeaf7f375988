/*
 * Runs a STAGE_BOUND: which bound on rows applies, and so which plan follows.
 */
#ifndef CURATOR_BOUND_SELECTION_H
#define CURATOR_BOUND_SELECTION_H

#include "curator/curator.h"

/*
 * Releases a bound; *out is the plan that p has for it.
 * Depends on the data only through that bound. May fail: CUSTOS_EENGINE,
 * CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status bound_selection_run(struct engine *e,
                                                  custos_rng *rng,
                                                  const struct plan *p,
                                                  const struct plan **out,
                                                  custos_err *err);

/* Adds a remark to the answer: which bound was chosen. */
void bound_selection_report(const struct plan *p, struct answer *answer);

#endif
