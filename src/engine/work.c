/*
 * Prints values as engine text; work_key.c prints keys.
 *
 * THEOREM  part-clamp
 *   Every value that a row adds to a part is within [lower, upper] of the part,
 *   in whole steps, or is NULL and adds nothing. A stored column, or arithmetic
 *   by steps-are-exact, is used bare only if its own range is within these
 *   limits. Everything else is clamped in the last step, as a whole number (a
 *   decimal just before it becomes whole), after NaN became NULL. So one row moves the exact number by at most
 *   row_most of the part.
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
#include "engine/grid_steps.h"
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
part_fits(const struct part *p, int64_t lower, int64_t upper)
{
    return p->lower >= lower && p->upper <= upper;
}

/* The column whose stored numbers a part adds, or NULL. *inside: is its range within
   the limits of the part? */
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

static void
limit_decimal(i128 n, int digits, struct buf *out)
{
    struct datum d = {.type = TYPE_DECIMAL, .scale = digits, .n = n};

    buf_add_text(out, "CAST('");
    datum_write(&d, out);
    buf_printf(out, "' AS DECIMAL(38,%d))", digits);
}

/* Prints d (a DECIMAL of the grid's digits) in steps. d is clamped first, so that
   nothing can overflow. If a product might exceed 128 bits, the steps are read from
   the text of d. */
static void
decimal_steps(const struct part *part, const char *d, struct buf *out)
{
    int digits = part->grid.digits;
    bool narrow =
        digits <= 9 && part_fits(part, -((int64_t)1 << 59), (int64_t)1 << 59);

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

/* Prints ", lower, upper)" of a part, as numbers of a type. */
static void
limits_print(const struct part *part, const char *type, struct buf *out)
{
    char lower[41], upper[41];

    custos_int_write(part->lower, lower);
    custos_int_write(part->upper, upper);
    buf_printf(out, ", CAST('%s' AS %s), CAST('%s' AS %s))", lower, type, upper,
               type);
}

/* Prints arithmetic on whole steps; false if it is not proved to be exact. */
static bool
whole_steps(const struct plan *plan, const struct part *part, bool *inside,
            struct buf *steps)
{
    size_t limit = steps->limit;
    struct grid_steps known;

    if (part->grid.base != 10 || part->grid.digits < 0 ||
        !grid_steps_print(plan, part->of, part->grid.digits, &known, steps)) {
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

/* Prints the value; dates as days, timestamps as microseconds. */
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

/* The type in which a value is clamped: wide if the value or a limit is wide. */
static const char *
clamp_type(const struct part *part, bool wide)
{
    return wide || !part_fits(part, INT64_MIN, INT64_MAX) ? "HUGEINT"
                                                          : "BIGINT";
}

/*
 * Prints an expression in whole steps, clamped by our own functions, which give NULL
 * for NULL and NaN. A decimal is clamped by the engine's functions, which skip NULL,
 * hence the CASE.
 */
static void
expression_steps(const struct part *part, struct buf *out)
{
    const struct expr *of = part->of;
    const char *type = clamp_type(part, of->type == TYPE_INT && of->wide);
    struct buf e, d;

    buf_init(&e, NULL, out->limit);
    buf_init(&d, NULL, out->limit);
    whole_print(of, &e);
    if (expr_is_exact(of) && part->grid.base == 10 && part->grid.digits >= 0) {
        buf_printf(&d, "TRY_CAST(%s AS DECIMAL(38,%d))", buf_text(&e),
                   part->grid.digits);
        buf_printf(out, "CASE WHEN %s IS NOT NULL THEN ", buf_text(&d));
        decimal_steps(part, buf_text(&d), out);
        buf_add_text(out, " END");
    } else if ((of->type == TYPE_INT || is_time(of)) &&
               part->grid.digits == 0) {
        buf_printf(out, "whole_clamp(CAST(%s AS %s)", buf_text(&e), type);
        limits_print(part, type, out);
    } else {
        buf_printf(out,
                   "whole_of(CAST(%s AS DOUBLE) * pow(CAST(%d AS DOUBLE), "
                   "%d)",
                   buf_text(&e), part->grid.base, part->grid.digits);
        limits_print(part, type, out);
    }
    out->failed |= e.failed || d.failed;
    buf_clear(&e);
    buf_clear(&d);
}

/* Prints 1 if there is a value, else NULL. For values that are not numbers, which
   are only counted. */
static void
print_presence(const struct part *part, struct buf *out)
{
    buf_add_text(out, "CASE WHEN ");
    duckdb_print_expr(part->of, "t", out);
    buf_add_text(out, " IS NOT NULL THEN 1 END");
}

/* Prints the value unchanged, for comparisons; NaN becomes NULL. */
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

/* Prints steps that are stored, or computed from stored steps; false: neither. */
static bool
plain_steps(const struct plan *plan, const struct part *part, bool *inside,
            bool *wide, struct buf *out)
{
    const struct policy_column *c = stored_column(plan, part, inside);
    i128 lower, upper;

    *wide = false;
    if (!c)
        return whole_steps(plan, part, inside, out);
    if (view_steps(c, &lower, &upper))
        *wide = lower < INT64_MIN || upper > INT64_MAX;
    buf_printf(out, "t.%s_%d", c->type == TYPE_INT ? "column" : "steps",
               part->of->slot);
    return true;
}

void
work_value(const struct plan *plan, const struct part *part, struct buf *out)
{
    const char *type = part_fits(part, INT32_MIN, INT32_MAX)   ? "INTEGER"
                       : part_fits(part, INT64_MIN, INT64_MAX) ? "BIGINT"
                                                               : "HUGEINT";
    bool plain, inside = false, wide;
    struct buf steps;

    if (part->kind == PART_DISTINCT) {
        as_it_is(part, out);
        return;
    }
    if (!data_type_is_number(part->of->type) && part->kind != PART_QUANTILES) {
        print_presence(part, out);
        return;
    }
    buf_init(&steps, NULL, out->limit);
    plain = plain_steps(plan, part, &inside, &wide, &steps);
    if (!plain)
        expression_steps(part, &steps);
    if (plain && inside) {
        buf_add_text(out, buf_text(&steps));
    } else if (plain) {
        buf_printf(out, "CAST(whole_clamp(CAST(%s AS %s)", buf_text(&steps),
                   clamp_type(part, wide));
        limits_print(part, clamp_type(part, wide), out);
        buf_printf(out, " AS %s)", type);
    } else {
        buf_printf(out, "CAST(%s AS %s)", buf_text(&steps), type);
    }
    out->failed |= steps.failed;
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
            continue; /* quantiles have queries of their own */
        while (k < out->n && !same_value(out->of[k], p))
            k++;
        if (k == out->n)
            out->of[out->n++] = p;
        out->part[i] = (int)k;
    }
    return CUSTOS_OK;
}
