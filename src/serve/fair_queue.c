#include "serve/fair_queue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "serve/workers.h"

void
fair_queue_init(struct fair_queue *q, const struct queue_limits *limits)
{
    *q = (struct fair_queue){.limits = *limits};
    q->ready_last = &q->ready;
    q->paused_last = &q->paused;
}

void
fair_queue_clear(struct fair_queue *q)
{
    for (size_t i = 0; i < QUEUE_BUCKETS; i++)
        CUSTOS_REQUIRE(!q->buckets[i]);
}

/* --------------------------------------------------------------- shares -- */

/* FNV-1a. Names come from the policy or are client addresses. Nobody gains by
   collisions: they slow down only the names that collide. */
static struct queue_share **
bucket_of(struct fair_queue *q, str name)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (unsigned char)name.ptr[i]) * 16777619u;
    return &q->buckets[h % QUEUE_BUCKETS];
}

static struct queue_share *
share_find(struct fair_queue *q, str name)
{
    struct queue_share *s = *bucket_of(q, name);

    while (s && !str_equal((str){s->name, s->name_len}, name))
        s = s->next;
    return s;
}

static struct queue_share *
share_new(struct fair_queue *q, str name)
{
    struct queue_share **bucket = bucket_of(q, name);
    struct queue_share *s = calloc(1, sizeof *s + name.len + 1);

    if (!s)
        return NULL;
    s->last = &s->first;
    s->paused_last = &s->paused;
    s->name_len = name.len;
    if (name.len)
        memcpy(s->name, name.ptr, name.len);
    s->next = *bucket;
    *bucket = s;
    return s;
}

static void
ready_add(struct fair_queue *q, struct queue_share *s)
{
    s->ready_next = NULL;
    s->ready_at = q->ready_last;
    *q->ready_last = s;
    q->ready_last = &s->ready_next;
}

static void
ready_remove(struct fair_queue *q, struct queue_share *s)
{
    *s->ready_at = s->ready_next;
    if (s->ready_next)
        s->ready_next->ready_at = s->ready_at;
    else
        q->ready_last = s->ready_at;
    s->ready_at = NULL;
}

/* Called after every change: a share is in `ready` exactly when it may begin a
   job, and exists exactly while it has jobs. */
static void
share_settle(struct fair_queue *q, struct queue_share *s)
{
    bool may =
        s->waiting && !s->paused && s->running < q->limits.share_running &&
        (!q->limits.share_planning || s->planning < q->limits.share_planning) &&
        s->in_flight < q->limits.share_in_flight;
    struct queue_share **at;

    if (may && !s->ready_at)
        ready_add(q, s);
    else if (!may && s->ready_at)
        ready_remove(q, s);
    if (s->waiting || s->in_flight)
        return;
    at = bucket_of(q, (str){s->name, s->name_len});
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

/* ----------------------------------------------------------------- jobs -- */

static bool
share_add(struct fair_queue *q, str who, struct job *j)
{
    struct queue_share *s = share_find(q, who);

    if (!s && !(s = share_new(q, who)))
        return false;
    j->next = NULL;
    j->share = s;
    *s->last = j;
    s->last = &j->next;
    s->waiting++;
    q->waiting++;
    share_settle(q, s);
    return true;
}

enum queue_put
fair_queue_room(struct fair_queue *q, str who)
{
    const struct queue_share *s = share_find(q, who);

    if (q->waiting >= q->limits.waiting)
        return QUEUE_FULL;
    return s && s->waiting >= q->limits.share_waiting ? QUEUE_SHARE_FULL
                                                      : QUEUE_PUT;
}

enum queue_put
fair_queue_put(struct fair_queue *q, struct job *j)
{
    enum queue_put room = fair_queue_room(q, j->who);

    return room ? room : share_add(q, j->who, j) ? QUEUE_PUT : QUEUE_FULL;
}

static void
share_planned(struct job *j)
{
    j->share->planning -= !j->is_planned;
    j->is_planned = true;
}

bool
fair_queue_move(struct fair_queue *from, struct fair_queue *to, struct job *j)
{
    struct queue_share *s = j->share;

    share_planned(j);
    if (!share_add(to, (str){s->name, s->name_len}, j))
        return false;
    s->running--;
    s->in_flight--;
    share_settle(from, s);
    return true;
}

static struct job *
share_take(struct fair_queue *q, struct queue_share *s)
{
    struct job *j = s->first;

    s->first = j->next;
    if (!s->first)
        s->last = &s->first;
    s->waiting--;
    s->in_flight++;
    q->waiting--;
    return j;
}

struct job *
fair_queue_take(struct fair_queue *q)
{
    struct queue_share *s = q->ready;
    struct job *j;

    if (!s)
        return NULL;
    ready_remove(q, s); /* share_settle may put it last again */
    j = share_take(q, s);
    j->is_planned = false;
    s->planning++;
    s->running++;
    share_settle(q, s);
    return j;
}

void
fair_queue_planned(struct fair_queue *q, struct job *j)
{
    share_planned(j);
    share_settle(q, j->share);
}

void
fair_queue_ran(struct fair_queue *q, struct job *j)
{
    share_planned(j);
    j->share->running--;
    share_settle(q, j->share);
}

void
fair_queue_done(struct fair_queue *q, struct job *j)
{
    struct queue_share *s = j->share;

    fair_queue_leave(q, j);
    j->share = NULL;
    s->in_flight--;
    share_settle(q, s);
}

void
fair_queue_pause(struct fair_queue *q, struct job *j)
{
    struct queue_share *s = j->share;

    if (!s->paused) {
        s->paused_next = NULL;
        *q->paused_last = s;
        q->paused_last = &s->paused_next;
    }
    j->next = NULL;
    *s->paused_last = j;
    s->paused_last = &j->next;
    share_settle(q, s);
}

static bool
has_room(int64_t on_its_way, int64_t class_us, int64_t most)
{
    return !on_its_way || (on_its_way <= most && class_us <= most - on_its_way);
}

/* Takes the first paused job of a share; the share then goes behind the
   others. */
static struct job *
admit_first(struct fair_queue *q, struct queue_share **at, bool is_short)
{
    struct queue_share *s = *at;
    struct job *j = s->paused;

    *at = s->paused_next;
    if (!*at)
        q->paused_last = at;
    s->paused = j->next;
    if (!s->paused) {
        s->paused_last = &s->paused;
    } else {
        s->paused_next = NULL;
        *q->paused_last = s;
        q->paused_last = &s->paused_next;
    }
    j->admitted_us = j->class_us;
    j->is_short = is_short;
    s->work_us += j->class_us;
    q->work_us += is_short ? j->class_us : 0;
    share_settle(q, s);
    return j;
}

struct job *
fair_queue_admit(struct fair_queue *q, const struct room *r)
{
    bool waits = false; /* a short job waits; no other short job may overtake
                           it */

    for (struct queue_share **at = &q->paused; *at; at = &(*at)->paused_next) {
        int64_t class_us = (*at)->paused->class_us;
        bool is_short = class_us <= r->long_us;

        if (!has_room((*at)->work_us, class_us, r->of_name))
            continue;
        if (is_short && (waits || !has_room(q->work_us, class_us, r->of_all)))
            waits = true;
        else
            return admit_first(q, at, is_short);
    }
    return NULL;
}

void
fair_queue_leave(struct fair_queue *q, struct job *j)
{
    j->share->work_us -= j->admitted_us;
    q->work_us -= j->is_short ? j->admitted_us : 0;
    j->admitted_us = 0;
}

void
fair_queue_remove(struct fair_queue *q, struct job *j)
{
    struct queue_share *s = j->share;
    struct job **at = &s->first;

    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    if (!*at)
        s->last = at;
    s->waiting--;
    s->in_flight++;
    q->waiting--;
    share_settle(q, s);
}

struct job *
fair_queue_drain(struct fair_queue *q)
{
    for (size_t i = 0; i < QUEUE_BUCKETS; i++)
        for (struct queue_share *s = q->buckets[i]; s; s = s->next)
            if (s->waiting) {
                struct job *j = share_take(q, s);

                share_settle(q, s);
                return j;
            }
    return NULL;
}
