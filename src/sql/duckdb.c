/*
 * Prints expressions for DuckDB.
 *
 * THEOREM  total-expressions
 *   For a tree that the planner typed, no value of any row makes the printed
 *   expression fail, whatever the planner assumes about ranges: every operator
 *   and function that is printed is total by itself (total.h lists them), and
 *   so are their compositions. No expression guards another: the engine may
 *   compute a branch of a CASE, AND or COALESCE for rows that do not need it.
 *   Aggregates, which may fail, are printed only by duckdb_print_public.
 * SOURCE   doc/proofs/totality.md
 * NEEDS    columns as the import makes them (view.h); total-functions;
 *          bare-arithmetic, where the engine's own whole-number arithmetic is
 *          printed.
 * GIVES    ranges decide how exact an answer is, never whether there is one.
 * FAILS    cannot.
 * TESTED   no_row_makes_an_expression_fail printed_functions_are_total
 *          every_claim_holds unlisted_functions_are_refused_above_the_charge
 *
 * Whole numbers are as wide as their range needs; all other arithmetic is in
 * DOUBLE, which overflows to infinity and raises no error. No argument but a
 * literal is printed twice: DuckDB would compute it twice, and the work of
 * nested calls would double with every level. (DuckDB's own NULLIF computes its
 * first argument twice; the reader counts that.)
 */
#include "sql/duckdb.h"

#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "sql/aggregates.h"
#include "sql/duckdb_parts.h"
#include "sql/print.h"
#include "sql/total.h"

enum { DIGITS_SHORT = 18 }; /* digits of a decimal of 64 bits */

const char *
duck_type(enum data_type type, bool wide)
{
    switch (type) {
    case TYPE_NULL:
    case TYPE_TEXT: return "VARCHAR";
    case TYPE_BOOL: return "BOOLEAN";
    case TYPE_INT: return wide ? "HUGEINT" : "BIGINT";
    case TYPE_DECIMAL:
    case TYPE_REAL: return "DOUBLE";
    case TYPE_DATE: return "DATE";
    case TYPE_TIMESTAMP: return "TIMESTAMP";
    }
    return "VARCHAR"; /* UNREACHABLE: all types are above */
}

enum data_type
duck_type_of(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && e->value.type != TYPE_NULL ? e->value.type
                                                                 : e->type;
}

bool
duck_is_wide(const struct expr *e)
{
    if (e->kind == EXPR_LITERAL)
        return e->value.n > INT64_MAX || e->value.n < INT64_MIN;
    return e->wide;
}

struct shape
duck_common(struct expr *const *args, size_t n)
{
    struct shape s = {.type = TYPE_NULL};

    for (size_t i = 0; i < n; i++) {
        enum data_type t = args[i] ? duck_type_of(args[i]) : TYPE_NULL;

        /* Numbers, dates and timestamps: the later type in the enum is
           wider. */
        if (t > s.type)
            s.type = t;
        s.wide = s.wide || (t == TYPE_INT && duck_is_wide(args[i]));
    }
    return s;
}

/* Does the literal fit 18 digits, `scale` of them after the point? */
static bool
is_short(const struct datum *v, int scale)
{
    i128 n = v->n < 0 ? -v->n : v->n, most = 1;
    int behind = v->type == TYPE_DECIMAL ? v->scale : 0;

    if (behind < 0 || behind > scale || v->n == I128_MIN)
        return false;
    for (int i = 0; i < DIGITS_SHORT - (scale - behind); i++)
        most *= 10;
    return n < most;
}

/*
 * Columns of one scale, and literals with no more digits after the point, are
 * compared as the stored decimals: exactly, and with the engine's zone maps. A
 * wider column of the same scale can be compared with such a literal without
 * loss. Where the whole steps of all columns are stored too, the steps are
 * compared: a sum of the same column then reads no other data.
 */
struct shape
duck_compared(const struct duck *d, struct expr *const *args, size_t n)
{
    struct shape s = duck_common(args, n);
    bool steps = d->stepped;
    int scale = -1;

    for (size_t i = 0; s.type == TYPE_DECIMAL && i < n; i++)
        if (args[i] && args[i]->kind == EXPR_COLUMN)
            scale = args[i]->cast_scale;
    if (scale < 0 || scale > DIGITS_SHORT)
        return s;
    for (size_t i = 0; i < n; i++) {
        const struct expr *e = args[i];
        bool good =
            e && (e->kind == EXPR_COLUMN
                      ? e->type == TYPE_DECIMAL && e->cast_scale == scale
                      : e->kind == EXPR_LITERAL &&
                            (e->value.type == TYPE_DECIMAL ||
                             e->value.type == TYPE_INT) &&
                            is_short(&e->value, scale));

        if (!good)
            return s;
        if (steps && e->kind == EXPR_COLUMN)
            steps = d->stepped[e->slot];
    }
    s.exact = scale + 1;
    s.steps = steps;
    return s;
}

/* A column or a short literal as whole steps of 10^-scale. */
static void
as_steps(struct duck *d, const struct expr *e, int scale)
{
    const struct datum *v = &e->value;
    char text[41];
    i128 n = v->n;

    if (e->kind == EXPR_COLUMN) {
        buf_printf(d->out, "%s.steps_%d", d->alias, e->slot);
        return;
    }
    for (int i = v->type == TYPE_DECIMAL ? v->scale : 0; i < scale; i++)
        n *= 10; /* at most 18 digits: is_short */
    custos_int_write(n, text);
    buf_printf(d->out, "CAST('%s' AS BIGINT)", text);
}

static void
cast_as(struct duck *d, const struct expr *e, const char *type)
{
    buf_add_text(d->out, "CAST(");
    duck_expr(d, e);
    buf_printf(d->out, " AS %s)", type);
}

/*
 * Text printed between calls of these two functions is cast; a value that does
 * not fit becomes NULL. In a comparison with a constant the engine would drop a
 * bare TRY_CAST and compare its argument, so that a value that does not fit
 * would count. Hence the coalesce, which the engine does not look into.
 */
static void
try_cast_begin(struct duck *d)
{
    buf_add_text(d->out, "coalesce(TRY_CAST(");
}

static void
try_cast_end(struct duck *d, const char *type)
{
    buf_printf(d->out, " AS %s), NULL)", type);
}

void
duck_as(struct duck *d, const struct expr *e, struct shape s)
{
    enum data_type t = e ? duck_type_of(e) : TYPE_NULL;

    if (t == TYPE_NULL) {
        buf_printf(d->out, "CAST(NULL AS %s)", duck_type(s.type, s.wide));
    } else if (s.steps) {
        as_steps(d, e, s.exact - 1);
    } else if (s.exact && e->kind == EXPR_LITERAL) {
        buf_add_text(d->out, "CAST('");
        datum_write(&e->value, d->out);
        buf_printf(d->out, "' AS DECIMAL(%d, %d))", DIGITS_SHORT, s.exact - 1);
    } else if (t == TYPE_INT && s.type == TYPE_INT) {
        if (duck_is_wide(e) == s.wide) {
            duck_expr(d, e);
        } else if (s.wide) {
            cast_as(d, e, "HUGEINT");
        } else {
            buf_add_text(d->out, "whole_narrow(");
            duck_expr(d, e);
            buf_add_text(d->out, ")");
        }
    } else if (!s.exact && data_type_is_number(s.type) &&
               (t == TYPE_INT || expr_is_exact(e))) {
        cast_as(d, e, "DOUBLE");
    } else if (t == TYPE_DATE && s.type == TYPE_TIMESTAMP) {
        try_cast_begin(d);
        duck_expr(d, e);
        try_cast_end(d, "TIMESTAMP");
    } else {
        duck_expr(d, e);
    }
}

void
duck_list(struct duck *d, struct expr *const *args, size_t n, struct shape s)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_add_text(d->out, ", ");
        duck_as(d, args[i], s);
    }
}

/* ------------------------------------------------------------- literals -- */

void
duck_literal(struct duck *d, const struct expr *e)
{
    const struct datum *v = &e->value;
    const char *type = duck_type(v->type, duck_is_wide(e));

    switch (v->type) {
    case TYPE_NULL:
        if (e->type == TYPE_NULL)
            buf_add_text(d->out, "NULL");
        else
            buf_printf(d->out, "CAST(NULL AS %s)", duck_type(e->type, e->wide));
        return;
    case TYPE_BOOL: buf_add_text(d->out, v->n ? "TRUE" : "FALSE"); return;
    case TYPE_TEXT:
        if (memchr(v->text.ptr, '\0', v->text.len))
            duck_refuse(d);
        print_quoted('\'', v->text, d->out);
        return;
    case TYPE_DECIMAL: /* with all its digits after the point */
        buf_add_text(d->out, "CAST('");
        datum_write(v, d->out);
        buf_printf(d->out, "' AS DECIMAL(38, %d))",
                   v->scale < 0    ? 0
                   : v->scale > 37 ? 37
                                   : v->scale);
        return;
    case TYPE_INT:
    case TYPE_REAL:
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
        buf_add_text(d->out, "CAST('");
        datum_write(v, d->out);
        buf_printf(d->out, "' AS %s)", type);
        return;
    }
}

/* ---------------------------------------------------------------- casts -- */

void
duck_whole_limits(struct duck *d, const struct expr *e)
{
    char low[41], high[41];
    const char *type = duck_type(TYPE_INT, e->wide);

    custos_int_write(e->whole_low, low);
    custos_int_write(e->whole_high, high);
    buf_printf(d->out, ", CAST('%s' AS %s), CAST('%s' AS %s))", low, type, high,
               type);
}

enum { DECIMAL_TYPE = 32 };

/* The name of the type that e casts to; for decimals it is in `decimal`. */
static const char *
cast_type(const struct expr *e, char decimal[DECIMAL_TYPE])
{
    if (e->cast_to != TYPE_DECIMAL)
        return duck_type(e->cast_to, e->wide);
    snprintf(decimal, DECIMAL_TYPE, "DECIMAL(%d, %d)", e->cast_precision,
             e->cast_scale);
    return decimal;
}

/* Casts a text by our own functions, which read values as datum_read does. */
static void
cast_text(struct duck *d, const struct expr *e)
{
    static const char *const readers[] = {
        [TYPE_BOOL] = "read_bool",           [TYPE_INT] = "read_whole",
        [TYPE_REAL] = "read_real",           [TYPE_DATE] = "read_date",
        [TYPE_TIMESTAMP] = "read_timestamp",
    };
    const struct expr *x = e->args[0];
    char decimal[DECIMAL_TYPE];

    if (e->cast_to == TYPE_TEXT) {
        duck_expr(d, x);
    } else if (e->cast_to == TYPE_DECIMAL) {
        try_cast_begin(d);
        buf_add_text(d->out, "read_decimal(");
        duck_expr(d, x);
        buf_printf(d->out, ", %d, %d)", e->cast_precision, e->cast_scale);
        try_cast_end(d, cast_type(e, decimal));
    } else {
        buf_printf(d->out, "%s(", readers[e->cast_to]);
        duck_expr(d, x);
        buf_add_text(d->out, ")");
    }
}

/* Is the known range of a whole number narrower than its type? */
static bool
is_claimed(const struct expr *e)
{
    return e->whole_low > INT64_MIN || e->whole_high < INT64_MAX;
}

/*
 * Casts a DOUBLE to a whole number: clamped to its range or, if no range is
 * known, NULL outside the type. A decimal rounds half away from zero, as
 * whole_of does; a real rounds half to even.
 */
static void
cast_double(struct duck *d, const struct expr *e)
{
    const struct expr *x = e->args[0];
    bool even = x->type == TYPE_REAL, any = !is_claimed(e);

    buf_add_text(d->out, any ? "TRY_CAST(" : "whole_of(");
    buf_add_text(d->out, even ? "round_even(" : any ? "round(" : "");
    duck_expr(d, x);
    buf_add_text(d->out, even ? ", 0)" : any ? ")" : "");
    if (any)
        buf_add_text(d->out, " AS BIGINT)");
    else
        duck_whole_limits(d, e);
}

static void
cast_print(struct duck *d, const struct expr *e)
{
    const struct expr *x = e->args[0];
    enum data_type from = duck_type_of(x);
    char decimal[DECIMAL_TYPE];
    bool clamp;

    if (from == TYPE_TEXT) {
        cast_text(d, e);
        return;
    }
    if (e->cast_to == TYPE_INT && data_type_is_number(from) &&
        from != TYPE_INT && !expr_is_exact(x)) {
        cast_double(d, e);
        return;
    }
    clamp = e->cast_to == TYPE_INT && from == TYPE_DECIMAL && is_claimed(e);
    buf_add_text(d->out, clamp ? "whole_clamp(" : "");
    try_cast_begin(d);
    duck_expr(d, x);
    try_cast_end(d, cast_type(e, decimal));
    if (clamp)
        duck_whole_limits(d, e);
}

/* ----------------------------------------------------------------- CASE -- */

static void
case_print(struct duck *d, const struct expr *e)
{
    struct shape s = {.type = e->type, .wide = e->wide},
                 boolean = {.type = TYPE_BOOL};

    buf_add_text(d->out, "CASE");
    for (size_t i = 0; i + 1 < e->n_args; i += 2) {
        buf_add_text(d->out, " WHEN ");
        duck_as(d, e->args[i], boolean);
        buf_add_text(d->out, " THEN ");
        duck_as(d, e->args[i + 1], s);
    }
    if (e->n_args % 2 == 1 && e->args[e->n_args - 1]) {
        buf_add_text(d->out, " ELSE ");
        duck_as(d, e->args[e->n_args - 1], s);
    }
    buf_add_text(d->out, " END");
}

/* ------------------------------------------ aggregates over public rows -- */

static void
aggregate_rows(struct duck *d, const struct expr *e)
{
    (void)d, (void)e;
}

/* The value as it is. */
static void
aggregate_any(struct duck *d, const struct expr *e)
{
    duck_expr(d, e->args[0]);
}

static void
aggregate_real(struct duck *d, const struct expr *e)
{
    struct shape s = {.type = TYPE_REAL};

    duck_as(d, e->args[0], s);
}

static void
aggregate_pair(struct duck *d, const struct expr *e)
{
    struct shape s = {.type = TYPE_REAL};

    aggregate_real(d, e);
    buf_add_text(d->out, ", ");
    duck_as(d, e->args[1], s);
}

static void
aggregate_sum(struct duck *d, const struct expr *e)
{
    if (duck_type_of(e->args[0]) == TYPE_INT || expr_is_exact(e->args[0]))
        aggregate_any(d, e);
    else
        aggregate_real(d, e);
}

/* A quantile that is one of the values. */
static void
aggregate_ranked(struct duck *d, const struct expr *e)
{
    aggregate_any(d, e);
    buf_add_text(d->out, ", ");
    datum_write(&e->args[1]->value, d->out);
}

/* A quantile that may lie between two numbers. */
static void
aggregate_between(struct duck *d, const struct expr *e)
{
    if (e->type == TYPE_REAL)
        aggregate_real(d, e);
    else
        aggregate_any(d, e);
    buf_add_text(d->out, ", ");
    datum_write(&e->args[1]->value, d->out);
}

static const struct {
    void (*print)(struct duck *d, const struct expr *e);
    const char *opening;
} aggregate_forms[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define DUCKDB(...) __VA_ARGS__
#include "sql/aggregates.def"
};

/* Between two dates the engine finds a timestamp. */
void
duck_aggregate(struct duck *d, const struct expr *e)
{
    bool day = aggregates[e->aggregate].between && e->type == TYPE_DATE;

    d->aggregates = true;
    buf_add_text(d->out, day ? "CAST(" : "");
    buf_add_text(d->out, aggregate_forms[e->aggregate].opening);
    aggregate_forms[e->aggregate].print(d, e);
    buf_add_text(d->out, day ? ") AS DATE)" : ")");
}

/* ------------------------------------------------------------------ all -- */

/* IN the values of subquery_<slot>, which is defined before the statement. */
static void
in_query(struct duck *d, const struct expr *e)
{
    struct shape real = {.type = TYPE_REAL};

    buf_add_text(d->out, "(");
    if (e->wide)
        duck_as(d, e->args[0], real);
    else
        duck_expr(d, e->args[0]);
    buf_printf(d->out, " %sIN (SELECT %scolumn_%d%s FROM subquery_%d))",
               e->negated ? "NOT " : "", e->wide ? "CAST(" : "", e->column,
               e->wide ? " AS DOUBLE)" : "", e->slot);
}

void
duck_expr(struct duck *d, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL: duck_literal(d, e); return;
    case EXPR_COLUMN:
        if (d->alias && d->alias[0])
            buf_printf(d->out, "%s.", d->alias);
        buf_printf(d->out, "column_%d", e->slot);
        return;
    case EXPR_CALL: duck_call(d, e); return;
    case EXPR_CASE: case_print(d, e); return;
    case EXPR_IN: {
        struct shape s = duck_compared(d, e->args, e->n_args);

        buf_add_text(d->out, "(");
        duck_as(d, e->args[0], s);
        buf_add_text(d->out, e->negated ? " NOT IN (" : " IN (");
        duck_list(d, e->args + 1, e->n_args - 1, s);
        buf_add_text(d->out, "))");
        return;
    }
    case EXPR_CAST: cast_print(d, e); return;
    case EXPR_AGGREGATE: duck_aggregate(d, e); return;
    case EXPR_IN_QUERY: in_query(d, e); return;
    case EXPR_INTERVAL:
    case EXPR_GROUPING:
    case EXPR_KEY: break;
    }
    duck_refuse(d); /* exists only after noise */
}

/* Prints e over private rows; refuses aggregates and unlisted functions. */
static void
print_total(struct duck *d, const struct expr *e)
{
    size_t before = d->out->len;

    duck_expr(d, e);
    if (!d->out->failed &&
        (d->aggregates ||
         !total_is_text(d->out->ptr + before, d->out->len - before)))
        duck_refuse(d);
}

void
duckdb_print_condition(const struct expr *e, const char *alias,
                       const bool *stepped, struct buf *out)
{
    struct duck d = {.alias = alias, .stepped = stepped, .out = out};

    print_total(&d, e);
}

void
duckdb_print_expr(const struct expr *e, const char *alias, struct buf *out)
{
    duckdb_print_condition(e, alias, NULL, out);
}

void
duckdb_print_public(const struct expr *e, const char *alias, struct buf *out)
{
    struct duck d = {.alias = alias, .out = out};
    size_t before = out->len;

    duck_expr(&d, e);
    if (!out->failed &&
        !total_is_public_text(out->ptr + before, out->len - before))
        out->failed = true;
}

custos_status
duckdb_check_expr(const struct expr *e)
{
    enum { BYTES_MAX = 256 << 20 }; /* no statement is longer */
    struct buf out;
    struct duck d = {.alias = "t", .out = &out};
    bool failed;

    buf_init(&out, NULL, BYTES_MAX);
    print_total(&d, e);
    failed = out.failed;
    buf_clear(&out);
    return d.refused ? CUSTOS_EUNSUPPORTED : failed ? CUSTOS_ENOMEM : CUSTOS_OK;
}
