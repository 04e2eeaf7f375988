/*
 * Contribution bounds: how many rows of a unit count, in how many groups, and
 * how the others are left out.
 *
 * THEOREM  rank-bound
 *   Let r be a function of the salt and a unit's own rows that numbers the
 *   rows of each unit 1, 2, ... Then at most m rows of each unit have r <= m,
 *   and which rows of a unit these are does not depend on any other unit.
 * SOURCE   doc/proofs/rank-bound.md
 * NEEDS    the store's rank (sorted by SHA-256 of salt, unit and row).
 * GIVES    neighbours differ, after the predicate, in at most m rows, all of
 *          the unit they differ in (under change-one: m removed and m added).
 *          The WHERE that follows only removes rows.
 * FAILS    cannot.
 * TESTED   bounding_follows_the_query
 *
 * THEOREM  fold-bound
 *   For each unit: take the rows that pass WHERE and have a key, in the order
 *   of rank; keep the first m of these; of those, keep the rows of the first g
 *   groups met. Each unit then adds at most m rows, in at most g groups,
 *   whatever the other units are.
 * SOURCE   doc/proofs/fold-bound.md
 * NEEDS    all rows of a unit are seen together (the store's order, or a
 *          window by unit); WHERE and keys are functions of the row alone.
 * GIVES    the same as rank-bound; used where rank-bound would leave out rows
 *          that pass WHERE, or does not bound the groups.
 * FAILS    cannot.
 * TESTED   bounding_follows_the_query
 *
 * THEOREM  group-bound
 *   For each unit: take the rows that pass WHERE and have a key, and number
 *   those of each group in the order of rank; leave out all numbers above r.
 *   fold-bound keeps m rows in g groups of what is left. Each unit then adds
 *   at most r rows to a group, and at most min(m, r g) rows.
 * SOURCE   doc/proofs/group-bound.md
 * NEEDS    as fold-bound.
 * GIVES    as fold-bound; which rows of a unit are kept does not depend on any
 *          other unit. Used where the policy or the query states r.
 * FAILS    cannot.
 * TESTED   rows_per_group_equal_the_reference
 *          neighbours_differ_as_the_plan_says
 */
#include "base/ck.h"
#include "plan/from/from.h"
#include "plan/part/marginals.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads an option of OPTIONS: a whole number from 1 to `most`. */
static custos_status
read_limit(struct work *w, str text, const char *name, uint64_t most,
           uint64_t *out)
{
    const char *copy = arena_copy(w->a, text);
    uint64_t n = 0;
    custos_status st;
    rat r;

    if (!copy)
        return work_no_memory(w);
    rat_init(&r);
    st = rat_read_positive(copy, name, &r, w->err);
    if (!st && (!rat_is_whole(&r) || !rat_floor_u64(&r, &n)))
        st = custos_fail(w->err, CUSTOS_EINVAL, "%s must be a whole number",
                         name);
    if (!st && n > most)
        st = custos_fail(w->err, CUSTOS_EDENIED,
                         "%s may be at most %llu, the policy's bound for %.*s",
                         name, (unsigned long long)most,
                         SHOWN(relation_shown(w->from)));
    if (!st)
        *out = n;
    rat_clear(&r);
    return st;
}

uint64_t
bounds_asked(const struct query *q)
{
    str text = q->options.max_rows_contributed;
    uint64_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return 1;
        n = least(10 * n + (uint64_t)(text.ptr[i] - '0'), FROM_ROWS_MAX);
    }
    return n < 1 ? 1 : n;
}

/* The most groups or rows per unit that a query may ask for. Where a bound selection
   chooses the bound on rows, the only limit is FROM_ROWS_MAX. */
static uint64_t
groups_most(const struct plan *p, uint64_t groups)
{
    return p->raced ? FROM_ROWS_MAX : groups;
}

static bool
has_kind(const struct plan *p, enum part_kind kind)
{
    for (size_t i = 0; i < p->n_parts; i++)
        if (p->parts[i].kind == kind)
            return true;
    return false;
}

/* The most groups a unit could be in; unlimited for discovered groups. */
static uint64_t
groups_there(const struct plan *p)
{
    return p->space.selection ? UINT64_MAX : p->space.cells;
}

static enum bounding
choose_bounding(const struct work *w, uint64_t rows, uint64_t groups)
{
    const struct plan *p = w->plan;
    const struct policy_table *t = w->table;

    if (t->unit_is_row && !w->from->renumbered)
        return BOUND_NONE;
    if (p->space.per_group > 0)
        return BOUND_GENERAL; /* it alone numbers rows by unit and group */
    if (w->from->kind == RELATION_TABLE && !t->facts.sorted)
        return BOUND_GENERAL;
    /* A fold needs the order of rows, which joins and IN (SELECT ...) lose. By
       rank, rows that pass WHERE could be left out for others that do not. */
    if (w->from->kind != RELATION_TABLE || p->n_queries > 0)
        return groups >= least(rows, groups_there(p)) &&
                       !from_is_after_where(w->from, p->where != NULL)
                   ? BOUND_RANK
                   : BOUND_GENERAL;
    if (groups >= least(rows, groups_there(p)) &&
        (!p->where || t->prefer_speed) &&
        (p->space.selection ? rows == 1 /* a row for each unit */
                            : !has_kind(p, PART_UNITS)))
        return BOUND_RANK;
    if (has_kind(p, PART_DISTINCT) || has_kind(p, PART_QUANTILES))
        return BOUND_GENERAL; /* the fold only adds values up, and keeps none */
    return BOUND_FOLD;
}

/* Does the query only count units that have a row that passes WHERE? Then one
   row of each unit is enough, and no bound need be selected. */
static bool
counts_people(const struct work *w)
{
    const struct plan *p = w->plan;

    return w->from->kind == RELATION_TABLE && p->space.n_keys == 0 &&
           p->n_parts == 1 && p->parts[0].kind == PART_UNITS &&
           p->space.bounding != BOUND_RANK;
}

bool
plan_has_bare_key(const struct plan *p, const struct cell_space *s)
{
    return s->selection && !selection_weighs(s->selection) && s->n_keys == 1 &&
           s->keys[0].kind == KEY_PRIVATE &&
           s->keys[0].expr->kind == EXPR_COLUMN && !p->where &&
           p->n_queries == 0 && (!p->from || p->from->kind == RELATION_TABLE);
}

/* The unit's name for the analyst: "row", its column if granted, or "unit". */
static str
unit_name(const struct work *w)
{
    const struct relation *r = w->from;
    const struct policy_table *t = w->table;

    if (t->unit_is_row)
        return str_of("row");
    for (size_t i = 0; i < r->n_names; i++) {
        size_t slot = r->names[i].slot;

        if (relation_is_unit(r, slot, w->policy))
            return r->names[i].name;
    }
    return str_of("unit");
}

/* Reads the bounds that the query states: at most those of the policy. */
static custos_status
read_limits(struct work *w, uint64_t *rows, uint64_t *groups,
            uint64_t *per_group)
{
    const struct query_options *o = &w->q->options;
    const struct plan *p = w->plan;
    uint64_t asked_groups = *groups, asked_rows = *per_group;
    custos_status st = CUSTOS_OK;

    if (o->max_rows_contributed.len > 0)
        st = read_limit(w, o->max_rows_contributed, "max_rows_contributed",
                        *rows, rows);
    if (!st && o->max_groups_contributed.len > 0 && p->marginals)
        st = custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                         "GROUPING SETS, ROLLUP and CUBE have no bound on a "
                         "unit's groups" HINT "state max_rows_contributed");
    else if (!st && o->max_groups_contributed.len > 0)
        st = read_limit(w, o->max_groups_contributed, "max_groups_contributed",
                        groups_most(p, *groups), &asked_groups);
    if (!st && o->max_rows_per_group.len > 0 && p->marginals)
        st = custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                         "GROUPING SETS, ROLLUP and CUBE have no bound on a "
                         "unit's rows in each group" HINT
                         "state max_rows_contributed");
    else if (!st && o->max_rows_per_group.len > 0)
        st = read_limit(w, o->max_rows_per_group,
                        "max_rows_contributed_per_group",
                        groups_most(p, least(*rows, *per_group)), &asked_rows);
    *groups = least(*groups, asked_groups);
    *per_group = least(*per_group, asked_rows);
    return st;
}

custos_status
bounds_make(struct work *w)
{
    const struct policy_table *t = w->table;
    struct plan *p = w->plan;
    uint64_t rows = t->unit_is_row ? 1 : t->rows_per_unit;
    uint64_t groups = t->unit_is_row ? 1 : t->groups_per_unit;
    uint64_t per_group = t->unit_is_row ? 1 : t->rows_per_group;
    custos_status st = read_limits(w, &rows, &groups, &per_group);

    if (st)
        return st;
    if (p->marginals) { /* whose cells are those of many tables */
        groups = rows;
        per_group = rows;
    }
    if (p->space.n_keys == 0)
        rows = least(rows, per_group); /* they are all in one group */
    CUSTOS_REQUIRE(rows >= 1 && groups >= 1 && per_group >= 1);
    p->unit = unit_name(w);
    p->rows = rows;
    p->space.groups = least(groups, least(rows, groups_there(p)));
    if (per_group < rows)
        p->space.per_group = per_group;
    p->space.bounding = choose_bounding(w, rows, p->space.groups);
    marginals_bound(p);
    if (counts_people(w))
        p->raced = false;
    return CUSTOS_OK;
}
