/*
 * What follows when the work of a charged question does not end well: a row of
 * the chain that suspends (ledger/tripwire.h).
 */
#ifndef CURATOR_TRIPWIRE_H
#define CURATOR_TRIPWIRE_H

#include "curator/executor.h"

/*
 * Before a charge: crashes of processes that are gone become failures. May
 * fail: CUSTOS_EDENIED where a failure could not be written down, and as acts
 * do; then nothing may be charged.
 */
CUSTOS_MUST_USE custos_status tripwire_ready(struct curator *c, int64_t now,
                                             custos_err *err);

/*
 * The same for a ledger and its store's file of crashes: *n marks became
 * failures. Threads of one process take turns. Fails as acts do, CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status tripwire_take_up(struct ledger *l, int file,
                                               int64_t now, size_t *n,
                                               custos_err *err);

/* The work of the charge r begins; what is returned is for tripwire_after. */
int tripwire_begin(struct curator *c, const struct receipt *r);

/* It has ended with st: what has to be written down is, durably. */
void tripwire_after(struct curator *c, const struct ask *ask,
                    const struct receipt *r, int work, enum work_end end,
                    custos_status st);

/* A charge was refused: counts it if that was by suspension. */
void
tripwire_refused(struct curator *c, custos_status st, const custos_err *err);

/* Adds `,"name":value` pairs: what failed since the last resume, and who is
   suspended. */
void tripwire_tell(struct curator *c, struct buf *json);

#endif
