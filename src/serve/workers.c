/*
 * A queue, threads with a handle of the curator each, and one thread that
 * holds finished jobs until their step. All of it under one lock: work is
 * milliseconds, and the lock is held for a few instructions.
 */
#include "serve/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "serve/clock.h"
#include "serve/steps.h"

/* Reading a deep query takes stack: see sql/tokens.h. */
enum { STACK_BYTES = 16 << 20, AGAIN_US = 50000 };

struct worker {
    struct workers *all;
    struct curator *curator;
    struct remote *remote; /* what it works by */
    struct job *job; /* what it runs; NULL: nothing */
    pthread_t thread;
    bool started;
};

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t work, quiet, held;
    struct workers_options options;
    struct job *first, **last;
    struct job *back; /* dropped before they were begun; the releaser's */
    size_t waiting, running, n;
    bool ending, ended;
    struct shelf shelf;
    pthread_t releaser;
    bool releasing;
    struct worker worker[];
};

/* ------------------------------------------------------------- threads -- */

/* Lock held. Waits at most until a moment of the steady clock. */
static void
wait_until(struct workers *w, pthread_cond_t *what, int64_t until_us)
{
    struct timespec t = {.tv_sec = (time_t)(until_us / 1000000),
                         .tv_nsec = (long)(until_us % 1000000 * 1000)};

    if (until_us == INT64_MAX)
        pthread_cond_wait(what, &w->lock);
    else
        pthread_cond_timedwait(what, &w->lock, &t);
}

static struct job *
next_job(struct workers *w)
{
    struct job *j = w->first;

    if (j) {
        w->first = j->next;
        if (!w->first)
            w->last = &w->first;
        w->waiting--;
    }
    return j;
}

/* Lock held: hands a finished job back, or to the shelf. */
static void
finish(struct workers *w, struct job *j)
{
    if (j->stepped && w->options.steps) {
        shelf_put(&w->shelf, j, w->options.now_us());
        pthread_cond_signal(&w->held);
        return;
    }
    w->running--;
    pthread_mutex_unlock(&w->lock);
    j->done(j);
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->quiet);
}

static void *
worker_main(void *ctx)
{
    struct worker *me = ctx;
    struct workers *w = me->all;
    struct curator *mine;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct job *j = next_job(w);

        if (!j && w->ending)
            break;
        if (!j) {
            pthread_cond_wait(&w->work, &w->lock);
            continue;
        }
        w->running++;
        j->stepped = true;
        me->job = j;
        pthread_mutex_unlock(&w->lock);
        j->work(j, me->curator);
        pthread_mutex_lock(&w->lock);
        me->job = NULL;
        finish(w, j);
    }
    mine = me->curator;
    me->curator = NULL;
    pthread_mutex_unlock(&w->lock);
    curator_close(mine); /* here: libraries keep what they cache by thread */
    return NULL;
}

static void *
releaser_main(void *ctx)
{
    struct workers *w = ctx;

    pthread_mutex_lock(&w->lock);
    while (!w->ended || w->shelf.n || w->back) {
        struct job *j = w->back;

        if (j)
            w->back = j->next;
        else
            j = shelf_take(&w->shelf, w->options.now_us());
        if (!j) {
            wait_until(w, &w->held, shelf_next(&w->shelf));
            continue;
        }
        w->running--;
        pthread_mutex_unlock(&w->lock);
        j->done(j);
        pthread_mutex_lock(&w->lock);
        pthread_cond_broadcast(&w->quiet);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ------------------------------------------------------- start and end -- */

static bool
conditions_init(struct workers *w)
{
    pthread_condattr_t steady;
    bool good;

    if (pthread_condattr_init(&steady))
        return false;
    good = !pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) &&
           !pthread_mutex_init(&w->lock, NULL) &&
           !pthread_cond_init(&w->work, &steady) &&
           !pthread_cond_init(&w->quiet, &steady) &&
           !pthread_cond_init(&w->held, &steady);
    pthread_condattr_destroy(&steady);
    return good;
}

static custos_status
start(struct workers *w, struct curator *c, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    pthread_attr_t attr;

    if (pthread_attr_init(&attr))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (pthread_attr_setstacksize(&attr, STACK_BYTES) ||
        pthread_create(&w->releaser, &attr, releaser_main, w))
        st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
    w->releasing = !st;
    for (size_t i = 0; i < w->options.threads && !st; i++) {
        struct worker *me = &w->worker[i];

        me->all = w;
        w->n = i + 1;
        st = curator_share(c, &me->curator, err);
        if (!st && w->options.pool) {
            st = remote_new(w->options.pool, &me->remote, err);
            if (!st)
                curator_use(me->curator, remote_executor(me->remote));
        }
        if (!st && pthread_create(&me->thread, &attr, worker_main, me))
            st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
        me->started = !st;
    }
    pthread_attr_destroy(&attr);
    return st;
}

custos_status
workers_new(struct curator *c, const struct workers_options *options,
            struct workers **out, custos_err *err)
{
    struct workers *w =
        calloc(1, sizeof *w + options->threads * sizeof(struct worker));
    custos_status st;

    if (!w || !conditions_init(w)) {
        free(w);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    w->options = *options;
    if (!w->options.now_us)
        w->options.now_us = steady_us;
    w->last = &w->first;
    st = start(w, c, err);
    if (st) {
        workers_stop(w, 0);
        workers_free(w);
    } else {
        *out = w;
    }
    return st;
}

void
workers_end(struct workers *w)
{
    struct job *j;

    pthread_mutex_lock(&w->lock);
    w->ending = true;
    while ((j = next_job(w))) {
        pthread_mutex_unlock(&w->lock);
        j->stopped = true;
        j->done(j);
        pthread_mutex_lock(&w->lock);
    }
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
}

/* The first reason stands: it is what was told. */
static void
job_stop(struct job *j, enum ask_stop why)
{
    int none = ASK_GOES_ON;

    atomic_compare_exchange_strong(&j->why, &none, (int)why);
}

/* Lock held: ends what the engine does for jobs; true where there are some. */
static bool
interrupt_all(struct workers *w)
{
    bool some = false;

    for (size_t i = 0; i < w->n; i++)
        if (w->worker[i].job) {
            some = true;
            job_stop(w->worker[i].job, ASK_CANCELLED);
            curator_interrupt(w->worker[i].curator);
        }
    return some;
}

/* Lock held. Between two calls of the engine nothing can be interrupted: so
   again, until all have heard. */
static void
settle(struct workers *w, int64_t wait_ms)
{
    int64_t until = steady_us() + wait_ms * 1000;

    while (w->running && steady_us() < until)
        wait_until(w, &w->quiet, until);
    while (interrupt_all(w))
        wait_until(w, &w->quiet, steady_us() + AGAIN_US);
}

void
workers_stop(struct workers *w, int64_t wait_ms)
{
    if (!w)
        return;
    workers_end(w);
    pthread_mutex_lock(&w->lock);
    settle(w, wait_ms);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->n; i++) {
        if (w->worker[i].started)
            pthread_join(w->worker[i].thread, NULL);
        curator_close(w->worker[i].curator);
        remote_free(w->worker[i].remote);
    }
    pthread_mutex_lock(&w->lock);
    w->n = 0;
    w->ended = true;
    pthread_cond_broadcast(&w->held);
    pthread_mutex_unlock(&w->lock);
    if (w->releasing)
        pthread_join(w->releaser, NULL);
    w->releasing = false;
}

void
workers_free(struct workers *w)
{
    if (!w)
        return;
    CUSTOS_REQUIRE(w->ended);
    shelf_clear(&w->shelf);
    pthread_cond_destroy(&w->held);
    pthread_cond_destroy(&w->quiet);
    pthread_cond_destroy(&w->work);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---------------------------------------------------------------- jobs -- */

bool
workers_submit(struct workers *w, struct job *j)
{
    bool taken;

    pthread_mutex_lock(&w->lock);
    /* Its place on the shelf is made now, for then it must be there. */
    taken = !w->ending && w->waiting < w->options.waiting_max &&
            shelf_reserve(&w->shelf, w->waiting + w->running + 1);
    if (taken) {
        j->next = NULL;
        j->stopped = false;
        atomic_store(&j->why, ASK_GOES_ON);
        *w->last = j;
        w->last = &j->next;
        w->waiting++;
        pthread_cond_signal(&w->work);
    }
    pthread_mutex_unlock(&w->lock);
    return taken;
}

/* Lock held. What waits for a worker does not wait to be given back, which is
   the releaser's: who drops may hold a lock that done wants. */
static void
give_back(struct workers *w, struct job *j)
{
    struct job **at = &w->first;

    while (*at && *at != j)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = j->next;
    if (!*at)
        w->last = at;
    w->waiting--;
    w->running++;
    j->stopped = true;
    j->next = w->back;
    w->back = j;
    pthread_cond_signal(&w->held);
}

void
workers_drop(struct workers *w, struct job *j, enum ask_stop why)
{
    pthread_mutex_lock(&w->lock);
    give_back(w, j);
    for (size_t i = 0; i < w->n; i++)
        if (w->worker[i].job == j) {
            job_stop(j, why);
            curator_interrupt(w->worker[i].curator);
        }
    pthread_mutex_unlock(&w->lock);
}

void
workers_count(struct workers *w, size_t *waiting, size_t *running)
{
    pthread_mutex_lock(&w->lock);
    *waiting = w->waiting;
    *running = w->running;
    pthread_mutex_unlock(&w->lock);
}
