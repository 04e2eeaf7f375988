/*
 * Values as engine text; keys are work_key.c's.
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
