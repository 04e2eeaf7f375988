/*
 * A queue that is fair between names: each name has a first-in-first-out queue
 * of its own, and the names are served round robin. There are limits on how many
 * jobs of a name wait, how many run, and how many are in flight (they run, or
 * their reply waits for its time), so that no name's jobs can keep out another's.
 *
 * It has no threads and no clock; its user locks it. Calls take constant time,
 * except fair_queue_remove (linear in the name's jobs), fair_queue_admit (linear
 * in the names that have paused jobs) and fair_queue_drain (linear in the names).
 */
#ifndef SERVE_FAIR_QUEUE_H
#define SERVE_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct job;

/* The jobs of one name; freed when there are none. */
struct queue_share {
    struct queue_share *next;                   /* of its bucket */
    struct queue_share *ready_next, **ready_at; /* NULL: not in `ready` */
    struct job *first, **last;
    size_t waiting, running, in_flight;
    size_t planning;                   /* running jobs not yet planned */
    struct job *paused, **paused_last; /* running jobs that wait for room for
                                          their charged work, oldest first */
    struct queue_share *paused_next;   /* the next name with paused jobs */
    int64_t work_us;                   /* sum of the class times of its
                                          admitted jobs */
    size_t name_len;
    char name[];
};

enum { QUEUE_BUCKETS = 256 };

struct queue_limits {
    size_t waiting;         /* jobs of all names that wait */
    size_t share_waiting;   /* jobs of one name that wait */
    size_t share_running;   /* jobs of one name that run */
    size_t share_in_flight; /* jobs of one name that run, or wait for the time
                               of their reply */
    size_t share_planning;  /* jobs of one name that run and are not yet
                               planned; 0: no limit */
};

struct fair_queue {
    struct queue_limits limits;
    size_t waiting;
    struct queue_share *ready, **ready_last;   /* shares that may begin a job */
    struct queue_share *paused, **paused_last; /* shares with paused jobs */
    int64_t work_us; /* sum of the class times of all admitted short jobs */
    struct queue_share *buckets[QUEUE_BUCKETS];
};

void fair_queue_init(struct fair_queue *q, const struct queue_limits *limits);
/* It must be empty, and no job in flight. */
void fair_queue_clear(struct fair_queue *q);

enum queue_put {
    QUEUE_PUT,
    QUEUE_FULL,       /* too many jobs of all names, or out of memory */
    QUEUE_SHARE_FULL, /* too many jobs of this name */
};
enum queue_put fair_queue_put(struct fair_queue *q, struct job *j);

/* What fair_queue_put would return for a job of this name, if memory lasts. */
enum queue_put fair_queue_room(struct fair_queue *q, str who);

/* Moves a running job to another queue, where it waits under the same name,
   whatever the limits. False: out of memory, and the job still runs. */
bool
fair_queue_move(struct fair_queue *from, struct fair_queue *to, struct job *j);

/* Takes the next job that may begin; it now counts as running. NULL: none. */
struct job *fair_queue_take(struct fair_queue *q);

/* A running job has been planned: from now on it mostly waits. No-op for a job
   that no longer runs. */
void fair_queue_planned(struct fair_queue *q, struct job *j);

/* The job no longer runs, but is still in flight. */
void fair_queue_ran(struct fair_queue *q, struct job *j);

/* The job is no longer in flight. This is the last call for a job that was
   taken. */
void fair_queue_done(struct fair_queue *q, struct job *j);

/*
 * Charged work. fair_queue_pause makes a running job wait until there is room
 * for its class_us; meanwhile no other job of its name begins. Jobs of one name
 * are admitted first come, first served, and names take turns. An admitted
 * job's class_us counts until fair_queue_leave or fair_queue_done.
 */
struct room {
    int64_t of_name; /* limit on the sum of the class times of a name's admitted
                        jobs; if none is admitted, any job has room */
    int64_t of_all;  /* the same for all names together; jobs with a class time
                        above long_us do not count here and wait for no other
                        name */
    int64_t long_us;
};
void fair_queue_pause(struct fair_queue *q, struct job *j);
/* Admits the next job that there is room for. NULL: none. */
struct job *fair_queue_admit(struct fair_queue *q, const struct room *r);
void fair_queue_leave(struct fair_queue *q, struct job *j);

/* Withdraws a waiting job: it is then in flight, but does not run. */
void fair_queue_remove(struct fair_queue *q, struct job *j);

/* Withdraws any waiting job, whatever the limits; for stopping. NULL: none
   waits. */
struct job *fair_queue_drain(struct fair_queue *q);

#endif
