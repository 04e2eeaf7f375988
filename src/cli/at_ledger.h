/*
 * What the verbs that look at a ledger share: opening it, and its numbers and
 * moments as text.
 */
#ifndef CLI_AT_LEDGER_H
#define CLI_AT_LEDGER_H

#include "cli/out.h"
#include "ledger/ledger.h"
#include "store/store.h"

/*
 * The ledger of a store that has one; never makes one: in a new one nothing
 * would be spent. May fail: CUSTOS_ECORRUPT (there is none), and as
 * ledger_open.
 */
CUSTOS_MUST_USE custos_status ledger_of(const struct store *s,
                                        struct ledger **out, custos_err *err);

/* The same by the store's path. CLI_OK, or an exit code after its sentence. */
int ledger_at(const char *store, struct ledger **out);

/* A copy of the store and its ledger in a new folder. */
CUSTOS_MUST_USE custos_status store_copy(const struct store *s,
                                         struct ledger *l, const char *to,
                                         custos_err *err);

/* "2026-11-16 00:03:01", of microseconds since 1970, UTC. */
enum { MOMENT_MAX = 32 };
void moment_write(int64_t us, char text[MOMENT_MAX]);

/* Text of others for a terminal: one line, at most `columns`, padded or not. */
enum cell_fill { CELL_BARE, CELL_PADDED };
void cell_print(struct out *o, str text, size_t columns, enum cell_fill fill);

#endif
