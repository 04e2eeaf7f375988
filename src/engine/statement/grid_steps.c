/*
 * Two walks over the expression: the first finds digits and ranges and refuses what
 * might overflow 64 bits, the second builds. Both call know_expr for each node, so
 * that nothing is built that was not proved.
 */
#include "engine/statement/grid_steps.h"

#include "base/ck.h"
#include "engine/import/view.h"
#include "plan/from/relation.h"

enum { DIGITS_MAX = 18, ROOM_LOG2 = 62 };

static bool
is_narrow(const struct grid_steps *s)
{
    i128 limit = (i128)1 << ROOM_LOG2;

    return -limit < s->lower && s->upper < limit && s->reach < limit;
}

static i128
power_of_ten(int digits)
{
    i128 p = 1;

    for (int i = 0; i < digits; i++)
        p *= 10;
    return p;
}

/* Expresses the same values in smaller steps. */
static bool
refine(struct grid_steps *s, int digits)
{
    i128 by;

    if (digits < s->digits || digits > DIGITS_MAX)
        return false;
    by = power_of_ten(digits - s->digits);
    if (!ck_mul_i128(s->lower, by, &s->lower) ||
        !ck_mul_i128(s->upper, by, &s->upper) ||
        !ck_mul_i128(s->reach, by, &s->reach))
        return false;
    s->digits = digits;
    return is_narrow(s);
}

static i128
least(i128 a, i128 b)
{
    return a < b ? a : b;
}

static i128
most(i128 a, i128 b)
{
    return a > b ? a : b;
}

/* The ends of both ranges are within +-2^62, so no product exceeds 2^124. */
static struct grid_steps
product(const struct grid_steps *a, const struct grid_steps *b)
{
    i128 p = a->lower * b->lower, q = a->lower * b->upper;
    i128 r = a->upper * b->lower, s = a->upper * b->upper;

    return (struct grid_steps){
        a->digits + b->digits, least(least(p, q), least(r, s)),
        most(most(p, q), most(r, s)), a->reach * b->reach};
}

/* Sets the reach of a leaf: its largest distance from 0, at least 1. */
static void
set_reach(struct grid_steps *s)
{
    s->reach = most(1, most(-s->lower, s->upper));
}

/* ---------------------------------------------------------------- leaves -- */

static bool
know_column(const struct plan *plan, const struct expr *e, struct grid_steps *s)
{
    const struct policy_column *c;

    if (e->slot < 0 || (size_t)e->slot >= plan->table->n_columns)
        return false;
    if (plan->from && !plan->from->columns[e->slot].stored)
        return false;
    c = &plan->table->columns[e->slot];
    if ((c->type != TYPE_INT && c->type != TYPE_DECIMAL) ||
        (c->type == TYPE_DECIMAL && !view_has_steps(c)))
        return false;
    s->digits = c->type == TYPE_INT ? 0 : c->scale;
    if (s->digits > DIGITS_MAX || !view_steps(c, &s->lower, &s->upper))
        return false;
    set_reach(s);
    return is_narrow(s);
}

static bool
know_literal(const struct expr *e, struct grid_steps *s)
{
    const struct datum *d = &e->value;

    if (d->type != TYPE_INT && d->type != TYPE_DECIMAL)
        return false;
    s->digits = d->type == TYPE_INT ? 0 : d->scale;
    s->lower = s->upper = d->n;
    if (d->n == I128_MIN)
        return false;
    set_reach(s);
    return s->digits >= 0 && s->digits <= DIGITS_MAX && is_narrow(s);
}

/* ----------------------------------------------------------------- nodes -- */

static bool
know_expr(const struct plan *plan, const struct expr *e, struct grid_steps *s);

/* Is args[i] one of the values of a CASE or COALESCE? */
static bool
is_result(const struct expr *e, size_t i)
{
    return e->kind != EXPR_CASE || i % 2 == 1 || i + 1 == e->n_args;
}

/* CASE or COALESCE: uses the smallest steps of its values; the range covers all of
   their ranges. */
static bool
know_any(const struct plan *plan, const struct expr *e, struct grid_steps *s)
{
    struct grid_steps one;
    bool found = false;

    for (size_t i = 0; i < e->n_args; i++) {
        if (!is_result(e, i) || !e->args[i])
            continue;
        if (!know_expr(plan, e->args[i], &one))
            return false;
        if (!found) {
            *s = one;
            found = true;
        }
        if (!(one.digits < s->digits ? refine(&one, s->digits)
                                     : refine(s, one.digits)))
            return false;
        s->lower = least(s->lower, one.lower);
        s->upper = most(s->upper, one.upper);
        s->reach = most(s->reach, one.reach);
    }
    return found;
}

static bool
know_pair(const struct plan *plan, const struct expr *e, struct grid_steps *s)
{
    struct grid_steps a, b;
    int digits;

    if (e->n_args != 2 || !know_expr(plan, e->args[0], &a) ||
        !know_expr(plan, e->args[1], &b))
        return false;
    if (e->call == CALL_MUL) {
        *s = product(&a, &b);
        return s->digits <= DIGITS_MAX;
    }
    digits = a.digits > b.digits ? a.digits : b.digits;
    if (!refine(&a, digits) || !refine(&b, digits))
        return false;
    *s = e->call == CALL_ADD
             ? (struct grid_steps){digits, a.lower + b.lower, a.upper + b.upper,
                                   a.reach + b.reach}
             : (struct grid_steps){digits, a.lower - b.upper, a.upper - b.lower,
                                   a.reach + b.reach};
    return true;
}

static bool
know_call(const struct plan *plan, const struct expr *e, struct grid_steps *s)
{
    struct grid_steps a;

    switch (e->call) {
    case CALL_ADD:
    case CALL_SUB:
    case CALL_MUL: return know_pair(plan, e, s);
    case CALL_COALESCE: return know_any(plan, e, s);
    case CALL_NEG:
        if (e->n_args != 1 || !know_expr(plan, e->args[0], &a))
            return false;
        *s = (struct grid_steps){a.digits, -a.upper, -a.lower, a.reach};
        return true;
    default: return false;
    }
}

static bool
know_expr(const struct plan *plan, const struct expr *e, struct grid_steps *s)
{
    switch (e->kind) {
    case EXPR_COLUMN: return know_column(plan, e, s);
    case EXPR_LITERAL: return know_literal(e, s);
    case EXPR_CALL: return know_call(plan, e, s) && is_narrow(s);
    case EXPR_CASE: return know_any(plan, e, s);
    default: return false;
    }
}

/* ----------------------------------------------------------------- terms -- */

static const struct term *steps_of(struct builder *b, const struct plan *plan,
                                   const struct expr *e, int digits);

static const struct term *
steps_of_case(struct builder *b, const struct plan *plan, const struct expr *e,
              int digits)
{
    struct terms args = {.n = 0};

    for (size_t i = 0; i < e->n_args; i++) {
        if (i + 1 == e->n_args && !e->args[i])
            break;
        terms_add(b, &args,
                  is_result(e, i) ? steps_of(b, plan, e->args[i], digits)
                                  : term_expr(b, e->args[i], "t"));
    }
    return term_of_list(b, TERM_CASE, &args);
}

static const struct term *
steps_of_product(struct builder *b, const struct plan *plan,
                 const struct expr *e)
{
    struct grid_steps left = {0}, right = {0};

    b->failed |= !know_expr(plan, e->args[0], &left) ||
                 !know_expr(plan, e->args[1], &right);
    return term_binary(b, steps_of(b, plan, e->args[0], left.digits),
                       TERM_TIMES, steps_of(b, plan, e->args[1], right.digits));
}

static const struct term *
steps_of_call(struct builder *b, const struct plan *plan, const struct expr *e,
              int digits)
{
    struct terms args = {.n = 0};

    if (e->call == CALL_MUL)
        return steps_of_product(b, plan, e);
    for (size_t i = 0; i < e->n_args; i++)
        terms_add(b, &args, steps_of(b, plan, e->args[i], digits));
    if (e->call == CALL_COALESCE)
        return term_calls(b, TERM_COALESCE, &args);
    if (b->failed)
        return term_null(b);
    if (e->call == CALL_NEG)
        return term_negative(b, args.first->term);
    return term_binary(b, args.first->term,
                       e->call == CALL_ADD ? TERM_PLUS : TERM_MINUS,
                       args.last->term);
}

/* e in steps of its own. */
static const struct term *
own_steps(struct builder *b, const struct plan *plan, const struct expr *e,
          int digits)
{
    bool whole;

    switch (e->kind) {
    case EXPR_LITERAL:
        return term_cast(b, term_number(b, e->value.n), STORED(I64));
    case EXPR_COLUMN:
        whole = plan->table->columns[e->slot].type == TYPE_INT;
        return term_cast(b,
                         whole ? term_name(b, "t", "column_%d", e->slot)
                               : term_name(b, "t", "steps_%d", e->slot),
                         STORED(I64));
    case EXPR_CASE: return steps_of_case(b, plan, e, digits);
    default: return steps_of_call(b, plan, e, digits);
    }
}

/* e in steps of 10^-digits, which are no larger than its own. */
static const struct term *
steps_of(struct builder *b, const struct plan *plan, const struct expr *e,
         int digits)
{
    struct grid_steps own = {0};

    b->failed |= !know_expr(plan, e, &own) || own.digits > digits;
    if (b->failed)
        return term_null(b);
    if (own.digits == digits)
        return own_steps(b, plan, e, digits);
    return term_binary(
        b, own_steps(b, plan, e, own.digits), TERM_TIMES,
        term_cast(b, term_number(b, power_of_ten(digits - own.digits)),
                  STORED(I64)));
}

const struct term *
grid_steps_term(struct builder *b, const struct plan *plan,
                const struct expr *e, int digits, struct grid_steps *known)
{
    if (!know_expr(plan, e, known) || !refine(known, digits))
        return NULL;
    return steps_of(b, plan, e, digits);
}
