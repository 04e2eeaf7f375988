/*
 * The curator: the one path from an analyst's text to a released answer.
 */
#ifndef CURATOR_CURATOR_H
#define CURATOR_CURATOR_H

#include "engine/engine.h"
#include "ledger/ledger.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "store/store.h"

struct curator;

/* Opens a store for answering. One thread at a time. */
CUSTOS_MUST_USE custos_status curator_open(const char *store,
                                           struct curator **out,
                                           custos_err *err);
void curator_close(struct curator *c);

const struct policy *curator_policy(const struct curator *c);
struct ledger *curator_ledger(struct curator *c);

struct answer_cell {
    struct datum value; /* TYPE_NULL: there is none */
    bool has_bar;
    struct datum low, high; /* 95 %, of the exact bounded value */
};

struct answer_column {
    str name;
    enum data_type type;
    bool is_key;
};

/* All of it in one arena; freed by answer_free. */
struct answer {
    arena *arena;
    struct answer_column *columns;
    size_t n_columns;
    struct answer_cell *cells; /* row by row */
    size_t n_rows;
    bool explained; /* EXPLAIN: one column of text lines, nothing charged */
    bool is_public; /* exact and free */
    bool stored;    /* given before, free */
    str epsilon, rho, delta; /* what it cost, exact text */
    str remarks;             /* sentences, one a line */
    struct receipt receipt;
};
void answer_free(struct answer *a);

struct ask {
    str who; /* analyst's name; empty: the owner */
    str sql;
    str epsilon; /* or empty */
    str within;
    bool jointly;
    int64_t now;
};

/*
 * Reads, plans, charges, runs, releases. Above the charge all is a function of
 * public facts; below it all is paid for, and an error is not refunded. On
 * success the caller owns *out.
 */
CUSTOS_MUST_USE custos_status curator_answer(struct curator *c,
                                             const struct ask *ask,
                                             struct answer **out,
                                             custos_err *err);

#endif
