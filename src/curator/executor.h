/*
 * Who does the work on the data. Without an executor a handle does it in its
 * own thread (`custos query`); the server gives each handle one that sends the
 * work to a worker process and waits (worker/remote.h).
 */
#ifndef CURATOR_EXECUTOR_H
#define CURATOR_EXECUTOR_H

#include "curator/catalog.h"
#include "curator/curator.h"

enum { PLAN_DIGEST_BYTES = 32 };

/* One query. The worker plans it again, and refuses it if the plan differs. */
struct work {
    struct work_snapshot of;
    const struct ask *ask;
    bool is_public; /* nothing was charged */
    /* Its class time: up to ASK_LONG_US, above it, or unknown. */
    enum work_time { WORK_SHORT, WORK_LONG, WORK_UNTIMED } time;
    bool prepare_only; /* above the charge of a private query: computes its
                          public parts, and gives an empty answer */
    uint8_t digest[PLAN_DIGEST_BYTES]; /* of plan and charge */
    struct receipt receipt;
    int64_t begin_us; /* not begun after this (steady clock); 0: begun at any
                         time */
    int64_t until_us; /* killed at this time; 0: never */
};

/* Was it charged, so that it reads private tables? */
static inline bool
work_is_charged(const struct work *w)
{
    return !w->is_public && !w->prepare_only;
}

/* How work ended, for the tripwire (tripwire.c). */
enum work_end {
    WORK_DONE,
    WORK_FAILED,  /* if it was charged, this is a bug by definition */
    WORK_OVERRUN, /* killed because its time was up */
    WORK_DELAYED, /* not begun, since others took too long */
    WORK_STOPPED, /* killed or not begun, because ask->stop says so */
    WORK_LOST,    /* no worker could be started; or it was killed from outside,
                     or failed before it read private data */
};

struct executor {
    void *ctx;

    /* Above the charge: waits until workers have opened this work's snapshot,
       which takes time after an import. Does not wait for workers that other
       questions occupy. May fail: CUSTOS_EBUSY. */
    custos_status (*await)(void *ctx, const struct work *w, custos_err *err);

    /* Does the work; ends at w->until_us at the latest, and soon after
       w->ask->stop is set, except that short charged work runs to its end. If
       charged work fails, the status is CUSTOS_EENGINE, with one constant
       sentence. *end is always set; on success the caller owns *out. */
    custos_status (*run)(void *ctx, const struct work *w, struct answer **out,
                         enum work_end *end, custos_err *err);

    /* Does curator_catalog or curator_catalog_describe, as `how` says. */
    custos_status (*catalog)(void *ctx, const struct work_snapshot *of,
                             const struct catalog_ask *ask,
                             enum catalog_how how, arena *a,
                             struct catalog_rows *out, custos_err *err);
};

/* The snapshot that c works from. */
struct work_snapshot curator_snapshot(const struct curator *c);

/* Sets c's executor, which is borrowed. Call it before c's first question. */
void curator_use(struct curator *c, const struct executor *by);

/*
 * In a worker: opens a handle on a snapshot of a store, without its ledger.
 * spill is the worker's own folder for temporary files; memory_bytes limits the
 * engine. May fail as curator_open.
 */
struct work_limits {
    const char *spill;
    uint64_t memory_bytes;
};
CUSTOS_MUST_USE custos_status curator_open_work(
    const char *store, const struct work_snapshot *of,
    const struct work_limits *limits, struct curator **out, custos_err *err);

/*
 * In a worker: plans w->ask again, compares the digest, and answers; with
 * w->prepare_only the answer has no rows. CUSTOS_EINTERNAL means that no
 * private table was read: the digest differs, or, for a charged query, its
 * public parts failed or its files changed since the charge. Charges nothing
 * and stores nothing.
 */
CUSTOS_MUST_USE custos_status curator_work(struct curator *c,
                                           const struct work *w,
                                           struct answer **out,
                                           custos_err *err);

#endif
