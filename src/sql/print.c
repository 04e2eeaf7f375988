/*
 * The canonical text of a tree: expressions. Every operator has parentheses,
 * every name has quotes and every output has a name, so that nothing depends on
 * precedence, keywords or defaults. Read back, the text gives the same tree.
 */
#include "sql/print.h"

#include <string.h>

#include "sql/tree.h"

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

/*
 * How a call is written: '2' an operator between two operands, 'p' before one,
 * 's' after one, 'b' the BETWEENs, 'f' a function, 'd' a function whose first
 * argument is the name of a field.
 */
static const struct {
    char form;
    const char *word, *field;
} calls[] = {
    [CALL_AND] = {'2', "AND", NULL},
    [CALL_OR] = {'2', "OR", NULL},
    [CALL_NOT] = {'p', "NOT", NULL},
    [CALL_EQ] = {'2', "=", NULL},
    [CALL_NE] = {'2', "<>", NULL},
    [CALL_LT] = {'2', "<", NULL},
    [CALL_LE] = {'2', "<=", NULL},
    [CALL_GT] = {'2', ">", NULL},
    [CALL_GE] = {'2', ">=", NULL},
    [CALL_IS_NULL] = {'s', "IS NULL", NULL},
    [CALL_IS_NOT_NULL] = {'s', "IS NOT NULL", NULL},
    [CALL_IS_TRUE] = {'s', "IS TRUE", NULL},
    [CALL_IS_FALSE] = {'s', "IS FALSE", NULL},
    [CALL_IS_NOT_TRUE] = {'s', "IS NOT TRUE", NULL},
    [CALL_IS_NOT_FALSE] = {'s', "IS NOT FALSE", NULL},
    [CALL_IS_DISTINCT] = {'2', "IS DISTINCT FROM", NULL},
    [CALL_IS_NOT_DISTINCT] = {'2', "IS NOT DISTINCT FROM", NULL},
    [CALL_LIKE] = {'2', "LIKE", NULL},
    [CALL_NOT_LIKE] = {'2', "NOT LIKE", NULL},
    [CALL_ILIKE] = {'2', "ILIKE", NULL},
    [CALL_NOT_ILIKE] = {'2', "NOT ILIKE", NULL},
    [CALL_BETWEEN] = {'b', "BETWEEN", NULL},
    [CALL_NOT_BETWEEN] = {'b', "NOT BETWEEN", NULL},
    [CALL_NEG] = {'p', "-", NULL},
    [CALL_ADD] = {'2', "+", NULL},
    [CALL_SUB] = {'2', "-", NULL},
    [CALL_MUL] = {'2', "*", NULL},
    [CALL_DIV] = {'2', "/", NULL},
    [CALL_MOD] = {'2', "%", NULL},
    [CALL_ABS] = {'f', "abs", NULL},
    [CALL_ROUND] = {'f', "round", NULL},
    [CALL_FLOOR] = {'f', "floor", NULL},
    [CALL_CEIL] = {'f', "ceil", NULL},
    [CALL_SIGN] = {'f', "sign", NULL},
    [CALL_LEAST] = {'f', "LEAST", NULL},
    [CALL_GREATEST] = {'f', "GREATEST", NULL},
    [CALL_COALESCE] = {'f', "COALESCE", NULL},
    [CALL_NULLIF] = {'f', "NULLIF", NULL},
    [CALL_LOWER] = {'f', "lower", NULL},
    [CALL_UPPER] = {'f', "upper", NULL},
    [CALL_TRIM] = {'f', "btrim", NULL},
    [CALL_LENGTH] = {'f', "length", NULL},
    [CALL_SUBSTRING] = {'f', "substr", NULL},
    [CALL_CONCAT] = {'2', "||", NULL},
    [CALL_YEAR] = {'d', "date_part", "year"},
    [CALL_QUARTER] = {'d', "date_part", "quarter"},
    [CALL_MONTH] = {'d', "date_part", "month"},
    [CALL_WEEK] = {'d', "date_part", "week"},
    [CALL_DAY] = {'d', "date_part", "day"},
    [CALL_DOW] = {'d', "date_part", "dow"},
    [CALL_DOY] = {'d', "date_part", "doy"},
    [CALL_HOUR] = {'d', "date_part", "hour"},
    [CALL_MINUTE] = {'d', "date_part", "minute"},
    [CALL_SECOND] = {'d', "date_part", "second"},
    [CALL_TRUNC_YEAR] = {'d', "date_trunc", "year"},
    [CALL_TRUNC_QUARTER] = {'d', "date_trunc", "quarter"},
    [CALL_TRUNC_MONTH] = {'d', "date_trunc", "month"},
    [CALL_TRUNC_WEEK] = {'d', "date_trunc", "week"},
    [CALL_TRUNC_DAY] = {'d', "date_trunc", "day"},
    [CALL_TRUNC_HOUR] = {'d', "date_trunc", "hour"},
    [CALL_WIDTH_BUCKET] = {'f', "width_bucket", NULL},
};

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
    const char *word = calls[e->call].word;

    switch (calls[e->call].form) {
    case '2':
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s ", word);
        sql_print_expr(e->args[1], out);
        buf_add_text(out, ")");
        break;
    case 'p':
        buf_printf(out, "(%s ", word);
        sql_print_expr(e->args[0], out);
        buf_add_text(out, ")");
        break;
    case 's':
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s)", word);
        break;
    case 'b':
        buf_add_text(out, "(");
        sql_print_expr(e->args[0], out);
        buf_printf(out, " %s ", word);
        print_args(e->args + 1, 2, " AND ", out);
        buf_add_text(out, ")");
        break;
    default:
        buf_printf(out, "%s(", word);
        if (calls[e->call].field)
            buf_printf(out, "'%s', ", calls[e->call].field);
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
print_aggregate(const struct expr *e, struct buf *out)
{
    static const char *const names[] = {
        [AGG_COUNT_ROWS] = "count(*",
        [AGG_COUNT] = "count(",
        [AGG_COUNT_DISTINCT] = "count(DISTINCT ",
        [AGG_SUM] = "sum(",
        [AGG_AVG] = "avg(",
        [AGG_VAR_SAMP] = "var_samp(",
        [AGG_VAR_POP] = "var_pop(",
        [AGG_STDDEV_SAMP] = "stddev_samp(",
        [AGG_STDDEV_POP] = "stddev_pop(",
        [AGG_MEDIAN] = "median(",
        [AGG_PERCENTILE_CONT] = "percentile_cont(",
        [AGG_PERCENTILE_DISC] = "percentile_disc(",
        [AGG_MIN] = "min(",
        [AGG_MAX] = "max(",
    };
    bool ranked = e->aggregate == AGG_PERCENTILE_CONT ||
                  e->aggregate == AGG_PERCENTILE_DISC;

    buf_add_text(out, names[e->aggregate]);
    if (e->n_args > 0)
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
    case EXPR_INTERVAL:
        buf_add_text(out, e->high ? "dp_interval_high(" : "dp_interval_low(");
        sql_print_expr(e->args[0], out);
        buf_add_text(out, ")");
        break;
    }
}
