/*
 * A queue that is fair between those who ask: each name has a first-in-first-out
 * queue of its own, and the names are served round robin. A name has limits of
 * its own on jobs that wait, that run, and that are in flight (they run, or
 * their reply waits for its time), so that nobody's jobs can keep out another's.
 *
 * No threads and no clock: whoever has a queue locks it. Every call is O(1) in
 * the number of names and of jobs, but for fair_queue_remove.
 */
#ifndef SERVE_FAIR_QUEUE_H
#define SERVE_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct job;

/* The jobs of one name. It exists while it has some. */
struct queue_share {
    struct queue_share *next;                   /* of its bucket */
    struct queue_share *ready_next, **ready_at; /* NULL: not in `ready` */
    struct job *first, **last;
    size_t waiting, running, in_flight;
    size_t planning;                   /* of those that run: not yet planned */
    struct job *paused, **paused_last; /* that wait for room for their charged
                                          work, first come first */
    struct queue_share *paused_next;   /* in the list of names that have some */
    int64_t work_us;                   /* charged work that is on its way */
    size_t name_len;
    char name[];
};

enum { QUEUE_BUCKETS = 256 };

struct queue_limits {
    size_t waiting;         /* of all names together */
    size_t share_waiting;   /* of one name */
    size_t share_running;   /* at one time */
    size_t share_in_flight; /* run, or wait for the time of their reply */
    size_t share_planning;  /* run, and are not planned; 0: any */
};

struct fair_queue {
    struct queue_limits limits;
    size_t waiting;
    struct queue_share *ready, **ready_last;   /* that may begin a job */
    struct queue_share *paused, **paused_last; /* whose jobs wait for room */
    int64_t work_us; /* charged short work of all that is on its way */
    struct queue_share *buckets[QUEUE_BUCKETS];
};

void fair_queue_init(struct fair_queue *q, const struct queue_limits *limits);
/* It must be empty, and no job in flight. */
void fair_queue_clear(struct fair_queue *q);

enum queue_put {
    QUEUE_PUT,
    QUEUE_FULL,       /* of jobs of all names, or there is no memory */
    QUEUE_SHARE_FULL, /* of jobs of this name */
};
enum queue_put fair_queue_put(struct fair_queue *q, struct job *j);

/* What fair_queue_put would return for a job of this name. */
enum queue_put fair_queue_room(struct fair_queue *q, str who);

/* A job that runs stops running and waits in another queue, under its name and
   whatever the limits say. False: out of memory, and it still runs. */
bool
fair_queue_move(struct fair_queue *from, struct fair_queue *to, struct job *j);

/* The next job that may begin, which then runs; NULL: none. */
struct job *fair_queue_take(struct fair_queue *q);

/* A job that runs is planned: from now on it waits more than it works. No-op for
   a job that no longer runs. */
void fair_queue_planned(struct fair_queue *q, struct job *j);

/* It no longer runs, and is still in flight. */
void fair_queue_ran(struct fair_queue *q, struct job *j);

/* It is no longer in flight. The last call for a job that was taken. */
void fair_queue_done(struct fair_queue *q, struct job *j);

/*
 * Charged work. A job that runs waits until there is room for its class_us;
 * meanwhile no other job of its name is begun. Jobs of one name are admitted
 * first come, first served, and names take turns. From then on its class counts,
 * until it has left or is done.
 */
struct room {
    int64_t of_name; /* work on its way; there is always room for one */
    int64_t of_all;  /* the same of all names, without classes above long_us:
                        these wait for no other name */
    int64_t long_us;
};
void fair_queue_pause(struct fair_queue *q, struct job *j);
/* The next that there is room for, which counts from now on; NULL: none. */
struct job *fair_queue_admit(struct fair_queue *q, const struct room *r);
void fair_queue_leave(struct fair_queue *q, struct job *j);

/* Withdraws a job that waits: it is in flight then, and does not run. */
void fair_queue_remove(struct fair_queue *q, struct job *j);

/* Withdraws any job, whatever the limits say: for the end. NULL: none waits. */
struct job *fair_queue_drain(struct fair_queue *q);

#endif
