/*
 * The chain read from its first row, believing nothing: every hash, every
 * admission, every sum is made again.
 */
#ifndef LEDGER_REPLAY_H
#define LEDGER_REPLAY_H

#include "ledger/budgets.h"

enum { REPLAY_BYTES = 1 << 30 };

/* The sums of one name, and the row that made them so. */
struct tally {
    struct tally *next;
    str who;
    struct sums sums;
    struct receipt row;
    bool failed; /* since the last "resume": no charge may follow */
};

struct replay {
    struct receipt head;
    struct tally *tallies; /* the whole, and everybody who was charged */
};

/* In one transaction. CUSTOS_ECORRUPT names the first row that is wrong. */
CUSTOS_MUST_USE custos_status replay_run(struct db *d, arena *a,
                                         struct replay *out, custos_err *err);

#endif
