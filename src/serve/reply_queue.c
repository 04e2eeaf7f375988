/*
 * The virtual queue: for each virtual server the moment at which it is free, as a
 * heap with the earliest first. There is no other state: these moments follow
 * from arrivals, class times and stops, never from how long work really took.
 */
#include "serve/reply_queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/ck.h"
#include "serve/response_steps.h"

struct reply_queue {
    pthread_mutex_t lock;
    int64_t allowance_us;
    size_t n;
    int64_t free_us[]; /* a heap */
};

struct reply_queue *
reply_queue_new(size_t servers, int64_t allowance_us)
{
    struct reply_queue *q;

    CUSTOS_REQUIRE(servers >= 1 && allowance_us >= 0);
    if (servers > (SIZE_MAX - sizeof *q) / sizeof q->free_us[0])
        return NULL;
    q = calloc(1, sizeof *q + servers * sizeof q->free_us[0]);
    if (!q || pthread_mutex_init(&q->lock, NULL)) {
        free(q);
        return NULL;
    }
    q->allowance_us = allowance_us;
    q->n = servers;
    for (size_t i = 0; i < servers; i++)
        q->free_us[i] = INT64_MIN;
    return q;
}

void
reply_queue_free(struct reply_queue *q)
{
    if (!q)
        return;
    pthread_mutex_destroy(&q->lock);
    free(q);
}

int64_t
reply_queue_allowance(const struct reply_queue *q)
{
    return q->allowance_us;
}

static int64_t
add_saturating(int64_t a, int64_t b)
{
    int64_t sum;

    return ck_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

/* Lock held: the server that is free first is now occupied until `until`. */
static void
occupy_earliest(struct reply_queue *q, int64_t until)
{
    int64_t *heap = q->free_us;
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < q->n && heap[child + 1] < heap[child])
            child++;
        if (child >= q->n || heap[child] >= until)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = until;
}

int64_t
reply_queue_admit(struct reply_queue *q, int64_t asked_us, int64_t now_us,
                  int64_t class_us)
{
    int64_t begin, end;

    CUSTOS_REQUIRE(class_us >= 1 && asked_us >= 0);
    begin = now_us > asked_us ? now_us - asked_us : 0;
    begin = add_saturating(asked_us, moment_after(begin));
    pthread_mutex_lock(&q->lock);
    if (begin < q->free_us[0])
        begin = q->free_us[0];
    end = add_saturating(begin, class_us);
    occupy_earliest(q, end);
    pthread_mutex_unlock(&q->lock);
    return add_saturating(end, q->allowance_us);
}

/* Lock held: restores the heap after entry i has become earlier. */
static void
heap_raise(int64_t *heap, size_t i)
{
    int64_t at = heap[i];

    while (i > 0 && heap[(i - 1) / 2] > at) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = at;
}

void
reply_queue_give_back(struct reply_queue *q, int64_t due_us, int64_t now_us)
{
    int64_t end = due_us - q->allowance_us;

    pthread_mutex_lock(&q->lock);
    for (size_t i = 0; i < q->n; i++)
        if (q->free_us[i] == end && now_us < end) {
            q->free_us[i] = now_us;
            heap_raise(q->free_us, i);
            break;
        }
    pthread_mutex_unlock(&q->lock);
}
