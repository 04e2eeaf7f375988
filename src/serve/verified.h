/*
 * The chain verified for whoever asks, at a cost that those who ask cannot
 * drive up: one at a time; all of it again only after a while that is long
 * beside what it took; in between the rows that came since, each once. What was
 * found is remembered, and a chain that lost rows which were seen before is
 * found too, for as long as the server runs.
 */
#ifndef SERVE_VERIFIED_H
#define SERVE_VERIFIED_H

#include "curator/curator.h"

struct verified;

struct verified_facts {
    bool ok;
    char said[sizeof((custos_err *)0)->said + sizeof((custos_err *)0)->hint +
              2];        /* what is wrong */
    struct receipt head; /* of what is known to be whole */
    uint64_t all;        /* rows that were there when all of it was verified */
    int64_t ago_us;      /* since then; 0: now */
};

struct verified *verified_new(void); /* NULL: out of memory */
void verified_free(struct verified *v);

/*
 * From any thread, with its handle of the ledger; a steady clock. May fail:
 * CUSTOS_EBUSY (it is verified for another just now, and nothing is known yet),
 * and as reading the ledger does. A damaged chain is no failure: it is told.
 */
CUSTOS_MUST_USE custos_status verified_look(struct verified *v,
                                            struct ledger *l,
                                            int64_t (*now_us)(void),
                                            struct verified_facts *out,
                                            custos_err *err);

#endif
