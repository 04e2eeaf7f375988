/*
 * `custos ledger verify --against`: compares the ledger with exported receipts.
 */
#ifndef CLI_LEDGER_AGAINST_H
#define CLI_LEDGER_AGAINST_H

#include "ledger/ledger.h"

/* Checks that this ledger has every receipt in the file; *n becomes the number
   of receipts. CLI_OK, or an exit code after printing why. */
int ledger_against(struct ledger *l, const char *path, uint64_t *n);

#endif
