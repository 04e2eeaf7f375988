/*
 * Values as terms of a statement; work_key.c has the keys.
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
#include "engine/statement/work.h"

#include "base/ck.h"
#include "base/error.h"
#include "engine/statement/grid_steps.h"
#include "engine/import/view.h"
#include "plan/from/relation.h"

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

static const struct term *
limit_decimal(struct builder *b, i128 n, int digits)
{
    struct datum d = {.type = TYPE_DECIMAL, .scale = digits, .n = n};

    return term_value(b, &d, STORED_DECIMAL(DIGITS_WIDE, digits));
}

static i128
power_of_ten(int digits)
{
    i128 n = 1;

    for (int i = 0; i < digits; i++)
        n *= 10;
    return n;
}

/* d (a DECIMAL of the grid's digits) in steps. d is clamped first, so that nothing
   can overflow. If a product might exceed 128 bits, the steps are read from the text
   of d. */
static const struct term *
decimal_steps(struct builder *b, const struct part *part, const struct term *d)
{
    int digits = part->grid.digits;
    bool narrow =
        digits <= 9 && part_fits(part, -((int64_t)1 << 59), (int64_t)1 << 59);

    d = term_call(b, TERM_LEAST, d, limit_decimal(b, part->upper, digits),
                  NULL);
    d = term_call(b, TERM_GREATEST, d, limit_decimal(b, part->lower, digits),
                  NULL);
    if (narrow)
        d = term_binary(b, d, TERM_TIMES, term_number(b, power_of_ten(digits)));
    else
        d = term_call(b, TERM_REPLACE, term_cast(b, d, STORED(TEXT)),
                      term_text(b, str_of(".")), term_text(b, str_of("")),
                      NULL);
    return term_cast(b, d, STORED(I128));
}

/* The value within the limits of a part, by our own function `by`. */
static const struct term *
within_limits(struct builder *b, const struct part *part, enum term_function by,
              const struct term *value, struct store_type type)
{
    return term_call(b, by, value, term_whole(b, part->lower, type),
                     term_whole(b, part->upper, type), NULL);
}

/* Arithmetic on whole steps; NULL if it is not proved to be exact. */
static const struct term *
whole_steps(struct builder *b, const struct plan *plan, const struct part *part,
            bool *inside)
{
    struct grid_steps known;
    const struct term *steps;

    if (part->grid.base != 10 || part->grid.digits < 0)
        return NULL;
    steps = grid_steps_term(b, plan, part->of, part->grid.digits, &known);
    *inside = steps && part->lower <= known.lower && known.upper <= part->upper;
    return steps;
}

static bool
is_time(const struct expr *e)
{
    return e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP;
}

/* The value; dates as days, timestamps as microseconds. */
static const struct term *
whole_term(struct builder *b, const struct expr *of)
{
    const struct term *t = term_expr(b, of, "t");

    if (of->type == TYPE_DATE)
        return term_binary(b, t, TERM_MINUS,
                           term_day(b, STORED(DATE), "1970-01-01"));
    return of->type == TYPE_TIMESTAMP ? term_call(b, TERM_MICROSECONDS, t, NULL)
                                      : t;
}

/* The type in which a value is clamped: wide if the value or a limit is wide. */
static struct store_type
clamp_type(const struct part *part, bool wide)
{
    return wide || !part_fits(part, INT64_MIN, INT64_MAX) ? STORED(I128)
                                                          : STORED(I64);
}

/*
 * An expression in whole steps, clamped by our own functions, which give NULL for
 * NULL and NaN. A decimal is clamped by the engine's functions, which skip NULL,
 * hence the CASE.
 */
static const struct term *
expression_steps(struct builder *b, const struct part *part)
{
    const struct expr *of = part->of;
    struct store_type type = clamp_type(part, of->type == TYPE_INT && of->wide);
    const struct term *e = whole_term(b, of), *d;

    if (expr_is_exact(of) && part->grid.base == 10 && part->grid.digits >= 0) {
        d = term_try_cast(b, e, STORED_DECIMAL(DIGITS_WIDE, part->grid.digits));
        return term_if(b, term_present(b, d), decimal_steps(b, part, d));
    }
    if ((of->type == TYPE_INT || is_time(of)) && part->grid.digits == 0)
        return within_limits(b, part, TERM_CLAMP, term_cast(b, e, type), type);
    d = term_call(b, TERM_POWER,
                  term_cast(b, term_number(b, part->grid.base), STORED(F64)),
                  term_number(b, part->grid.digits), NULL);
    return within_limits(
        b, part, TERM_WHOLE_OF,
        term_binary(b, term_cast(b, e, STORED(F64)), TERM_TIMES, d), type);
}

/* 1 if there is a value, else NULL. For values that are not numbers, which are only
   counted. */
static const struct term *
presence(struct builder *b, const struct part *part)
{
    return term_if(b, term_present(b, term_expr(b, part->of, "t")),
                   term_number(b, 1));
}

/* The value unchanged, for comparisons; NaN becomes NULL. */
static const struct term *
as_it_is(struct builder *b, const struct part *part)
{
    const struct term *e = term_expr(b, part->of, "t"), *nan;

    if (part->of->kind == EXPR_COLUMN || part->of->type == TYPE_INT ||
        !data_type_is_number(part->of->type))
        return e;
    nan = term_call(b, TERM_IS_NAN, term_cast(b, e, STORED(F64)), NULL);
    return term_if(b, term_not(b, nan), e);
}

/* Steps that are stored, or computed from stored steps; NULL: neither. */
static const struct term *
plain_steps(struct builder *b, const struct plan *plan, const struct part *part,
            bool *inside, bool *wide)
{
    const struct policy_column *c = stored_column(plan, part, inside);
    i128 lower, upper;

    *wide = false;
    if (!c)
        return whole_steps(b, plan, part, inside);
    if (view_steps(c, &lower, &upper))
        *wide = lower < INT64_MIN || upper > INT64_MAX;
    return c->type == TYPE_INT ? term_name(b, "t", "column_%d", part->of->slot)
                               : term_name(b, "t", "steps_%d", part->of->slot);
}

const struct term *
work_value(struct builder *b, const struct plan *plan, const struct part *part)
{
    struct store_type type = part_fits(part, INT32_MIN, INT32_MAX) ? STORED(I32)
                             : part_fits(part, INT64_MIN, INT64_MAX)
                                 ? STORED(I64)
                                 : STORED(I128);
    bool inside = false, wide;
    const struct term *steps;

    if (part->kind == PART_DISTINCT)
        return as_it_is(b, part);
    if (!data_type_is_number(part->of->type) && part->kind != PART_QUANTILES)
        return presence(b, part);
    steps = plain_steps(b, plan, part, &inside, &wide);
    if (!steps)
        return term_cast(b, expression_steps(b, part), type);
    if (inside)
        return steps;
    steps = term_cast(b, steps, clamp_type(part, wide));
    return term_cast(
        b, within_limits(b, part, TERM_CLAMP, steps, clamp_type(part, wide)),
        type);
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
work_values(const struct stage *stage, struct work_values *out, custos_err *err)
{
    out->n = 0;
    if (stage->n_parts > WORK_VALUES_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "more than %d sums in one query", WORK_VALUES_MAX);
    for (size_t i = 0; i < stage->n_parts; i++) {
        const struct part *p = &stage->parts[i];
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
