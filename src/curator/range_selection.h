/*
 * Runs a STAGE_RANGE: which range a value is clamped to, and so which plan follows.
 */
#ifndef CURATOR_RANGE_SELECTION_H
#define CURATOR_RANGE_SELECTION_H

#include "curator/curator.h"

/*
 * Releases a range; *taken is its number among the candidates of p. Depends on the
 * data only through that number. May fail: CUSTOS_EENGINE, CUSTOS_EENTROPY,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status range_selection_run(struct engine *e,
                                                  custos_rng *rng,
                                                  const struct plan *p,
                                                  size_t *taken,
                                                  custos_err *err);

/* Adds a remark to the answer: that the range was found. */
void range_selection_report(const struct plan *p, size_t taken,
                            struct answer *answer);

#endif
