/*
 * Counting, turn by turn. Each job counts into arrays of its own and adds them
 * to the common ones at its end.
 */
#include "audit/count.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

enum { JOB_OUTPUTS = 1 << 15, JOB_TURNS_TIMED = 16 };

struct common {
    const struct counting *c;
    uint64_t job_size;
    pthread_mutex_t lock; /* guards the total */
    struct counts *total;
};

void
counts_clear(struct counts *counts)
{
    for (size_t i = 0; i < counts->n; i++)
        free(counts->count[i]);
    *counts = (struct counts){0};
}

static custos_status
counts_new(struct counts *out, const struct counting *c, custos_err *err)
{
    *out = (struct counts){.n = c->n};
    for (size_t i = 0; i < c->n; i++) {
        out->count[i] = calloc(c->events[i]->bins.n * ARMS, sizeof(uint64_t));
        if (!out->count[i]) {
            counts_clear(out);
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
    }
    return CUSTOS_OK;
}

static void
add_counts(struct common *common, const struct counts *mine)
{
    const struct counting *c = common->c;

    pthread_mutex_lock(&common->lock);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->events[i]->bins.n * ARMS; k++)
            common->total->count[i][k] += mine->count[i][k];
    pthread_mutex_unlock(&common->lock);
}

static custos_status
count_turns(const struct common *common, void *state, size_t job,
            struct batch arms[ARMS], struct counts *mine, custos_err *err)
{
    const struct counting *c = common->c;
    uint64_t first = job * common->job_size, n = c->samples - first;
    size_t turn = arms[ARM_A].n;

    n = n < common->job_size ? n : common->job_size;
    for (uint64_t at = 0; at < n; at += turn) {
        size_t size = n - at < turn ? (size_t)(n - at) : turn;
        struct batch part[ARMS] = {batch_part(&arms[ARM_A], 0, size),
                                   batch_part(&arms[ARM_B], 0, size)};
        custos_status st = outputs_take_turn(c->target, state, c->pair, c->seed,
                                             (first + at) / turn, part, err);

        if (st)
            return st;
        for (size_t i = 0; i < c->n; i++)
            events_count(c->events[i], part, mine->count[i]);
    }
    return CUSTOS_OK;
}

static custos_status
count_job(void *context, void *state, size_t job, custos_err *err)
{
    struct common *common = context;
    const struct audit_target *target = common->c->target;
    struct batch arms[ARMS] = {{0}};
    struct counts mine = {0};
    custos_status st = counts_new(&mine, common->c, err);

    for (int arm = 0; arm < ARMS && !st; arm++)
        st = batch_new(&arms[arm], target, outputs_turn_size(target), err);
    if (!st)
        st = count_turns(common, state, job, arms, &mine, err);
    if (!st)
        add_counts(common, &mine);
    for (int arm = 0; arm < ARMS; arm++)
        batch_clear(&arms[arm]);
    counts_clear(&mine);
    return st;
}

custos_status
count_outputs(const struct counting *c, struct counts *out, custos_err *err)
{
    struct common common = {.c = c,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .total = out,
                            .job_size = JOB_OUTPUTS};
    struct parallel p = c->parallel;
    custos_status st = counts_new(out, c, err);

    if (st)
        return st;
    if (c->target->slow)
        common.job_size = outputs_turn_size(c->target);
    else if (c->target->timed)
        common.job_size = outputs_turn_size(c->target) * JOB_TURNS_TIMED;
    p.job = count_job;
    p.context = &common;
    p.target = c->target;
    st = parallel_do(&p, (c->samples + common.job_size - 1) / common.job_size,
                     err);
    pthread_mutex_destroy(&common.lock);
    if (st)
        counts_clear(out);
    return st;
}
