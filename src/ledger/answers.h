/* Cached answers, for ledger_verify. */
#ifndef LEDGER_ANSWERS_H
#define LEDGER_ANSWERS_H

#include "ledger/sqlite.h"

/* Checks that each cached answer is unchanged and belongs to the row it
   names. */
CUSTOS_MUST_USE custos_status answers_check(struct db *d, custos_err *err);

#endif
