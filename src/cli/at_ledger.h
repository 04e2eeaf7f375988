/*
 * What the verbs on a ledger share: opening it, and printing its times and
 * texts for people.
 */
#ifndef CLI_AT_LEDGER_H
#define CLI_AT_LEDGER_H

#include "cli/out.h"
#include "ledger/credentials.h"
#include "ledger/ledger.h"
#include "store/store.h"

/*
 * Opens the ledger of a store. Never creates one: in a new ledger nothing would
 * be spent. Fails with CUSTOS_ECORRUPT if there is none, and as ledger_open.
 */
CUSTOS_MUST_USE custos_status ledger_of(const struct store *s,
                                        struct ledger **out, custos_err *err);

/* Opens a store and its ledger; the caller closes both. Fails as store_open and
   ledger_of. */
CUSTOS_MUST_USE custos_status store_and_ledger_open(const char *path,
                                                    struct store *s,
                                                    struct ledger **l,
                                                    custos_err *err);

/* Opens the ledger of the store at this path. CLI_OK, or an exit code after
   printing why. */
int ledger_at(const char *store, struct ledger **out);

/* Copies the store and its ledger to a new folder. */
CUSTOS_MUST_USE custos_status store_copy(const struct store *s,
                                         struct ledger *l, const char *to,
                                         custos_err *err);

/*
 * Does a name's password, or its newest token, have an expiry date? Call these
 * before replacing either: the new one does not inherit the date.
 */
bool password_expires(struct ledger *l, str name);
bool token_expires(struct ledger *l, str name, enum ledger_access access);

/* Microseconds since 1970 as "2026-11-16 00:03:01", in UTC. */
enum { MOMENT_MAX = 32 };
void moment_write(int64_t us, char text[MOMENT_MAX]);

/* Prints untrusted text safely on a terminal: one line, at most `columns` wide. */
enum cell_fill { CELL_BARE, CELL_PADDED };
void cell_print(struct out *o, str text, size_t columns, enum cell_fill fill);

#endif
