/*
 * The inside of the workers, for their files alone: workers.c has queues and
 * threads, workers_admit.c the shares of charged work.
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
    struct remote *remote; /* what it works by */
    struct job *job;       /* what it runs; NULL: nothing */
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
    struct curator *keeper; /* whose handle it was made from */
    struct workers_options options;
    struct lane_state lanes[LANES];
    size_t running; /* taken or withdrawn, and not yet back */
    size_t n;
    bool ending; /* takes no more */
    bool over;   /* holds nothing any more: all comes back stopped */
    bool ended;
    int64_t again_us; /* when dropped jobs are interrupted again */
    struct reply_heap shelf;
    pthread_t releaser;
    bool releasing;
    struct worker worker[];
};

/* Lock held: somebody comes for the next job, if there is one. */
static inline void
lane_wake(struct lane_state *lane)
{
    if (lane->queue.ready)
        pthread_cond_signal(&lane->work);
}

/* Lock held: who waits for room goes on while there is some; at the end all do. */
void queue_admit(struct workers *w, struct fair_queue *q);

#endif
