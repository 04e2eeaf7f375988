/*
 * The canonical text of a tree: expressions. Every operator has parentheses,
 * every name has quotes and every output has a name, so that nothing depends on
 * precedence, keywords or defaults. Read back, the text gives the same tree.
 */
#include "sql/print.h"

#include <string.h>

#include "sql/aggregates.h"
#include "sql/functions.h"

void
print_quoted(char quote, str text, struct buf *out)
{
    buf_add(out, &quote, 1);
    for (size_t i = 0; i < text.len; i++) {
        buf_add(out, text.ptr + i, 1);
        if (text.ptr[i] == quote)
            buf_add(out, &quote, 1);
    }
    buf_add(out, &quote, 1);
}

void
print_name(str name, struct buf *out)
{
    print_quoted('"', name, out);
}

void
print_str(str text, struct buf *out)
{
    buf_add(out, text.ptr, text.len);
}

/* ------------------------------------------------------------- literals -- */

/* Writes `before`, the value in quotes, `after`. */
static void
print_typed(const char *before, const struct datum *d, const char *after,
            struct buf *out)
{
    buf_add_text(out, before);
    buf_add_text(out, "'");
    datum_write(d, out);
    buf_add_text(out, "'");
    buf_add_text(out, after);
}

void
print_literal(const struct datum *d, struct buf *out)
{
    switch (d->type) {
    case TYPE_NULL: buf_add_text(out, "NULL"); break;
    case TYPE_BOOL: buf_add_text(out, d->n ? "TRUE" : "FALSE"); break;
    case TYPE_INT: datum_write(d, out); break;
    case TYPE_DECIMAL:
        datum_write(d, out);
        if (d->scale == 0) /* else it would be read as a whole number */
            buf_add_text(out, ".");
        break;
    case TYPE_REAL: print_typed("CAST(", d, " AS float8)", out); break;
    case TYPE_TEXT: print_quoted('\'', d->text, out); break;
    case TYPE_DATE: print_typed("DATE ", d, "", out); break;
    case TYPE_TIMESTAMP: print_typed("TIMESTAMP ", d, "", out); break;
    }
}

/* ---------------------------------------------------------------- calls -- */

static void
print_args(struct expr *const *args, size_t n, const char *between,
           struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_add_text(out, between);
        sql_print_expr(args[i], out);
    }
}

static void
print_call(const struct expr *e, struct buf *out)
{
    const struct function *f = &functions[e->call];
    const char *word = f->word;

    switch (f->form) {
    case FORM_INFIX:
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s ", word);
        sql_print_expr(e->args[1], out);
        buf_add_text(out, ")");
        break;
    case FORM_PREFIX:
        buf_printf(out, "(%s ", word);
        sql_print_expr(e->args[0], out);
        buf_add_text(out, ")");
        break;
    case FORM_SUFFIX:
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s)", word);
        break;
    case FORM_RANGED:
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s ", word);
        print_args(e->args + 1, 2, " AND ", out);
        buf_add_text(out, ")");
        break;
    case FORM_FUNCTION:
    case FORM_FIELD:
        buf_printf(out, "%s(", word);
        if (f->field)
            buf_printf(out, "'%s', ", f->field);
        print_args(e->args, e->n_args, ", ", out);
        buf_add_text(out, ")");
        break;
    }
}

static void
print_case(const struct expr *e, struct buf *out)
{
    buf_add_text(out, "CASE");
    for (size_t i = 0; i + 1 < e->n_args; i += 2) {
        buf_add_text(out, " WHEN ");
        sql_print_expr(e->args[i], out);
        buf_add_text(out, " THEN ");
        sql_print_expr(e->args[i + 1], out);
    }
    if (e->n_args % 2 == 1 && e->args[e->n_args - 1]) {
        buf_add_text(out, " ELSE ");
        sql_print_expr(e->args[e->n_args - 1], out);
    }
    buf_add_text(out, " END");
}

static void
print_cast(const struct expr *e, struct buf *out)
{
    static const char *const types[] = {
        [TYPE_NULL] = "text",   [TYPE_BOOL] = "bool",
        [TYPE_INT] = "int8",    [TYPE_DECIMAL] = "numeric",
        [TYPE_REAL] = "float8", [TYPE_TEXT] = "text",
        [TYPE_DATE] = "date",   [TYPE_TIMESTAMP] = "timestamp",
    };

    buf_add_text(out, "CAST(");
    sql_print_expr(e->args[0], out);
    buf_printf(out, " AS %s", types[e->cast_to]);
    if (e->cast_to == TYPE_DECIMAL)
        buf_printf(out, "(%d, %d)", e->cast_precision, e->cast_scale);
    buf_add_text(out, ")");
}

static void
print_window(const struct expr *e, struct buf *out)
{
    size_t keys = e->aggregate == AGG_RUNNING_ROWS;

    buf_add_text(out, ") OVER (");
    if (e->n_args > keys) {
        buf_add_text(out, "PARTITION BY ");
        print_args(e->args + keys, e->n_args - keys, ", ", out);
        buf_add_text(out, keys ? " " : "");
    }
    if (keys) {
        buf_add_text(out, "ORDER BY ");
        sql_print_expr(e->args[0], out);
    }
    buf_add_text(out, ")");
}

static void
print_aggregate(const struct expr *e, struct buf *out)
{
    bool ranked = aggregates[e->aggregate].ranked;

    if (aggregates[e->aggregate].family == FAMILY_RUNNING) {
        buf_add_text(out, aggregates[e->aggregate].opening);
        print_window(e, out);
        return;
    }

    buf_add_text(out, aggregates[e->aggregate].opening);
    if (aggregate_is_pair(e->aggregate))
        print_args(e->args, e->n_args, ", ", out);
    else if (e->n_args > 0)
        sql_print_expr(e->args[ranked ? 1 : 0], out);
    if (e->epsilon.len) {
        buf_add_text(out, ", epsilon => ");
        print_str(e->epsilon, out);
    }
    if (e->bounds != BOUNDS_NONE) {
        buf_printf(out, ", contribution_bounds_per_%s => (",
                   e->bounds == BOUNDS_PER_ROW ? "row" : "group");
        sql_print_expr(e->lower, out);
        buf_add_text(out, ", ");
        sql_print_expr(e->upper, out);
        buf_add_text(out, ")");
    }
    buf_add_text(out, ")");
    if (ranked) {
        buf_add_text(out, " WITHIN GROUP (ORDER BY ");
        sql_print_expr(e->args[0], out);
        buf_add_text(out, ")");
    }
}

void
sql_print_expr(const struct expr *e, struct buf *out)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        if (e->param && !e->param->given)
            buf_printf(out, "$%zu", e->param->number);
        else
            print_literal(&e->value, out);
        break;
    case EXPR_KEY: /* made by the planner, with its column's name */
    case EXPR_COLUMN:
        if (e->qualifier.len) {
            print_name(e->qualifier, out);
            buf_add_text(out, ".");
        }
        if (e->name.len)
            print_name(e->name, out);
        else
            buf_add_text(out, "*");
        break;
    case EXPR_CALL: print_call(e, out); break;
    case EXPR_CASE: print_case(e, out); break;
    case EXPR_IN:
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_add_text(out, e->negated ? " NOT IN (" : " IN (");
        print_args(e->args + 1, e->n_args - 1, ", ", out);
        buf_add_text(out, "))");
        break;
    case EXPR_IN_QUERY:
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_add_text(out, e->negated ? " NOT IN (" : " IN (");
        sql_print(e->query, out);
        buf_add_text(out, "))");
        break;
    case EXPR_CAST: print_cast(e, out); break;
    case EXPR_AGGREGATE: print_aggregate(e, out); break;
    case EXPR_GROUPING:
        buf_add_text(out, "GROUPING(");
        print_args(e->args, e->n_args, ", ", out);
        buf_add_text(out, ")");
        break;
    case EXPR_INTERVAL:
        buf_add_text(out, e->high ? "dp_interval_high(" : "dp_interval_low(");
        sql_print_expr(e->args[0], out);
        buf_add_text(out, ")");
        break;
    }
}
