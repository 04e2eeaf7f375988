/*
 * What a question would do to the budget, before it is asked.
 */
#ifndef CURATOR_FORECAST_H
#define CURATOR_FORECAST_H

#include "curator/curator.h"

/* q may be an EXPLAIN of the question; p is its plan. Cannot fail. */
void
forecast_make(struct curator *c, const struct ask *ask, const struct query *q,
              const struct plan *p, struct forecast *out);

/* Adds to `out` what to expect of the plan's answer, each line with the mark
   that EXPLAIN gives it. */
void forecast_write(const struct plan *p, struct buf *out);

/* Sets `expected` and `warnings` of an answer to this plan; without memory,
   none. */
void forecast_add(const struct plan *p, struct answer *out);

/* Above a charge: shows the plan's warnings to ask->warned, and fails as that
   does. */
CUSTOS_MUST_USE custos_status forecast_check(const struct ask *ask,
                                             const struct plan *p,
                                             custos_err *err);

#endif
