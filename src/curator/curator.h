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

/*
 * Opens a store for answering. A handle is for one thread at a time; alone, it
 * charges in that thread.
 */
CUSTOS_MUST_USE custos_status curator_open(const char *store,
                                           struct curator **out,
                                           custos_err *err);

/*
 * One more handle on what c has open, for another thread. Handles share the
 * database, the policy in force and the ledger writer (a thread of its own from
 * here on); randomness, connections and the ledger to read from are each one's
 * own. A handle costs little until its first question. Handles may be closed in
 * any order.
 */
CUSTOS_MUST_USE custos_status curator_share(struct curator *c,
                                            struct curator **out,
                                            custos_err *err);
void curator_close(struct curator *c);

/*
 * The policy in force. Borrowed, and the handle's: what it points to stays as
 * it is until the handle's next curator_refresh or curator_answer.
 */
const struct policy *curator_policy(const struct curator *c);

/* The handle's own ledger, to read from; credentials are changed by it too. */
struct ledger *curator_ledger(struct curator *c);

/* The path of its store; borrowed from the handle. */
const char *curator_path(const struct curator *c);

/* The data versions in its store: store_versions. */
CUSTOS_MUST_USE custos_status curator_versions(const struct curator *c,
                                               arena *a,
                                               struct store_version **out,
                                               size_t *n, custos_err *err);

/* The version of the data it answers from; a counter. */
uint64_t curator_version(const struct curator *c);

/* Counts an answer that the caller gave again from memory, free of charge. The
   owner sees it in batches; nobody waits for it. */
void curator_again(struct curator *c, str who, uint64_t seq, int64_t now);

/* The analyst of this name; the owner, whose name is empty, is NULL. Fails with
   CUSTOS_ENAME if the policy has no such analyst. */
CUSTOS_MUST_USE custos_status curator_find(const struct curator *c, str name,
                                           const struct policy_analyst **who,
                                           custos_err *err);

/*
 * Follows what is in force: a version imported under the same policy, or what
 * another handle has loaded by curator_reload. curator_answer begins with it.
 * Fails only where nothing can be answered; if a version cannot be opened, the
 * handle stays with the one it has.
 */
CUSTOS_MUST_USE custos_status curator_refresh(struct curator *c,
                                              custos_err *err);

/*
 * Takes up the policy and data that the store has in force, for all handles,
 * between their questions: an act of the owner, a row of the chain. Questions
 * that run keep what they began with. After a failure everything goes on as
 * before.
 */
CUSTOS_MUST_USE custos_status curator_reload(struct curator *c, int64_t now,
                                             struct receipt *out,
                                             custos_err *err);

/*
 * From another thread: ends what the handle's engine runs now, if anything. Its
 * question then fails, and its charge stands.
 */
void curator_interrupt(struct curator *c);

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

/* What an EXPLAIN predicts about its question; a function of query, policy,
   budgets and the answers that this analyst has got. */
struct forecast {
    bool stored;  /* answered before, to this analyst: free */
    bool can_pay; /* the budget has room for it; then: */
    char left_epsilon[CUSTOS_AMOUNT_MAX]; /* the largest charge after it */
    int64_t reply_us; /* after how long the reply leaves if no other question
                         waits, by public facts (plan/reply_class.h); 0: not
                         known, or it is free */
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
    bool stored;    /* a cached answer, free */
    str epsilon, rho, delta; /* what it cost, exact text */
    str remarks;             /* sentences, one a line */
    struct receipt receipt;
    struct forecast forecast; /* of one that is explained */
    struct answer_to_store
        *kept; /* to be stored; NULL: it is stored already, or will not be */
};
void answer_free(struct answer *a);

/* Why a question is stopped, set by whoever stops it. */
enum ask_stop {
    ASK_GOES_ON,
    ASK_CANCELLED, /* by the analyst or the owner; or the server ends */
    ASK_OVERRUN,   /* its time is over */
};

/* Questions with a longer public time have workers of their own, so that no
   short question waits behind them. */
enum { ASK_LONG_US = 400000 };

/* What comes next: work that costs nothing, or the charge. */
enum ask_stage { ASK_AT_FREE, ASK_AT_CHARGED };

/* The data and the policy that work is for, as the store numbers them; zeros:
   of none. */
struct work_snapshot {
    uint64_t version, policy;
};

struct ask {
    str who; /* analyst's name; empty: the owner */
    str sql;
    str epsilon; /* or empty */
    str within;
    bool jointly;
    int64_t now;
    const struct datum *params; /* values of $1 ... $n */
    size_t n_params;
    const enum data_type *param_types; /* for curator_describe */
    const bool *param_lists; /* is it a list of these? NULL: none is */
    size_t n_param_types;
    const _Atomic int *stop; /* an enum ask_stop, set before the question is
                                interrupted; NULL: nobody stops it */

    /*
     * Called once, between the charge and the first look at the data, with the
     * public time that questions of this kind are given: returns when the reply
     * leaves (steady clock, microseconds), whatever the outcome. The work is
     * ended then. NULL: the reply leaves as soon as it can.
     */
    int64_t (*admit)(void *ctx, int64_t class_us);
    void *admit_ctx;
    int64_t allowance_us; /* by which that is later than the public time, if no
                             other question waits */
    int64_t most_us;      /* a question whose public time is longer is rejected
                        above its charge; 0: none is */

    /*
     * Called before work that costs nothing (a public question, the public parts
     * of a private one), and before a charge: may this thread do it?
     * CUSTOS_EBUSY: no, the question is asked again by another, or refused. NULL:
     * always. public_parts remembers for which snapshot the public parts were
     * computed.
     */
    custos_status (*check_stage)(void *ctx, enum ask_stage at, custos_err *err);
    struct work_snapshot *public_parts;
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

/*
 * Stores an answer that was asked for with `admit`, so that asking again is free.
 * Call it when its reply leaves, and only then: EXPLAIN shows whether an answer
 * is stored, so doing it earlier would reveal when the work ended. From any
 * thread; a no-op where nothing is to be stored.
 */
void curator_store_answer(struct curator *c, struct answer *answer);

/*
 * What the handle's last question tripped, and the row of its charge: it failed
 * below the charge, which suspends its analyst, or was ended when its time was
 * over.
 */
enum curator_trip { TRIP_NONE, TRIP_FAILURE, TRIP_OVERRUN };
enum curator_trip curator_tripped(const struct curator *c, uint64_t *seq);

/*
 * How many crashes of other processes the questions of this handle have found
 * before their charge and recorded as failures, since the last call; *row: the
 * charge of the last of them.
 */
uint64_t curator_crashes(struct curator *c, uint64_t *row);

/* The same of all handles, since the store was opened; from any thread. */
struct curator_trips {
    uint64_t failures, overruns;
    uint64_t delayed;  /* ended before they began: others took too long */
    uint64_t refusals; /* charges refused by suspension */
    uint64_t no_room; /* charges refused by the limits on the ledger's growth */
};
void curator_trips(const struct curator *c, struct curator_trips *out);

/* How long the policy keeps stored answers, and how many bytes of them. */
struct ledger_retention retention_of(const struct policy *p);

#endif
