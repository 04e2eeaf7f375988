/*
 * What the analyst sees: outputs, HAVING and ORDER BY become trees over keys
 * and aggregates, computed after noise. Any other use of a private row is
 * refused here: a column that is not a key, an aggregate inside an aggregate.
 *
 * Each aggregate is released once: equal aggregates share one slot, wherever
 * they occur. A query that selects only keys has no aggregates: then only the
 * partition selection is released.
 */
#include "base/ck.h"
#include "evaluate/evaluate.h"
#include "plan/part/marginals.h"
#include "plan/ratio.h"
#include "sql/aggregates.h"

/* ------------------------------------------------------------ aggregates -- */

/*
 * The argument must be the column that holds the unit itself. If the table
 * reaches its unit through references, the unit may be something else (a
 * household, say), and the values of this column are not the units.
 */
bool
outputs_counts_units(const struct work *w, const struct expr *e)
{
    const struct expr *x = e->args[0];

    return x->kind == EXPR_COLUMN &&
           relation_is_unit(w->from, (size_t)x->slot, w->policy);
}

static custos_status
type_aggregate(struct work *w, struct expr *e)
{
    const struct expr *inner =
        e->n_args > 0 ? expr_aggregate(e->args[0]) : NULL;
    custos_status st = CUSTOS_OK;

    if (!inner && aggregate_is_pair(e->aggregate))
        inner = expr_aggregate(e->args[1]);
    if (inner)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                              "aggregates cannot be nested");
    if (e->n_args > 0 && aggregates[e->aggregate].family != FAMILY_RUNNING)
        st = types_set(w, e->args[0], CONTEXT_ROWS);
    if (!st && aggregate_is_pair(e->aggregate))
        st = types_set(w, e->args[1], CONTEXT_ROWS);
    if (!st && e->lower)
        st = types_set(w, e->lower, CONTEXT_ROWS);
    if (!st && e->upper)
        st = types_set(w, e->upper, CONTEXT_ROWS);
    return st ? st : types_aggregate(w, e);
}

static custos_status
aggregate_slot(struct work *w, struct expr *e)
{
    struct plan *p = w->plan;
    uint64_t steps = 0;
    custos_status st;
    size_t i = 0;

    while (i < p->n_aggregates &&
           !expr_same_counted(p->aggregates[i].expr, e, &steps))
        i++;
    st = work_spend(w, steps);
    e->slot = (int)i;
    if (st)
        return st;
    if (i < p->n_aggregates) {
        e->type = p->aggregates[i].expr->type;
        return CUSTOS_OK;
    }
    /* Typing rewrites literals: the original tree is kept for comparisons. */
    p->aggregates[i].expr = e;
    p->aggregates[i].kind = e->aggregate;
    p->aggregates[i].rows = -1;
    p->aggregates[i].sum = -1;
    p->aggregates[i].squares = -1;
    p->aggregates[i].sum_y = -1;
    p->aggregates[i].squares_y = -1;
    p->aggregates[i].product = -1;
    p->aggregates[i].share = -1;
    p->n_aggregates++;
    w->typed[i] = expr_copy(w->a, e);
    if (!w->typed[i])
        return work_no_memory(w);
    st = type_aggregate(w, w->typed[i]);
    e->type = w->typed[i]->type;
    return st;
}

/* ---------------------------------------------------------------- places -- */

/* The key that is this expression; *slot is -1 where there is none. */
static custos_status
key_find(struct work *w, const struct expr *e, int *slot)
{
    uint64_t steps = 0;
    size_t i = 0;

    while (i < w->plan->space.n_keys &&
           !expr_same_counted(w->plan->space.keys[i].expr, e, &steps))
        i++;
    *slot = i < w->plan->space.n_keys ? (int)i : -1;
    return work_spend(w, steps);
}

static void
set_key(struct work *w, struct expr *e, int slot)
{
    *e = (struct expr){
        .kind = EXPR_KEY,
        .at = e->at,
        .slot = slot,
        .qualifier = e->qualifier,
        .name = e->kind == EXPR_COLUMN ? e->name : str_of(work_text(w, e))};
}

/* What a running count is ordered and divided by are keys. */
static custos_status
place_keys(struct work *w, struct expr *e)
{
    custos_status st = CUSTOS_OK;
    int slot = -1;

    if (aggregates[e->aggregate].family != FAMILY_RUNNING)
        return CUSTOS_OK;
    for (size_t i = 0; i < e->n_args && !st; i++) {
        st = key_find(w, e->args[i], &slot);
        if (!st && slot < 0)
            st = custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->args[i]->at,
                                "a running count takes keys, and %s is not in "
                                "GROUP BY",
                                work_text(w, e->args[i]));
        if (!st)
            set_key(w, e->args[i], slot);
    }
    return st;
}

static custos_status
check_grouping(struct work *w, const struct expr *e)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i]->kind != EXPR_KEY)
            return custos_fail_at(w->err, CUSTOS_EINVAL, e->args[i]->at,
                                  "GROUPING takes keys, and %s is not in "
                                  "GROUP BY",
                                  work_text(w, e->args[i]));
    return CUSTOS_OK;
}

/* Replaces keys and aggregates by slots; refuses any other column. */
static custos_status
place_slots(struct work *w, struct expr *e)
{
    int slot = -1;
    custos_status st = key_find(w, e, &slot);

    if (st)
        return st;
    if (slot >= 0) {
        set_key(w, e, slot);
        return CUSTOS_OK;
    }
    st = ratio_as_mean(w, e);
    if (st)
        return st;
    if (e->kind == EXPR_AGGREGATE) {
        st = place_keys(w, e);
        return st ? st : aggregate_slot(w, e);
    }
    if (e->kind == EXPR_COLUMN)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, e->at,
            "the rows of %.*s are private: %.*s may appear only in GROUP BY or "
            "inside an aggregate such as count(...)",
            SHOWN(relation_shown(w->from)), SHOWN(e->name));
    if (e->kind == EXPR_INTERVAL)
        return CUSTOS_OK;
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = place_slots(w, e->args[i]);
    return st || e->kind != EXPR_GROUPING ? st : check_grouping(w, e);
}

static size_t
count_aggregates(const struct expr *e)
{
    size_t n = e->kind == EXPR_AGGREGATE;

    for (size_t i = 0; i < e->n_args; i++)
        n += e->args[i] ? count_aggregates(e->args[i]) : 0;
    return n;
}

static custos_status
place_all(struct work *w)
{
    struct query *q = w->q;
    size_t n = q->having ? count_aggregates(q->having) : 0;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < q->n_targets; i++)
        n += count_aggregates(q->targets[i].expr);
    for (size_t i = 0; i < q->n_order_by; i++)
        n += count_aggregates(q->order_by[i].expr);
    if (n == 0 && w->plan->space.n_keys == 0)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, q->from->at,
                              "the rows of %.*s are private" HINT
                              "ask for an aggregate, such as count(*)",
                              SHOWN(relation_shown(w->from)));
    w->plan->aggregates = arena_take(w->a, n, sizeof *w->plan->aggregates);
    w->typed = arena_take(w->a, n, sizeof(struct expr *));
    if (!w->plan->aggregates || !w->typed)
        return work_no_memory(w);
    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = place_slots(w, q->targets[i].expr);
    if (!st && q->having)
        st = place_slots(w, q->having);
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = place_slots(w, q->order_by[i].expr);
    for (size_t i = 0; i < w->plan->n_aggregates; i++)
        w->plan->aggregates[i].expr = w->typed[i];
    return st;
}

/* --------------------------------------------------------------- outputs -- */

static bool
has_interval(const struct expr *e)
{
    if (e->kind == EXPR_INTERVAL)
        return true;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && has_interval(e->args[i]))
            return true;
    return false;
}

/* Types the intervals in e. Each must name an output that has an aggregate and
   no interval. */
static custos_status
type_intervals(struct work *w, struct expr *e)
{
    custos_status st = CUSTOS_OK;

    if (e->kind == EXPR_INTERVAL) {
        const struct expr *of = w->q->targets[e->slot].expr;

        if (has_interval(of) || !expr_aggregate(of))
            return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                                  "an interval needs a column that has noise, "
                                  "such as count(*) AS n");
        e->type = of->type;
        return CUSTOS_OK;
    }
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = type_intervals(w, e->args[i]);
    return st;
}

static custos_status
type_after(struct work *w, struct expr *e)
{
    custos_status st = type_intervals(w, e);

    if (!st)
        st = types_set(w, e, CONTEXT_AFTER);
    if (!st && !evaluate_knows(e))
        st = custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                            "%s cannot be computed after the noise" HINT
                            "LIKE, for example, belongs in WHERE",
                            work_text(w, e));
    return st;
}

static void
output_set(struct plan_output *o, const struct target *t)
{
    const struct expr *e = t->expr;

    o->name = t->name;
    o->array = t->array;
    o->type = e->type;
    o->expr = t->expr;
    o->is_key = e->kind == EXPR_KEY;
    o->key = o->is_key ? (size_t)e->slot : 0;
    o->aggregate = e->kind == EXPR_AGGREGATE ? e->slot : -1;
}

static custos_status
type_targets(struct work *w)
{
    struct query *q = w->q;
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    p->outputs = arena_take(w->a, q->n_targets, sizeof *p->outputs);
    if (!p->outputs)
        return work_no_memory(w);
    p->n_outputs = q->n_targets;
    /* Intervals take their types from other outputs, which are typed first. */
    for (int intervals = 0; intervals < 2; intervals++)
        for (size_t i = 0; i < q->n_targets && !st; i++)
            if (has_interval(q->targets[i].expr) == (intervals == 1))
                st = type_after(w, q->targets[i].expr);
    for (size_t i = 0; i < q->n_targets; i++)
        output_set(&p->outputs[i], &q->targets[i]);
    return st;
}

/* Runs after keys_make, which types the keys. */
static custos_status
type_all(struct work *w)
{
    struct query *q = w->q;
    custos_status st = type_targets(w);

    if (!st && q->having) {
        st = type_after(w, q->having);
        if (!st && q->having->type != TYPE_BOOL)
            st = custos_fail_at(w->err, CUSTOS_EINVAL, q->having->at,
                                "HAVING takes a condition");
    }
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = type_after(w, q->order_by[i].expr);
    w->plan->having = q->having;
    w->plan->order_by = q->order_by;
    w->plan->n_order_by = q->n_order_by;
    return st;
}

/* Collects the keys: each expression once. */
static custos_status
take_keys(struct work *w)
{
    struct query *q = w->q;
    struct plan *p = w->plan;
    int *slots = arena_take(w->a, q->n_group_by + 1, sizeof *slots);
    custos_status st;

    p->space.keys = arena_take(w->a, q->n_group_by + 1, sizeof *p->space.keys);
    if (!p->space.keys || !slots)
        return work_no_memory(w);
    for (size_t i = 0; i < q->n_group_by; i++) {
        const struct expr *inner = expr_aggregate(q->group_by[i]);

        if (inner)
            return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                                  "aggregates are not allowed in GROUP BY");
        st = key_find(w, q->group_by[i], &slots[i]);
        if (st)
            return st;
        if (slots[i] >= 0)
            continue;
        if (p->space.n_keys == PLAN_KEYS_MAX)
            return custos_fail_at(w->err, CUSTOS_EOVERFLOW, q->group_by[i]->at,
                                  "GROUP BY takes at most %d keys",
                                  PLAN_KEYS_MAX);
        slots[i] = (int)p->space.n_keys;
        p->space.keys[p->space.n_keys++].expr = q->group_by[i];
    }
    return q->n_sets > 0 ? marginals_start(w, slots) : CUSTOS_OK;
}

/*
 * A query of keys alone. For discovered groups, which of them are shown is a
 * release of its own. For public keys there is nothing to release: all of them
 * would be shown, whatever the data, so the query is refused.
 */
static custos_status
check_keys_alone(struct work *w)
{
    enum { FEW = 5, LIST_MAX = SHOWN_MAX - 10 };
    const struct plan *p = w->plan;
    const struct key *k = p->space.keys;
    custos_status st;
    struct buf b;

    if (p->n_aggregates > 0 || p->space.selection)
        return CUSTOS_OK;
    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < k->n && i < FEW && b.len < LIST_MAX; i++) {
        buf_add_text(&b, i ? ", " : "");
        datum_write(&k->values[i], &b);
        if (i + 1 < k->n && (i + 1 == FEW || b.len >= LIST_MAX))
            buf_add_text(&b, " ...");
    }
    st = custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, k->expr->at,
        "the values of %s are public and need no query: %.*s" HINT
        "ask for an aggregate, such as count(*)",
        work_text(w, k->expr), words_shown((str){buf_text(&b), b.len}),
        buf_text(&b));
    buf_clear(&b);
    return st;
}

custos_status
outputs_make(struct work *w)
{
    custos_status st = take_keys(w);

    if (!st)
        st = place_all(w);
    if (!st)
        st = keys_make(w);
    if (!st)
        st = check_keys_alone(w);
    return st ? st : type_all(w);
}
