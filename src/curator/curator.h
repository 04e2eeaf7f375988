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
 * One more handle on what c has open, for another thread: one data base, one
 * policy in force, one ledger writer (a thread of its own from here on), while randomness, connections and the ledger to read from are
 * the new handle's own. It is light until its first question. Handles may be
 * closed in any order.
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

/* Where its store lies; the handle's. */
const char *curator_path(const struct curator *c);

/* The versions of the data that lie in its store: store_versions. */
CUSTOS_MUST_USE custos_status curator_versions(const struct curator *c,
                                               arena *a,
                                               struct store_version **out,
                                               size_t *n, custos_err *err);

/* The version of the data it answers from; a counter. */
uint64_t curator_version(const struct curator *c);

/* An answer that the analyst got before was given again, free, by who holds it
   in memory: told to the owner in batches, without waiting. */
void curator_again(struct curator *c, str who, uint64_t seq, int64_t now);

/* The analyst of this name; the owner, whose name is empty, is NULL. Fails with
   CUSTOS_ENAME if the policy has no such analyst. */
CUSTOS_MUST_USE custos_status curator_find(const struct curator *c, str name,
                                           const struct policy_analyst **who,
                                           custos_err *err);

/*
 * Follows what is in force: a version imported under the same policy, or what
 * another handle has loaded by curator_reload. curator_answer begins with it.
 * It fails only where nothing can be answered; a version that cannot be opened
 * leaves the handle where it was.
 */
CUSTOS_MUST_USE custos_status curator_refresh(struct curator *c,
                                              custos_err *err);

/*
 * Puts policy and data that the store says are in force in force here, for all
 * handles, between their questions: an act of the owner, a row of the chain.
 * Questions that run keep what they began with. After a failure everything
 * goes on as before.
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

/* What an EXPLAIN foretells of its question; a function of query, policy,
   budgets and what was answered to who asks. */
struct forecast {
    bool stored;  /* answered before, to this analyst: free */
    bool can_pay; /* the budget has room for it; then: */
    char left_epsilon[CUSTOS_AMOUNT_MAX]; /* the largest charge after it */
    int64_t reply_us; /* after how long the reply leaves where nothing waits,
                         by public facts (plan/reply_class.h); 0: not known, or
                         it is free */
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
    struct forecast forecast; /* of one that is explained */
    struct answer_to_store
        *kept; /* how it is to be kept; NULL: it is, or not */
};
void answer_free(struct answer *a);

/* Why a question is no longer wanted, said by who stops it. */
enum ask_stop {
    ASK_GOES_ON,
    ASK_CANCELLED, /* by who asked, or the owner; or the server ends */
    ASK_OVERRUN,   /* its time is over */
};

/* Questions of a longer public time have workers of their own: whatever they
   take, nobody waits behind them for a count. */
enum { ASK_LONG_US = 400000 };

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
     * public time that questions of this kind are given: says when the reply
     * leaves (steady clock, microseconds), whatever comes of it. The work is
     * ended then. NULL: the reply leaves when it can.
     */
    int64_t (*admit)(void *ctx, int64_t class_us);
    void *admit_ctx;
    int64_t allowance_us; /* by which that is later than the public time, where
                             nothing waits */
    int64_t most_us;      /* a question whose public time is longer is rejected
                        above its charge; 0: none is */

    /*
     * Called before work that costs nothing (a public question, the public parts
     * of a private one), and before a charge: may it be done here? CUSTOS_EBUSY:
     * no, it is asked again elsewhere, or refused. NULL: anything may.
     * public_parts keeps which snapshot's parts were computed meanwhile.
     */
    custos_status (*place)(void *ctx, enum ask_stage at, custos_err *err);
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
 * Keeps an answer that was asked for with `admit`, so that asking again is free.
 * To be called when its reply leaves, and not if it does not: that an answer is
 * kept can be seen (EXPLAIN), so before that it would tell when its work ended.
 * From any thread; does nothing where nothing is to be kept.
 */
void curator_store_answer(struct curator *c, struct answer *answer);

/*
 * What the handle's last question has tripped, and the row of its charge: below
 * the charge it failed, which suspends its analyst, or was ended for its time.
 */
enum curator_trip { TRIP_NONE, TRIP_FAILURE, TRIP_OVERRUN };
enum curator_trip curator_tripped(const struct curator *c, uint64_t *seq);

/*
 * Crashes of other processes that a question of this handle found before its
 * charge and wrote down as failures, since this was last asked; *row: the charge
 * of the last of them.
 */
uint64_t curator_crashes(struct curator *c, uint64_t *row);

/* The same of all handles, since the store was opened; from any thread. */
struct curator_trips {
    uint64_t failures, overruns;
    uint64_t delayed;  /* ended before they began: others took too long */
    uint64_t refusals; /* charges refused by suspension */
    uint64_t
        no_room; /* the same by the policy's limits on the ledger's growth */
};
void curator_trips(const struct curator *c, struct curator_trips *out);

/* What the policy keeps of stored answers. */
struct ledger_retention retention_of(const struct policy *p);

#endif
