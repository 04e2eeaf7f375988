/*
 * Queries over public tables, or over no table. The engine computes them completely.
 * Their expressions may fail on some values, so no statement that reads a private
 * table contains them (prepare.h).
 */
#include "base/ck.h"
#include "base/error.h"
#include "engine/statement/ask.h"
#include "engine/refail.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"
#include "evaluate/evaluate.h"

/* Orders by what the query says. If it says nothing, by the keys or the distinct
   outputs, so that the order is fixed where possible. */
static void
add_order(struct builder *b, const struct plan *plan, struct select *to)
{
    bool distinct = plan->query->distinct;
    size_t n = distinct ? plan->n_outputs : plan->space.n_keys;

    for (size_t i = 0; i < plan->n_order_by; i++) {
        const struct order *o = &plan->order_by[i];
        bool number =
            o->expr->kind == EXPR_LITERAL && o->expr->value.type == TYPE_INT;
        struct sort by = {.term = number ? term_number(b, o->expr->value.n)
                                         : term_public(b, o->expr, "t"),
                          .stated = true,
                          .descending = o->descending,
                          .nulls = o->nulls_first ? SORT_NULLS_FIRST
                                                  : SORT_NULLS_LAST};

        select_order(b, to, &by);
    }
    for (size_t i = 0; i < n && plan->n_order_by == 0; i++) {
        struct sort by = {
            .term = distinct ? term_number(b, (i128)i + 1)
                             : term_public(b, plan->space.keys[i].expr, "t"),
            .nulls = SORT_NULLS_LAST};

        select_order(b, to, &by);
    }
}

struct select *
public_select(struct builder *b, const struct plan *plan)
{
    const struct query *q = plan->query;
    const struct input *from =
        plan->table ? input_as(b, relation_of_plan(b, plan), "t") : NULL;
    struct select *s = select_new(b, from);

    if (!b->public_only)
        b->failed = true;
    s->distinct = q->distinct;
    for (size_t i = 0; i < plan->n_outputs; i++)
        select_add(b, s, term_public(b, plan->outputs[i].expr, "t"),
                   "column_%zu", i);
    if (plan->where)
        select_where(b, s, term_public(b, plan->where, "t"));
    for (size_t i = 0; i < plan->space.n_keys; i++)
        select_group(b, s, term_public(b, plan->space.keys[i].expr, "t"));
    if (plan->having)
        s->having = term_public(b, plan->having, "t");
    add_order(b, plan, s);
    s->has_limit = q->has_limit;
    s->limit = q->limit;
    s->offset = q->offset;
    return s;
}

static bool
datum_take(const struct column *c, size_t row, arena *a, struct datum *out)
{
    *out = (struct datum){.type = TYPE_NULL};
    if (column_is_null(c, row))
        return true;
    out->n = column_whole(c, row);
    out->scale = c->scale;
    switch (c->type) {
    case COLUMN_BOOL: out->type = TYPE_BOOL; return true;
    case COLUMN_DATE: out->type = TYPE_DATE; return true;
    case COLUMN_TIMESTAMP: out->type = TYPE_TIMESTAMP; return true;
    case COLUMN_DECIMAL16:
    case COLUMN_DECIMAL32:
    case COLUMN_DECIMAL64:
    case COLUMN_DECIMAL128: out->type = TYPE_DECIMAL; return true;
    case COLUMN_F64: *out = datum_of_double(column_real(c, row)); return true;
    case COLUMN_TEXT:
        out->type = TYPE_TEXT;
        out->text = column_text(c, row);
        out->text.ptr = arena_copy(a, out->text);
        return out->text.ptr != NULL;
    case COLUMN_LIST:
    case COLUMN_NOTHING:
    case COLUMN_OTHER: return true;
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
rows_read(struct result *rows, arena *a, struct engine_rows *out,
          custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct engine_rows r = {.n_columns = result_width(rows)};
    size_t n = 0, room = 0;
    custos_status st;
    bool fits = true;

    while (!(st = result_next(rows, &n, columns, err)) && n > 0 && fits) {
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
    struct result *rows = NULL;
    struct builder b;
    struct select *s;
    custos_status st;

    CUSTOS_REQUIRE(plan->is_public && (!plan->table || plan->table->is_public));
    builder_init(&b, e);
    b.public_only = true;
    s = public_select(&b, plan);
    relation_queries(&b, plan, plan->n_queries, s);
    st = ask_rows(&b, 0, s, &rows, err);
    builder_clear(&b);
    if (!st)
        st = rows_read(rows, a, out, err);
    result_free(rows);
    return st;
}
