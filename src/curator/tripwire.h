/*
 * What happens when the work of a charged question fails: a row of the chain
 * that suspends its analyst (ledger/tripwire.h).
 */
#ifndef CURATOR_TRIPWIRE_H
#define CURATOR_TRIPWIRE_H

#include "base/json.h"
#include "curator/executor.h"

/*
 * Before a charge: turns crashes of earlier processes into failures. May fail:
 * CUSTOS_EDENIED where a failure could not be recorded or a mark of a crash cannot
 * be read, CUSTOS_EIO, and as ledger_act does; then nothing may be charged.
 */
CUSTOS_MUST_USE custos_status tripwire_ready(struct curator *c, int64_t now,
                                             custos_err *err);

/* What was found in the store's crash file. */
struct tripwire_tally {
    size_t failures;   /* marks that became rows */
    uint64_t row;      /* the charge of the last of them */
    size_t unreadable; /* marks that do not name a charge */
    uint64_t size;     /* crash_size: the file was read up to here */
};

/* Which marks are erased: those that became rows; or, when the owner resumes,
   all of them. */
enum take_up { TAKE_UP_READABLE, TAKE_UP_ALL };

/*
 * The same for a ledger and its store's crash file. The caller makes threads of
 * one process take turns. Fails as ledger_act does, and with CUSTOS_EIO; *out
 * is always set.
 */
CUSTOS_MUST_USE custos_status tripwire_take_up(struct ledger *l, int file,
                                               int64_t now, enum take_up mode,
                                               struct tripwire_tally *out,
                                               custos_err *err);

/* Before a charge: claims a slot for its work, so that a crash leaves a mark.
   CUSTOS_EBUSY: all are taken, and nothing may be charged. */
CUSTOS_MUST_USE custos_status tripwire_claim(int *work, custos_err *err);

/* The work of the charge r begins; tripwire_after ends it. Call tripwire_drop
   instead if nothing was charged. */
void tripwire_begin(struct curator *c, const struct receipt *r, int work);
void tripwire_drop(int work);

/* The work has ended with st: durably records a failure or an overrun. */
void tripwire_after(struct curator *c, const struct ask *ask,
                    const struct receipt *r, int work, enum work_end end,
                    custos_status st);

/* The same for one of several works in one slot (a batch): the slot stays claimed,
   for the next tripwire_begin, until tripwire_drop. */
void
tripwire_record(struct curator *c, const struct ask *ask,
                const struct receipt *r, enum work_end end, custos_status st);

/* Counts a refused charge, if a suspension or lack of room in the ledger was
   the reason. */
void
tripwire_refused(struct curator *c, custos_status st, const custos_err *err);

/* Reads from the ledger: all failures since the last resume, and whether
   everybody is suspended. Fails as ledger_tripwire. */
CUSTOS_MUST_USE custos_status tripwire_now(struct curator *c,
                                           uint64_t *failures, bool *all,
                                           custos_err *err);

/* Adds members to the status: what failed since the last resume, and who is
   suspended. */
void tripwire_report(struct curator *c, struct json *j);

#endif
