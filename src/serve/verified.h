/*
 * Verifies the chain for whoever asks, at a cost that callers cannot drive up:
 * one verification at a time; the whole chain only after a pause, much longer than
 * its last verification took; in between only new rows, each once. The result is
 * remembered, and as long as the server runs it notices if rows that were verified
 * before are missing.
 */
#ifndef SERVE_VERIFIED_H
#define SERVE_VERIFIED_H

#include "curator/curator.h"

struct verified;

struct verified_facts {
    bool ok;
    char said[sizeof((custos_err *)0)->said + sizeof((custos_err *)0)->hint +
              2];        /* what is wrong */
    struct receipt head; /* the last row known to be intact */
    uint64_t all;        /* rows when the whole chain was last verified */
    int64_t ago_us;      /* how long ago that was; 0: now */
};

struct verified *verified_new(void); /* NULL: out of memory */
void verified_free(struct verified *v);

/*
 * Any thread may call this with its own handle of the ledger; now_us is a steady
 * clock. May fail: CUSTOS_EBUSY (another caller verifies the chain just now, and
 * nothing is known yet), and as reading the ledger does. A damaged chain is a
 * result, not a failure.
 */
CUSTOS_MUST_USE custos_status verified_look(struct verified *v,
                                            struct ledger *l,
                                            int64_t (*now_us)(void),
                                            struct verified_facts *out,
                                            custos_err *err);

#endif
