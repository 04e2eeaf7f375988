/* Stored answers, as ledger_verify sees them. */
#ifndef LEDGER_ANSWERS_H
#define LEDGER_ANSWERS_H

#include "ledger/sqlite.h"

/* That each is what was stored, for the row it says. */
CUSTOS_MUST_USE custos_status answers_check(struct db *d, custos_err *err);

#endif
