/*
 * Two walks over the expression: the first finds digits and ranges and refuses what
 * might overflow 64 bits, the second prints. Both call know_expr for each node, so
 * that nothing is printed that was not proved.
 */
#include "engine/grid_steps.h"

#include "base/ck.h"
#include "engine/view.h"
#include "plan/relation.h"
#include "sql/duckdb.h"

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

/* ----------------------------------------------------------------- print -- */

static void print_expr(const struct plan *plan, const struct expr *e,
                       int digits, struct buf *out);

static void
print_case(const struct plan *plan, const struct expr *e, int digits,
           struct buf *out)
{
    buf_add_text(out, "CASE");
    for (size_t i = 0; i < e->n_args; i++) {
        bool last = i + 1 == e->n_args;

        if (last && !e->args[i])
            break;
        buf_add_text(out, last ? " ELSE " : i % 2 ? " THEN " : " WHEN ");
        if (is_result(e, i))
            print_expr(plan, e->args[i], digits, out);
        else
            duckdb_print_expr(e->args[i], "t", out);
    }
    buf_add_text(out, " END");
}

static void
print_call(const struct plan *plan, const struct expr *e, int digits,
           struct buf *out)
{
    struct grid_steps a = {0}, b = {0};
    bool known = true;

    switch (e->call) {
    case CALL_NEG:
        buf_add_text(out, "(- ");
        print_expr(plan, e->args[0], digits, out);
        break;
    case CALL_COALESCE:
        buf_add_text(out, "coalesce(");
        for (size_t i = 0; i < e->n_args; i++) {
            buf_add_text(out, i ? ", " : "");
            print_expr(plan, e->args[i], digits, out);
        }
        break;
    case CALL_MUL:
        known =
            know_expr(plan, e->args[0], &a) && know_expr(plan, e->args[1], &b);
        buf_add_text(out, "(");
        print_expr(plan, e->args[0], a.digits, out);
        buf_add_text(out, " * ");
        print_expr(plan, e->args[1], b.digits, out);
        break;
    default:
        buf_add_text(out, "(");
        print_expr(plan, e->args[0], digits, out);
        buf_add_text(out, e->call == CALL_ADD ? " + " : " - ");
        print_expr(plan, e->args[1], digits, out);
        break;
    }
    buf_add_text(out, ")");
    out->failed |= !known;
}

static void
print_own(const struct plan *plan, const struct expr *e, int digits,
          struct buf *out)
{
    char text[41];

    switch (e->kind) {
    case EXPR_LITERAL:
        custos_int_write(e->value.n, text);
        buf_printf(out, "CAST(%s AS BIGINT)", text);
        return;
    case EXPR_COLUMN:
        buf_printf(out, "CAST(t.%s_%d AS BIGINT)",
                   plan->table->columns[e->slot].type == TYPE_INT ? "column"
                                                                  : "steps",
                   e->slot);
        return;
    case EXPR_CASE: print_case(plan, e, digits, out); return;
    default: print_call(plan, e, digits, out); return;
    }
}

/* Prints e in steps of 10^-digits, which are no larger than its own. */
static void
print_expr(const struct plan *plan, const struct expr *e, int digits,
           struct buf *out)
{
    struct grid_steps own = {0};
    char text[41];

    out->failed |= !know_expr(plan, e, &own) || own.digits > digits;
    if (out->failed)
        return;
    if (own.digits == digits) {
        print_own(plan, e, digits, out);
        return;
    }
    custos_int_write(power_of_ten(digits - own.digits), text);
    buf_add_text(out, "(");
    print_own(plan, e, own.digits, out);
    buf_printf(out, " * CAST(%s AS BIGINT))", text);
}

bool
grid_steps_print(const struct plan *plan, const struct expr *e, int digits,
                 struct grid_steps *known, struct buf *out)
{
    if (!know_expr(plan, e, known) || !refine(known, digits))
        return false;
    print_expr(plan, e, digits, out);
    return !out->failed;
}
