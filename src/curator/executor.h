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
    /* Its public time: up to ASK_LONG_US, above it, or unknown. */
    enum work_time { WORK_SHORT, WORK_LONG, WORK_UNTIMED } time;
    bool prepare_only; /* before the charge of a private query: computes its
                          public parts, and answers nothing */
    uint8_t digest[PLAN_DIGEST_BYTES]; /* of plan and charge */
    struct receipt receipt;
    int64_t begin_us; /* steady clock: not begun after this; 0: at any time */
    int64_t until_us; /* killed then; 0: never */
};

/* Was it charged: does it read private tables? */
static inline bool
work_is_charged(const struct work *w)
{
    return !w->is_public && !w->prepare_only;
}

/* How it ended, for the tripwire (tripwire.c). */
enum work_end {
    WORK_DONE,
    WORK_FAILED,  /* a bug by definition, where it was charged */
    WORK_OVERRUN, /* killed when its time was over */
    WORK_DELAYED, /* not begun, since others took too long */
    WORK_STOPPED, /* killed because ask->stop says so */
    WORK_LOST,    /* the worker was killed from outside */
};

struct executor {
    void *ctx;

    /* Above the charge: returns once this work could begin at once if there were
       no other questions. After an import that takes as long as workers take to
       open the new data. May fail: CUSTOS_EBUSY. */
    custos_status (*await)(void *ctx, const struct work *w, custos_err *err);

    /* Ends soon after w->ask->stop is set, or at the work's public time. Fails
       with CUSTOS_EENGINE and one constant sentence where it was charged. *end
       is always set; on success the caller owns *out. */
    custos_status (*run)(void *ctx, const struct work *w, struct answer **out,
                         enum work_end *end, custos_err *err);

    /* curator_catalog and curator_catalog_describe, by how. */
    custos_status (*catalog)(void *ctx, const struct work_snapshot *of,
                             const struct catalog_ask *ask,
                             enum catalog_how how, arena *a,
                             struct catalog_rows *out, custos_err *err);
};

/* The snapshot that c works from. */
struct work_snapshot curator_snapshot(const struct curator *c);

/* Sets c's executor, which is borrowed; before its first question. */
void curator_use(struct curator *c, const struct executor *by);

/*
 * In a worker: opens a snapshot of a store, without its ledger, to work from.
 * spill is a folder of its own for temporary files; memory_bytes is for the
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
 * In a worker: plans w->ask again, compares the digest (CUSTOS_EINTERNAL where
 * it differs), and answers; an answer without rows where w->prepare_only. Also
 * CUSTOS_EINTERNAL for a charged query whose public parts fail, or whose files
 * changed since the charge: no private table was read. Charges nothing and stores
 * nothing.
 */
CUSTOS_MUST_USE custos_status curator_work(struct curator *c,
                                           const struct work *w,
                                           struct answer **out,
                                           custos_err *err);

#endif
