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
 * Opens a store for answering. Only one thread at a time may use a handle.
 * Until curator_share is called, charges are written in that thread.
 */
CUSTOS_MUST_USE custos_status curator_open(const char *store,
                                           struct curator **out,
                                           custos_err *err);

/*
 * Opens one more handle on c's store, for another thread. Handles share the
 * database, the policy in force and the ledger writer, which runs in its own
 * thread from now on. Each handle has its own random generator, connections and
 * ledger to read from. A handle costs little until its first question. Handles
 * may be closed in any order.
 */
CUSTOS_MUST_USE custos_status curator_share(struct curator *c,
                                            struct curator **out,
                                            custos_err *err);
void curator_close(struct curator *c);

/*
 * The policy in force, borrowed from the handle. It stays valid and unchanged
 * until the handle's next curator_refresh or curator_answer.
 */
const struct policy *curator_policy(const struct curator *c);

/* The handle's own ledger: for reading, for changing credentials, and for rows
   about crashes (tripwire.h). */
struct ledger *curator_ledger(struct curator *c);

/* The path of the handle's store; borrowed. */
const char *curator_path(const struct curator *c);

/* The data versions in the handle's store (store_versions). */
CUSTOS_MUST_USE custos_status curator_versions(const struct curator *c,
                                               arena *a,
                                               struct store_version **out,
                                               size_t *n, custos_err *err);

/* The number of the data version that the handle answers from. */
uint64_t curator_version(const struct curator *c);

/* Counts an answer that the caller gave again from its own memory, free of
   charge. The count is written in batches (ledger_writer_count_cached). */
void curator_again(struct curator *c, str who, uint64_t seq, int64_t now);

/* Finds the analyst of this name; an empty name means the owner and gives NULL.
   Fails with CUSTOS_ENAME if the policy has no such analyst. */
CUSTOS_MUST_USE custos_status curator_find(const struct curator *c, str name,
                                           const struct policy_analyst **who,
                                           custos_err *err);

/*
 * Moves the handle to the snapshot in force: a data version imported under the
 * same policy, or what another handle has loaded with curator_reload.
 * curator_answer begins with this. If a version cannot be opened, the handle
 * keeps the one it has; the call fails only if the handle then cannot answer at
 * all.
 */
CUSTOS_MUST_USE custos_status curator_refresh(struct curator *c,
                                              custos_err *err);

/*
 * Loads the policy and data that the store has in force, for all handles; each
 * moves to them before its next question. This is an act of the owner, recorded
 * as a row of the chain. Running questions keep the snapshot they began with.
 * After a failure nothing has changed.
 */
CUSTOS_MUST_USE custos_status curator_reload(struct curator *c, int64_t now,
                                             struct receipt *out,
                                             custos_err *err);

/*
 * Ends what the handle's engine is running, if anything; call it from another
 * thread. The question then fails, and its charge is not refunded.
 */
void curator_interrupt(struct curator *c);

struct answer_cell {
    struct datum value; /* TYPE_NULL for NULL */
    bool has_bar;
    struct datum low, high; /* 95 % interval for the exact bounded value */
};

struct answer_column {
    str name;
    struct array_place array;
    enum data_type type;
    bool is_key;
};

/* What an EXPLAIN predicts about its question: a function of query, policy,
   budgets and the answers that this analyst has received. */
struct forecast {
    bool stored;  /* this analyst has the answer already: free */
    bool can_pay; /* the budget has room for it */
    struct ledger_remaining after; /* if can_pay: what remains after it */
    int64_t reply_us; /* the delay of the reply if no other question waits, from
                         public facts (plan/cost/reply_class.h); 0: not known, or the
                         answer is free */
};

/* All in one arena; freed by answer_free. */
struct answer {
    arena *arena;
    struct answer_column *columns;
    size_t n_columns;
    struct answer_cell *cells; /* row by row */
    size_t n_rows;
    bool explained;   /* EXPLAIN: one column of text lines, nothing charged */
    bool is_public;   /* exact and free */
    bool is_released; /* free, but of values released earlier: not exact. An
                         EXPLAIN's, too: of what it explains */
    bool stored;      /* a cached answer, free */
    str epsilon, rho, delta; /* what it cost, exact text */
    str remarks;             /* sentences, one a line */
    str expected; /* what to expect of it, from public facts; sentences likewise.
                     Not stored with it, nor the next: both follow from the plan */
    str warnings; /* why it may be of no use */
    struct receipt receipt;
    struct forecast forecast; /* only if explained */
    struct answer_to_store
        *kept; /* still to be stored; NULL: nothing to store */
};
void answer_free(struct answer *a);

/* Was it priced in rho? Then no epsilon bounds it. */
static inline bool
answer_is_in_rho(const struct answer *a)
{
    return str_equal(a->epsilon, str_of("infinity"));
}

/* Why a question is stopped, set by whoever stops it. */
enum ask_stop {
    ASK_GOES_ON,
    ASK_CANCELLED, /* by the analyst, the owner, or the server's shutdown */
    ASK_OVERRUN,   /* its time is up */
};

/* Questions with a class time above this have workers of their own, so that no
   short question waits behind them. */
enum { ASK_LONG_US = 400000 };

/* What the question does next: work that costs nothing, or the charge. */
enum ask_point { ASK_AT_FREE, ASK_AT_CHARGED };

/* The data version and the policy that work is for, by their numbers in the
   store; zeros: none. */
struct work_snapshot {
    uint64_t version, policy;
};

struct ask {
    str who; /* analyst's name; empty: the owner */
    str sql;
    str epsilon; /* or empty; like the next three, as in struct plan_options */
    str rho;
    str within;
    bool jointly;
    int64_t now;
    const struct datum *params; /* values of $1 ... $n */
    size_t n_params;
    const enum data_type *param_types; /* for curator_describe */
    const bool *param_lists; /* is it a list of that type? NULL: none is */
    size_t n_param_types;

    /*
     * Called above the charge, if the answer is not cached and there are
     * warnings about it (plan/explain/useful.h), one a line. A failure rejects
     * the question, and nothing is charged. NULL: it is charged all the same.
     */
    custos_status (*warned)(void *ctx, str warnings, custos_err *err);
    void *warned_ctx;

    const _Atomic int *stop; /* an enum ask_stop, set before the question is
                                interrupted; NULL: nobody stops it */

    /*
     * Called after the charge and before the data is read, with the question's
     * class time; not called if it has none. Returns the time at which the
     * reply leaves (steady clock, microseconds), whatever the outcome; work
     * that still runs then is killed. NULL: the reply leaves as soon as it is
     * ready.
     */
    int64_t (*admit)(void *ctx, int64_t class_us);

    /*
     * Called if the work could not begin in time, so that no data was read.
     * Waits for the time that admit returned, and returns a later one for a
     * second try; 0: there is none. NULL: as if it returned 0.
     */
    int64_t (*again)(void *ctx, int64_t class_us);
    void *admit_ctx;
    int64_t allowance_us; /* how much later than the class time the reply leaves
                             if no other question waits */
    int64_t most_us;      /* a question with a longer class time is rejected
                             above the charge; 0: no limit */

    /*
     * Called before work that costs nothing (a public question, the public
     * parts of a private one) and before a charge: may this thread do it?
     * CUSTOS_EBUSY: no; another thread asks the question again, or it is
     * refused. NULL: always yes. public_parts records the snapshot for which
     * the public parts were computed.
     */
    custos_status (*check_point)(void *ctx, enum ask_point at, custos_err *err);
    struct work_snapshot *public_parts;
};

/* For `warned` of an ask: rejects every question with a warning, with
   CUSTOS_EINVAL and the first one as message. */
CUSTOS_MUST_USE custos_status ask_reject_warned(void *ctx, str warnings,
                                                custos_err *err);

/*
 * Reads, plans, charges, runs, releases. Above the charge everything is a
 * function of public facts; below it everything is paid for, and an error is
 * not refunded. On success the caller owns *out.
 */
CUSTOS_MUST_USE custos_status curator_answer(struct curator *c,
                                             const struct ask *ask,
                                             struct answer **out,
                                             custos_err *err);

/*
 * Stores an answer that was asked for with `admit`, so that asking again is
 * free. Call it when its reply leaves, and only then: EXPLAIN shows whether an
 * answer is stored, so doing it earlier would reveal when the work ended. May
 * be called from any thread; a no-op if there is nothing to store.
 */
void curator_store_answer(struct curator *c, struct answer *answer);

/*
 * How the handle's last question tripped the tripwire, and the row of its
 * charge: it failed below the charge, which suspends its analyst, or it was
 * killed because its time was up.
 */
enum curator_trip { TRIP_NONE, TRIP_FAILURE, TRIP_OVERRUN };
enum curator_trip curator_tripped(const struct curator *c, uint64_t *seq);

/*
 * How many crashes of other processes this handle has found (before charging
 * its questions) and recorded as failures since the last call; *row: the charge
 * of the last of them.
 */
uint64_t curator_crashes(struct curator *c, uint64_t *row);

/* Counts over all handles since the store was opened; may be called from any
   thread. */
struct curator_trips {
    uint64_t failures, overruns;
    uint64_t delayed;  /* not begun in time, since others took too long */
    uint64_t refusals; /* charges refused because of a suspension */
    uint64_t no_room; /* charges refused by the limits on the ledger's growth */
};
void curator_trips(const struct curator *c, struct curator_trips *out);

/* How long the policy keeps stored answers, and how many bytes of them. */
struct ledger_retention retention_of(const struct policy *p);

#endif
