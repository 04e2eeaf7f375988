/*
 * One walk from the plan's own expressions down to its tables, marking what is
 * read. A relation that the walk does not reach hands on all its columns.
 */
#include "plan/from/carry.h"

#include <string.h>

/* Marks the columns that an expression reads. */
static void
mark_columns(const struct expr *e, bool *read)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN && e->slot >= 0)
        read[e->slot] = true;
    for (size_t i = 0; i < e->n_args; i++)
        mark_columns(e->args[i], read);
}

static bool *
new_marks(struct work *w, const struct relation *r)
{
    return arena_take(w->a, r->as->n_columns + 1, sizeof(bool));
}

static custos_status carry_relation(struct work *w, struct relation *r,
                                    const bool *read, bool seeded);

/* For relations with one side, left: filters, extensions, aggregates. */
static custos_status
carry_left(struct work *w, struct relation *r)
{
    size_t had = r->left->as->n_columns;
    bool *read = new_marks(w, r->left);

    if (!read)
        return work_no_memory(w);
    if (r->kind != RELATION_UNITS)
        memcpy(read, r->carried, had * sizeof *read);
    mark_columns(r->on, read);
    for (size_t i = 0; i < r->n_exprs; i++)
        if (r->kind != RELATION_EXTEND || r->carried[had + i])
            mark_columns(r->exprs[i], read);
    for (size_t i = 0; r->values && i < r->n_exprs - r->n_keys; i++)
        mark_columns(r->values[i].of, read);
    return carry_relation(w, r->left, read, r->seeded);
}

/* Which sides' seeds does the join need? */
static void
seed_sides(const struct relation *r, bool *left, bool *right)
{
    bool both = r->meeting == MEET_UNIT || r->meeting == MEET_EITHER;

    *left = r->seeded && (both || r->meeting == MEET_LEFT);
    *right = r->seeded && (both || r->meeting == MEET_RIGHT);
    if (r->meeting == MEET_MANY) {
        *left = !r->left->as->is_public;
        *right = !r->right->as->is_public;
    }
}

static custos_status
carry_join(struct work *w, struct relation *r)
{
    bool *read = new_marks(w, r), left, right;
    custos_status st;

    if (!read)
        return work_no_memory(w);
    memcpy(read, r->carried, r->as->n_columns * sizeof *read);
    mark_columns(r->on, read);
    seed_sides(r, &left, &right);
    st = carry_relation(w, r->left, read, left);
    return st ? st
              : carry_relation(w, r->right, read + r->left->as->n_columns,
                               right);
}

static custos_status
carry_union(struct work *w, struct relation *r)
{
    size_t n = r->as->n_columns;
    custos_status st = CUSTOS_OK;

    for (size_t b = 0; b < r->n_branches && !st; b++) {
        bool *read = new_marks(w, r->branches[b]);

        if (!read)
            return work_no_memory(w);
        for (size_t i = 0; i < n; i++)
            if (r->carried[i])
                read[r->slots[b * n + i]] = true;
        st = carry_relation(w, r->branches[b], read, r->seeded);
    }
    return st;
}

/* Marks the columns that the seed of a table's row is made of
   (engine/statement/relation.c). */
static void
carry_seed(struct relation *r)
{
    if (!r->as->unit_is_row) {
        r->carried[r->as->unit_column] = true;
        return;
    }
    for (size_t i = 0; i < r->as->n_columns; i++)
        r->carried[i] = true;
}

static custos_status
carry_relation(struct work *w, struct relation *r, const bool *read,
               bool seeded)
{
    if (!r->carried && !(r->carried = new_marks(w, r)))
        return work_no_memory(w);
    for (size_t i = 0; i < r->as->n_columns; i++)
        r->carried[i] = r->carried[i] || read[i];
    r->seeded = r->seeded || seeded;
    switch (r->kind) {
    case RELATION_TABLE:
        if (r->seeded)
            carry_seed(r);
        return CUSTOS_OK;
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_UNITS: return carry_left(w, r);
    case RELATION_JOIN: return carry_join(w, r);
    case RELATION_UNION: return carry_union(w, r);
    case RELATION_PUBLIC: return CUSTOS_OK; /* a plan of its own */
    }
    return CUSTOS_OK; /* UNREACHABLE: all kinds are above */
}

custos_status
carry_make(struct work *w)
{
    const struct plan *p = w->plan;
    bool *read;

    if (!w->from)
        return CUSTOS_OK;
    read = new_marks(w, w->from);
    if (!read)
        return work_no_memory(w);
    mark_columns(p->where, read);
    for (size_t i = 0; i < p->n_stages; i++)
        for (size_t k = 0; k < p->stages[i].space->n_keys; k++)
            mark_columns(p->stages[i].space->keys[k].expr, read);
    for (size_t i = 0; i < p->n_parts; i++)
        mark_columns(p->parts[i].of, read);
    return carry_relation(w, w->from, read, false);
}
