/*
 * The bound of unit-work, by induction over relations. Sides of joins that may
 * have more rows of a unit than their bound are cut before they are joined;
 * this is what keeps the numbers from multiplying.
 */
#include "plan/unit_work.h"

#include "plan/from.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rows of a unit that a side brings into a join, cut there or not. */
static uint64_t
rows_brought(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t rows = unit_rows(p, r, stored);

    return r->renumbered ? least(rows, r->as->rows_per_unit) : rows;
}

static uint64_t
rows_of_join(const struct plan *p, const struct relation *r, uint64_t stored)
{
    const struct relation *a = r->left, *b = r->right;

    switch (r->meeting) {
    case MEET_PUBLIC: return 0;
    case MEET_LEFT: return rows_brought(p, a, stored);
    case MEET_RIGHT: return rows_brought(p, b, stored);
    case MEET_EITHER:
        return from_plus(a->as->rows_per_unit, rows_brought(p, b, stored));
    case MEET_UNIT:
        return from_times(a->as->rows_per_unit, b->as->rows_per_unit);
    case MEET_MANY:
        return from_times((a->as->is_public ? b : a)->as->rows_per_unit,
                          p->fanout ? p->fanout : UINT64_MAX);
    }
    return UINT64_MAX; /* UNREACHABLE: all meetings are above */
}

uint64_t
unit_rows(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t rows = 0;

    if (r->as->is_public)
        return 0;
    switch (r->kind) {
    case RELATION_TABLE: return stored;
    case RELATION_FILTER:
    case RELATION_EXTEND: return unit_rows(p, r->left, stored);
    case RELATION_JOIN: return rows_of_join(p, r, stored);
    case RELATION_UNION:
        for (size_t i = 0; i < r->n_branches; i++)
            rows = from_plus(rows, least(unit_rows(p, r->branches[i], stored),
                                         r->branches[i]->as->rows_per_unit));
        return rows;
    case RELATION_UNITS:
        return least(unit_rows(p, r->left, stored), r->left->as->rows_per_unit);
    case RELATION_PUBLIC: return 0;
    }
    return UINT64_MAX; /* UNREACHABLE: all kinds are above */
}

static uint64_t
count_nodes(const struct expr *e)
{
    uint64_t n = 1;

    if (!e)
        return 0;
    for (size_t i = 0; i < e->n_args; i++)
        n = from_plus(n, count_nodes(e->args[i]));
    return n;
}

/* Nodes that computing r evaluates on a row: its own, and its columns. */
static uint64_t
nodes_of(const struct relation *r)
{
    uint64_t n = from_plus(r->as->n_columns, count_nodes(r->on));

    for (size_t i = 0; i < r->n_exprs; i++)
        n = from_plus(n, count_nodes(r->exprs[i]));
    return n;
}

/* A filter or aggregate is evaluated on the rows of what is below it. */
static uint64_t
work_of(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t work;

    if (!r || r->as->is_public)
        return 0;
    work = from_times(
        unit_rows(p, r->kind == RELATION_UNITS ? r->left : r, stored),
        nodes_of(r));
    work = from_plus(work, work_of(p, r->left, stored));
    work = from_plus(work, work_of(p, r->right, stored));
    for (size_t i = 0; i < r->n_branches; i++)
        work = from_plus(work, work_of(p, r->branches[i], stored));
    return work;
}

uint64_t
unit_work(const struct plan *p, uint64_t stored)
{
    uint64_t nodes = count_nodes(p->where);

    for (size_t i = 0; i < p->n_keys; i++)
        nodes = from_plus(nodes, count_nodes(p->keys[i].expr));
    for (size_t i = 0; i < p->n_parts; i++)
        nodes = from_plus(nodes, from_plus(1, count_nodes(p->parts[i].of)));
    return from_plus(work_of(p, p->from, stored),
                     from_times(unit_rows(p, p->from, stored), nodes));
}
