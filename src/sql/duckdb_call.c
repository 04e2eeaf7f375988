/*
 * Operators and functions for DuckDB; see duckdb.c for the rules.
 */
#include <string.h>

#include "base/ck.h"
#include "sql/duckdb_parts.h"
#include "sql/print.h"
#include "sql/text_limits.h"

static const struct shape boolean = {.type = TYPE_BOOL};
static const struct shape real = {.type = TYPE_REAL};
static const struct shape text = {.type = TYPE_TEXT};

/* (a op b), both converted to shape s */
static void
print_infix(struct duck *d, const struct expr *e, const char *op,
            struct shape s)
{
    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], s);
    buf_printf(d->out, " %s ", op);
    duck_as(d, e->args[1], s);
    buf_add_text(d->out, ")");
}

static void
print_function(struct duck *d, const char *name, const struct expr *e,
               struct shape s)
{
    buf_printf(d->out, "%s(", name);
    duck_list(d, e->args, e->n_args, s);
    buf_add_text(d->out, ")");
}

/*
 * Opens a narrowing, which close_narrow closes: for a result that needs 64 bits
 * where its operands need 128.
 */
static bool
open_narrow(struct duck *d, const struct expr *e, struct shape s)
{
    bool narrow = s.type == TYPE_INT && s.wide && !e->wide;

    if (narrow)
        buf_add_text(d->out, "whole_narrow(");
    return narrow;
}

static void
close_narrow(struct duck *d, bool narrow)
{
    if (narrow)
        buf_add_text(d->out, ")");
}

/* ----------------------------------------------------------- arithmetic -- */

/* A shape that is wide enough for the operands and the result. */
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

/* -x or abs(x) */
static void
one_number(struct duck *d, const char *op, const struct expr *e, struct shape s)
{
    buf_add_text(d->out, "(");
    print_function(d, op, e, s);
    buf_add_text(d->out, ")");
}

/* Whole numbers: the engine's operator where it cannot fail, else ours. */
static void
whole_call(struct duck *d, const struct expr *e, const char *name,
           const char *op, bool bare)
{
    struct shape s = arithmetic_shape(e);
    bool narrow = open_narrow(d, e, s);

    if (!bare || s.wide)
        print_function(d, name, e, s);
    else if (e->n_args == 2)
        print_infix(d, e, op, s);
    else
        one_number(d, op, e, s);
    close_narrow(d, narrow);
}

/* Can every whole number be divided by b without an error? */
static bool
divisor_is_safe(const struct expr *b)
{
    return b->kind == EXPR_LITERAL && data_type_is_number(b->value.type) &&
           b->value.n != 0 && !(b->value.n == -1 && b->value.scale == 0);
}

/* Division of reals; NULL if the divisor is 0. % takes only whole numbers. */
static void
divide_real(struct duck *d, const struct expr *e)
{
    bool safe = divisor_is_safe(e->args[1]);

    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], real);
    buf_add_text(d->out, safe ? " / " : " / NULLIF(");
    duck_as(d, e->args[1], real);
    buf_add_text(d->out, safe ? ")" : ", CAST('0' AS DOUBLE)))");
}

/* A date plus or minus days. */
static void
date_shift(struct duck *d, const struct expr *e)
{
    struct shape narrow = {.type = TYPE_INT};

    buf_add_text(d->out, "date_shift(");
    duck_expr(d, e->args[0]);
    buf_add_text(d->out, e->call == CALL_SUB ? ", whole_neg(" : ", ");
    duck_as(d, e->args[1], narrow);
    buf_add_text(d->out, e->call == CALL_SUB ? "))" : ")");
}

static void
date_distance(struct duck *d, const struct expr *e)
{
    buf_add_text(d->out, "date_diff('day', ");
    duck_expr(d, e->args[1]);
    buf_add_text(d->out, ", ");
    duck_expr(d, e->args[0]);
    buf_add_text(d->out, ")");
}

static void
print_arithmetic(struct duck *d, const struct expr *e,
                 const struct duck_form *f)
{
    bool divides = e->call == CALL_DIV || e->call == CALL_MOD;

    if (e->type == TYPE_DATE)
        date_shift(d, e);
    else if (duck_type_of(e->args[0]) == TYPE_DATE)
        date_distance(d, e);
    else if (e->type == TYPE_INT)
        whole_call(d, e, f->own, f->word,
                   divides ? divisor_is_safe(e->args[1]) : e->bare);
    else if (e->call == CALL_DIV)
        divide_real(d, e);
    else if (e->n_args == 2)
        print_infix(d, e, f->word, real);
    else
        one_number(d, f->word, e, real);
}

/*
 * PostgreSQL rounds decimals half away from zero and reals half to even. Exact
 * decimals are rounded as decimals. Others are DOUBLE here; where the result is
 * a whole number, it is clamped to its range.
 */
static void
print_rounding(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    const struct expr *x = e->args[0];
    enum data_type from = duck_type_of(x);
    struct shape s = {.type = e->type, .wide = e->wide};
    bool even, whole, clamp;

    if (from == TYPE_INT) {
        duck_as(d, x, s);
        return;
    }
    even = f->own && e->n_args == 1 && from == TYPE_REAL;
    whole = e->type == TYPE_INT;
    clamp = whole && !expr_is_exact(x);
    buf_printf(d->out, "%s(%s(",
               clamp   ? "whole_of"
               : whole ? "whole_clamp(TRY_CAST"
                       : "TRY_CAST",
               even ? f->own : f->word);
    duck_expr(d, x);
    if (e->n_args == 2)
        buf_printf(d->out, ", %d", (int)e->args[1]->value.n);
    else if (even)
        buf_add_text(d->out, ", 0");
    buf_add_text(d->out, ")");
    if (!clamp)
        buf_printf(d->out, " AS %s)", duck_type(e->type, e->wide));
    if (whole)
        duck_whole_limits(d, e);
}

/* A function of our own, on doubles. */
static void
print_real(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    print_function(d, f->word, e, real);
}

static void
print_sign(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_printf(d->out, "TRY_CAST(%s(", f->word);
    duck_expr(d, e->args[0]);
    buf_printf(d->out, ") AS %s)", duck_type(e->type, e->wide));
}

/* ----------------------------------------------------------------- text -- */

/* Closes a text_short, which is opened if the text may be too long. */
static void
close_short(struct duck *d, bool may)
{
    if (may)
        buf_printf(d->out, ", %d)", (int)TEXT_COMPUTED_MAX);
}

/*
 * In PostgreSQL positions start at 1, and positions before 1 count towards the
 * length; DuckDB counts a negative start from the end. Positions are literals.
 */
static void
print_substring(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    const i128 far = INT32_MAX;
    bool may;
    i128 from = clamp_i128(e->args[1]->value.n, -far, far), len = far;
    i128 start = from < 1 ? 1 : from;

    if (e->n_args == 3) {
        len = clamp_i128(e->args[2]->value.n, 0, far) + from - start;
        len = clamp_i128(len, 0, far);
    }
    may = e->args[0]->text_max > TEXT_COMPUTED_MAX &&
          len > TEXT_COMPUTED_MAX / TEXT_CHARACTER_MAX;
    buf_printf(d->out, "%s%s(", may ? "text_short(" : "", f->word);
    duck_as(d, e->args[0], text);
    buf_printf(d->out, ", %d, %d)", (int)start, (int)len);
    close_short(d, may);
}

static void
print_like(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    bool not = e->call == CALL_NOT_LIKE || e->call == CALL_NOT_ILIKE;
    bool any = e->call == CALL_ILIKE || e->call == CALL_NOT_ILIKE;
    const char *lower = any ? "lower(" : "", *end = any ? ")" : "";

    if (expr_like_is_plain(e)) {
        print_infix(d, e, f->word, text);
        return;
    }
    buf_printf(d->out, "%stext_like(%s", not ? "(NOT " : "", lower);
    duck_as(d, e->args[0], text);
    buf_printf(d->out, "%s, %s", end, lower);
    duck_as(d, e->args[1], text);
    buf_printf(d->out, "%s)%s", end, not ? ")" : "");
}

/* NULL where the result is longer than TEXT_COMPUTED_MAX. */
static void
print_trim(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    bool may = e->args[0]->text_max > TEXT_COMPUTED_MAX;

    buf_add_text(d->out, may ? "text_short(" : "");
    print_function(d, f->word, e, text);
    close_short(d, may);
}

/*
 * lower or upper: a text longer than TEXT_COMPUTED_MAX becomes NULL before it
 * is read, since changing the case of letters of two bytes is slow.
 */
static void
print_case(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    size_t most = e->args[0]->text_max;
    bool may = TEXT_CASE_GROWTH * most > TEXT_COMPUTED_MAX;

    buf_printf(d->out, "%s%s(", may ? "text_short(" : "", f->word);
    buf_add_text(d->out, most > TEXT_COMPUTED_MAX ? "text_short(" : "");
    duck_as(d, e->args[0], text);
    close_short(d, most > TEXT_COMPUTED_MAX);
    buf_add_text(d->out, ")");
    close_short(d, may);
}

static void
print_text_function(struct duck *d, const struct expr *e,
                    const struct duck_form *f)
{
    print_function(d, f->word, e, text);
}

/* || with a constant NULL has no type in the engine, hence the cast. */
static void
print_concat(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    if (e->args[0]->text_max + e->args[1]->text_max > TEXT_COMPUTED_MAX) {
        print_function(d, f->own, e, text);
        return;
    }
    buf_add_text(d->out, "CAST(");
    print_infix(d, e, f->word, text);
    buf_add_text(d->out, " AS VARCHAR)");
}

/* -------------------------------------------------------------- choices -- */

static void
print_choice(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    struct shape s = duck_common(e->args, e->n_args);
    bool narrow = open_narrow(d, e, s);

    print_function(d, f->word, e, s);
    close_narrow(d, narrow);
}

/* Bucket 0 is below the first, n + 1 above the last; bounds may be swapped. */
static void
print_bucket(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_printf(d->out, "(whole_of(%s((", f->word);
    duck_as(d, e->args[0], real);
    buf_add_text(d->out, " - ");
    duck_as(d, e->args[1], real);
    buf_add_text(d->out, ") * ");
    duck_as(d, e->args[3], real);
    buf_add_text(d->out, " / (");
    duck_as(d, e->args[2], real);
    buf_add_text(d->out, " - ");
    duck_as(d, e->args[1], real);
    buf_add_text(d->out, ")), CAST('-1' AS BIGINT), ");
    duck_expr(d, e->args[3]);
    buf_add_text(d->out, ") + CAST('1' AS BIGINT))");
}

/* ---------------------------------------------------------- comparisons -- */

static void
print_between(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    struct shape s = duck_compared(d, e->args, e->n_args);

    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], s);
    buf_printf(d->out, " %s ", f->word);
    duck_as(d, e->args[1], s);
    buf_add_text(d->out, " AND ");
    duck_as(d, e->args[2], s);
    buf_add_text(d->out, ")");
}

static void
print_comparison(struct duck *d, const struct expr *e,
                 const struct duck_form *f)
{
    print_infix(d, e, f->word, duck_compared(d, e->args, 2));
}

/* IS NULL and IS NOT NULL: of a value of any type. */
static void
print_null_test(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_add_text(d->out, "(");
    duck_expr(d, e->args[0]);
    buf_printf(d->out, " %s)", f->word);
}

/* IS TRUE and the like: of a condition. */
static void
print_test(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_add_text(d->out, "(");
    duck_as(d, e->args[0], boolean);
    buf_printf(d->out, " %s)", f->word);
}

/* AND and OR */
static void
print_logic(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    print_infix(d, e, f->word, boolean);
}

/* In parentheses, since NOT binds looser than what may follow, such as IS. */
static void
print_not(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_add_text(d->out, "(");
    print_function(d, f->word, e, boolean);
    buf_add_text(d->out, ")");
}

static const struct duck_form forms[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define FORM(rule, text, ours, ...) .print = rule, .word = text, .own = ours
#define DUCKDB(...) FORM(__VA_ARGS__, NULL, NULL)
#include "sql/functions.def"
};

void
duck_call(struct duck *d, const struct expr *e)
{
    const struct duck_form *f = &forms[e->call];

    f->print(d, e, f);
}
