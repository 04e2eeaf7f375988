/*
 * Aggregates per unit, in a subquery: SELECT unit, sum(x) AS s ... GROUP BY
 * unit. All rows of a unit become one row, whose values have a proven range,
 * since at most rows_per_unit of the unit's rows count.
 *
 * THEOREM  units-range
 *   Over k rows, 1 <= k <= m, with values in [a, b] or NULL: count(*) lies in
 *   [1, m], count(x) and count(distinct x) in [0, m], avg(x), min(x) and
 *   max(x) in [a, b], sum(x) in [min(a, m a), max(b, m b)].
 * SOURCE   doc/proofs/unit-local.md
 * NEEDS    the inner side cut to r <= m (join-order); values clamped into
 *          [a, b] (part-clamp) and added as whole numbers, so that the result
 *          does not depend on the order of rows.
 * GIVES    the declared range of the column.
 * FAILS    cannot.
 * TESTED   units_have_proven_ranges
 */
#include "plan/from/from_units.h"

/* --------------------------------------------------------------- placing -- */

static void
become_column(struct expr *e, size_t slot)
{
    str name = e->name;

    if (e->kind == EXPR_AGGREGATE)
        name = str_of("aggregate");
    *e = (struct expr){
        .kind = EXPR_COLUMN, .at = e->at, .name = name, .slot = (int)slot};
}

/* Replaces keys and aggregates in e by columns; refuses any other column. */
static custos_status
place_columns(struct work *w, struct units *u, struct expr *e)
{
    custos_status st = CUSTOS_OK;
    uint64_t steps = 0;

    for (size_t i = 0; i < u->n_keys; i++)
        if (expr_same_counted(u->keys[i], e, &steps)) {
            become_column(e, i);
            return CUSTOS_OK;
        }
    st = work_spend(w, steps);
    if (st)
        return st;
    if (e->kind == EXPR_AGGREGATE) {
        size_t i = 0;

        while (i < u->n_found && !expr_same(u->found[i], e))
            i++;
        if (i == UNITS_AGGREGATES_MAX)
            return custos_fail_at(
                w->err, CUSTOS_EOVERFLOW, e->at,
                "a subquery may have at most %d aggregates per unit",
                UNITS_AGGREGATES_MAX);
        if (i == u->n_found) {
            u->found[i] = expr_copy(w->a, e);
            u->typed[i] = expr_copy(w->a, e);
            if (!u->found[i] || !u->typed[i])
                return work_no_memory(w);
            u->n_found++;
        }
        become_column(e, u->n_keys + i);
        return CUSTOS_OK;
    }
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_INTERVAL)
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, e->at,
            "%.*s must appear in GROUP BY or inside an aggregate",
            SHOWN(e->name));
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = place_columns(w, u, e->args[i]);
    return st;
}

/* ------------------------------------------------------------------ keys -- */

static bool
tells_unit(const struct relation *r, const struct expr *e)
{
    return e->kind == EXPR_COLUMN && r->columns[e->slot].names &&
           !r->columns[e->slot].outer;
}

static custos_status
no_unit(struct work *w, const struct query *q, const struct relation *r)
{
    for (size_t i = 0; i < r->n_names; i++)
        if (r->columns[r->names[i].slot].names == w->policy &&
            !r->names[i].hidden)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, q->from->at,
                "an aggregate in a subquery must be grouped by the privacy "
                "unit" HINT "write GROUP BY %.*s, alone or with other columns",
                SHOWN(r->names[i].name));
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, q->from->at,
        "an aggregate in a subquery must be grouped by the privacy unit" HINT
        "write GROUP BY with a column that identifies the unit of %.*s",
        SHOWN(relation_shown(r)));
}

static custos_status
check_keys(struct work *w, const struct query *q, const struct units *u,
           const struct relation *inner, bool *one)
{
    bool found = false;

    *one = true;
    if (inner->as->unit_is_row)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, q->from->at,
                              "each row of %.*s is a unit of its own: there is "
                              "nothing to aggregate in a subquery",
                              SHOWN(relation_shown(inner)));
    for (size_t i = 0; i < u->n_keys; i++) {
        const struct expr *k = u->keys[i];
        const struct expr *within = expr_aggregate(k);

        if (within)
            return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, within->at,
                                  "aggregates are not allowed in GROUP BY");
        found = found || tells_unit(inner, k);
        *one = *one && k->kind == EXPR_COLUMN &&
               relation_is_unit(inner, (size_t)k->slot, w->policy);
    }
    return found ? CUSTOS_OK : no_unit(w, q, inner);
}

static custos_status
key_column(struct work *w, const struct relation *inner, struct units *u,
           size_t i, bool one, struct relation *r)
{
    struct policy_column *c = &from_as(r)->columns[i];
    struct relation_column *known = &r->columns[i];
    struct expr *e = u->keys[i];
    custos_status st = types_set(w, e, CONTEXT_ROWS);

    r->exprs[i] = e;
    if (st)
        return st;
    known->nodes = fact_of(e)->nodes;
    if (e->kind != EXPR_COLUMN)
        return query_column(w, e, c);
    *c = inner->as->columns[e->slot];
    *known = inner->columns[e->slot];
    known->stored = false;
    known->unique = (u->n_keys == 1 || (one && known->names)) &&
                    (c->type == TYPE_INT || c->type == TYPE_TEXT ||
                     c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP);
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------- all -- */

static custos_status
place_all(struct work *w, struct query *q, struct units *u)
{
    custos_status st = names_outputs(w);

    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = names_bind(w, q->targets[i].expr);
    for (size_t i = 0; i < q->n_group_by && !st; i++)
        st = names_bind(w, q->group_by[i]);
    if (!st && q->having)
        st = names_bind(w, q->having);
    u->keys = q->group_by;
    u->n_keys = q->n_group_by;
    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = place_columns(w, u, q->targets[i].expr);
    if (!st && q->having)
        st = place_columns(w, u, q->having);
    return st;
}

static void
set_bounds(const struct relation *inner, bool one, struct relation *r)
{
    struct policy_table *as = from_as(r);

    as->name = relation_shown(inner);
    as->max_rows = inner->as->max_rows;
    as->rows_per_unit = one ? 1 : inner->as->rows_per_unit;
    as->groups_per_unit = one ? 1 : inner->as->groups_per_unit;
    as->rows_per_group = one ? 1 : inner->as->rows_per_group;
    as->facts = inner->as->facts;
}

/* Applies HAVING and the targets to the aggregated rows. */
static custos_status
project_units(struct work *w, struct query *q, struct relation *r,
              struct relation **out)
{
    custos_status st = CUSTOS_OK;

    from_enter(w, r);
    if (q->having) {
        st = types_truth(w, q->having, CONTEXT_ROWS, "HAVING");
        if (!st)
            st = from_filter(w, r, q->having, &r);
        from_enter(w, r);
    }
    return st ? st : query_project(w, q, r, out);
}

custos_status
query_units(struct work *w, struct query *q, struct relation *inner,
            struct relation **out)
{
    struct units u = {.n_keys = 0};
    struct relation *r = NULL;
    bool one = false;
    custos_status st = place_all(w, q, &u);

    if (!st)
        st = check_keys(w, q, &u, inner, &one);
    if (!st)
        st = from_new(w, RELATION_UNITS, u.n_keys + u.n_found, &r);
    if (st)
        return st;
    r->n_keys = u.n_keys;
    r->n_exprs = u.n_keys + u.n_found;
    r->left = inner;
    r->exprs = arena_take(w->a, r->n_exprs + 1, sizeof(struct expr *));
    r->values = arena_take(w->a, u.n_found + 1, sizeof *r->values);
    if (!r->exprs || !r->values)
        return work_no_memory(w);
    for (size_t i = 0; i < u.n_keys && !st; i++)
        st = key_column(w, inner, &u, i, one, r);
    for (size_t i = 0; i < u.n_found && !st; i++) {
        r->exprs[u.n_keys + i] = u.typed[i];
        st = units_aggregate(w, u.typed[i], &r->values[i],
                             &from_as(r)->columns[u.n_keys + i]);
    }
    set_bounds(inner, one, r);
    return st ? st : project_units(w, q, r, out);
}
