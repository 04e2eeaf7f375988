/*
 * Makes what class times need, if the store lacks it: bounds on row counts where
 * the policy has no max_rows, which cost budget, and the speeds of the machine.
 */
#ifndef CURATOR_REPLY_INIT_H
#define CURATOR_REPLY_INIT_H

#include "curator/curator.h"

/* What was found for a table that declares no max_rows. */
struct reply_table {
    str name;
    uint64_t bound; /* a power of two, public from now on; 0: none */
    custos_err err; /* why there is no bound */
    str epsilon;    /* what the count cost */
    struct receipt receipt;
};

struct reply_report {
    struct reply_table *tables; /* those that were counted now */
    size_t n;
};

/*
 * For each private table that has no max_rows, and no bound for the data in
 * force: counts its rows with an ordinary question of the owner, at a
 * thousandth of the budget's epsilon; the question is charged, and its answer
 * stored. From the answer this computes an upper bound that holds with
 * probability 1 - 1e-9, rounds it up to a power of two, and writes it to the
 * store's file `rows`. Rows of a unit beyond its contribution bound are not
 * counted. A table whose question is refused has no bound; that is not a
 * failure. What *out points to is allocated in `a`. May fail: CUSTOS_EIO,
 * CUSTOS_ENOMEM and as curator_open.
 */
CUSTOS_MUST_USE custos_status reply_rows_charge(const char *store, int64_t now,
                                                arena *a,
                                                struct reply_report *out,
                                                custos_err *err);

/*
 * Measures the machine if the store has no speeds for it and some table may
 * have so many rows that speeds matter; c uses them from now on. Call it before
 * curator_share. May fail as engine_speed_measure.
 */
CUSTOS_MUST_USE custos_status reply_speed_ready(struct curator *c,
                                                custos_err *err);

#endif
