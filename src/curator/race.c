/*
 * The race of bounds, run: one question a bound, until the first yes (theorem
 * bound-race, plan/race.h). Which bound that is is all that is released.
 */
#include "curator/race.h"

#include "curator/answer.h"
#include "plan/race.h"

static custos_status
ask(const struct race *r, custos_rng *rng, custos_sealed **few, size_t *taken,
    custos_err *err)
{
    custos_sparse_options o = {.size = sizeof o,
                               .answers = 1,
                               .moves = CUSTOS_SCORES_MONOTONE,
                               .epsilon = r->epsilon};
    custos_sparse *sparse = NULL;
    custos_status st = custos_sparse_new(NULL, &o, rng, &sparse, err);
    bool above = false;
    size_t i = 0;

    while (!st && i + 1 < r->n) {
        st = custos_sparse_ask(sparse, rng, few[i], -r->few, &above, NULL, err);
        if (above)
            break;
        i++;
    }
    custos_sparse_free(sparse);
    *taken = i;
    return st;
}

custos_status
race_run(struct engine *e, custos_rng *rng, const struct plan *p,
         const struct plan **out, custos_err *err)
{
    custos_sealed *few[RACE_BOUNDS] = {NULL};
    size_t taken = 0;
    custos_status st;

    *out = p;
    if (!p->race)
        return CUSTOS_OK;
    st = engine_race(e, p, few, err);
    if (!st)
        st = ask(p->race, rng, few, &taken, err);
    for (size_t i = 0; i < RACE_BOUNDS; i++)
        custos_sealed_free(few[i]);
    *out = p->race->plans[taken];
    return st;
}

void
race_tell(const struct plan *p, struct answer *answer)
{
    enum { SENTENCE_MAX = 400 };
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    race_remark(p->race, &b);
    if (!b.failed)
        answer_remark(answer, buf_text(&b));
    buf_clear(&b);
}
