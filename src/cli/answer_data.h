/*
 * Answers as CSV and JSON.
 */
#ifndef CLI_ANSWER_DATA_H
#define CLI_ANSWER_DATA_H

#include "cli/out.h"
#include "curator/curator.h"

/* Does any cell of the column have an error bar? */
bool answer_has_bars(const struct answer *a, size_t column);

void answer_csv(struct out *o, const struct answer *a);

/* balance: what remains of the budget; NULL to leave it out. */
void answer_json(struct out *o, const struct answer *a,
                 const struct ledger_balance *balance);

#endif
