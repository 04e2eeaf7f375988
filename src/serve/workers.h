/*
 * Threads that do what takes time, for both listeners. A job is submitted with a
 * function that a worker thread runs on its own handle of the curator, and a
 * second function that gets the job back. Jobs are borrowed from submit to done.
 *
 * Jobs wait in lanes, each with threads of its own: no number of questions
 * delays a login or the owner. Within a lane names are served fairly
 * (fair_queue.h).
 *
 * When a job comes back is decided here, so that no listener can get it wrong. A
 * charged question comes back at its `due_us`, whatever became of it: an answer,
 * a failure, a cancel. Until then it keeps its thread and counts as running, so
 * that the moment at which the next question begins does not reveal when its work
 * ended. A question that has no `due_us` and is not known to be free comes back at
 * a response step after its request (response_steps.h).
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
    LANE_FREE,   /* what is known to cost nothing and needs a worker process; it
                    has as many threads as there are worker processes for free
                    questions */
    LANE_LOGINS, /* credential look-ups */
    LANE_OWNER,  /* the owner's requests other than questions, and health */
    LANES
};

struct job {
    /* Runs in a worker thread. Sets `due_us` or `stepped`, which say when the
       job may come back. Called once more after workers_move. */
    void (*work)(struct job *j, struct curator *c);
    /* Called in any thread, once, when the job's time has come and nobody has
       dropped it: makes its effects visible. c is a handle that may store answers
       from any thread. NULL: nothing to do. */
    void (*leaves)(struct job *j, struct curator *c);
    /* Called in any thread, once: must hand the job over without waiting. The
       job then belongs to the submitter again. */
    void (*done)(struct job *j);
    enum lane lane;
    str who;          /* the name whose share of the lane it takes; read only by
                         submit */
    int64_t asked_us; /* when its request had arrived completely, by the clock
                         workers_options.now_us */
    int64_t due_us;   /* set by work: it comes back at this moment of that
                         clock, whatever its outcome; 0: see stepped */
    bool stepped;     /* true until work knows that nothing was charged */
    bool begun;       /* out: work was begun, so it may have been charged */
    bool stopped;    /* out: the server stops, or it was dropped before work was
                        begun; its result must not be used */
    _Atomic int why; /* an enum ask_stop: why it was dropped while it ran */

    int64_t most_us;             /* set before work runs: the longest class
                                    time that a question may have */
    struct reply_queue *replies; /* set before work runs: fixes when charged
                                    replies leave; NULL: not fixed */
    struct reply_queue *long_replies; /* the same for long class times */

    /* internal until done is called; others may read `crowded` and `moves` */
    struct job *next;
    struct workers *all;
    struct queue_share *share;
    struct reply_queue *gives_back; /* gets its time back if the job is
                                       dropped */
    bool is_planned;
    bool crowded; /* out: too many wait in the lane that it asked for */
    bool moves;   /* to the lane `to`, once work returns */
    enum lane to;
    int64_t class_us;    /* of its charged work */
    int64_t admitted_us; /* its class_us from its admission until it leaves;
                            else 0 */
    bool is_short;       /* its class time counts in the sum over all names */
    sem_t room;          /* posted at its admission */
    enum job_at { JOB_OUT, JOB_WAITS, JOB_RUNS, JOB_HELD } at;
};

/* Who answers free questions in the server's own process, in place of worker
   processes: as executor->run, for work that is not charged. */
struct workers_free {
    void *ctx;
    custos_status (*answer)(void *ctx, const struct work *w,
                            struct answer **out, custos_err *err);
};

struct workers_options {
    size_t threads;        /* for questions */
    size_t free_threads;   /* 0: as many as WORKERS_FREE says */
    size_t login_threads;  /* 0: as many as WORKERS_LOGINS says */
    size_t owner_threads;  /* 0: as many as WORKERS_OWNER says */
    size_t waiting_max;    /* questions not yet begun; more are refused */
    size_t share_waiting;  /* of one analyst; 0: WORKERS_SHARE_WAITING */
    size_t share_running;  /* of one analyst at one time; 0: half the threads */
    size_t share_planning; /* of these, not yet planned; 0: no limit */
    int64_t share_work_us; /* sum of the class times of one analyst's charged
                              questions in flight; 0: no limit */
    int64_t work_us;       /* the same for the short ones of all analysts */
    bool steps;            /* whether response steps are used */
    int64_t (*now_us)(void);              /* NULL: reply_clock_us */
    void (*interrupt)(struct curator *c); /* NULL: curator_interrupt */
    struct reply_queue *replies;          /* NULL: no reply times */
    struct reply_queue *long_replies;     /* as replies */
    int64_t most_us;                      /* longest class time; 0: no limit */
    /* Of worker processes; NULL: threads do all themselves. */
    struct pool *pool;
    /* Needs a pool, for catalogs; NULL: worker processes answer. */
    const struct workers_free *free_answers;
};

enum {
    WORKERS_FREE = 2,
    WORKERS_LOGINS = 2,
    WORKERS_OWNER = 2,
    WORKERS_SHARE_WAITING = 256,
};

/* The threads' handles are made from c, which stays the caller's. */
CUSTOS_MUST_USE custos_status workers_new(struct curator *c,
                                          const struct workers_options *options,
                                          struct workers **out,
                                          custos_err *err);

/* Whether it was taken; if not, done will not be called. */
enum workers_submit {
    SUBMIT_TAKEN,
    SUBMIT_FULL,       /* too many jobs wait, or there is no memory */
    SUBMIT_SHARE_FULL, /* too many jobs of this name wait */
    SUBMIT_ENDING,     /* the server stops */
};
CUSTOS_MUST_USE enum workers_submit
workers_submit(struct workers *w, struct job *j);

/*
 * The job's result is no longer wanted: what runs for it is interrupted, again
 * and again until it has ended, so that a drop cannot be lost; a job not yet
 * begun comes back `stopped`. done is still called, by another thread, at the
 * job's time. Call this before done is called: from the thread that takes jobs
 * back, or under its lock.
 */
void workers_drop(struct workers *w, struct job *j, enum ask_stop why);

/*
 * Called in work, before anything is charged: the job belongs in lane `to`. So a
 * free question that waits for a worker process keeps no thread from charged
 * ones. MOVE_LATER: work must return at once, and is called again in the new
 * lane.
 */
enum workers_move {
    MOVE_HERE, /* the job does not run in a worker thread: go on */
    MOVE_LATER,
    MOVE_FULL, /* too many wait in that lane: the question is refused */
};
CUSTOS_MUST_USE enum workers_move workers_move(struct job *j, enum lane to);

/* Called in work when the question is planned: the rest takes little processor
   time. */
void workers_planned(struct job *j);

/*
 * Called in work, after the charge and before the moment of its reply is fixed:
 * waits until the charged questions of its name, and of all names, leave room
 * for one of this class. Meanwhile no other job of the name begins. The job
 * counts until it comes back.
 */
void workers_admit(struct job *j, int64_t class_us);

/* Called in work: sets the moment of the reply to due_us. `by` is the queue
   that fixed it, which gets the time back if the job is dropped; NULL: the work
   of a dropped job goes on. */
void workers_fix_due(struct job *j, int64_t due_us, struct reply_queue *by);

/*
 * Called in work, when the work could not begin in time: waits for the moment
 * of the reply, gives back what workers_admit reserved, as a reply at that
 * moment would, and sets the moment to `later_us` after it. False: the job was
 * dropped or the server is stopping, and nothing changed.
 */
CUSTOS_MUST_USE bool workers_again(struct job *j, int64_t later_us);

/* Counts jobs that are not yet begun, and jobs that run or are held for their
   time. */
void workers_count(struct workers *w, size_t *waiting, size_t *running);

/* Accepts no more jobs; those not begun come back `stopped`. */
void workers_end(struct workers *w);

/*
 * Ends the threads. Waits at most wait_ms for running jobs and for replies that
 * wait for their time; then interrupts what runs, and everything comes back
 * `stopped`, for no reply may leave before its time. True: all is back and the
 * threads have ended. False: a job still did not end; its thread is left
 * behind, and the process can only _exit. Later submits are refused.
 */
CUSTOS_MUST_USE bool workers_stop(struct workers *w, int64_t wait_ms);

/* After workers_stop, when no other thread uses w. */
void workers_free(struct workers *w);

#endif
