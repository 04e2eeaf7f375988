/*
 * Lanes of jobs, and threads that each have a handle of the curator. A job whose
 * due_us is fixed keeps its thread until then. One more thread, the releaser,
 * holds other finished jobs until their response step, and interrupts dropped
 * jobs until they have ended. One lock is enough for all: work takes
 * milliseconds, and the lock is held for a few instructions.
 */
#include "serve/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "serve/clock.h"
#include "serve/reply_clock.h"
#include "serve/reply_queue.h"
#include "serve/workers_inside.h"

enum {
    STACK_BYTES = 16 << 20, /* a deeply nested query needs it: sql/tokens.h */
    AGAIN_US = 50000,       /* between two interrupts of a dropped job */
    LOOK_US = 500000,       /* the longest time between two reads of the reply
                               clock */
    GIVE_UP_US = 1000000,   /* how long stopping waits for interrupted jobs */
    IN_FLIGHT = 4,          /* jobs in flight for each that may run: one that
                               waits for its step occupies no thread */
    LOGINS_WAITING = 1024,  /* from all addresses */
    LOGINS_SHARE = 64,      /* from one address */
    OWNER_WAITING = 64,
    QUESTIONS_NICE = 5,
};

/* ------------------------------------------------------------- threads -- */

/* Lock held. Waits until until_us of the steady clock, or until it is woken. */
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

/* Lock held. The job's reservation ends, and others may be admitted. */
static void
leave_queue(struct workers *w, struct job *j)
{
    struct fair_queue *q = &w->lanes[j->lane].queue;

    if (!j->admitted_us)
        return;
    fair_queue_leave(q, j);
    queue_admit(w, q);
}

/* Lock held; released during the callbacks. Gives the job back to its
   submitter. */
static void
hand_back(struct workers *w, struct job *j)
{
    struct lane_state *lane = &w->lanes[j->lane];
    bool leaves =
        j->leaves && !j->stopped && atomic_load(&j->why) == ASK_GOES_ON;

    j->at = JOB_OUT;
    leave_queue(w, j);
    fair_queue_done(&lane->queue, j);
    w->running--;
    pthread_mutex_unlock(&w->lock);
    if (leaves)
        j->leaves(j, w->keeper);
    j->done(j);
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->quiet);
}

/* Lock held. The releaser hands the job back when it is due. */
static void
hold_job(struct workers *w, struct job *j)
{
    j->at = JOB_HELD;
    reply_heap_put(&w->shelf, j, w->options.now_us());
    pthread_cond_signal(&w->held);
}

/* Lock held. Waits for at most left_us, or until it is woken. */
static void
wait_for_due(struct workers *w, int64_t left_us)
{
    wait_until(w, &w->due,
               steady_us() + (left_us < LOOK_US ? left_us : LOOK_US));
}

/* Lock held. Waits until the job is due, or the server ends. */
static void
await_due(struct workers *w, const struct job *j)
{
    while (j->due_us > w->options.now_us() && !w->over)
        wait_for_due(w, j->due_us - w->options.now_us());
}

/* Lock held: puts the job into the lane that it asked for. If it was dropped
   meanwhile, or the server is stopping, it comes back as not begun. */
static void
move_job(struct workers *w, struct job *j)
{
    struct fair_queue *from = &w->lanes[j->lane].queue;
    bool stays = atomic_load(&j->why) != ASK_GOES_ON || w->ending ||
                 !fair_queue_move(from, &w->lanes[j->to].queue, j);

    j->moves = j->begun = false;
    lane_wake(&w->lanes[j->lane]);
    if (stays) {
        fair_queue_ran(from, j);
        j->stopped = true;
        if (!w->options.steps)
            j->due_us = w->options.now_us();
        hold_job(w, j);
        return;
    }
    w->running--;
    j->lane = j->to;
    j->at = JOB_WAITS;
    lane_wake(&w->lanes[j->to]);
}

/* Lock held: the work of the job is done. No other thread is woken: if the same
   name may then begin another job, this thread takes it. */
static void
finish_job(struct workers *w, struct job *j)
{
    struct lane_state *lane = &w->lanes[j->lane];

    if (j->due_us)
        j->at = JOB_HELD;
    await_due(w, j);
    fair_queue_ran(&lane->queue, j);
    if (w->over)
        j->stopped = true;
    else if (!j->due_us && j->stepped && w->options.steps) {
        hold_job(w, j);
        return;
    }
    hand_back(w, j);
}

/* Reading, planning and charging have a lower priority than the processes that
   work on charged questions, whose time is fixed. */
static void
lower_priority(enum lane lane)
{
    if (lane == LANE_QUESTIONS || lane == LANE_FREE)
        (void)setpriority(PRIO_PROCESS, (id_t)gettid(), QUESTIONS_NICE);
}

static void *
worker_main(void *ctx)
{
    struct worker *me = ctx;
    struct workers *w = me->all;
    struct lane_state *lane = &w->lanes[me->lane];
    struct curator *mine;

    lower_priority(me->lane);
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct job *j = w->ending ? NULL : fair_queue_take(&lane->queue);

        if (!j && w->ending)
            break;
        if (!j) {
            pthread_cond_wait(&lane->work, &w->lock);
            continue;
        }
        w->running++;
        lane_wake(lane); /* one signal may stand for several jobs */
        j->stepped = j->begun = true;
        j->replies = w->options.replies;
        j->long_replies = w->options.long_replies;
        j->most_us = w->options.most_us;
        j->at = JOB_RUNS;
        me->job = j;
        pthread_mutex_unlock(&w->lock);
        j->work(j, me->curator);
        pthread_mutex_lock(&w->lock);
        me->job = NULL;
        if (j->moves)
            move_job(w, j);
        else
            finish_job(w, j);
    }
    mine = me->curator;
    me->curator = NULL;
    pthread_mutex_unlock(&w->lock);
    curator_close(mine); /* in this thread: libraries have caches per thread */
    return NULL;
}

/* Keeps the first reason, which is the one that the client gets. */
static void
job_stop(struct job *j, enum ask_stop why)
{
    int none = ASK_GOES_ON;

    atomic_compare_exchange_strong(&j->why, &none, (int)why);
}

/*
 * Lock held: interrupts the engine's work for dropped jobs, and returns when to
 * do so again. An interrupt between two calls of the engine has no effect, so it
 * is repeated until the job has ended.
 */
static int64_t
interrupt_dropped(struct workers *w)
{
    int64_t now = steady_us();
    bool some = false;

    if (now < w->again_us)
        return w->again_us;
    for (size_t i = 0; i < w->n; i++) {
        struct job *j = w->worker[i].job;

        if (!j || atomic_load(&j->why) == ASK_GOES_ON)
            continue;
        w->options.interrupt(w->worker[i].curator);
        some = true;
    }
    w->again_us = some ? now + AGAIN_US : 0;
    return some ? w->again_us : INT64_MAX;
}

static void *
releaser_main(void *ctx)
{
    struct workers *w = ctx;

    pthread_mutex_lock(&w->lock);
    while (!w->ended || w->shelf.n) {
        int64_t again = interrupt_dropped(w), next;
        struct job *j = reply_heap_take(
            &w->shelf, w->over ? INT64_MAX : w->options.now_us());

        if (j) {
            struct lane_state *lane = &w->lanes[j->lane];

            j->stopped = j->stopped || w->over;
            hand_back(w, j);
            lane_wake(lane); /* the same name may begin another job */
            continue;
        }
        next = reply_heap_next(&w->shelf);
        if (next < INT64_MAX) /* `next` is of the reply clock, which may stop */
            next = steady_us() + LOOK_US < next ? steady_us() + LOOK_US : next;
        wait_until(w, &w->held, next < again ? next : again);
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
           !pthread_cond_init(&w->quiet, &steady) &&
           !pthread_cond_init(&w->due, &steady) &&
           !pthread_cond_init(&w->held, &steady);
    for (size_t i = 0; i < LANES && good; i++)
        good = !pthread_cond_init(&w->lanes[i].work, &steady);
    pthread_condattr_destroy(&steady);
    return good;
}

static void
options_fill(struct workers_options *o)
{
    o->now_us = o->now_us ? o->now_us : reply_clock_us;
    o->interrupt = o->interrupt ? o->interrupt : curator_interrupt;
    o->free_threads = o->free_threads ? o->free_threads : WORKERS_FREE;
    o->login_threads = o->login_threads ? o->login_threads : WORKERS_LOGINS;
    o->owner_threads = o->owner_threads ? o->owner_threads : WORKERS_OWNER;
    o->share_waiting =
        o->share_waiting ? o->share_waiting : WORKERS_SHARE_WAITING;
    if (!o->share_running)
        o->share_running = (o->threads + 1) / 2;
}

static void
lanes_init(struct workers *w)
{
    const struct workers_options *o = &w->options;
    const struct queue_limits limits[LANES] = {
        [LANE_QUESTIONS] = {o->waiting_max, o->share_waiting, o->share_running,
                            IN_FLIGHT * o->share_running, o->share_planning},
        /* one name gets half of the threads at most */
        [LANE_FREE] = {o->waiting_max, o->share_waiting,
                       (o->free_threads + 1) / 2, o->free_threads, 0},
        [LANE_LOGINS] = {LOGINS_WAITING, LOGINS_SHARE, o->login_threads,
                         o->login_threads, 0},
        [LANE_OWNER] = {OWNER_WAITING, OWNER_WAITING, o->owner_threads,
                        OWNER_WAITING, 0},
    };

    for (size_t i = 0; i < LANES; i++)
        fair_queue_init(&w->lanes[i].queue, &limits[i]);
}

static custos_status
await_remote(void *ctx, const struct work *work, custos_err *err)
{
    const struct worker *me = ctx;
    const struct executor *to = remote_executor(me->remote);

    return to->await(to->ctx, work, err);
}

/* Free questions are answered here, all other work by worker processes. */
static custos_status
run_here(void *ctx, const struct work *work, struct answer **out,
         enum work_end *end, custos_err *err)
{
    const struct worker *me = ctx;
    const struct workers_free *by = me->all->options.free_answers;
    const struct executor *to = remote_executor(me->remote);
    custos_status st;

    if (!work->is_public)
        return to->run(to->ctx, work, out, end, err);
    st = by->answer(by->ctx, work, out, err);
    *end = st ? WORK_FAILED : WORK_DONE;
    return st;
}

static custos_status
catalog_remote(void *ctx, const struct work_snapshot *of,
               const struct catalog_ask *ask, enum catalog_how how, arena *a,
               struct catalog_rows *out, custos_err *err)
{
    const struct worker *me = ctx;
    const struct executor *to = remote_executor(me->remote);

    return to->catalog(to->ctx, of, ask, how, a, out, err);
}

static const struct executor *
executor_of(struct worker *me)
{
    if (!me->all->options.free_answers)
        return remote_executor(me->remote);
    me->here = (struct executor){.ctx = me,
                                 .await = await_remote,
                                 .run = run_here,
                                 .catalog = catalog_remote};
    return &me->here;
}

static custos_status
worker_start(struct workers *w, struct curator *c, enum lane lane,
             const pthread_attr_t *attr, custos_err *err)
{
    struct worker *me = &w->worker[w->n];
    custos_status st;

    me->all = w;
    me->lane = lane;
    st = curator_share(c, &me->curator, err);
    if (!st && w->options.pool)
        st = remote_new(w->options.pool, &me->remote, err);
    if (me->remote)
        curator_use(me->curator, executor_of(me));
    if (!st && pthread_create(&me->thread, attr, worker_main, me))
        st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
    me->started = !st;
    pthread_mutex_lock(&w->lock); /* the releaser reads n */
    w->n++;
    pthread_mutex_unlock(&w->lock);
    return st;
}

static custos_status
start_threads(struct workers *w, struct curator *c, custos_err *err)
{
    const size_t threads[LANES] = {
        [LANE_QUESTIONS] = w->options.threads,
        [LANE_FREE] = w->options.free_threads,
        [LANE_LOGINS] = w->options.login_threads,
        [LANE_OWNER] = w->options.owner_threads,
    };
    custos_status st = CUSTOS_OK;
    pthread_attr_t attr;

    if (pthread_attr_init(&attr))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (pthread_attr_setstacksize(&attr, STACK_BYTES) ||
        pthread_create(&w->releaser, &attr, releaser_main, w))
        st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
    w->releasing = !st;
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t i = 0; i < threads[lane] && !st; i++)
            st = worker_start(w, c, (enum lane)lane, &attr, err);
    pthread_attr_destroy(&attr);
    return st;
}

custos_status
workers_new(struct curator *c, const struct workers_options *options,
            struct workers **out, custos_err *err)
{
    struct workers_options o = *options;
    struct workers *w;
    custos_status st;

    options_fill(&o);
    w = calloc(1, sizeof *w + (o.threads + o.free_threads + o.login_threads +
                               o.owner_threads) *
                                  sizeof(struct worker));
    if (!w || !conditions_init(w)) {
        free(w);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    w->options = o;
    w->keeper = c;
    lanes_init(w);
    st = start_threads(w, c, err);
    if (!st)
        *out = w;
    else if (workers_stop(w, 0))
        workers_free(w);
    return st;
}

void
workers_end(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    for (size_t i = 0; i < LANES; i++) {
        struct job *j;

        while ((j = fair_queue_drain(&w->lanes[i].queue))) {
            w->running++;
            j->stopped = true;
            hand_back(w, j);
        }
        pthread_cond_broadcast(&w->lanes[i].work);
    }
    pthread_mutex_unlock(&w->lock);
}

/* Lock held: drops all running jobs. */
static void
drop_running(struct workers *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->worker[i].job)
            job_stop(w->worker[i].job, ASK_CANCELLED);
    w->again_us = 0;
    pthread_cond_broadcast(&w->held);
}

/* Lock held. False if some jobs have not come back. */
static bool
settle_all(struct workers *w, int64_t wait_ms)
{
    int64_t until = steady_us() + wait_ms * 1000;

    while (w->running && steady_us() < until)
        wait_until(w, &w->quiet, until);
    w->over = true;
    pthread_cond_broadcast(&w->due);
    for (size_t i = 0; i < LANES; i++)
        queue_admit(w, &w->lanes[i].queue);
    drop_running(w);
    until = steady_us() + GIVE_UP_US;
    while (w->running && w->releasing && steady_us() < until)
        wait_until(w, &w->quiet, until);
    return !w->running;
}

bool
workers_stop(struct workers *w, int64_t wait_ms)
{
    bool all;

    if (!w)
        return true;
    workers_end(w);
    pthread_mutex_lock(&w->lock);
    all = settle_all(w, wait_ms);
    pthread_mutex_unlock(&w->lock);
    if (!all)
        return false;
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
    return true;
}

void
workers_free(struct workers *w)
{
    if (!w)
        return;
    CUSTOS_REQUIRE(w->ended);
    reply_heap_clear(&w->shelf);
    pthread_cond_destroy(&w->held);
    pthread_cond_destroy(&w->quiet);
    pthread_cond_destroy(&w->due);
    for (size_t i = 0; i < LANES; i++) {
        fair_queue_clear(&w->lanes[i].queue);
        pthread_cond_destroy(&w->lanes[i].work);
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* ---------------------------------------------------------------- jobs -- */

static size_t
count_waiting(const struct workers *w)
{
    size_t n = 0;

    for (size_t i = 0; i < LANES; i++)
        n += w->lanes[i].queue.waiting;
    return n;
}

enum workers_submit
workers_submit(struct workers *w, struct job *j)
{
    enum workers_submit taken = SUBMIT_ENDING;
    struct lane_state *lane = &w->lanes[j->lane];

    j->stopped = j->begun = j->moves = j->crowded = false;
    j->due_us = j->class_us = j->admitted_us = 0;
    j->gives_back = NULL;
    j->all = w;
    j->at = JOB_WAITS;
    atomic_store(&j->why, ASK_GOES_ON);
    pthread_mutex_lock(&w->lock);
    /* Reserves room on the shelf now, because holding a job must not fail. */
    if (!w->ending) {
        taken = SUBMIT_FULL;
        if (reply_heap_reserve(&w->shelf, count_waiting(w) + w->running + 1))
            switch (fair_queue_put(&lane->queue, j)) {
            case QUEUE_PUT: taken = SUBMIT_TAKEN; break;
            case QUEUE_FULL: break;
            case QUEUE_SHARE_FULL: taken = SUBMIT_SHARE_FULL; break;
            }
    }
    lane_wake(lane);
    pthread_mutex_unlock(&w->lock);
    return taken;
}

/* Lock held. The releaser hands a waiting job back, because the caller may hold
   a lock that done() needs. The job still waits for its step: otherwise the time
   would reveal whether it had begun, and so how busy others keep the threads. */
static void
withdraw_job(struct workers *w, struct job *j)
{
    fair_queue_remove(&w->lanes[j->lane].queue, j);
    w->running++;
    j->stopped = true;
    if (!w->options.steps)
        j->due_us = w->options.now_us();
    hold_job(w, j);
}

/* Lock held. If the job was dropped, gives its reserved time back to the reply
   queue, even if its work has not ended yet. */
static void
give_time_back(const struct workers *w, struct job *j)
{
    if (!j->gives_back || atomic_load(&j->why) == ASK_GOES_ON)
        return;
    reply_queue_give_back(j->gives_back, j->due_us, w->options.now_us());
    j->gives_back = NULL;
}

void
workers_fix_due(struct job *j, int64_t due_us, struct reply_queue *by)
{
    struct workers *w = j->all;

    if (!w) {
        j->due_us = due_us;
        return;
    }
    pthread_mutex_lock(&w->lock);
    j->due_us = due_us;
    j->gives_back = by;
    give_time_back(w, j);
    pthread_mutex_unlock(&w->lock);
}

bool
workers_again(struct job *j, int64_t later_us)
{
    struct workers *w = j->all;
    bool goes_on;

    if (!w)
        return false;
    pthread_mutex_lock(&w->lock);
    await_due(w, j);
    goes_on = !w->over && !w->ending && atomic_load(&j->why) == ASK_GOES_ON;
    if (goes_on) {
        leave_queue(w, j);
        j->due_us += later_us;
        j->gives_back = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    return goes_on;
}

void
workers_drop(struct workers *w, struct job *j, enum ask_stop why)
{
    pthread_mutex_lock(&w->lock);
    if (j->at == JOB_WAITS) {
        withdraw_job(w, j);
    } else {
        job_stop(j, why);
        give_time_back(w, j);
        w->again_us = 0;
        pthread_cond_signal(&w->held);
    }
    pthread_mutex_unlock(&w->lock);
}

void
workers_count(struct workers *w, size_t *n_waiting, size_t *n_running)
{
    pthread_mutex_lock(&w->lock);
    *n_waiting = count_waiting(w);
    *n_running = w->running;
    pthread_mutex_unlock(&w->lock);
}
