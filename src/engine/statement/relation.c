/*
 * Relations of a plan as inputs of a statement. Theorem join-order says what the
 * rank is and which rows are cut first; unit-local says that no row is made from
 * rows of two units. Both are in plan/from/relation.h.
 */
#include "engine/statement/relation.h"

#include <stdio.h>

#include "engine/import/import.h"
#include "engine/run/prepare.h"
#include "engine/statement/work.h"

void
relation_column(struct builder *b, const struct policy_column *c, bool stored,
                const char *of, size_t i, size_t as, struct select *to)
{
    select_add(b, to, term_name(b, of, "column_%zu", i), "column_%zu", as);
    if (stored && view_has_steps(c))
        select_add(b, to, term_name(b, of, "steps_%zu", i), "steps_%zu", as);
    if (stored && view_has_index(c))
        select_add(b, to, term_name(b, of, "index_%zu", i), "index_%zu", as);
}

/* ---------------------------------------------------------------- tables -- */

static const struct engine_table *
stored_as(const struct builder *b, const struct policy_table *t)
{
    return &b->engine->tables[t->number];
}

/*
 * Names only the columns that are read, because each one costs the engine time.
 * For a public table that is not stored it names all, because prepare.h
 * identifies a part by its text.
 */
void
relation_named(struct builder *b, const struct policy_table *t,
               const struct relation *r, struct select *to)
{
    bool all = !r || (t->is_public && !t->facts.steps_stored);

    for (size_t i = 0; i < t->n_columns; i++) {
        if (!all && !relation_carries(r, i))
            continue;
        select_add(b, to, term_name(b, NULL, "c%zu", i), "column_%zu", i);
        if (view_has_steps(&t->columns[i]))
            select_add(b, to, term_name(b, NULL, "g%zu", i), "steps_%zu", i);
        if (view_has_index(&t->columns[i]))
            select_add(b, to, term_name(b, NULL, "k%zu", i), "index_%zu", i);
        if (stored_as(b, t)->sorted && view_has_ordinal(t, i))
            select_add(b, to, term_name(b, NULL, "h%zu", i), "ordinal_%zu", i);
    }
}

const struct input *
relation_table(struct builder *b, const struct policy_table *t,
               const struct relation *r)
{
    struct select *s = select_new(b, input_table(b, t->number));
    bool sorted = stored_as(b, t)->sorted;

    if (sorted)
        select_add(b, s, term_name(b, NULL, "u"), "unit");
    select_add(b, s, sorted ? term_name(b, NULL, "r") : term_number(b, 1),
               "rank");
    relation_named(b, t, r, s);
    return input_select(b, s);
}

/* The rows of a table in which the unit is the row: any unique number will do. */
static const struct input *
units_are_rows(struct builder *b, const struct relation *r)
{
    const struct policy_table *t = r->as;
    struct select *s = select_new(b, input_table(b, t->number));
    struct window every = {.partition = {.n = 0}};

    select_add(b, s,
               !t->facts.steps_stored
                   ? term_window(b, TERM_ROW_NUMBER, NULL, &every)
                   : term_name(b, NULL, "rowid"),
               "unit");
    select_add(b, s, term_number(b, 1), "rank");
    relation_named(b, t, r, s);
    return input_select(b, s);
}

/* The rows of an attached table, numbered by their hash. */
static const struct input *
rows_ranked(struct builder *b, const struct relation *r)
{
    const struct policy_table *t = r->as;
    const struct term *unit = term_name(b, NULL, "unit_value");
    struct select *hashed =
        select_new(b, unit_path_from(b, b->engine->policy, t->number,
                                     input_table(b, t->number)));
    struct window own = {.partition = {.n = 0}};
    struct select *s;

    hashed->all = true;
    select_add(b, hashed, view_rank(b, t, unit_path_text(b)), "row_hash");
    s = select_new(b, input_select(b, hashed));
    terms_add(b, &own.partition, unit);
    terms_add(b, &own.order, term_name(b, NULL, "row_hash"));
    select_add(b, s, unit, "unit");
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &own), "rank");
    relation_named(b, t, r, s);
    return input_select(b, s);
}

/* A table's rows; those of a private table with their unit and rank. */
static const struct input *
table_rows(struct builder *b, const struct relation *r)
{
    const struct policy_table *t = r->as;

    if (t->is_public || stored_as(b, t)->sorted)
        return relation_table(b, t, r);
    return t->unit_is_row ? units_are_rows(b, r) : rows_ranked(b, r);
}

/*
 * A table's rows with their seeds. The seed of a row is a hash of its unit's value
 * and its rank, which together identify the row; if the unit is the row, it is a
 * hash of all its columns.
 */
static const struct input *
table_input(struct builder *b, const struct relation *r)
{
    const struct policy_table *t = r->as;
    const struct input *rows = table_rows(b, r);
    struct terms hashed = {.n = 0};
    struct select *s;

    if (!r->seeded)
        return rows;
    if (!t->unit_is_row) {
        terms_add(b, &hashed, term_name(b, NULL, "rank"));
        terms_add(b, &hashed, term_name(b, NULL, "column_%zu", t->unit_column));
    }
    for (size_t i = 0; t->unit_is_row && i < t->n_columns; i++)
        terms_add(b, &hashed, term_name(b, NULL, "column_%zu", i));
    s = select_new(b, rows);
    s->all = true;
    select_add(b, s, term_calls(b, TERM_HASH, &hashed), "seed");
    return input_select(b, s);
}

/* ------------------------------------------------------- other relations -- */

static bool
is_wide(const struct policy_column *c)
{
    return c->has_range && (c->lower.n < INT64_MIN || c->upper.n > INT64_MAX);
}

const struct term *
relation_typed(struct builder *b, const struct policy_column *c,
               const struct term *value)
{
    struct store_type whole = is_wide(c) ? STORED(I128) : STORED(I64);

    if (c->type != TYPE_INT)
        return term_call(b, TERM_COALESCE, /* as in sql/duckdb.c */
                         term_try_cast(b, value, view_type(c)), term_null(b),
                         NULL);
    value = term_try_cast(b, value, whole);
    if (!c->has_range)
        return term_call(b, TERM_COALESCE, value, term_null(b), NULL);
    return term_call(b, TERM_CLAMP, value, term_whole(b, c->lower.n, whole),
                     term_whole(b, c->upper.n, whole), NULL);
}

const struct term *
relation_computed(struct builder *b, const struct policy_column *c,
                  const struct expr *e)
{
    return relation_typed(b, c, term_expr(b, e, "t"));
}

/* A relation under the name t, by which expressions refer to its columns. */
static const struct input *
input_t(struct builder *b, const struct relation *r)
{
    return input_as(b, relation_input(b, r), "t");
}

static const struct input *
extend_input(struct builder *b, const struct relation *r)
{
    size_t had = r->left->as->n_columns;
    struct select *s = select_new(b, input_t(b, r->left));

    s->all = true;
    for (size_t i = 0; i < r->n_exprs; i++)
        if (relation_carries(r, had + i))
            select_add(
                b, s,
                relation_computed(b, &r->as->columns[had + i], r->exprs[i]),
                "column_%zu", had + i);
    return input_select(b, s);
}

static const struct input *
filter_input(struct builder *b, const struct relation *r)
{
    struct select *s = select_new(b, input_t(b, r->left));

    s->all = true;
    select_where(b, s, term_expr(b, r->on, "t"));
    return input_select(b, s);
}

/* t.rank <= the most rows that count of a unit of r */
static const struct term *
within_rank(struct builder *b, const struct relation *r)
{
    return term_binary(b, term_name(b, "t", "rank"), TERM_AT_MOST,
                       term_number(b, relation_rows(r)));
}

/* One branch; before: rows of a unit in earlier branches. */
static struct select *
union_branch(struct builder *b, const struct relation *r, size_t branch,
             unsigned long long before)
{
    const struct relation *of = r->branches[branch];
    size_t n = r->as->n_columns;
    struct select *s = select_new(b, input_t(b, of));

    if (relation_is_private(r)) {
        select_add(b, s, term_name(b, "t", "unit"), "unit");
        select_add(b, s,
                   term_binary(b, term_number(b, before), TERM_PLUS,
                               term_name(b, "t", "rank")),
                   "rank");
        select_where(b, s, within_rank(b, of));
    } else {
        select_add(b, s, term_number(b, 0), "unit");
    }
    if (r->seeded)
        select_add(b, s,
                   term_call(b, TERM_HASH, term_name(b, "t", "seed"),
                             term_number(b, (i128)branch), NULL),
                   "seed");
    for (size_t i = 0; i < n; i++)
        if (relation_carries(r, i))
            relation_column(b, &r->as->columns[i], r->columns[i].stored, "t",
                            r->slots[branch * n + i], i, s);
    return s;
}

static const struct input *
union_input(struct builder *b, const struct relation *r)
{
    struct select *first = NULL, *last = NULL;
    unsigned long long before = 0;

    for (size_t i = 0; i < r->n_branches; i++) {
        struct select *s = union_branch(b, r, i, before);

        if (last)
            last->and_all = s;
        else
            first = s;
        last = s;
        before += relation_rows(r->branches[i]);
    }
    return input_select(b, first);
}

/* A public query with its outputs cast to the types of the columns. */
static const struct input *
public_input(struct builder *b, const struct relation *r)
{
    struct select *s =
        select_new(b, input_select(b, public_select(b, r->plan)));

    for (size_t i = 0; i < r->as->n_columns; i++)
        select_add(b, s,
                   relation_typed(b, &r->as->columns[i],
                                  term_name(b, NULL, "column_%zu", i)),
                   "column_%zu", i);
    return input_select(b, s);
}

const struct input *
relation_input(struct builder *b, const struct relation *r)
{
    if (prepare_is_part(r) && !b->public_only)
        return prepare_input(b, r);
    switch (r->kind) {
    case RELATION_TABLE: return table_input(b, r);
    case RELATION_FILTER: return filter_input(b, r);
    case RELATION_EXTEND: return extend_input(b, r);
    case RELATION_JOIN: return relation_join(b, r);
    case RELATION_UNION: return union_input(b, r);
    case RELATION_UNITS: return relation_units(b, r);
    case RELATION_PUBLIC: return public_input(b, r);
    }
    b->failed = true; /* UNREACHABLE: all kinds are above */
    return &b->no_input;
}

const struct input *
relation_of_plan(struct builder *b, const struct plan *plan)
{
    if (plan->from && plan->from->kind != RELATION_TABLE)
        return relation_input(b, plan->from);
    return relation_table(b, plan->table, plan->from);
}

void
relation_queries(struct builder *b, const struct plan *plan, size_t n,
                 struct select *to)
{
    for (size_t i = 0; i < n; i++) {
        struct select *q = select_new(b, relation_input(b, plan->queries[i]));
        char name[32];

        q->all = true;
        snprintf(name, sizeof name, "subquery_%zu", i);
        select_with(b, to, name, q);
    }
}
