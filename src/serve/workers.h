/*
 * Threads that do what takes time, for both listeners. A job is handed in with
 * a function that a worker runs on its own handle of the curator, and one that
 * gets the job back. Jobs are borrowed from submit to done.
 *
 * Jobs wait in lanes, each with threads of its own: no number of questions
 * delays a login or the owner. Within a lane they are served fairly between
 * those who ask (fair_queue.h).
 *
 * When a job comes back is decided here, so that no listener can forget it. A
 * charged question says by `due_us` when its reply leaves, and comes back then,
 * whatever became of it: an answer, a failure, a cancel. Until then it keeps its
 * thread and its share, so that when the next one begins tells nothing of when
 * its work ended. A question that has no such moment and is not known to be free
 * comes back at a step of time after the request (response_steps.h).
 */
#ifndef SERVE_WORKERS_H
#define SERVE_WORKERS_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "serve/fair_queue.h"
#include "worker/remote.h"

struct workers;

enum lane {
    LANE_QUESTIONS,
    LANE_FREE,   /* what is known to cost nothing and needs a worker process:
                    as many threads as there are such processes */
    LANE_LOGINS, /* looks for credentials */
    LANE_OWNER,  /* the owner's requests, and health */
    LANES
};

struct job {
    /* In a worker's thread. Says by `due_us` and `stepped` when the job may
       come back. Called once more where it has asked for another lane
       (workers_move). */
    void (*work)(struct job *j, struct curator *c);
    /* In any thread, once, where its time has come and nobody has dropped it:
       what is to be seen of it from now on. c is a handle for any thread to
       keep answers by; NULL: there is nothing to do. */
    void (*leaves)(struct job *j, struct curator *c);
    /* In any thread, once: hand over, never wait. The job is the caller's
       again. */
    void (*done)(struct job *j);
    enum lane lane;
    str who;          /* whose share of the lane it takes; for submit alone */
    int64_t asked_us; /* by the clock of the workers (now_us), when its request
                         had come in whole */
    int64_t due_us;   /* set by work: it comes back at this moment of that
                         clock, whatever its outcome; 0: see stepped */
    bool stepped;     /* true until work knows that nothing was charged */
    bool begun;       /* out: work was begun, so it may have been charged */
    bool stopped;     /* out: the server ends, or it was dropped before work was
                         begun; what it did is not told */
    _Atomic int why;  /* an enum ask_stop: it was dropped while it ran, why */

    int64_t most_us;             /* set by the workers, for work: the longest
                                    public time that a question may have */
    struct reply_queue *replies; /* set by the workers, for work: fixes when
                                    charged replies leave; NULL: nothing does */
    struct reply_queue *long_replies; /* the same of long public times */

    /* the workers' own */
    struct job *next;
    struct workers *all;
    struct queue_share *share;
    struct reply_queue *gives_back; /* its time, when it is dropped; or NULL */
    bool is_planned;
    bool crowded; /* out: too many wait in the lane that it asked for */
    bool moves;   /* once work returns, to this lane */
    enum lane to;
    int64_t class_us;    /* of its charged work, */
    int64_t admitted_us; /* and once there was room for it; else 0 */
    bool is_short;       /* counted with the short ones of all then */
    sem_t room;          /* posted then */
    enum job_at { JOB_OUT, JOB_WAITS, JOB_RUNS, JOB_HELD } at;
};

struct workers_options {
    size_t threads;        /* of questions */
    size_t free_threads;   /* 0: as many as WORKERS_FREE says */
    size_t login_threads;  /* 0: as many as WORKERS_LOGINS says */
    size_t owner_threads;  /* 0: as many as WORKERS_OWNER says */
    size_t waiting_max;    /* questions not yet begun; more are refused */
    size_t share_waiting;  /* of one analyst; 0: WORKERS_SHARE_WAITING */
    size_t share_running;  /* of one analyst at one time; 0: half the threads */
    size_t share_planning; /* of these: that are read, planned and charged; 0:
                              any */
    int64_t share_work_us; /* classes of one analyst's charged questions that
                              are on their way; 0: any */
    int64_t work_us;       /* and of all analysts', of short ones */
    bool steps;            /* response-time steps; the owner's choice */
    int64_t (*now_us)(void);              /* NULL: reply_clock_us */
    void (*interrupt)(struct curator *c); /* NULL: curator_interrupt */
    struct reply_queue *replies;          /* NULL: no reply times */
    struct reply_queue *long_replies;     /* as replies */
    int64_t most_us;                      /* the longest of them; 0: any */
    struct pool
        *pool; /* of worker processes; NULL: threads do all themselves */
};

enum {
    WORKERS_FREE = 2,
    WORKERS_LOGINS = 2,
    WORKERS_OWNER = 2,
    WORKERS_SHARE_WAITING = 256,
};

/* Handles for the threads are shared from c, which stays the caller's. */
CUSTOS_MUST_USE custos_status workers_new(struct curator *c,
                                          const struct workers_options *options,
                                          struct workers **out,
                                          custos_err *err);

/* Whether it was taken; if not, done will not be called. */
enum workers_submit {
    SUBMIT_TAKEN,
    SUBMIT_FULL,       /* too many jobs wait, or there is no memory */
    SUBMIT_SHARE_FULL, /* too many jobs of this name wait */
    SUBMIT_ENDING,     /* the server ends */
};
CUSTOS_MUST_USE enum workers_submit
workers_submit(struct workers *w, struct job *j);

/*
 * The job's result is no longer wanted: what runs for it is interrupted, again
 * and again until it has ended, so that a drop cannot be lost; what was not
 * begun comes back `stopped`. done is called all the same, by another thread,
 * at its time. To be called only before done was, so by who takes jobs back in
 * the same thread, or under a lock of theirs.
 */
void workers_drop(struct workers *w, struct job *j, enum ask_stop why);

/*
 * In work, before anything is charged: what follows belongs in this lane, so
 * that who waits for a worker process for free questions keeps no thread from
 * others. MOVE_LATER: work is to return at once, and is called again there.
 */
enum workers_move {
    MOVE_HERE, /* no workers run it */
    MOVE_LATER,
    MOVE_FULL, /* too many wait in that lane: the question is refused */
};
CUSTOS_MUST_USE enum workers_move workers_move(struct job *j, enum lane to);

/* In work: what is left takes little of a processor. */
void workers_planned(struct job *j);

/*
 * In work, once it is charged and before its reply's moment is fixed: waits until
 * the charged questions of its name leave room for one of this class. It counts
 * until it comes back; meanwhile no other of the name is begun.
 */
void workers_admit(struct job *j, int64_t class_us);

/* In work, once its reply's moment is fixed: due_us. `by` fixed it, and has the
   time back if the job is dropped; NULL: its work goes on then. */
void workers_fix_due(struct job *j, int64_t due_us, struct reply_queue *by);

/* Not begun, and running or held for their time. */
void workers_count(struct workers *w, size_t *waiting, size_t *running);

/* Takes no more; jobs not begun come back `stopped`. */
void workers_end(struct workers *w);

/*
 * Ends them. Waits for what runs and for replies that wait for their time, at
 * most wait_ms; then what runs is interrupted, and everything comes back
 * `stopped`, for nothing may leave before its time. True: all has come back and
 * the threads have ended. False: a job did not end even so; its thread is left
 * behind, and the process can only _exit. Who still submits is refused.
 */
CUSTOS_MUST_USE bool workers_stop(struct workers *w, int64_t wait_ms);

/* Stopped, and nobody calls. */
void workers_free(struct workers *w);

#endif
