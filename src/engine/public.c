/*
 * Queries over public tables, or over no table. The engine computes them
 * completely, from text that is printed from the closed tree. Such text may fail on
 * some values, so no statement that reads a private table contains it (prepare.h).
 */
#include "base/ck.h"
#include "base/error.h"
#include "engine/import.h"
#include "engine/refail.h"
#include "engine/relation.h"
#include "engine/work.h"
#include "plan/evaluate.h"
#include "sql/duckdb.h"

static void
print_list(const struct key *keys, size_t n, const char *before,
           const char *after, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_text(out, i ? ", " : before);
        duckdb_print_public(keys[i].expr, "t", out);
        buf_add_text(out, after);
    }
}

/* Prints ORDER BY. If the query has none, orders by the keys or the distinct
   outputs, so that the order is fixed where possible. */
static void
print_order(const struct plan *plan, struct buf *out)
{
    for (size_t i = 0; i < plan->n_order_by; i++) {
        const struct order *o = &plan->order_by[i];

        buf_add_text(out, i ? ", " : " ORDER BY ");
        if (o->expr->kind == EXPR_LITERAL && o->expr->value.type == TYPE_INT)
            buf_printf(out, "%lld", (long long)o->expr->value.n);
        else
            duckdb_print_public(o->expr, "t", out);
        buf_add_text(out, o->descending ? " DESC" : " ASC");
        buf_add_text(out, o->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    if (plan->n_order_by > 0)
        return;
    if (!plan->query->distinct)
        print_list(plan->keys, plan->n_keys, " ORDER BY ", " NULLS LAST", out);
    for (size_t i = 0; i < plan->n_outputs && plan->query->distinct; i++)
        buf_printf(out, "%s%zu NULLS LAST", i ? ", " : " ORDER BY ", i + 1);
}

void
public_print(struct engine *e, const struct plan *plan, struct buf *out)
{
    const struct query *q = plan->query;

    if (!e->public_only)
        out->failed = true;
    buf_add_text(out, q->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (size_t i = 0; i < plan->n_outputs; i++) {
        buf_add_text(out, i ? ", " : "");
        duckdb_print_public(plan->outputs[i].expr, "t", out);
        buf_printf(out, " AS column_%zu", i);
    }
    if (plan->table) {
        buf_add_text(out, " FROM ");
        relation_of_plan(e, plan, out);
        buf_add_text(out, " AS t");
    }
    if (plan->where) {
        buf_add_text(out, " WHERE ");
        duckdb_print_public(plan->where, "t", out);
    }
    print_list(plan->keys, plan->n_keys, " GROUP BY ", "", out);
    if (plan->having) {
        buf_add_text(out, " HAVING ");
        duckdb_print_public(plan->having, "t", out);
    }
    print_order(plan, out);
    if (q->has_limit)
        buf_printf(out, " LIMIT %llu", (unsigned long long)q->limit);
    if (q->offset > 0)
        buf_printf(out, " OFFSET %llu", (unsigned long long)q->offset);
}

static bool
datum_take(const struct duck_column *c, size_t row, arena *a, struct datum *out)
{
    *out = (struct datum){.type = TYPE_NULL};
    if (duck_null(c, row))
        return true;
    out->n = duck_whole(c, row);
    out->scale = c->scale;
    switch (c->type) {
    case DUCK_BOOL: out->type = TYPE_BOOL; return true;
    case DUCK_DATE: out->type = TYPE_DATE; return true;
    case DUCK_TIMESTAMP: out->type = TYPE_TIMESTAMP; return true;
    case DUCK_DECIMAL16:
    case DUCK_DECIMAL32:
    case DUCK_DECIMAL64:
    case DUCK_DECIMAL128: out->type = TYPE_DECIMAL; return true;
    case DUCK_F64: *out = datum_of_double(duck_real(c, row)); return true;
    case DUCK_TEXT:
        out->type = TYPE_TEXT;
        out->text = duck_text(c, row);
        out->text.ptr = arena_copy(a, out->text);
        return out->text.ptr != NULL;
    case DUCK_LIST:
    case DUCK_NOTHING:
    case DUCK_OTHER: return true;
    default: out->type = TYPE_INT; return true;
    }
}

/* Makes room for n more rows, by doubling. */
static bool
rows_grow(struct engine_rows *r, size_t *room, size_t n, arena *a)
{
    struct datum *bigger;
    size_t want, cells;

    if (r->n + n <= *room)
        return true;
    if (!ck_mul_size(r->n + n, 2, &want) ||
        !ck_mul_size(want, r->n_columns, &cells))
        return false;
    bigger = arena_take(a, cells, sizeof *bigger);
    if (!bigger)
        return false;
    if (r->n > 0)
        memcpy(bigger, r->cells, r->n * r->n_columns * sizeof *bigger);
    r->cells = bigger;
    *room = want;
    return true;
}

static custos_status
rows_read(struct duck_rows *rows, arena *a, struct engine_rows *out,
          custos_err *err)
{
    struct duck_column columns[DUCK_COLUMNS_MAX];
    struct engine_rows r = {.n_columns = duck_width(rows)};
    size_t n = 0, room = 0;
    custos_status st;
    bool fits = true;

    while (!(st = duck_next(rows, &n, columns, err)) && n > 0 && fits) {
        fits = rows_grow(&r, &room, n, a);
        for (size_t i = 0; i < n && fits; i++)
            for (size_t k = 0; k < r.n_columns && fits; k++)
                fits = datum_take(&columns[k], i, a,
                                  &r.cells[(r.n + i) * r.n_columns + k]);
        r.n += n;
    }
    if (!st && !fits)
        st = custos_fail(err, CUSTOS_ENOMEM,
                         "the answer needs more memory than a query may "
                         "use" HINT "ask for fewer rows with LIMIT");
    if (!st)
        *out = r;
    return st;
}

custos_status
engine_public(struct engine *e, const struct plan *plan, arena *a,
              struct engine_rows *out, custos_err *err)
{
    struct duck_rows *rows = NULL;
    struct buf b;
    custos_status st;

    CUSTOS_REQUIRE(plan->is_public && (!plan->table || plan->table->is_public));
    buf_init(&b, NULL, SQL_MOST);
    e->public_only = true;
    relation_queries(e, plan, plan->n_queries, &b);
    public_print(e, plan, &b);
    e->public_only = false;
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_ask(e->connections[0], buf_text(&b), &rows, err);
    buf_clear(&b);
    if (!st)
        st = rows_read(rows, a, out, err);
    duck_rows_free(rows);
    return st;
}
