/*
 * Runs a stage: computes exact numbers in one of four ways and seals them. A failure
 * is reported by one constant sentence; the details go to err->noted.
 */
#include "base/error.h"
#include "engine/refail.h"
#include "engine/statement/work.h"
#include "mech/i128.h"

/* Are there numbers to compute? Quantiles have queries of their own; a partition
   selection needs counts of units. */
static bool
has_numbers(const struct stage *stage)
{
    if (stage->space->selection)
        return true;
    for (size_t i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].kind != PART_QUANTILES)
            return true;
    return false;
}

custos_status
work_fill(struct engine *e, const struct stage *stage, struct exact *x,
          custos_err *err)
{
    if (!has_numbers(stage))
        return CUSTOS_OK;
    switch (stage->space->bounding) {
    case BOUND_NONE:
    case BOUND_RANK: return run_sql(e, stage, x, err);
    case BOUND_FOLD:
        return (fits_ordinal(e, stage) ? run_ordinal : run_fold)(e, stage, x,
                                                                 err);
    case BOUND_GENERAL: return run_general(e, stage, x, err);
    }
    return custos_fail(err, CUSTOS_EENGINE, "the query could not be completed");
}

custos_status
engine_run(struct engine *e, const struct stage *stage, custos_sealed **parts,
           custos_err *err)
{
    struct exact x = {.groups = NULL};
    custos_status st = CUSTOS_OK;
    size_t sealed = 0;

    if (stage->space->selection) /* UNREACHABLE: engine_find runs those */
        return custos_fail(err, CUSTOS_EINTERNAL, "groups are to be chosen");
    st = exact_init(&x, stage, err);

    if (!st)
        st = work_fill(e, stage, &x, err);
    while (!st && sealed < stage->n_parts) {
        st = seal_i128(NULL, exact_part(&x, sealed),
                       x.cells * part_numbers(&stage->parts[sealed]),
                       &parts[sealed], err);
        if (!st)
            sealed++;
    }
    exact_clear(&x);
    if (!st)
        return CUSTOS_OK;
    for (size_t i = 0; i < sealed; i++) {
        custos_sealed_free(parts[i]);
        parts[i] = NULL;
    }
    if (st != CUSTOS_ENOMEM)
        st = refail(err, CUSTOS_EENGINE, "the query could not be completed");
    return st;
}
