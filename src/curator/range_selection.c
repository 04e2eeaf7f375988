/*
 * Runs the range selection: one draw of the exponential mechanism (theorem
 * range-found, plan/part/range_selection.h). Only the number of the range is
 * released.
 */
#include "curator/range_selection.h"

#include "curator/answer.h"
#include "plan/part/range_selection.h"

custos_status
range_selection_run(struct engine *e, custos_rng *rng, const struct plan *p,
                    size_t *taken, custos_err *err)
{
    const struct range_selection *r = plan_range_selection(p);
    custos_select_options o = range_selection_options(r);
    custos_sealed *scores = NULL;
    custos_status st = engine_range_scores(e, p, &scores, err);

    *taken = 0;
    if (!st)
        st = custos_select(NULL, &o, rng, scores, r->n, taken, err);
    custos_sealed_free(scores);
    return st;
}

void
range_selection_report(const struct plan *p, size_t taken,
                       struct answer *answer)
{
    enum { SENTENCE_MAX = 1 << 12 }; /* more than a remark has */
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    range_selection_remark(plan_range_selection(p), taken, &b);
    if (!b.failed)
        answer_remark(answer, buf_text(&b));
    buf_clear(&b);
}
