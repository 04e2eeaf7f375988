/*
 * Values and keys as engine text.
 *
 * THEOREM  part-clamp
 *   Every value that a row adds to a part lies within [lower, upper] of the
 *   part, in whole steps, or is NULL and adds nothing: a stored column, or
 *   arithmetic by steps-are-exact, is used bare only where its own range lies
 *   within; all else is clamped as a whole number last of all, after NaN
 *   became NULL. So one row moves the exact
 *   number by at most row_most of the part.
 * SOURCE   doc/proofs/part-clamp.md
 * NEEDS    lower <= upper; the stored ranges of view.h.
 * GIVES    an expression of a whole number or NULL.
 * FAILS    cannot.
 * TESTED   values_clamp_into_their_part nan_adds_nothing
 */
#include "engine/work.h"

#include <stdio.h>

#include "base/ck.h"
#include "base/error.h"
#include "engine/steps.h"
#include "engine/view.h"
#include "plan/relation.h"
#include "sql/duckdb.h"

void
work_whole(i128 n, struct buf *out)
{
    char text[41];

    custos_int_write(n, text);
    buf_printf(out, "CAST('%s' AS HUGEINT)", text);
}

static bool
fits(const struct part *p, int64_t lower, int64_t upper)
{
    return p->lower >= lower && p->upper <= upper;
}

/* The column that a part adds as it is stored, or NULL. */
static const struct policy_column *
stored_column(const struct plan *plan, const struct part *part, bool *inside)
{
    const struct policy_column *c;
    struct grid g;
    i128 lower, upper;

    if (part->of->kind != EXPR_COLUMN || part->of->slot < 0 ||
        (size_t)part->of->slot >= plan->table->n_columns)
        return NULL;
    if (plan->from && !plan->from->columns[part->of->slot].stored)
        return NULL;
    c = &plan->table->columns[part->of->slot];
    g = grid_of_column(c);
    if (c->type != TYPE_INT && !view_has_steps(c))
        return NULL;
    if (g.base != part->grid.base || g.digits != part->grid.digits) {
        if (g.digits != 0 || part->grid.digits != 0)
            return NULL;
    }
    *inside = view_steps(c, &lower, &upper) && part->lower <= lower &&
              upper <= part->upper;
    return c;
}

/* Columns, literals and casts are DECIMAL in the engine, all else DOUBLE. */
static bool
is_decimal(const struct expr *e)
{
    return e->type == TYPE_DECIMAL &&
           (e->kind == EXPR_COLUMN || e->kind == EXPR_LITERAL ||
            e->kind == EXPR_CAST);
}

static void
limit_decimal(i128 n, int digits, struct buf *out)
{
    struct datum d = {.type = TYPE_DECIMAL, .scale = digits, .n = n};

    buf_add_text(out, "CAST('");
    datum_write(&d, out);
    buf_printf(out, "' AS DECIMAL(38,%d))", digits);
}

/* d (a DECIMAL of the grid's digits) in steps: clamped first, so that nothing
   can overflow; by its text where 128 bits would. */
static void
decimal_steps(const struct part *part, const char *d, struct buf *out)
{
    int digits = part->grid.digits;
    bool narrow =
        digits <= 9 && fits(part, -((int64_t)1 << 59), (int64_t)1 << 59);

    buf_add_text(out, narrow ? "CAST(" : "CAST(replace(CAST(");
    buf_printf(out, "greatest(least(%s, ", d);
    limit_decimal(part->upper, digits, out);
    buf_add_text(out, "), ");
    limit_decimal(part->lower, digits, out);
    if (narrow)
        buf_printf(out, ") * 1%.*s AS HUGEINT)", digits, "000000000");
    else
        buf_add_text(out, ") AS VARCHAR), '.', '') AS HUGEINT)");
}

/* e in steps of a double: clamped near its limits, then rounded. */
static void
double_steps(const struct part *part, const char *e, struct buf *out)
{
    char lower[41], upper[41];

    custos_int_write(part->lower, lower);
    custos_int_write(part->upper, upper);
    buf_printf(out,
               "CAST(round(greatest(least(%s * pow(CAST(%d AS DOUBLE), %d), "
               "CAST('%s' AS DOUBLE)), CAST('%s' AS DOUBLE))) AS HUGEINT)",
               e, part->grid.base, part->grid.digits, upper, lower);
}

/* By whole steps alone, where that is proved to be possible. */
static bool
whole_steps(const struct plan *plan, const struct part *part, bool *inside,
            struct buf *steps)
{
    size_t limit = steps->limit;
    struct steps known;

    if (part->grid.base != 10 || part->grid.digits < 0 ||
        !steps_print(plan, part->of, part->grid.digits, &known, steps)) {
        buf_clear(steps);
        buf_init(steps, NULL, limit);
        return false;
    }
    *inside = part->lower <= known.lower && known.upper <= part->upper;
    return true;
}

static bool
is_time(const struct expr *e)
{
    return e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP;
}

/* The value; dates as days, timestamps as microseconds. */
static void
whole_print(const struct expr *of, struct buf *out)
{
    buf_add_text(out, of->type == TYPE_DATE        ? "("
                      : of->type == TYPE_TIMESTAMP ? "epoch_us("
                                                   : "");
    duckdb_print_expr(of, "t", out);
    buf_add_text(out, of->type == TYPE_DATE        ? " - DATE '1970-01-01')"
                      : of->type == TYPE_TIMESTAMP ? ")"
                                                   : "");
}

/*
 * An expression: the condition under which it is a value, and the value in
 * whole steps, before the last clamp. least and greatest skip NULL, hence the
 * condition.
 */
static void
expression_steps(const struct part *part, struct buf *condition,
                 struct buf *steps)
{
    const struct expr *of = part->of;
    struct buf e, d;

    buf_init(&e, NULL, steps->limit);
    buf_init(&d, NULL, steps->limit);
    whole_print(of, &e);
    if (is_decimal(of) && part->grid.base == 10 && part->grid.digits >= 0) {
        buf_printf(&d, "TRY_CAST(%s AS DECIMAL(38,%d))", buf_text(&e),
                   part->grid.digits);
        buf_printf(condition, "%s IS NOT NULL", buf_text(&d));
        decimal_steps(part, buf_text(&d), steps);
    } else if ((of->type == TYPE_INT || is_time(of)) &&
               part->grid.digits == 0) {
        buf_printf(condition, "%s IS NOT NULL", buf_text(&e));
        buf_add_text(steps, buf_text(&e));
    } else {
        buf_printf(&d, "CAST(%s AS DOUBLE)", buf_text(&e));
        buf_printf(condition, "NOT isnan(%s)", buf_text(&d));
        double_steps(part, buf_text(&d), steps);
    }
    steps->failed |= e.failed || d.failed;
    buf_clear(&e);
    buf_clear(&d);
}

/* Is it there? For values that are no numbers, which are only counted. */
static void
presence(const struct part *part, struct buf *out)
{
    buf_add_text(out, "CASE WHEN ");
    duckdb_print_expr(part->of, "t", out);
    buf_add_text(out, " IS NOT NULL THEN 1 END");
}

/* The value as it is, for comparing: NaN is none. */
static void
as_it_is(const struct part *part, struct buf *out)
{
    struct buf e;

    buf_init(&e, NULL, out->limit);
    duckdb_print_expr(part->of, "t", &e);
    if (part->of->kind != EXPR_COLUMN && part->of->type != TYPE_INT &&
        data_type_is_number(part->of->type))
        buf_printf(out, "CASE WHEN NOT isnan(CAST(%s AS DOUBLE)) THEN %s END",
                   buf_text(&e), buf_text(&e));
    else
        buf_add_text(out, buf_text(&e));
    out->failed |= e.failed;
    buf_clear(&e);
}

void
work_value(const struct plan *plan, const struct part *part, struct buf *out)
{
    const struct policy_column *c;
    bool inside = false;
    struct buf condition, steps;
    const char *type = fits(part, INT32_MIN, INT32_MAX)   ? "INTEGER"
                       : fits(part, INT64_MIN, INT64_MAX) ? "BIGINT"
                                                          : "HUGEINT";

    if (part->kind == PART_DISTINCT) {
        as_it_is(part, out);
        return;
    }
    if (!data_type_is_number(part->of->type) && part->kind != PART_QUANTILES) {
        presence(part, out);
        return;
    }
    c = stored_column(plan, part, &inside);
    buf_init(&condition, NULL, out->limit);
    buf_init(&steps, NULL, out->limit);
    if (c) {
        buf_printf(&steps, "t.%c%d", c->type == TYPE_INT ? 'c' : 'g',
                   part->of->slot);
        buf_printf(&condition, "%s IS NOT NULL", buf_text(&steps));
    } else if (whole_steps(plan, part, &inside, &steps)) {
        buf_printf(&condition, "%s IS NOT NULL", buf_text(&steps));
    } else {
        expression_steps(part, &condition, &steps);
    }
    if (inside) {
        buf_add_text(out, buf_text(&steps));
    } else {
        buf_printf(out, "CASE WHEN %s THEN CAST(greatest(least(%s, ",
                   buf_text(&condition), buf_text(&steps));
        work_whole(part->upper, out);
        buf_add_text(out, "), ");
        work_whole(part->lower, out);
        buf_printf(out, ") AS %s) END", type);
    }
    out->failed |= condition.failed || steps.failed;
    buf_clear(&condition);
    buf_clear(&steps);
}

static bool
same_value(const struct part *a, const struct part *b)
{
    return a->of == b->of &&
           (a->kind == PART_DISTINCT) == (b->kind == PART_DISTINCT) &&
           a->grid.base == b->grid.base && a->grid.digits == b->grid.digits &&
           a->lower == b->lower && a->upper == b->upper;
}

custos_status
work_values(const struct plan *plan, struct work_values *out, custos_err *err)
{
    out->n = 0;
    if (plan->n_parts > WORK_VALUES_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "more than %d sums in one query", WORK_VALUES_MAX);
    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct part *p = &plan->parts[i];
        size_t k = 0;

        out->part[i] = WORK_NO_VALUE;
        if (!p->of || p->kind == PART_QUANTILES)
            continue; /* those have queries of their own */
        while (k < out->n && !same_value(out->of[k], p))
            k++;
        if (k == out->n)
            out->of[out->n++] = p;
        out->part[i] = (int)k;
    }
    return CUSTOS_OK;
}

size_t
work_key_size(const struct key *k)
{
    return k->n + (k->null_group ? 1 : 0);
}

/* Values by a list: a literal each. */
static void
key_listed(const struct key *k, const char *e, struct buf *out)
{
    struct expr literal = {.kind = EXPR_LITERAL, .type = k->expr->type};

    buf_printf(out, "CASE %s", e);
    for (size_t i = 0; i < k->n; i++) {
        literal.value = k->values[i];
        buf_add_text(out, " WHEN ");
        duckdb_print_expr(&literal, "t", out);
        buf_printf(out, " THEN %zu", i);
    }
    buf_add_text(out, " END");
}

/* Does the engine write its values as datum_write does? Years of four digits
   it does. */
static bool
has_labels(const struct key *k)
{
    enum { YEAR_1 = -719162, YEAR_9999_END = 2932896 };
    bool all = k->expr->type == TYPE_DATE;

    for (size_t i = 0; i < k->n && all; i++)
        all = k->values[i].type == TYPE_DATE && k->values[i].n >= YEAR_1 &&
              k->values[i].n <= YEAR_9999_END;
    return all || k->expr->type == TYPE_TEXT || k->expr->type == TYPE_INT;
}

/* Many values: the engine hashes the labels of an ENUM. */
static void
key_labelled(const struct key *k, const char *e, struct buf *out)
{
    struct buf text;

    buf_printf(out, "enum_code(TRY_CAST(CAST(%s AS VARCHAR) AS ENUM(", e);
    for (size_t i = 0; i < k->n; i++) {
        buf_init(&text, NULL, out->limit);
        datum_write(&k->values[i], &text);
        buf_add_text(out, i ? ", " : "");
        duck_quote_text(out, k->values[i].type == TYPE_TEXT
                                 ? k->values[i].text
                                 : str_of(buf_text(&text)));
        out->failed |= text.failed;
        buf_clear(&text);
    }
    buf_add_text(out, ")))");
}

static i128
whole_last(const struct key *k)
{
    return k->from + (i128)k->n - 1;
}

/* 128 bits cost the engine several times as much as 64. */
static bool
whole_is_narrow(const struct key *k)
{
    return k->from >= INT64_MIN && whole_last(k) <= INT64_MAX;
}

static void
whole_literal(const struct key *k, i128 n, struct buf *out)
{
    char text[41];

    if (!whole_is_narrow(k)) {
        work_whole(n, out);
        return;
    }
    custos_int_write(n, text);
    buf_printf(out, "CAST('%s' AS BIGINT)", text);
}

/* The whole number that a key is; NULL for what is too large to be one. */
static void
key_number(const struct key *k, struct buf *out)
{
    struct buf e;

    buf_init(&e, NULL, out->limit);
    duckdb_print_expr(k->expr, "t", &e);
    buf_printf(out, "TRY_CAST(%s AS %s)", buf_text(&e),
               whole_is_narrow(k) ? "BIGINT" : "HUGEINT");
    out->failed |= e.failed;
    buf_clear(&e);
}

static void
key_whole(const struct key *k, struct buf *out)
{
    struct buf n;

    buf_init(&n, NULL, out->limit);
    key_number(k, &n);
    buf_printf(out, "CAST(CASE WHEN %s BETWEEN ", buf_text(&n));
    whole_literal(k, k->from, out);
    buf_add_text(out, " AND ");
    whole_literal(k, whole_last(k), out);
    buf_printf(out, " THEN %s - ", buf_text(&n));
    whole_literal(k, k->from, out);
    buf_add_text(out, " END AS INTEGER)");
    out->failed |= n.failed;
    buf_clear(&n);
}

/*
 * Is the key a column whose stored values all lie within from..last? Then the
 * difference alone is its index, and the engine knows how small it is.
 */
static bool
key_is_bare(const struct plan *plan, const struct key *k)
{
    const struct policy_column *c;
    i128 lower, upper;

    if (k->kind != KEY_WHOLE || k->column < 0 || !whole_is_narrow(k))
        return false;
    c = &plan->table->columns[k->column];
    return c->type == TYPE_INT && view_steps(c, &lower, &upper) &&
           k->from <= lower && upper <= whole_last(k);
}

/*
 * A value as it is, of one type for its kind; NULL where the answer could not
 * write it: dates of years that are not 1 to 9999.
 */
static void
key_private(const struct key *k, struct buf *out)
{
    const struct expr *e = k->expr;
    const char *type = e->type == TYPE_TEXT        ? "VARCHAR"
                       : e->type == TYPE_DATE      ? "DATE"
                       : e->type == TYPE_TIMESTAMP ? "TIMESTAMP"
                       : e->wide                   ? "HUGEINT"
                                                   : "BIGINT";
    struct buf value;

    if (e->type == TYPE_DECIMAL) {
        duckdb_print_expr(e, "t", out);
        return;
    }
    buf_init(&value, NULL, out->limit);
    buf_add_text(&value, "TRY_CAST(");
    duckdb_print_expr(e, "t", &value);
    buf_printf(&value, " AS %s)", type);
    if (e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP)
        buf_printf(out,
                   "CASE WHEN %s BETWEEN %s '0001-01-01' AND %s '9999-12-31' "
                   "THEN %s END",
                   buf_text(&value), type, type, buf_text(&value));
    else
        buf_add_text(out, buf_text(&value));
    out->failed |= value.failed;
    buf_clear(&value);
}

void
work_key(const struct plan *plan, size_t index, struct buf *out)
{
    enum { FEW = 16 };
    const struct key *k = &plan->keys[index];
    struct buf e;

    if (k->kind == KEY_PRIVATE) {
        key_private(k, out);
        return;
    }
    if (k->kind == KEY_STORED) {
        buf_printf(out, "t.k%d", k->column);
        return;
    }
    if (key_is_bare(plan, k)) {
        buf_printf(out, k->from ? "(t.c%d - " : "t.c%d", k->column);
        if (k->from)
            whole_literal(k, k->from, out);
        buf_add_text(out, k->from ? ")" : "");
        return;
    }
    if (k->kind == KEY_WHOLE) {
        key_whole(k, out);
        return;
    }
    buf_init(&e, NULL, out->limit);
    duckdb_print_expr(k->expr, "t", &e);
    buf_add_text(out, "CAST(");
    if (k->n > FEW && has_labels(k))
        key_labelled(k, buf_text(&e), out);
    else
        key_listed(k, buf_text(&e), out);
    buf_add_text(out, " AS INTEGER)");
    out->failed |= e.failed;
    buf_clear(&e);
}

/* Every stored row has a key: rows without were not imported. */
static bool
key_is_there(const struct plan *plan, const struct key *k)
{
    return (k->kind == KEY_STORED || key_is_bare(plan, k)) &&
           !plan->table->columns[k->column].nullable;
}

void
work_conditions(const struct plan *plan, struct buf *out)
{
    if (plan->where) {
        buf_add_text(out, " AND (");
        duckdb_print_expr(plan->where, "t", out);
        buf_add_text(out, ")");
    }
    for (size_t i = 0; i < plan->n_keys; i++) {
        if (plan->keys[i].null_group || key_is_there(plan, &plan->keys[i]))
            continue;
        buf_add_text(out, " AND ");
        work_key(plan, i, out);
        buf_add_text(out, " IS NOT NULL");
    }
}
