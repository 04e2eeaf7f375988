/*
 * `custos ledger verify --against`: the ledger held against receipts that were
 * exported to another place.
 */
#ifndef CLI_LEDGER_AGAINST_H
#define CLI_LEDGER_AGAINST_H

#include "ledger/ledger.h"

/* How many receipts of the file are of this ledger, all of them. CLI_OK, or an
   exit code after its sentence. */
int ledger_against(struct ledger *l, const char *path, uint64_t *n);

#endif
