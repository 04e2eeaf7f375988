/*
 * How many aggregates one expression contains: they share the 5 % chance that
 * the expression's error bar misses the exact value.
 */
#include "plan/plan.h"

static bool
has_aggregate(const struct expr *e, size_t slot)
{
    if (e->kind == EXPR_AGGREGATE)
        return (size_t)e->slot == slot;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && has_aggregate(e->args[i], slot))
            return true;
    return false;
}

size_t
plan_aggregates(const struct plan *p, const struct expr *e)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_aggregates; i++)
        n += has_aggregate(e, i);
    return n;
}

size_t
plan_levels(const struct plan *p)
{
    size_t most = p->having ? plan_aggregates(p, p->having) : 0;

    for (size_t i = 0; i < p->n_outputs + p->n_order_by; i++) {
        const struct expr *e = i < p->n_outputs
                                   ? p->outputs[i].expr
                                   : p->order_by[i - p->n_outputs].expr;
        size_t n = plan_aggregates(p, e);

        most = n > most ? n : most;
    }
    return most;
}
