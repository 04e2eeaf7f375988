/*
 * Drawing outputs, in turns.
 */
#include "audit/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    TURN = 2048,     /* outputs of a fast target: fits the processor's cache */
    TURN_TIMED = 64, /* short, since times drift */
};

custos_status
batch_new(struct batch *out, const struct audit_target *target, size_t n,
          custos_err *err)
{
    struct batch b = {.n = n, .width = target->width};

    b.number = calloc(n * target->width + 1, sizeof *b.number);
    b.length = calloc(n + 1, sizeof *b.length);
    b.code = calloc(n + 1, sizeof *b.code);
    b.seconds = target->timed ? calloc(n + 1, sizeof *b.seconds) : NULL;
    b.written = target->prints ? calloc(n + 1, sizeof *b.written) : NULL;
    if (!b.number || !b.length || !b.code || (target->timed && !b.seconds) ||
        (target->prints && !b.written)) {
        batch_clear(&b);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    *out = b;
    return CUSTOS_OK;
}

void
batch_clear(struct batch *batch)
{
    free(batch->number);
    free(batch->length);
    free(batch->code);
    free(batch->seconds);
    free(batch->written);
    *batch = (struct batch){0};
}

struct batch
batch_part(const struct batch *whole, size_t from, size_t n)
{
    return (struct batch){
        .n = n,
        .width = whole->width,
        .number = whole->number + from * whole->width,
        .length = whole->length + from,
        .code = whole->code + from,
        .seconds = whole->seconds ? whole->seconds + from : NULL,
        .written = whole->written ? whole->written + from : NULL,
    };
}

size_t
outputs_turn_size(const struct audit_target *target)
{
    return target->slow ? 2 : target->timed ? TURN_TIMED : TURN;
}

/* One arm of a turn, or a part of it. */
static custos_status
sample_part(const struct audit_target *target, void *state,
            const struct pair *pair, enum arm arm, struct coins *coins,
            const struct batch *whole, size_t from, size_t n, custos_err *err)
{
    struct batch part = batch_part(whole, from, n);

    memset(part.number, 0, n * part.width * sizeof *part.number);
    memset(part.code, 0, n * sizeof *part.code);
    return target->sample(target, state, arm == ARM_A ? &pair->a : &pair->b,
                          coins, &part, err);
}

custos_status
outputs_take_turn(const struct audit_target *target, void *state,
                  const struct pair *pair, uint64_t seed, uint64_t turn,
                  struct batch arms[ARMS], custos_err *err)
{
    size_t n = arms[ARM_A].n, step = target->timed ? 1 : n;
    struct coins coins[ARMS], order;
    custos_status st = CUSTOS_OK;

    coins_seed(&coins[ARM_A], seed, 3 * turn);
    coins_seed(&coins[ARM_B], seed, 3 * turn + 1);
    coins_seed(&order, seed, 3 * turn + 2);
    for (size_t i = 0; i < n && !st; i += step) {
        enum arm first = coins_word(&order) >> 63 ? ARM_A : ARM_B;

        st = sample_part(target, state, pair, first, &coins[first],
                         &arms[first], i, step, err);
        if (!st)
            st = sample_part(target, state, pair, !first, &coins[!first],
                             &arms[!first], i, step, err);
    }
    return st;
}

struct drawing {
    const struct audit_target *target;
    const struct pair *pair;
    uint64_t seed;
    struct batch *arms;
    size_t turn_size;
};

static custos_status
draw_turn(void *context, void *state, size_t job, custos_err *err)
{
    const struct drawing *d = context;
    size_t from = job * d->turn_size, n = d->arms[ARM_A].n - from;
    struct batch part[ARMS];

    n = n < d->turn_size ? n : d->turn_size;
    for (int arm = 0; arm < ARMS; arm++)
        part[arm] = batch_part(&d->arms[arm], from, n);
    return outputs_take_turn(d->target, state, d->pair, d->seed, job, part,
                             err);
}

custos_status
outputs_draw(const struct audit_target *target, const struct pair *pair,
             uint64_t seed, const struct parallel *p, struct batch arms[ARMS],
             custos_err *err)
{
    struct drawing drawing = {.target = target,
                              .pair = pair,
                              .seed = seed,
                              .arms = arms,
                              .turn_size = outputs_turn_size(target)};
    struct parallel mine = *p;
    size_t turns = (arms[ARM_A].n + drawing.turn_size - 1) / drawing.turn_size;

    mine.job = draw_turn;
    mine.context = &drawing;
    mine.target = target;
    return parallel_do(&mine, turns, err);
}
