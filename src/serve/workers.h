/*
 * Threads that do what takes time, for both listeners. A job is handed in with
 * a function that a worker runs on its own handle of the curator, and one that
 * gets the job back. Jobs are borrowed from submit to done.
 *
 * What was charged comes back only at a step of time after the request
 * (steps.h): the workers hold it until then, so that no listener can forget to.
 */
#ifndef SERVE_WORKERS_H
#define SERVE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/remote.h"

struct workers;

struct job {
    /* In a worker's thread. Says by `stepped` when the job may come back. */
    void (*work)(struct job *j, struct curator *c);
    /* In any thread, once: hand over, never wait. The job is the caller's
       again. */
    void (*done)(struct job *j);
    int64_t asked_us; /* steady_us() when its request had come in whole */
    bool stepped;     /* true until work knows that nothing was charged */
    bool stopped;     /* out: the server ends, or it was dropped, before work
                         was begun */
    _Atomic int why;  /* an enum ask_stop: it was dropped while it ran, why */

    /* the workers' own */
    struct job *next;
    int64_t due_us;
};

struct workers_options {
    size_t threads;
    size_t waiting_max;      /* jobs not yet begun; more are refused */
    bool steps;              /* response-time steps; the owner's choice */
    int64_t (*now_us)(void); /* NULL: steady_us */
    struct pool *pool; /* of worker processes; NULL: threads do all themselves */
};

/* Handles for the threads are shared from c, which stays the caller's. */
CUSTOS_MUST_USE custos_status workers_new(struct curator *c,
                                          const struct workers_options *options,
                                          struct workers **out,
                                          custos_err *err);

/* False: too much waits, or the server ends. Then done will not be called. */
CUSTOS_MUST_USE bool workers_submit(struct workers *w, struct job *j);

/*
 * The job's result is no longer wanted: what runs for it is ended if it can be,
 * and what was not begun comes back `stopped`, soon. done is called all the
 * same, by another thread, at its time. To be called only before done was,
 * so by who takes jobs back in the same thread, or under a lock of theirs.
 */
void workers_drop(struct workers *w, struct job *j, enum ask_stop why);

/* Not begun, and running or held for their step. */
void workers_count(struct workers *w, size_t *waiting, size_t *running);

/* Takes no more; jobs not begun come back `stopped`. */
void workers_end(struct workers *w);

/*
 * Ends them. Waits for what runs, at most wait_ms; then it is interrupted.
 * Everything has come back when this returns, and who still submits is refused.
 */
void workers_stop(struct workers *w, int64_t wait_ms);

/* Stopped, and nobody calls. */
void workers_free(struct workers *w);

#endif
