/*
 * THEOREM  response-steps
 *   Let a charged question arrive completely at time a and its work end at
 *   a + d. Its reply is handed over at a + step(d), where step(d) is the least
 *   of 10, 20, ..., 100, 200, 400, 800, ... milliseconds that is at least d. So
 *   an observer sees step(d) and not d: at most 10 + k values when d stays below
 *   100 * 2^k ms.
 * SOURCE   doc/proofs/response-steps.md
 * NEEDS    a is taken before anything that depends on the data; every reply of
 *          a charged question goes through the reply heap, failures included.
 * GIVES    if the times of two questions fall into one step, their replies
 *          leave equally long after their requests, except for how late the
 *          system wakes us, which depends on the load and not on the question.
 * FAILS    cannot. Which step it is can be seen, and so can the load of others:
 *          THREATS.md.
 * TESTED   steps_are_those_of_the_promise nothing_leaves_before_its_step
 *          times_within_a_step_look_alike
 */
#include "serve/response_steps.h"

#include <stdlib.h>

#include "base/base.h"
#include "serve/workers.h"

enum { FINE_US = 10000, COARSE_US = 100000 };

int64_t
response_step_after(int64_t elapsed_us)
{
    int64_t step = COARSE_US;

    if (elapsed_us <= FINE_US)
        return FINE_US;
    if (elapsed_us <= COARSE_US)
        return (elapsed_us + FINE_US - 1) / FINE_US * FINE_US;
    while (step < elapsed_us && step < INT64_MAX / 2)
        step *= 2;
    return step;
}

int64_t
moment_after(int64_t elapsed_us)
{
    if (elapsed_us <= FINE_US)
        return FINE_US;
    if (elapsed_us > INT64_MAX - FINE_US)
        return INT64_MAX;
    return (elapsed_us + FINE_US - 1) / FINE_US * FINE_US;
}

void
reply_heap_clear(struct reply_heap *s)
{
    free(s->jobs);
    *s = (struct reply_heap){0};
}

bool
reply_heap_reserve(struct reply_heap *s, size_t jobs)
{
    struct job **more;

    if (jobs <= s->room)
        return true;
    more = reallocarray(s->jobs, jobs, sizeof(struct job *));
    if (!more)
        return false;
    s->jobs = more;
    s->room = jobs;
    return true;
}

static void
swap_jobs(struct reply_heap *s, size_t a, size_t b)
{
    struct job *j = s->jobs[a];

    s->jobs[a] = s->jobs[b];
    s->jobs[b] = j;
}

void
reply_heap_put(struct reply_heap *s, struct job *j, int64_t finished_us)
{
    size_t i = s->n;

    CUSTOS_REQUIRE(s->n < s->room);
    if (!j->due_us)
        j->due_us =
            j->asked_us + response_step_after(finished_us - j->asked_us);
    s->jobs[s->n++] = j;
    for (; i && s->jobs[(i - 1) / 2]->due_us > s->jobs[i]->due_us;
         i = (i - 1) / 2)
        swap_jobs(s, i, (i - 1) / 2);
}

int64_t
reply_heap_next(const struct reply_heap *s)
{
    return s->n ? s->jobs[0]->due_us : INT64_MAX;
}

struct job *
reply_heap_take(struct reply_heap *s, int64_t now_us)
{
    struct job *first;
    size_t i = 0;

    if (!s->n || s->jobs[0]->due_us > now_us)
        return NULL;
    first = s->jobs[0];
    s->jobs[0] = s->jobs[--s->n];
    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < s->n &&
            s->jobs[child + 1]->due_us < s->jobs[child]->due_us)
            child++;
        if (child >= s->n || s->jobs[child]->due_us >= s->jobs[i]->due_us)
            return first;
        swap_jobs(s, i, child);
        i = child;
    }
}
