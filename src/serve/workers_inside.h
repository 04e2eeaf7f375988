/*
 * Internal to workers.h: workers.c has queues and threads, workers_admit.c moves
 * and admits jobs.
 */
#ifndef SERVE_WORKERS_INSIDE_H
#define SERVE_WORKERS_INSIDE_H

#include <pthread.h>

#include "serve/response_steps.h"
#include "serve/workers.h"

struct worker {
    struct workers *all;
    enum lane lane;
    struct curator *curator;
    struct remote *remote; /* its executor: worker processes */
    struct executor here;  /* the same, but free questions are answered here */
    struct job *job;       /* that it runs; NULL: none */
    pthread_t thread;
    bool started;
};

struct lane_state {
    pthread_cond_t work;
    struct fair_queue queue;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t quiet, held, due;
    struct curator *keeper; /* the handle that all others were made from */
    struct workers_options options;
    struct lane_state lanes[LANES];
    size_t running; /* jobs taken or withdrawn, and not yet back */
    size_t n;
    bool ending; /* accepts no more jobs */
    bool over;   /* no longer holds replies: all come back stopped */
    bool ended;
    int64_t again_us; /* when dropped jobs are interrupted again */
    struct reply_heap shelf;
    pthread_t releaser;
    bool releasing;
    struct worker worker[];
};

/* Lock held: wakes a thread for the next job, if there is one. */
static inline void
lane_wake(struct lane_state *lane)
{
    if (lane->queue.ready)
        pthread_cond_signal(&lane->work);
}

/* Lock held: admits jobs while there is room for them; when the server stops,
   all of them. */
void queue_admit(struct workers *w, struct fair_queue *q);

#endif
