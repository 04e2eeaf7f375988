/*
 * What r is, and what is cut before, is theorem join-order; that no row of two
 * units comes about, unit-local. Both stand in plan/relation.h.
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
    buf_printf(out, ", %sc%zu AS c%zu", before, i, as);
    if (stored && view_has_steps(c))
        buf_printf(out, ", %sg%zu AS g%zu", before, i, as);
    if (stored && view_has_index(c))
        buf_printf(out, ", %sk%zu AS k%zu", before, i, as);
}

/* ---------------------------------------------------------------- tables -- */

static void
print_rows(struct engine *e, const struct policy_table *t, struct buf *out)
{
    size_t i = t->number;
    const char *from = e->data->tables[i].from;

    if (t->is_public || e->data->tables[i].sorted) {
        buf_add_text(out, from);
    } else if (t->unit_is_row) { /* any number does that no other row has */
        buf_printf(out, "(SELECT *, %s AS u, 1 AS r FROM %s)",
                   t->attached ? "row_number() OVER ()" : "rowid", from);
    } else {
        buf_add_text(out, "(SELECT *, x AS u, row_number() OVER (PARTITION BY "
                          "x ORDER BY h) AS r FROM (SELECT *, ");
        view_rank(t, "CAST(v.x AS VARCHAR)", out);
        buf_add_text(out, " AS h FROM ");
        unit_path_from(e->data->policy, i, from, out);
        buf_add_text(out, "))");
    }
}

/*
 * The seed of a row: of its unit's own value and its rank, which tell the row
 * from all others; of all its columns where the unit is the row.
 */
static void
print_table(struct engine *e, const struct relation *r, struct buf *out)
{
    const struct policy_table *t = r->as;

    if (!r->seeded) {
        print_rows(e, t, out);
        return;
    }
    buf_add_text(out, "(SELECT *, hash(");
    if (!t->unit_is_row)
        buf_printf(out, "r, c%zu", t->unit_column);
    for (size_t i = 0; t->unit_is_row && i < t->n_columns; i++)
        buf_printf(out, "%sc%zu", i ? ", " : "", i);
    buf_add_text(out, ") AS seed FROM ");
    print_rows(e, t, out);
    buf_add_text(out, ")");
}

/* ------------------------------------------------------------ the others -- */

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
    buf_add_text(out, clamp ? ")" : "), NULL)"); /* as sql/duckdb.c */
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
        buf_printf(out, " AS c%zu", had + i);
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
    unsigned long long before = 0; /* rows of a unit in branches before */

    for (size_t b = 0; b < r->n_branches; b++) {
        const struct relation *branch = r->branches[b];

        buf_add_text(out, b ? " UNION ALL SELECT " : "(SELECT ");
        if (relation_is_private(r))
            buf_printf(out, "t.u AS u, %llu + t.r AS r", before);
        else
            buf_add_text(out, "0 AS u");
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
            buf_printf(out, " WHERE t.r <= %llu", relation_rows(branch));
        before += relation_rows(branch);
    }
    buf_add_text(out, ")");
}

/* Outputs of a public query in the types that columns have. */
static void
print_public(struct engine *e, const struct relation *r, struct buf *out)
{
    char name[32];

    buf_add_text(out, "(SELECT ");
    for (size_t i = 0; i < r->as->n_columns; i++) {
        snprintf(name, sizeof name, "c%zu", i);
        buf_add_text(out, i ? ", " : "");
        relation_typed(&r->as->columns[i], name, out);
        buf_printf(out, " AS c%zu", i);
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
        buf_add_text(out, e->data->tables[plan->table->number].from);
}

void
relation_queries(struct engine *e, const struct plan *plan, size_t n,
                 struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%sq%zu AS (SELECT * FROM ", i ? ", " : "WITH ", i);
        relation_print(e, plan->queries[i], out);
        buf_add_text(out, i + 1 < n ? ")" : ") ");
    }
}
