/*
 * Prints relations of a plan as SQL of the engine. Theorem join-order says what the
 * rank is and which rows are cut first; unit-local says that no row is made from
 * rows of two units. Both are in plan/relation.h.
 */
#include "engine/relation.h"

#include <stdio.h>

#include "engine/import.h"
#include "engine/prepare.h"
#include "engine/work.h"
#include "sql/duckdb.h"

void
relation_column(const struct policy_column *c, bool stored, const char *before,
                size_t i, size_t as, struct buf *out)
{
    buf_printf(out, ", %scolumn_%zu AS column_%zu", before, i, as);
    if (stored && view_has_steps(c))
        buf_printf(out, ", %ssteps_%zu AS steps_%zu", before, i, as);
    if (stored && view_has_index(c))
        buf_printf(out, ", %sindex_%zu AS index_%zu", before, i, as);
}

/* ---------------------------------------------------------------- tables -- */

/*
 * Names only the columns that are read, because each one costs the engine time.
 * For a public attached table it names all, because prepare.h identifies a part
 * by its text.
 */
void
relation_named(const struct engine *e, const struct policy_table *t,
               const struct relation *r, struct buf *out)
{
    bool all = !r || (t->is_public && t->attached);

    for (size_t i = 0; i < t->n_columns; i++) {
        if (!all && !relation_carries(r, i))
            continue;
        buf_printf(out, ", c%zu AS column_%zu", i, i);
        if (view_has_steps(&t->columns[i]))
            buf_printf(out, ", g%zu AS steps_%zu", i, i);
        if (view_has_index(&t->columns[i]))
            buf_printf(out, ", k%zu AS index_%zu", i, i);
        if (e->data->tables[t->number].sorted && view_has_ordinal(t, i))
            buf_printf(out, ", h%zu AS ordinal_%zu", i, i);
    }
}

void
relation_table(const struct engine *e, const struct policy_table *t,
               const struct relation *r, struct buf *out)
{
    const struct engine_table *is = &e->data->tables[t->number];

    buf_add_text(out, is->sorted ? "(SELECT u AS unit, r AS rank"
                                 : "(SELECT 1 AS rank");
    relation_named(e, t, r, out);
    buf_printf(out, " FROM %s)", is->from);
}

/* Prints a table's rows; those of a private table with their unit and rank. */
static void
print_rows(struct engine *e, const struct relation *r, struct buf *out)
{
    const struct policy_table *t = r->as;
    const struct engine_table *is = &e->data->tables[t->number];

    if (t->is_public || is->sorted) {
        relation_table(e, t, r, out);
    } else if (t->unit_is_row) { /* any unique number will do */
        buf_printf(out, "(SELECT %s AS unit, 1 AS rank",
                   t->attached ? "row_number() OVER ()" : "rowid");
        relation_named(e, t, r, out);
        buf_printf(out, " FROM %s)", is->from);
    } else {
        buf_add_text(out, "(SELECT unit_value AS unit, row_number() OVER "
                          "(PARTITION BY unit_value ORDER BY row_hash) AS "
                          "rank");
        relation_named(e, t, r, out);
        buf_add_text(out, " FROM (SELECT *, ");
        view_rank(t, UNIT_PATH_TEXT, out);
        buf_add_text(out, " AS row_hash FROM ");
        unit_path_from(e->data->policy, t->number, is->from, out);
        buf_add_text(out, "))");
    }
}

/*
 * Prints a table's rows with their seeds. The seed of a row is a hash of its unit's
 * value and its rank, which together identify the row; if the unit is the row, it
 * is a hash of all its columns.
 */
static void
print_table(struct engine *e, const struct relation *r, struct buf *out)
{
    const struct policy_table *t = r->as;

    if (!r->seeded) {
        print_rows(e, r, out);
        return;
    }
    buf_add_text(out, "(SELECT *, hash(");
    if (!t->unit_is_row)
        buf_printf(out, "rank, column_%zu", t->unit_column);
    for (size_t i = 0; t->unit_is_row && i < t->n_columns; i++)
        buf_printf(out, "%scolumn_%zu", i ? ", " : "", i);
    buf_add_text(out, ") AS seed FROM ");
    print_rows(e, r, out);
    buf_add_text(out, ")");
}

/* ------------------------------------------------------- other relations -- */

static bool
is_wide(const struct policy_column *c)
{
    return c->has_range && (c->lower.n < INT64_MIN || c->upper.n > INT64_MAX);
}

void
relation_typed(const struct policy_column *c, const char *value,
               struct buf *out)
{
    bool clamp = c->type == TYPE_INT && c->has_range;
    const char *type = is_wide(c) ? "HUGEINT" : "BIGINT";
    char low[41], high[41];

    buf_printf(
        out, clamp ? "whole_clamp(TRY_CAST(%s AS " : "coalesce(TRY_CAST(%s AS ",
        value);
    if (c->type == TYPE_INT)
        buf_add_text(out, type);
    else
        view_type(c, out);
    buf_add_text(out, clamp ? ")" : "), NULL)"); /* as in sql/duckdb.c */
    if (!clamp)
        return;
    custos_int_write(c->lower.n, low);
    custos_int_write(c->upper.n, high);
    buf_printf(out, ", CAST('%s' AS %s), CAST('%s' AS %s))", low, type, high,
               type);
}

void
relation_computed(const struct policy_column *c, const struct expr *e,
                  struct buf *out)
{
    struct buf value;

    buf_init(&value, NULL, out->limit);
    duckdb_print_expr(e, "t", &value);
    relation_typed(c, buf_text(&value), out);
    out->failed |= value.failed;
    buf_clear(&value);
}

static void
print_extend(struct engine *e, const struct relation *r, struct buf *out)
{
    size_t had = r->left->as->n_columns;

    buf_add_text(out, "(SELECT *");
    for (size_t i = 0; i < r->n_exprs; i++) {
        if (!relation_carries(r, had + i))
            continue;
        buf_add_text(out, ", ");
        relation_computed(&r->as->columns[had + i], r->exprs[i], out);
        buf_printf(out, " AS column_%zu", had + i);
    }
    buf_add_text(out, " FROM ");
    relation_print(e, r->left, out);
    buf_add_text(out, " AS t)");
}

static void
print_filter(struct engine *e, const struct relation *r, struct buf *out)
{
    buf_add_text(out, "(SELECT * FROM ");
    relation_print(e, r->left, out);
    buf_add_text(out, " AS t WHERE ");
    duckdb_print_expr(r->on, "t", out);
    buf_add_text(out, ")");
}

static void
print_union(struct engine *e, const struct relation *r, struct buf *out)
{
    size_t n = r->as->n_columns;
    unsigned long long before = 0; /* rows of a unit in earlier branches */

    for (size_t b = 0; b < r->n_branches; b++) {
        const struct relation *branch = r->branches[b];

        buf_add_text(out, b ? " UNION ALL SELECT " : "(SELECT ");
        if (relation_is_private(r))
            buf_printf(out, "t.unit AS unit, %llu + t.rank AS rank", before);
        else
            buf_add_text(out, "0 AS unit");
        if (r->seeded)
            buf_printf(out, ", hash(t.seed, %zu) AS seed", b);
        for (size_t i = 0; i < n; i++)
            if (relation_carries(r, i))
                relation_column(&r->as->columns[i], r->columns[i].stored, "t.",
                                r->slots[b * n + i], i, out);
        buf_add_text(out, " FROM ");
        relation_print(e, branch, out);
        buf_add_text(out, " AS t");
        if (relation_is_private(r))
            buf_printf(out, " WHERE t.rank <= %llu", relation_rows(branch));
        before += relation_rows(branch);
    }
    buf_add_text(out, ")");
}

/* Prints a public query with its outputs cast to the types of the columns. */
static void
print_public(struct engine *e, const struct relation *r, struct buf *out)
{
    char name[32];

    buf_add_text(out, "(SELECT ");
    for (size_t i = 0; i < r->as->n_columns; i++) {
        snprintf(name, sizeof name, "column_%zu", i);
        buf_add_text(out, i ? ", " : "");
        relation_typed(&r->as->columns[i], name, out);
        buf_printf(out, " AS column_%zu", i);
    }
    buf_add_text(out, " FROM (");
    public_print(e, r->plan, out);
    buf_add_text(out, "))");
}

void
relation_print(struct engine *e, const struct relation *r, struct buf *out)
{
    if (prepare_is_part(r) && !e->public_only) {
        prepare_print(e, r, out);
        return;
    }
    switch (r->kind) {
    case RELATION_TABLE: print_table(e, r, out); return;
    case RELATION_FILTER: print_filter(e, r, out); return;
    case RELATION_EXTEND: print_extend(e, r, out); return;
    case RELATION_JOIN: relation_join(e, r, out); return;
    case RELATION_UNION: print_union(e, r, out); return;
    case RELATION_UNITS: relation_units(e, r, out); return;
    case RELATION_PUBLIC: print_public(e, r, out); return;
    }
    out->failed = true; /* UNREACHABLE: all kinds are above */
}

void
relation_of_plan(struct engine *e, const struct plan *plan, struct buf *out)
{
    if (plan->from && plan->from->kind != RELATION_TABLE)
        relation_print(e, plan->from, out);
    else
        relation_table(e, plan->table, plan->from, out);
}

void
relation_queries(struct engine *e, const struct plan *plan, size_t n,
                 struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%ssubquery_%zu AS (SELECT * FROM ", i ? ", " : "WITH ",
                   i);
        relation_print(e, plan->queries[i], out);
        buf_add_text(out, i + 1 < n ? ")" : ") ");
    }
}
