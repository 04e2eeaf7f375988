/*
 * Slots under one lock, and a keeper: the thread that starts and replaces workers,
 * so that a caller waits only when all are busy. The keeper is one thread for
 * the pool's life, since a worker dies with the thread that started it. It polls
 * the workers' sockets, so that an idle worker that dies is replaced before a
 * caller takes it.
 */
#include "worker/pool.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum {
    START_US = 30000000, /* for a worker to become ready */
    LOOK_US = 50000,     /* how often a waiting caller checks its stop flag */
    AGAIN_MS = 200,      /* pause after a start that failed */
    FAILURES_MOST = 5,   /* failed starts in a row until a new pool gives up */
    KEEPER_STACK = 1 << 18,
};

enum slot_state {
    SLOT_EMPTY, /* the keeper starts a worker here */
    SLOT_STARTING,
    SLOT_IDLE,
    SLOT_TAKEN,
    SLOT_STALE, /* dead, or idle on another snapshot: to be replaced */
};

struct slot {
    struct process process; /* first: its address is that of the slot */
    enum slot_state state;
    enum pool_lane lane;
    bool died;     /* the keeper saw the worker die */
    bool outdated; /* a newer snapshot came after the worker was started */
};

struct waiter {
    struct waiter *next;
    enum pool_lane lane;
    struct work_snapshot of;
    int64_t begin_us; /* when it gives up; 0: never */
    size_t needs; /* 0: takes a worker; n: waits until n workers are started */
    struct buf *message; /* NULL: none */
    enum message_kind kind;
    bool sent;
    struct slot *got;
    pthread_cond_t ready;
};

struct pool {
    pthread_mutex_t lock;
    struct store store;
    struct process_options options;
    int64_t free_us;
    size_t most[POOL_LANES];       /* workers that work at one time */
    size_t kept_ready[POOL_LANES]; /* how many pool_await waits for */
    struct work_snapshot of;       /* what new workers are started on */
    struct waiter *waiters;        /* in order of arrival */
    unsigned failures;             /* failed starts in a row */
    custos_err why;                /* why the last start failed */
    pthread_t keeper;
    bool has_keeper, ending;
    bool beginning; /* no worker has been ready yet */
    int wake;
    size_t n;
    struct slot slots[];
};

/* Free work and long work leave the processors to short private work. */
static const int nices[POOL_LANES] = {
    [POOL_PRIVATE] = 0, [POOL_LONG] = 5, [POOL_UNTIMED] = 5, [POOL_FREE] = 10};

static bool
is_same(const struct work_snapshot *a, const struct work_snapshot *b)
{
    return a->version == b->version && a->policy == b->policy;
}

static void
wake_keeper(struct pool *p)
{
    (void)!eventfd_write(p->wake, 1);
}

/* ------------------------------------------------------------- handing -- */

/* Lock held: an idle worker that is alive, or NULL. Marks those that have just
   died, so that the keeper replaces them. */
static struct slot *
find_idle(struct pool *p, enum pool_lane lane, const struct work_snapshot *of)
{
    for (size_t i = 0; i < p->n; i++) {
        struct slot *s = &p->slots[i];

        if (s->state != SLOT_IDLE || s->lane != lane ||
            !is_same(&s->process.of, of))
            continue;
        if (channel_is_quiet(&s->process.to))
            return s;
        s->state = SLOT_STALE;
        wake_keeper(p);
    }
    return NULL;
}

/* Lock held: may one more worker of the lane be taken? If not, those that are
   idle are spare. */
static bool
has_place(const struct pool *p, enum pool_lane lane)
{
    size_t taken = 0;

    for (size_t i = 0; i < p->n; i++)
        taken += p->slots[i].lane == lane && p->slots[i].state == SLOT_TAKEN;
    return taken < p->most[lane];
}

/* Lock held: gives idle workers of the lane to waiters, in order of arrival. */
static void
hand_out(struct pool *p, enum pool_lane lane)
{
    struct waiter **at = &p->waiters;
    int64_t now = *at ? p->options.now_us() : 0;

    while (*at && has_place(p, lane)) {
        struct waiter *w = *at;
        bool takes =
            w->lane == lane && !w->needs && (!w->begin_us || now < w->begin_us);
        struct slot *s = takes ? find_idle(p, lane, &w->of) : NULL;

        if (!s) {
            at = &w->next;
            continue;
        }
        s->state = SLOT_TAKEN;
        w->got = s;
        w->sent = w->message &&
                  channel_send_at_once(&s->process.to, w->kind, w->message);
        *at = w->next;
        pthread_cond_signal(&w->ready);
    }
}

static bool
is_newer(const struct work_snapshot *a, const struct work_snapshot *b)
{
    return a->version > b->version ||
           (a->version == b->version && a->policy > b->policy);
}

/* Lock held: does the lane have a worker of this snapshot, idle, taken or starting? */
static bool
has_any(const struct pool *p, enum pool_lane lane,
        const struct work_snapshot *of)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->slots[i].lane == lane && p->slots[i].state != SLOT_STALE &&
            p->slots[i].state != SLOT_EMPTY &&
            is_same(&p->slots[i].process.of, of))
            return true;
    return false;
}

/*
 * Lock held. When a caller asks for a newer snapshot, workers of other snapshots
 * become outdated. The keeper replaces them one by one, so that a question that
 * began on an older snapshot still finds a worker. If there is none for it, an
 * idle worker is replaced by one of that older snapshot.
 */
static void
look_for(struct pool *p, enum pool_lane lane, const struct work_snapshot *of)
{
    bool newer = is_newer(of, &p->of), some = newer;

    if (newer)
        p->of = *of;
    else if (is_same(of, &p->of) || has_any(p, lane, of))
        return;
    for (size_t i = 0; i < p->n && newer; i++)
        p->slots[i].outdated = !is_same(&p->slots[i].process.of, of);
    for (size_t i = 0; i < p->n && !some; i++)
        if (p->slots[i].state == SLOT_IDLE && p->slots[i].lane == lane) {
            p->slots[i].state = SLOT_STALE;
            some = true;
        }
    if (some)
        wake_keeper(p);
}

static void
join_waiters(struct pool *p, struct waiter *w)
{
    struct waiter **at = &p->waiters;

    while (*at)
        at = &(*at)->next;
    w->next = NULL;
    *at = w;
}

static void
leave_waiters(struct pool *p, const struct waiter *w)
{
    struct waiter **at = &p->waiters;

    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
}

/* Lock held: how many workers of this snapshot are idle or taken. */
static size_t
count_workers(const struct pool *p, enum pool_lane lane,
              const struct work_snapshot *of)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct slot *s = &p->slots[i];

        n += s->lane == lane && is_same(&s->process.of, of) &&
             (s->state == SLOT_IDLE || s->state == SLOT_TAKEN);
    }
    return n;
}

static bool
is_served(const struct pool *p, const struct waiter *w)
{
    return w->needs ? count_workers(p, w->lane, &w->of) >= w->needs
                    : w->got != NULL;
}

/* Lock held: waits until w is served or has to give up. */
static void
wait_for_worker(struct pool *p, struct waiter *w, const _Atomic int *stop)
{
    while (!is_served(p, w) && !p->ending && !(stop && atomic_load(stop)) &&
           !(p->beginning && p->failures >= FAILURES_MOST)) {
        int64_t left = LOOK_US, now = p->options.now_us();
        struct timespec t;

        if (w->begin_us && w->begin_us <= now)
            break;
        if (w->begin_us && w->begin_us - now < left)
            left = w->begin_us - now;
        clock_gettime(CLOCK_MONOTONIC, &t);
        left += t.tv_nsec / 1000;
        t.tv_sec += (time_t)(left / 1000000);
        t.tv_nsec = (long)(left % 1000000 * 1000);
        pthread_cond_timedwait(&w->ready, &p->lock, &t);
    }
    if (!w->got)
        leave_waiters(p, w);
}

static bool
waiter_init(struct waiter *w)
{
    pthread_condattr_t steady;
    bool good;

    if (pthread_condattr_init(&steady))
        return false;
    good = !pthread_condattr_setclock(&steady, CLOCK_MONOTONIC) &&
           !pthread_cond_init(&w->ready, &steady);
    pthread_condattr_destroy(&steady);
    return good;
}

struct process *
pool_take(struct pool *p, enum pool_lane lane, const struct work_snapshot *of,
          int64_t begin_us, const _Atomic int *stop)
{
    bool none;

    return pool_take_for(p, lane, of, begin_us, stop, MESSAGE_PING, NULL,
                         &none);
}

struct process *
pool_take_for(struct pool *p, enum pool_lane lane,
              const struct work_snapshot *of, int64_t begin_us,
              const _Atomic int *stop, enum message_kind kind,
              struct buf *message, bool *sent)
{
    struct waiter w = {.lane = lane,
                       .of = *of,
                       .begin_us = begin_us,
                       .kind = kind,
                       .message = message};

    if (!waiter_init(&w))
        return NULL;
    pthread_mutex_lock(&p->lock);
    look_for(p, lane, of);
    join_waiters(p, &w);
    if (!stop || !atomic_load(stop)) /* after a stop nothing is sent */
        hand_out(p, lane);
    wait_for_worker(p, &w, stop);
    pthread_mutex_unlock(&p->lock);
    pthread_cond_destroy(&w.ready);
    *sent = w.sent;
    return w.got ? &w.got->process : NULL;
}

bool
pool_await(struct pool *p, enum pool_lane lane, const struct work_snapshot *of,
           const _Atomic int *stop)
{
    struct waiter w = {
        .lane = lane, .of = *of, .begin_us = p->options.now_us() + START_US};
    bool served;

    if (!waiter_init(&w))
        return false;
    pthread_mutex_lock(&p->lock);
    look_for(p, lane, of);
    w.needs = is_same(of, &p->of) ? p->kept_ready[lane] : 1;
    served = w.needs == 0;
    if (!served) {
        join_waiters(p, &w);
        wait_for_worker(p, &w, stop);
        leave_waiters(p, &w);
        served = is_served(p, &w);
    }
    pthread_mutex_unlock(&p->lock);
    pthread_cond_destroy(&w.ready);
    return served;
}

void
pool_give(struct pool *p, struct process *w)
{
    struct slot *s = (struct slot *)w;

    pthread_mutex_lock(&p->lock);
    s->state = s->died ? SLOT_STALE : SLOT_IDLE;
    hand_out(p, s->lane); /* first to waiters for the same snapshot */
    if (s->state == SLOT_IDLE && !is_same(&s->process.of, &p->of))
        s->state = SLOT_STALE;
    if (s->state == SLOT_STALE)
        wake_keeper(p);
    pthread_mutex_unlock(&p->lock);
}

enum process_death
pool_lose(struct pool *p, struct process *w)
{
    struct slot *s = (struct slot *)w;
    struct process gone = *w;
    enum process_death death;

    pthread_mutex_lock(&p->lock);
    s->state = SLOT_EMPTY;
    hand_out(p, s->lane);
    wake_keeper(p);
    pthread_mutex_unlock(&p->lock);
    death = process_end(&gone); /* meanwhile the keeper starts another */
    return death;
}

void
pool_kill(struct pool *p, struct process *w)
{
    struct slot *s = (struct slot *)w;

    pthread_mutex_lock(&p->lock);
    kill(w->pid, SIGKILL);
    s->state = SLOT_STALE;
    hand_out(p, s->lane);
    wake_keeper(p);
    pthread_mutex_unlock(&p->lock);
}

struct work_snapshot
pool_snapshot(struct pool *p)
{
    struct work_snapshot of;

    pthread_mutex_lock(&p->lock);
    of = p->of;
    pthread_mutex_unlock(&p->lock);
    return of;
}

bool
pool_is_late(const struct pool *p, int64_t begin_us)
{
    return begin_us && p->options.now_us() >= begin_us;
}

bool
pool_is_busy(struct pool *p, enum pool_lane lane)
{
    bool some = false;

    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n; i++)
        some |= p->slots[i].lane == lane && p->slots[i].state == SLOT_TAKEN;
    pthread_mutex_unlock(&p->lock);
    return some;
}

int64_t
pool_free_until(const struct pool *p)
{
    return p->free_us ? p->options.now_us() + p->free_us : 0;
}

/* -------------------------------------------------------------- keeping -- */

/* Lock held: the snapshot that the next worker of a lane is to serve. */
static struct work_snapshot
wanted_snapshot(const struct pool *p, enum pool_lane lane)
{
    for (const struct waiter *w = p->waiters; w; w = w->next)
        if (w->lane == lane && !has_any(p, lane, &w->of))
            return w->of;
    return p->of;
}

/* Starts a worker for the slot. Lock held, but released while the worker starts. */
static custos_status
fill_slot(struct pool *p, struct slot *s, custos_err *err)
{
    struct work_snapshot of = wanted_snapshot(p, s->lane), before = p->of;
    struct process old = s->process, fresh;
    struct process_options how = p->options;
    bool replaces = s->state == SLOT_STALE;
    custos_status st;

    s->state = SLOT_STARTING;
    s->process.of = of; /* the other fields are still those of `old` */
    pthread_mutex_unlock(&p->lock);
    if (replaces)
        (void)process_end(&old);
    how.nice = nices[s->lane];
    st = process_start(&how, &of, how.now_us() + START_US, &fresh, err);
    pthread_mutex_lock(&p->lock);
    p->failures = st ? p->failures + 1 : 0;
    s->state = st ? SLOT_EMPTY : SLOT_IDLE;
    if (st) {
        p->why = *err;
        for (struct waiter *w = p->waiters; w; w = w->next)
            pthread_cond_signal(&w->ready); /* it may be time to give up */
        return st;
    }
    s->process = fresh;
    s->died = false;
    s->outdated = !is_same(&of, &p->of) && is_newer(&p->of, &before);
    hand_out(p, s->lane);
    for (struct waiter *w = p->waiters; w; w = w->next)
        if (w->needs)
            pthread_cond_signal(&w->ready);
    return CUSTOS_OK;
}

/* Lock held: does a caller wait for a worker of this slot's snapshot? */
static bool
is_awaited(const struct pool *p, const struct slot *s)
{
    for (const struct waiter *w = p->waiters; w; w = w->next)
        if (w->lane == s->lane && is_same(&w->of, &s->process.of))
            return true;
    return false;
}

/* Lock held: the next slot that needs the keeper, or NULL. */
static struct slot *
next_slot(struct pool *p)
{
    for (size_t i = 0; i < p->n; i++) {
        struct slot *s = &p->slots[i];

        if (s->state == SLOT_EMPTY || s->state == SLOT_STALE)
            return s;
    }
    for (size_t i = 0; i < p->n; i++) {
        struct slot *s = &p->slots[i];

        if (s->state == SLOT_IDLE &&
            (s->died || (s->outdated && !is_awaited(p, s)))) {
            s->state = SLOT_STALE;
            return s;
        }
    }
    return NULL;
}

/*
 * Sleeps until the keeper is woken, a worker dies, or ms have passed. It polls
 * taken workers too: a worker that is given back during the sleep is then
 * already being watched, and the caller need not wake the keeper. If a taken
 * worker dies, the keeper only notes this: the caller that has the worker sees
 * it too.
 */
static void
sleep_keeper(struct pool *p, struct pollfd *fds, int ms)
{
    eventfd_t ignored;

    fds[p->n] = (struct pollfd){.fd = p->wake, .events = POLLIN};
    for (size_t i = 0; i < p->n; i++) {
        const struct slot *s = &p->slots[i];
        bool lives = s->state == SLOT_IDLE || s->state == SLOT_TAKEN;

        fds[i] =
            (struct pollfd){.fd = lives && !s->died ? s->process.to.fd : -1,
                            .events = POLLRDHUP};
    }
    pthread_mutex_unlock(&p->lock);
    (void)poll(fds, p->n + 1, ms);
    (void)!eventfd_read(p->wake, &ignored);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n; i++)
        p->slots[i].died |= fds[i].revents != 0;
}

static void *
keeper_main(void *ctx)
{
    struct pool *p = ctx;
    struct pollfd *fds = calloc(p->n + 1, sizeof *fds);

    pthread_mutex_lock(&p->lock);
    while (fds && !p->ending) {
        struct slot *s = next_slot(p);
        custos_err err = CUSTOS_ERR_INIT;

        if (!s)
            sleep_keeper(p, fds, -1);
        else if (fill_slot(p, s, &err))
            sleep_keeper(p, fds, AGAIN_MS);
    }
    pthread_mutex_unlock(&p->lock);
    free(fds);
    /* The workers die with this thread, which therefore reaps them. */
    for (size_t i = 0; i < p->n; i++)
        if (p->slots[i].state == SLOT_IDLE || p->slots[i].state == SLOT_STALE)
            (void)process_end(&p->slots[i].process);
    return NULL;
}

/* ------------------------------------------------------- start and end -- */

/* Waits for the first worker, so that errors of the store are reported now. */
static custos_status
pool_start(struct pool *p, custos_err *err)
{
    struct process *first;
    pthread_attr_t attr;
    custos_status st = CUSTOS_OK;

    if (pthread_attr_init(&attr))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (pthread_attr_setstacksize(&attr, KEEPER_STACK) ||
        pthread_create(&p->keeper, &attr, keeper_main, p))
        st = custos_fail(err, CUSTOS_ENOMEM, "no thread could be started");
    pthread_attr_destroy(&attr);
    if (st)
        return st;
    p->has_keeper = true;
    p->beginning = true;
    first = pool_take(p, POOL_PRIVATE, &p->of, p->options.now_us() + START_US,
                      NULL);
    if (!first)
        return custos_fail(err, CUSTOS_EIO,
                           "no worker process could be started: %.120s" HINT
                           "%s",
                           p->why.said, p->why.hint);
    p->beginning = false;
    pool_give(p, first);
    return CUSTOS_OK;
}

custos_status
pool_new(const struct pool_options *o, struct pool **out, custos_err *err)
{
    size_t n = 0, at = 0;
    struct pool *p;
    custos_status st;

    for (int lane = 0; lane < POOL_LANES; lane++)
        n += o->workers[lane] + o->spare[lane];
    p = calloc(1, sizeof *p + n * sizeof(struct slot));
    if (!p)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = store_open(o->store, &p->store, err);
    if (st) {
        free(p);
        return st;
    }
    pthread_mutex_init(&p->lock, NULL);
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->n = n;
    p->of = o->of;
    p->free_us = o->free_us;
    p->options = (struct process_options){
        .command = o->command,
        .store = &p->store,
        .memory_bytes = o->memory_bytes,
        .now_us = o->now_us,
    };
    for (int lane = 0; lane < POOL_LANES; lane++)
        for (size_t i = 0; i < o->workers[lane] + o->spare[lane]; i++)
            p->slots[at++].lane = (enum pool_lane)lane;
    memcpy(p->most, o->workers, sizeof p->most);
    for (int lane = 0; lane < POOL_LANES; lane++)
        p->kept_ready[lane] = o->spare[lane] < o->workers[lane]
                                  ? o->spare[lane]
                                  : o->workers[lane];
    st = p->wake < 0
             ? custos_fail(err, CUSTOS_EIO, "no file descriptors are left")
             : pool_start(p, err);
    if (st)
        pool_free(p);
    else
        *out = p;
    return st;
}

void
pool_free(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    wake_keeper(p);
    pthread_mutex_unlock(&p->lock);
    if (p->has_keeper)
        pthread_join(p->keeper, NULL);
    if (p->wake >= 0)
        close(p->wake);
    store_close(&p->store);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
