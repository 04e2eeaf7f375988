/*
 * Queries over public rows, or over no rows: exact and free. Grammar and types
 * are those of private queries; the engine computes the whole answer, so there
 * are no parts.
 */
#include "plan/work.h"

static bool
is_grouped(const struct query *q, const struct expr *e)
{
    for (size_t i = 0; i < q->n_group_by; i++)
        if (expr_same(q->group_by[i], e))
            return true;
    return false;
}

/* In a grouped query every column must be in a key or an aggregate. */
static custos_status
check_grouped(struct work *w, const struct expr *e, bool inside)
{
    custos_status st = CUSTOS_OK;

    if (!inside && is_grouped(w->q, e))
        return CUSTOS_OK;
    if (inside && e->kind == EXPR_AGGREGATE)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "aggregates cannot be nested");
    if (!inside && e->kind == EXPR_COLUMN)
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, e->at,
            "%.*s must appear in GROUP BY or inside an aggregate",
            SHOWN(e->name));
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = check_grouped(w, e->args[i],
                               inside || e->kind == EXPR_AGGREGATE);
    return st;
}

static custos_status
check_interval(struct work *w, const struct expr *e)
{
    custos_status st = CUSTOS_OK;

    if (e->kind == EXPR_GROUPING)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "there is no GROUPING of public tables" HINT
                              "write one query for each GROUP BY");
    if (e->kind == EXPR_INTERVAL)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "public rows are answered exactly: there is no "
                              "interval");
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = check_interval(w, e->args[i]);
    return st;
}

static custos_status
type_one(struct work *w, struct expr *e, bool grouped)
{
    custos_status st = check_interval(w, e);

    if (!st && grouped)
        st = check_grouped(w, e, false);
    return st ? st : types_set(w, e, CONTEXT_PUBLIC);
}

static bool
has_groups(const struct query *q)
{
    bool found = q->n_group_by > 0 || q->having;

    for (size_t i = 0; i < q->n_targets && !found; i++)
        found = expr_aggregate(q->targets[i].expr) != NULL;
    for (size_t i = 0; i < q->n_order_by && !found; i++)
        found = expr_aggregate(q->order_by[i].expr) != NULL;
    return found;
}

static custos_status
take_outputs(struct work *w)
{
    struct plan *p = w->plan;
    struct query *q = w->q;

    p->outputs = arena_take(w->a, q->n_targets + 1, sizeof *p->outputs);
    p->space.keys = arena_take(w->a, q->n_group_by + 1, sizeof *p->space.keys);
    if (!p->outputs || !p->space.keys)
        return work_no_memory(w);
    for (size_t i = 0; i < q->n_targets; i++)
        p->outputs[i] = (struct plan_output){.name = q->targets[i].name,
                                             .array = q->targets[i].array,
                                             .type = q->targets[i].expr->type,
                                             .expr = q->targets[i].expr,
                                             .aggregate = -1};
    p->n_outputs = q->n_targets;
    for (size_t i = 0; i < q->n_group_by; i++)
        p->space.keys[i].expr = q->group_by[i];
    p->space.n_keys = q->n_group_by;
    p->having = q->having;
    p->order_by = q->order_by;
    p->n_order_by = q->n_order_by;
    return CUSTOS_OK;
}

custos_status
public_make(struct work *w)
{
    struct query *q = w->q;
    custos_status st = CUSTOS_OK;
    bool grouped = has_groups(q);

    if (q->n_sets > 0)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED,
                              q->n_group_by > 0 ? q->group_by[0]->at : -1,
                              "there are no GROUPING SETS, ROLLUP or CUBE of "
                              "public tables" HINT
                              "write one query for each GROUP BY");
    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = type_one(w, q->targets[i].expr, grouped);
    if (!st && q->having) {
        st = type_one(w, q->having, grouped);
        if (!st && q->having->type != TYPE_BOOL)
            st = custos_fail_at(w->err, CUSTOS_EINVAL, q->having->at,
                                "HAVING takes a condition");
    }
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = type_one(w, q->order_by[i].expr, grouped);
    for (size_t i = 0; i < q->n_group_by && !st; i++) {
        const struct expr *inner = expr_aggregate(q->group_by[i]);

        st = inner ? custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                                    "aggregates are not allowed in GROUP BY")
                   : types_set(w, q->group_by[i], CONTEXT_PUBLIC);
    }
    return st ? st : take_outputs(w);
}
