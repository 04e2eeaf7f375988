/*
 * Doors: by what a name comes in. They stand beside the chain, and each says
 * which row of it made it: a change of a door and the row that tells of it are
 * one commit. What is kept of a secret is what a server needs to check it.
 */
#ifndef LEDGER_DOORS_H
#define LEDGER_DOORS_H

#include "ledger/ledger.h"

enum {
    LEDGER_DOOR_NAME_MAX = 256,
    LEDGER_DOOR_VERIFIER_MAX = 256,
    LEDGER_TOKEN_BYTES = 32, /* of a token's hash */
};

struct ledger_door {
    char name[LEDGER_DOOR_NAME_MAX];         /* "": the owner */
    uint64_t seq;                            /* the row that made it */
    char verifier[LEDGER_DOOR_VERIFIER_MAX]; /* "": none */
    uint8_t token[LEDGER_TOKEN_BYTES];
};

/*
 * As committed now. A name that the terms in force do not have has no door,
 * whatever was kept. May fail: CUSTOS_ENAME (none), and as reading does.
 */
CUSTOS_MUST_USE custos_status ledger_door_find(struct ledger *l, str name,
                                               struct ledger_door *out,
                                               custos_err *err);
CUSTOS_MUST_USE custos_status
ledger_door_of_token(struct ledger *l, const uint8_t token[LEDGER_TOKEN_BYTES],
                     struct ledger_door *out, custos_err *err);

/* All that are kept, by name, in a; also of names that have gone. */
CUSTOS_MUST_USE custos_status ledger_doors(struct ledger *l, arena *a,
                                           struct ledger_door **out, size_t *n,
                                           custos_err *err);

/*
 * A door for a name of the terms in force, or for the owner, and its row. NEW:
 * there must be none; AGAIN: there must be one. May fail: CUSTOS_ENAME (no
 * such analyst; none to change), CUSTOS_EINVAL (there is one), and as writing.
 */
enum ledger_door_how { LEDGER_DOOR_NEW, LEDGER_DOOR_AGAIN };
CUSTOS_MUST_USE custos_status ledger_door_put(struct ledger *l,
                                              const struct ledger_door *door,
                                              enum ledger_door_how how,
                                              int64_t now, struct receipt *out,
                                              custos_err *err);
CUSTOS_MUST_USE custos_status ledger_door_drop(struct ledger *l, str name,
                                               int64_t now, struct receipt *out,
                                               custos_err *err);

#endif
