/* Shared by the files of this folder. */
#ifndef CONTRACT_INSIDE_H
#define CONTRACT_INSIDE_H

#include "contract/contract.h"

/* Remaining; null if `remaining` is NULL. */
void contract_remaining(struct json *j, const char *name,
                        const struct ledger_remaining *remaining);

/* An object: the budget of one analyst. Fails as contract_budget. */
CUSTOS_MUST_USE custos_status contract_analyst_budget(
    struct json *j, const char *name, struct ledger *l,
    const struct ledger_analyst *a, int64_t now, custos_err *err);

#endif
