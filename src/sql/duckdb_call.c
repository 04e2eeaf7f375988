/*
 * Operators and functions for DuckDB; see duckdb.c for the rules.
 */
#include <string.h>

#include "base/ck.h"
#include "sql/duckdb_parts.h"
#include "sql/print.h"

static const struct shape boolean = {.type = TYPE_BOOL};
static const struct shape real = {.type = TYPE_REAL};
static const struct shape text = {.type = TYPE_TEXT};

/* (a op b), both of one shape */
static void
infix(struct duck *d, const struct expr *e, const char *op, struct shape s)
{
    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], s);
    buf_printf(d->out, " %s ", op);
    duck_as(d, e->args[1], s);
    buf_add_text(d->out, ")");
}

static void
function(struct duck *d, const char *name, const struct expr *e, struct shape s)
{
    buf_printf(d->out, "%s(", name);
    duck_list(d, e->args, e->n_args, s);
    buf_add_text(d->out, ")");
}

/* Closes what open_narrow opened: the planner knows that the result fits. */
static bool
open_narrow(struct duck *d, const struct expr *e, struct shape s)
{
    bool narrow = s.type == TYPE_INT && s.wide && !e->wide;

    if (narrow)
        buf_add_text(d->out, "TRY_CAST(");
    return narrow;
}

static void
close_narrow(struct duck *d, bool narrow)
{
    if (narrow)
        buf_add_text(d->out, " AS BIGINT)");
}

/* ----------------------------------------------------------- arithmetic -- */

/* Wide enough for the operands and the result. */
static struct shape
arithmetic_shape(const struct expr *e)
{
    struct shape s = duck_common(e->args, e->n_args);

    if (e->type != TYPE_INT)
        return real;
    s.type = TYPE_INT;
    s.wide = s.wide || e->wide;
    return s;
}

/* Can the divisor be 0, or -1 (which the least number cannot be divided by)? */
static bool
divisor_is_safe(const struct expr *b)
{
    return b->kind == EXPR_LITERAL && data_type_is_number(b->value.type) &&
           b->value.n != 0 && !(b->value.n == -1 && b->value.scale == 0);
}

/* DuckDB's // and % of whole numbers give NULL for a divisor of 0. */
static void
divide(struct duck *d, const struct expr *e)
{
    struct shape s = arithmetic_shape(e);
    const struct expr *b = e->args[1];
    bool safe = divisor_is_safe(b), narrow;
    const char *op = e->call == CALL_MOD  ? "%"
                     : s.type == TYPE_INT ? "//"
                                          : "/";

    if (s.type == TYPE_INT) {
        s.wide = s.wide || !safe;
        narrow = open_narrow(d, e, s);
        infix(d, e, op, s);
        close_narrow(d, narrow);
        return;
    }
    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], s);
    buf_printf(d->out, safe ? " %s " : " %s NULLIF(", op);
    duck_as(d, b, s);
    buf_add_text(d->out, safe ? ")" : ", CAST('0' AS DOUBLE)))");
}

/*
 * Days after a date, by way of a number: outside +-999,999,999 days of 1970
 * it is NULL.
 */
static void
date_shift(struct duck *d, const struct expr *e)
{
    struct shape wide = {.type = TYPE_INT, .wide = true};

    buf_add_text(d->out, "(DATE '1970-01-01' + CAST(TRY_CAST((CAST("
                         "date_diff('day', DATE '1970-01-01', ");
    duck_expr(d, e->args[0]);
    buf_printf(d->out, ") AS HUGEINT) %c ", e->call == CALL_SUB ? '-' : '+');
    duck_as(d, e->args[1], wide);
    buf_add_text(d->out, ") AS DECIMAL(9, 0)) AS INTEGER))");
}

static void
add(struct duck *d, const struct expr *e, const char *op)
{
    struct shape s = arithmetic_shape(e);
    bool narrow;

    if (e->type == TYPE_DATE) {
        date_shift(d, e);
        return;
    }
    if (duck_type_of(e->args[0]) == TYPE_DATE) { /* date - date */
        buf_add_text(d->out, "date_diff('day', ");
        duck_expr(d, e->args[1]);
        buf_add_text(d->out, ", ");
        duck_expr(d, e->args[0]);
        buf_add_text(d->out, ")");
        return;
    }
    narrow = open_narrow(d, e, s);
    infix(d, e, op, s);
    close_narrow(d, narrow);
}

/* -x and abs(x) */
static void
one_number(struct duck *d, const struct expr *e, const char *before)
{
    struct shape s = arithmetic_shape(e);
    bool narrow = open_narrow(d, e, s);

    buf_add_text(d->out, before);
    duck_as(d, e->args[0], s);
    buf_add_text(d->out, ")");
    close_narrow(d, narrow);
}

/*
 * PostgreSQL rounds decimals half away from zero and reals half to even. Exact
 * decimals are rounded as such; others are DOUBLE here.
 */
static void
rounding(struct duck *d, const struct expr *e)
{
    const struct expr *x = e->args[0];
    enum data_type from = duck_type_of(x);
    const char *name = e->call == CALL_FLOOR  ? "floor"
                       : e->call == CALL_CEIL ? "ceil"
                       : e->call == CALL_SIGN ? "sign"
                                              : "round";
    struct shape s = {.type = e->type, .wide = e->wide};
    bool even;

    if (from == TYPE_INT && e->call != CALL_SIGN) {
        duck_as(d, x, s);
        return;
    }
    even = e->call == CALL_ROUND && e->n_args == 1 && from == TYPE_REAL;
    buf_printf(d->out, "TRY_CAST(%s(", even ? "round_even" : name);
    duck_expr(d, x);
    if (e->n_args == 2)
        buf_printf(d->out, ", %d", (int)e->args[1]->value.n);
    else if (even)
        buf_add_text(d->out, ", 0");
    buf_printf(d->out, ") AS %s)", duck_type(e->type, e->wide));
}

/* ----------------------------------------------------------------- text -- */

/*
 * PostgreSQL counts from 1 and lets a start below 1 eat up the length; DuckDB
 * counts a negative start from the end. Positions are literals.
 */
static void
substring(struct duck *d, const struct expr *e)
{
    const i128 far = INT32_MAX;
    i128 from = clamp_i128(e->args[1]->value.n, -far, far), len = far;
    i128 start = from < 1 ? 1 : from;

    if (e->n_args == 3) {
        len = clamp_i128(e->args[2]->value.n, 0, far) + from - start;
        len = clamp_i128(len, 0, far);
    }
    buf_add_text(d->out, "substring(");
    duck_as(d, e->args[0], text);
    buf_printf(d->out, ", %d, %d)", (int)start, (int)len);
}

static void
like(struct duck *d, const struct expr *e)
{
    str pattern = e->args[1]->value.text;
    bool not = e->call == CALL_NOT_LIKE || e->call == CALL_NOT_ILIKE;
    bool any = e->call == CALL_ILIKE || e->call == CALL_NOT_ILIKE;

    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], text);
    buf_printf(d->out, " %s%s ", not ? "NOT " : "", any ? "ILIKE" : "LIKE");
    duck_literal(d, e->args[1]);
    /* Without ESCAPE the backslash is a character like others in DuckDB. */
    if (memchr(pattern.ptr, '\\', pattern.len))
        buf_add_text(d->out, " ESCAPE '\\'");
    buf_add_text(d->out, ")");
}

/* -------------------------------------------------------------- choices -- */

static void
choice(struct duck *d, const struct expr *e, const char *name)
{
    struct shape s = duck_common(e->args, e->n_args);
    bool narrow = open_narrow(d, e, s);

    function(d, name, e, s);
    close_narrow(d, narrow);
}

/* Below the first bucket 0, above the last n + 1; bounds may be swapped. */
static void
width_bucket(struct duck *d, const struct expr *e)
{
    buf_add_text(d->out, "CASE WHEN ");
    duck_expr(d, e->args[0]);
    buf_add_text(d->out, " IS NOT NULL THEN CAST(floor(least(greatest((");
    duck_as(d, e->args[0], real);
    buf_add_text(d->out, " - ");
    duck_as(d, e->args[1], real);
    buf_add_text(d->out, ") * ");
    duck_as(d, e->args[3], real);
    buf_add_text(d->out, " / (");
    duck_as(d, e->args[2], real);
    buf_add_text(d->out, " - ");
    duck_as(d, e->args[1], real);
    buf_add_text(d->out, "), -1), ");
    duck_as(d, e->args[3], real);
    buf_add_text(d->out, ")) AS BIGINT) + 1 END");
}

/* ---------------------------------------------------------- comparisons -- */

static void
between(struct duck *d, const struct expr *e)
{
    struct shape s = duck_compared(d, e->args, e->n_args);

    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], s);
    buf_add_text(d->out,
                 e->call == CALL_BETWEEN ? " BETWEEN " : " NOT BETWEEN ");
    duck_as(d, e->args[1], s);
    buf_add_text(d->out, " AND ");
    duck_as(d, e->args[2], s);
    buf_add_text(d->out, ")");
}

/* Tests after a value. */
static void
test(struct duck *d, const struct expr *e, const char *after)
{
    buf_add_text(d->out, "(");
    if (e->call == CALL_IS_NULL || e->call == CALL_IS_NOT_NULL)
        duck_expr(d, e->args[0]);
    else
        duck_as(d, e->args[0], boolean);
    buf_printf(d->out, " %s)", after);
}

static bool
compare(struct duck *d, const struct expr *e)
{
    static const char *const words[] = {
        [CALL_EQ] = "=",
        [CALL_NE] = "<>",
        [CALL_LT] = "<",
        [CALL_LE] = "<=",
        [CALL_GT] = ">",
        [CALL_GE] = ">=",
        [CALL_IS_DISTINCT] = "IS DISTINCT FROM",
        [CALL_IS_NOT_DISTINCT] = "IS NOT DISTINCT FROM",
    };

    if ((size_t)e->call >= COUNT_OF(words) || !words[e->call])
        return false;
    infix(d, e, words[e->call], duck_compared(d, e->args, 2));
    return true;
}

static bool
logic(struct duck *d, const struct expr *e)
{
    switch (e->call) {
    case CALL_AND: infix(d, e, "AND", boolean); return true;
    case CALL_OR: infix(d, e, "OR", boolean); return true;
    case CALL_NOT: function(d, "NOT ", e, boolean); return true;
    case CALL_IS_NULL: test(d, e, "IS NULL"); return true;
    case CALL_IS_NOT_NULL: test(d, e, "IS NOT NULL"); return true;
    case CALL_IS_TRUE: test(d, e, "IS TRUE"); return true;
    case CALL_IS_FALSE: test(d, e, "IS FALSE"); return true;
    case CALL_IS_NOT_TRUE: test(d, e, "IS NOT TRUE"); return true;
    case CALL_IS_NOT_FALSE: test(d, e, "IS NOT FALSE"); return true;
    case CALL_LIKE:
    case CALL_NOT_LIKE:
    case CALL_ILIKE:
    case CALL_NOT_ILIKE: like(d, e); return true;
    case CALL_BETWEEN:
    case CALL_NOT_BETWEEN: between(d, e); return true;
    default: return compare(d, e);
    }
}

void
duck_call(struct duck *d, const struct expr *e)
{
    if (logic(d, e) || duck_date(d, e))
        return;
    switch (e->call) {
    case CALL_NEG: one_number(d, e, "(- "); return;
    case CALL_ABS: one_number(d, e, "abs("); return;
    case CALL_ADD: add(d, e, "+"); return;
    case CALL_SUB: add(d, e, "-"); return;
    case CALL_MUL: add(d, e, "*"); return;
    case CALL_DIV:
    case CALL_MOD: divide(d, e); return;
    case CALL_ROUND:
    case CALL_FLOOR:
    case CALL_CEIL:
    case CALL_SIGN: rounding(d, e); return;
    case CALL_LEAST: choice(d, e, "least"); return;
    case CALL_GREATEST: choice(d, e, "greatest"); return;
    case CALL_COALESCE: choice(d, e, "coalesce"); return;
    case CALL_NULLIF: choice(d, e, "nullif"); return;
    case CALL_LOWER: function(d, "lower", e, text); return;
    case CALL_UPPER: function(d, "upper", e, text); return;
    case CALL_TRIM: function(d, "trim", e, text); return;
    case CALL_LENGTH: function(d, "length", e, text); return;
    case CALL_SUBSTRING: substring(d, e); return;
    case CALL_CONCAT: infix(d, e, "||", text); return;
    case CALL_WIDTH_BUCKET: width_bucket(d, e); return;
    default: d->out->failed = true; return; /* UNREACHABLE: all are known */
    }
}
