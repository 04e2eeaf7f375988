/*
 * Between charge and release: the bound of a plan that has a race.
 */
#ifndef CURATOR_RACE_H
#define CURATOR_RACE_H

#include "curator/curator.h"

/*
 * The plan that p is from here on: p itself, or that at the bound which its
 * race takes. Of the data it depends on what the race released alone. May
 * fail: CUSTOS_EENGINE, CUSTOS_EENTROPY, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status race_run(struct engine *e, custos_rng *rng,
                                       const struct plan *p,
                                       const struct plan **out,
                                       custos_err *err);

/* Says in its answer that the bound was chosen. */
void race_tell(const struct plan *p, struct answer *answer);

#endif
