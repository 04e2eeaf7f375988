/*
 * The arithmetic of beats (reply_clock.h), and the threads that make them: one on
 * each processor, at most BEATS_MAX, asleep while no charged questions come.
 */
#include "serve/reply_clock.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "serve/clock.h"

enum { WATCH_US = 2000000, STACK_BYTES = 1 << 18 };

/* --------------------------------------------------------------- numbers -- */

void
beats_begin(struct beats *b, size_t n, int64_t steady)
{
    b->n = n;
    b->watched = true;
    for (size_t i = 0; i < n; i++)
        b->last_us[i] = steady;
}

/* How much of the time since the beat at `last` was lost and is not yet counted as
   lost. */
static int64_t
lost_since(const struct beats *b, int64_t last, int64_t steady)
{
    int64_t from = last + BEAT_US;

    if (steady - last <= BEAT_LATE_US)
        return 0;
    from = from > b->lost_until_us ? from : b->lost_until_us;
    return steady > from ? steady - from : 0;
}

void
beats_take(struct beats *b, size_t i, int64_t steady)
{
    int64_t lost = lost_since(b, b->last_us[i], steady);

    if (lost > 0) {
        b->lost_us += lost;
        b->lost_until_us = steady;
    }
    b->last_us[i] = steady;
}

int64_t
beats_clock(struct beats *b, int64_t steady)
{
    int64_t now = steady - b->lost_us, first = steady;

    for (size_t i = 0; i < b->n && b->watched; i++)
        first = b->last_us[i] < first ? b->last_us[i] : first;
    now -= lost_since(b, first, steady);
    b->told_us = now > b->told_us ? now : b->told_us;
    return b->told_us;
}

/* --------------------------------------------------------------- threads -- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t watch;
    struct beats beats;
    size_t n; /* threads */
    struct beater {
        pthread_t thread;
        size_t i;
    } beaters[BEATS_MAX];
    int64_t until_us; /* they beat until then */
    bool stopping;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER, .watch = PTHREAD_COND_INITIALIZER};

static void
sleep_us(long us)
{
    const struct timespec t = {.tv_nsec = us * 1000};

    (void)nanosleep(&t, NULL);
}

static void *
beat_main(void *ctx)
{
    const struct beater *me = ctx;

    pthread_mutex_lock(&here.lock);
    while (!here.stopping) {
        int64_t now = steady_us();

        if (!here.beats.watched) {
            pthread_cond_wait(&here.watch, &here.lock);
            continue;
        }
        beats_take(&here.beats, me->i, now);
        here.beats.watched = now < here.until_us;
        pthread_mutex_unlock(&here.lock);
        sleep_us(BEAT_US);
        pthread_mutex_lock(&here.lock);
    }
    pthread_mutex_unlock(&here.lock);
    return NULL;
}

/* Starts a thread on each processor that this process may use, or a single one
   if the processors are not known. */
bool
reply_clock_start(void)
{
    cpu_set_t all, one;
    pthread_attr_t attr;
    bool good = !pthread_attr_init(&attr);

    if (!good)
        return false;
    if (sched_getaffinity(0, sizeof all, &all)) {
        CPU_ZERO(&all);
        CPU_SET(0, &all);
    }
    good = !pthread_attr_setstacksize(&attr, STACK_BYTES);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && here.n < BEATS_MAX && good;
         cpu++) {
        struct beater *me = &here.beaters[here.n];

        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)pthread_attr_setaffinity_np(&attr, sizeof one, &one);
        me->i = here.n;
        good = !pthread_create(&me->thread, &attr, beat_main, me);
        here.n += good;
    }
    pthread_attr_destroy(&attr);
    if (!good)
        reply_clock_stop();
    return good;
}

void
reply_clock_stop(void)
{
    pthread_mutex_lock(&here.lock);
    here.stopping = true;
    here.beats.watched = false;
    pthread_cond_broadcast(&here.watch);
    pthread_mutex_unlock(&here.lock);
    for (size_t i = 0; i < here.n; i++)
        pthread_join(here.beaters[i].thread, NULL);
    here.n = 0;
    here.stopping = false;
}

void
reply_clock_watch(void)
{
    int64_t now;

    pthread_mutex_lock(&here.lock);
    now = steady_us();
    here.until_us = now + WATCH_US;
    if (!here.beats.watched && here.n) {
        beats_begin(&here.beats, here.n, now);
        pthread_cond_broadcast(&here.watch);
    }
    pthread_mutex_unlock(&here.lock);
}

int64_t
reply_clock_us(void)
{
    int64_t now;

    pthread_mutex_lock(&here.lock);
    now = beats_clock(&here.beats, steady_us());
    pthread_mutex_unlock(&here.lock);
    return now;
}

int64_t
reply_clock_lost_us(void)
{
    int64_t lost;

    pthread_mutex_lock(&here.lock);
    lost = here.beats.lost_us;
    pthread_mutex_unlock(&here.lock);
    return lost;
}
