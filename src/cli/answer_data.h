/*
 * Answers as CSV and JSON.
 */
#ifndef CLI_ANSWER_DATA_H
#define CLI_ANSWER_DATA_H

#include "cli/out.h"
#include "curator/describe.h"

/* Does any cell of the column have an error bar? */
bool answer_has_bars(const struct answer *a, size_t column);

void answer_csv(struct out *o, const struct answer *a);

/* If `remaining` is NULL, it is not known. */
void answer_json(struct out *o, const struct answer *a,
                 const struct ledger_remaining *remaining);

/* The plan that EXPLAIN answers with; `described`: the query that it explains. */
void plan_json(struct out *o, const struct answer *a,
               const struct description *described,
               const struct ledger_remaining *remaining);

#endif
