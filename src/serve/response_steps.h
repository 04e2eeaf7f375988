/*
 * Response steps: a charged reply without a class time leaves only at fixed
 * moments after its request came, so that its timing reveals the step and no
 * more.
 */
#ifndef SERVE_RESPONSE_STEPS_H
#define SERVE_RESPONSE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;

/* The first step at or after elapsed_us. Steps are 10 ms, 20 ... 100 ms, then 200,
   400, 800 ... Cannot fail. */
int64_t response_step_after(int64_t elapsed_us);

/* The first multiple of 10 ms at or after elapsed_us that is not 0. It adds at
   most 10 ms, however long the wait: a wait may contain earlier waits that were
   rounded up, so what is added must not grow with it. Cannot fail. */
int64_t moment_after(int64_t elapsed_us);

/*
 * Jobs that wait until their due_us (those without one, until their response
 * step), the earliest first. Not thread-safe. The clock is an argument.
 */
struct reply_heap {
    struct job **jobs; /* a heap by due_us */
    size_t n, room;
};

void reply_heap_clear(struct reply_heap *s);

/* Makes room for this many jobs. False: out of memory. */
bool reply_heap_reserve(struct reply_heap *s, size_t jobs);
/* Needs room that was reserved. */
void reply_heap_put(struct reply_heap *s, struct job *j, int64_t finished_us);

/* A job whose time has come, or NULL. */
struct job *reply_heap_take(struct reply_heap *s, int64_t now_us);

/* When the next one is due; INT64_MAX: none. */
int64_t reply_heap_next(const struct reply_heap *s);

#endif
