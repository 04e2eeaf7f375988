/*
 * The terms in force, read from the last "terms" row of the chain. The words of
 * that row contain all terms, so that every budget follows from the chain
 * alone.
 *
 *     adjacency add-remove
 *     unit patients.id
 *     budget 1 1e-6
 *     analyst ana
 *     own 0.5 1e-7
 *     window 0.1 0 7
 */
#ifndef LEDGER_TERMS_H
#define LEDGER_TERMS_H

#include "ledger/chain.h"

/* The running sum of a window: see windows.c. */
struct window_part {
    amount finite;
    uint64_t infinite; /* number of charges without a bound */
};
struct window_sum {
    bool valid;
    bool passed;        /* overflowed: must be summed again */
    int64_t since;      /* charges after this moment are counted */
    struct receipt row; /* the last charge counted; seq 0: none */
    struct window_part epsilon, rho, delta, delta_rho;
    uint64_t charges;
};

/* The filters and sums of an analyst; made when first needed. */
struct limits {
    bool made_own, made_window;
    struct filter own, window;
    struct window_sum sum;
    int64_t minute;        /* of the last charge, in minutes since 1970 */
    uint64_t minute_bytes; /* of the rows charged in that minute */
};

struct terms {
    arena *arena;
    uint64_t seq; /* of its row */
    struct ledger_terms said;
    struct filter common;
    struct limits *limits; /* by analyst */
};

void terms_free(struct terms *t);

/* Writes terms as words; b fails if they are too long. */
void terms_write(const struct ledger_terms *t, struct buf *b);

/* Checks that the ledger can hold the terms. May fail: CUSTOS_EPOLICY,
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status terms_check(const struct ledger_terms *t,
                                          custos_err *err);

/* Parses the words of a row. May fail: CUSTOS_ECORRUPT, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status terms_read(const struct ledger_row *row,
                                         struct terms **out, custos_err *err);

/*
 * The last terms of the chain, after checking the hash of their row; NULL if
 * there are none yet. May fail: CUSTOS_ECORRUPT, CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status terms_load(struct db *d, struct terms **out,
                                         custos_err *err);

/* The index of an analyst, or n_analysts. */
size_t terms_analyst(const struct terms *t, str who);

/* The same; CUSTOS_ENAME if there is no such analyst. */
CUSTOS_MUST_USE custos_status terms_find(const struct terms *t, str who,
                                         size_t *analyst, custos_err *err);

/* The filters of an analyst's own budget and window, with nothing spent; NULL
   if the analyst has no such limit. */
CUSTOS_MUST_USE custos_status terms_own(struct terms *t, size_t analyst,
                                        const struct filter **out,
                                        custos_err *err);
CUSTOS_MUST_USE custos_status terms_window(struct terms *t, size_t analyst,
                                           const struct filter **out,
                                           custos_err *err);

#endif
