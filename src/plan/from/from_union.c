/*
 * UNION ALL: the rows of all branches. Their bounds on rows per unit add up.
 */
#include "plan/from/from_query.h"

static size_t
count_branches(const struct query *q)
{
    size_t n = 0;

    for (; q; q = q->union_all)
        n++;
    return n;
}

static bool
datum_is(const struct datum *a, const struct datum *b)
{
    return a->type == b->type && datum_cmp(a, b) == 0;
}

/* Do both columns have the same range and values? Then the stored grid steps
   and indices of values (engine/import/view.h) mean the same in both. */
static bool
same_facts(const struct policy_column *a, const struct policy_column *b)
{
    bool same = a->has_range == b->has_range && a->n_values == b->n_values;

    if (same && a->has_range)
        same = datum_is(&a->lower, &b->lower) && datum_is(&a->upper, &b->upper);
    for (size_t i = 0; same && i < a->n_values; i++)
        same = datum_is(&a->values[i], &b->values[i]);
    return same;
}

/* Merges both lists of values: in order, each value once. */
static custos_status
merge_values(struct work *w, struct policy_column *to,
             const struct policy_column *from)
{
    size_t n = 0, i = 0, k = 0;
    struct datum *all =
        arena_take(w->a, to->n_values + from->n_values + 1, sizeof *all);

    if (!all || !effort_take(w->options->effort, to->n_values + from->n_values))
        return work_no_memory(w);
    while (i < to->n_values || k < from->n_values) {
        int order = i == to->n_values ? 1
                    : k == from->n_values
                        ? -1
                        : datum_cmp(&to->values[i], &from->values[k]);

        all[n++] = order <= 0 ? to->values[i] : from->values[k];
        i += order <= 0;
        k += order >= 0;
    }
    to->values = all;
    to->n_values = n;
    return CUSTOS_OK;
}

/* Whole numbers that 64 bits do not hold, such as a sum of literals. */
static bool
exceeds_64_bits(const struct policy_column *c)
{
    return c->type == TYPE_INT && c->has_range &&
           (c->lower.n < INT64_MIN || c->upper.n > INT64_MAX);
}

/* The range of a column with one, and of another without: that has 64 bits. If
   the first needs more, so do both together, and the engine must know it. */
static void
cover_unlimited(struct policy_column *to, const struct policy_column *limited)
{
    struct datum lower = limited->lower, upper = limited->upper;

    to->has_range = exceeds_64_bits(limited);
    if (!to->has_range)
        return;
    to->lower = lower;
    to->upper = upper;
    if (lower.n > INT64_MIN)
        to->lower.n = INT64_MIN;
    if (upper.n < INT64_MAX)
        to->upper.n = INT64_MAX;
}

/* Extends `to` to cover the values of `from`. */
static custos_status
cover_column(struct work *w, struct policy_column *to,
             const struct policy_column *from)
{
    to->nullable = to->nullable || from->nullable;
    to->find_range = to->find_range && from->find_range;
    if (from->text_max > to->text_max)
        to->text_max = from->text_max;
    if (to->has_range && from->has_range) {
        if (datum_cmp(&from->lower, &to->lower) < 0)
            to->lower = from->lower;
        if (datum_cmp(&from->upper, &to->upper) > 0)
            to->upper = from->upper;
    } else if (to->has_range || from->has_range) {
        cover_unlimited(to, to->has_range ? to : from);
    }
    if (to->n_values > 0 && from->n_values > 0)
        return merge_values(w, to, from);
    to->values = NULL;
    to->n_values = 0;
    return CUSTOS_OK;
}

static custos_status
add_column(struct work *w, struct relation *r, size_t branch, size_t i, int at)
{
    const struct relation *from = r->branches[branch];
    size_t slot = from->names[i].slot;
    const struct policy_column *c = &from->as->columns[slot];
    struct policy_column *to = &from_as(r)->columns[i];
    struct relation_column *known = &r->columns[i];
    str name = to->name;

    r->slots[branch * r->as->n_columns + i] = slot;
    if (branch == 0) {
        *to = *c;
        to->name = from->names[i].name;
        *known = from->columns[slot];
        known->unique = false;
        return CUSTOS_OK;
    }
    if (c->type == to->type && c->scale != to->scale)
        return custos_fail_at(w->err, CUSTOS_EINVAL, at,
                              "column %zu of UNION ALL has %d digits after the "
                              "point above and %d below" HINT
                              "write CAST(... AS numeric(18, %d))",
                              i + 1, to->scale, c->scale, to->scale);
    if (c->type != to->type)
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, at,
            "column %zu of UNION ALL is %s above and %s below" HINT
            "write a CAST",
            i + 1, data_type_name(to->type), data_type_name(c->type));
    known->stored =
        known->stored && from->columns[slot].stored && same_facts(to, c);
    known->outer = known->outer || from->columns[slot].outer;
    if (known->names != from->columns[slot].names)
        known->names = NULL;
    to->name = name;
    return cover_column(w, to, c);
}

static custos_status
check_branch(struct work *w, const struct relation *first,
             const struct relation *b, int at)
{
    if (first->as->is_public != b->as->is_public)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, at,
                              "UNION ALL takes private tables or public ones, "
                              "not both: public rows belong to no unit");
    if (!b->as->is_public && b->as->unit_is_row)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, at,
                              "each row of %.*s is a unit of its own: it "
                              "cannot be used in UNION ALL",
                              SHOWN(relation_shown(b)));
    if (!b->as->is_public && !b->as->facts.sorted)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, at,
                              "%.*s is attached, not imported: it cannot be "
                              "used in UNION ALL" HINT
                              "ask the owner to import it",
                              SHOWN(relation_shown(b)));
    if (b->n_names != first->n_names)
        return custos_fail_at(w->err, CUSTOS_EINVAL, at,
                              "every SELECT of a UNION ALL must have as many "
                              "columns as the first, %zu",
                              first->n_names);
    return CUSTOS_OK;
}

static int
query_at(const struct query *q)
{
    return q->from ? q->from->at : q->n_targets ? q->targets[0].expr->at : 0;
}

static custos_status
branches_make(struct work *w, struct query *q, size_t n,
              struct relation **branches)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n && !st; i++, q = q->union_all) {
        st = query_relation(w, q, &branches[i]);
        if (!st)
            st = check_branch(w, branches[0], branches[i], query_at(q));
    }
    return st;
}

static void
add_bounds(struct policy_table *as, const struct policy_table *branch)
{
    as->rows_per_unit = from_plus(as->rows_per_unit, branch->rows_per_unit);
    as->groups_per_unit =
        from_plus(as->groups_per_unit, branch->groups_per_unit);
    as->rows_per_group = from_plus(as->rows_per_group, branch->rows_per_group);
    as->max_rows = from_plus(as->max_rows, from_ceiling(branch));
}

custos_status
query_union(struct work *w, struct query *q, struct relation **out)
{
    size_t n = count_branches(q);
    struct relation **branches = arena_take(w->a, n, sizeof(struct relation *));
    struct relation *r = NULL;
    struct policy_table *as;
    custos_status st;

    CUSTOS_REQUIRE(n > 0);
    if (!branches)
        return work_no_memory(w);
    st = branches_make(w, q, n, branches);
    if (!st)
        st = from_new(w, RELATION_UNION, branches[0]->n_names, &r);
    if (st)
        return st;
    r->branches = branches;
    r->n_branches = n;
    r->slots = arena_take(w->a, n * (r->as->n_columns + 1), sizeof *r->slots);
    if (!r->slots)
        return work_no_memory(w);
    as = from_as(r);
    as->name = relation_shown(branches[0]);
    as->is_public = branches[0]->as->is_public;
    for (size_t b = 0; b < n && !st; b++, q = q->union_all) {
        add_bounds(as, branches[b]->as);
        for (size_t i = 0; i < as->n_columns && !st; i++)
            st = add_column(w, r, b, i, query_at(q));
    }
    if (!st && !as->is_public && as->rows_per_unit > FROM_ROWS_MAX / n)
        st = custos_fail(w->err, CUSTOS_EOVERFLOW,
                         "a unit could have more than 2^31 rows in this UNION "
                         "ALL");
    for (size_t i = 0; i < as->n_columns; i++)
        r->names[r->n_names++] =
            (struct relation_name){.name = as->columns[i].name, .slot = i};
    *out = r;
    return st;
}
