/* The second thread sleeps until there is a half for it. */
#include "synth/team.h"

#include <pthread.h>
#include <signal.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"

struct team {
    custos_alloc alloc;
    pthread_t thread;
    pthread_mutex_t memory; /* held in a call of alloc */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*half)(void *of, size_t which); /* to be done; NULL: nothing is */
    void *of;
    bool ends;
};

static void *
do_halves(void *arg)
{
    struct team *t = arg;

    pthread_mutex_lock(&t->lock);
    while (!t->ends) {
        if (!t->half) {
            pthread_cond_wait(&t->changed, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        t->half(t->of, 1);
        pthread_mutex_lock(&t->lock);
        t->half = NULL;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

custos_status
team_new(const custos_alloc *alloc, struct team **out, custos_err *err)
{
    const custos_alloc a = alloc_or_default(alloc);
    struct team *t = alloc_take(&a, 1, sizeof *t);
    sigset_t all, before;
    int failed;

    *out = NULL;
    if (!t)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    t->alloc = a;
    pthread_mutex_init(&t->memory, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&t->thread, NULL, do_halves, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) {
        *out = t;
        return CUSTOS_OK;
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->memory);
    alloc_give(&a, t, 1, sizeof *t);
    return CUSTOS_OK;
}

void
team_free(struct team *t)
{
    custos_alloc a;

    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->memory);
    a = t->alloc;
    alloc_give(&a, t, 1, sizeof *t);
}

void
team_run(struct team *t, void (*half)(void *of, size_t which), void *of)
{
    if (!t) {
        half(of, 0);
        half(of, 1);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->of = of;
    t->half = half;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    half(of, 0);
    pthread_mutex_lock(&t->lock);
    while (t->half)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *
take_alone(void *ctx, size_t bytes)
{
    struct team *t = ctx;
    void *p;

    pthread_mutex_lock(&t->memory);
    p = t->alloc.take(t->alloc.ctx, bytes);
    pthread_mutex_unlock(&t->memory);
    return p;
}

static void
give_alone(void *ctx, void *p, size_t bytes)
{
    struct team *t = ctx;

    pthread_mutex_lock(&t->memory);
    t->alloc.give(t->alloc.ctx, p, bytes);
    pthread_mutex_unlock(&t->memory);
}

custos_alloc
team_alloc(struct team *t)
{
    return (custos_alloc){take_alone, give_alone, t};
}
