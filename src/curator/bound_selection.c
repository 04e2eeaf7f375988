/*
 * Runs the bound selection: one noisy comparison for each bound, until the first
 * that passes (theorem bound-race, plan/part/bound_selection.h). Only the index of that
 * bound is released.
 */
#include "curator/bound_selection.h"

#include "curator/answer.h"
#include "plan/part/bound_selection.h"

static custos_status
select_bound(const struct bound_selection *r, custos_rng *rng,
             custos_sealed **few, size_t *taken, custos_err *err)
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
bound_selection_run(struct engine *e, custos_rng *rng, const struct plan *p,
                    const struct plan **out, custos_err *err)
{
    const struct bound_selection *r = plan_bound_selection(p);
    custos_sealed *few[BOUND_SELECTION_MAX] = {NULL};
    size_t taken = 0;
    custos_status st = engine_bound_counts(e, p, few, err);

    if (!st)
        st = select_bound(r, rng, few, &taken, err);
    for (size_t i = 0; i < BOUND_SELECTION_MAX; i++)
        custos_sealed_free(few[i]);
    *out = r->plans[taken];
    return st;
}

void
bound_selection_report(const struct plan *p, struct answer *answer)
{
    enum { SENTENCE_MAX = 400 };
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    bound_selection_remark(plan_bound_selection(p), &b);
    if (!b.failed)
        answer_remark(answer, buf_text(&b));
    buf_clear(&b);
}
