/*
 * The server's worker processes, in lanes: for private queries, for those that
 * take long, for those without a class time, and for free work. They are started
 * in advance and replaced when they end. No lane waits for another.
 *
 * A caller takes a worker, exchanges messages with it, and gives it back or
 * reports it lost. A worker serves one snapshot of the store for life: when
 * another comes into force, idle workers of the old one are replaced.
 */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include "worker/process.h"

struct pool;

enum pool_lane {
    POOL_PRIVATE,
    POOL_LONG,    /* private, with a long class time */
    POOL_UNTIMED, /* private, without a class time: may take any time */
    POOL_FREE,
    POOL_LANES
};

struct pool_options {
    const char *command;        /* the program: custos */
    const char *store;          /* path of the store */
    struct work_snapshot of;    /* the first that workers serve */
    size_t workers[POOL_LANES]; /* that work at one time; at least one */
    size_t spare[POOL_LANES];   /* further ones, to replace a worker that was
                                   ended: starting another takes longer than a
                                   reply may be late */
    uint64_t memory_bytes;      /* of each worker */
    int64_t free_us;            /* time that free work may take; 0: no limit */
    steady_clock now_us;
};

/* Starts the workers and waits until the first is ready. Fails like process_start
   and store_open. */
CUSTOS_MUST_USE custos_status pool_new(const struct pool_options *o,
                                       struct pool **out, custos_err *err);

/* Ends all workers. No caller may hold one or wait for one. */
void pool_free(struct pool *p);

/*
 * Takes a worker that serves this snapshot. The worker is the caller's alone until
 * it is given back. Callers are served in order of arrival, which is the order of
 * their admission; reply times rely on this (serve/reply_queue.h). NULL: *stop is set,
 * begin_us has passed (0: no limit), or the first worker of a new pool cannot be
 * started.
 */
struct process *
pool_take(struct pool *p, enum pool_lane lane, const struct work_snapshot *of,
          int64_t begin_us, const _Atomic int *stop);

/*
 * Waits, before a charge, until workers of this snapshot have been started:
 * starting one takes longer than a reply may be late. For the newest snapshot it
 * waits for as many as the lane has spare workers (but no more than may work at one
 * time). The lane always has that many workers that are not at work, so the wait does
 * not depend on other questions. For an older snapshot it waits for one worker.
 * False: *stop is set, or not enough workers could be started in time.
 */
CUSTOS_MUST_USE bool
pool_await(struct pool *p, enum pool_lane lane, const struct work_snapshot *of,
           const _Atomic int *stop);

/* pool_take with a message for the worker: the thread that hands the worker out
   sends it (often the one that has just given the worker back), so that the worker
   need not wait for the caller's thread to wake up. *sent false: the caller must
   send it. */
struct process *pool_take_for(struct pool *p, enum pool_lane lane,
                              const struct work_snapshot *of, int64_t begin_us,
                              const _Atomic int *stop, enum message_kind kind,
                              struct buf *message, bool *sent);
void pool_give(struct pool *p, struct process *w);

/* Ends a worker that failed and has another started; returns why it had ended. */
enum process_death pool_lose(struct pool *p, struct process *w);

/* Kills a worker without waiting for its end: how long that takes depends on its
   memory. */
void pool_kill(struct pool *p, struct process *w);

/* The newest snapshot that was asked for. */
struct work_snapshot pool_snapshot(struct pool *p);

/* Is it past begin_us? Never for 0. */
bool pool_is_late(const struct pool *p, int64_t begin_us);

/* Is a worker of the lane at work? */
bool pool_is_busy(struct pool *p, enum pool_lane lane);

/* When free work that begins now has to end; 0: no limit. */
int64_t pool_free_until(const struct pool *p);

#endif
