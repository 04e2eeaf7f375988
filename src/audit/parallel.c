/*
 * Jobs on several threads, taken in order from a common counter.
 */
#include "audit/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"

enum { THREADS_MAX = 64, REPORT_MS = 100 };

struct crew {
    const struct parallel *p;
    size_t jobs;
    atomic_size_t next, done;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t finished;
    unsigned running;
    custos_status status;
    custos_err err;
};

unsigned
parallel_threads(unsigned wanted)
{
    long have = sysconf(_SC_NPROCESSORS_ONLN);

    if (!wanted)
        wanted = have > 0 ? (unsigned)have : 1;
    return wanted > THREADS_MAX ? THREADS_MAX : wanted;
}

static custos_status
do_jobs(struct crew *crew, custos_err *err)
{
    const struct parallel *p = crew->p;
    const struct audit_target *t = p->target;
    void *state = NULL;
    custos_status st = t && t->open ? t->open(t, &state, err) : CUSTOS_OK;
    size_t job;

    while (!st && (job = atomic_fetch_add(&crew->next, 1)) < crew->jobs) {
        st = p->job(p->context, state, job, err);
        atomic_fetch_add(&crew->done, 1);
    }
    if (state && t->close)
        t->close(state);
    return st;
}

static void *
run_thread(void *argument)
{
    struct crew *crew = argument;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = do_jobs(crew, &err);

    pthread_mutex_lock(&crew->lock);
    if (st && !crew->status) {
        crew->status = st;
        crew->err = err;
        atomic_store(&crew->next, crew->jobs);
    }
    crew->running--;
    pthread_cond_signal(&crew->finished);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void
report_progress(const struct crew *crew)
{
    const struct parallel *p = crew->p;
    double share =
        crew->jobs ? (double)atomic_load(&crew->done) / (double)crew->jobs : 1;

    if (p->progress)
        p->progress(p->progress_context, p->from + (p->to - p->from) * share,
                    p->stage);
}

static void
wait_for_threads(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->running) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += REPORT_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&crew->finished, &crew->lock, &until);
        report_progress(crew);
    }
    pthread_mutex_unlock(&crew->lock);
}

custos_status
parallel_do(const struct parallel *p, size_t jobs, custos_err *err)
{
    struct crew crew = {.p = p,
                        .jobs = jobs,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .finished = PTHREAD_COND_INITIALIZER};
    pthread_t thread[THREADS_MAX];
    unsigned n = parallel_threads(p->threads), started = 0;

    if (n > jobs)
        n = (unsigned)jobs;
    crew.running = n;
    while (started < n &&
           !pthread_create(&thread[started], NULL, run_thread, &crew))
        started++;
    pthread_mutex_lock(&crew.lock);
    crew.running -= n - started;
    pthread_mutex_unlock(&crew.lock);
    wait_for_threads(&crew);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&crew.lock);
    pthread_cond_destroy(&crew.finished);
    if (n && !started)
        return custos_fail(err, CUSTOS_ENOMEM, "cannot start a thread");
    if (crew.status && err)
        *err = crew.err;
    return crew.status;
}
