/*
 * Replays the chain from its first row and trusts nothing stored: recomputes
 * every hash, every admission and every sum.
 */
#ifndef LEDGER_REPLAY_H
#define LEDGER_REPLAY_H

#include "ledger/budgets.h"

enum { REPLAY_BYTES = 1 << 30 };

/* The sums of one name, and the last row that was counted. */
struct tally {
    struct tally *next;
    str who;
    struct sums sums;
    struct receipt row;
    bool failed; /* since the last "resume": no charge may follow */
};

struct replay {
    struct receipt head;
    struct tally
        *tallies; /* the common one, and one for each analyst who was charged */
};

/* Call it in a transaction. CUSTOS_ECORRUPT names the first row that is
   wrong. */
CUSTOS_MUST_USE custos_status replay_run(struct db *d, arena *a,
                                         struct replay *out, custos_err *err);

#endif
