/*
 * `custos ledger verify --against`: compares the ledger with exported receipts.
 */
#ifndef CLI_LEDGER_AGAINST_H
#define CLI_LEDGER_AGAINST_H

#include "ledger/ledger.h"

/* Checks that every receipt in the file is of this ledger; *n becomes their
   number. CLI_OK, or an exit code after printing why. */
int ledger_against(struct ledger *l, const char *path, uint64_t *n);

#endif
