/*
 * The evaluator: logic, comparisons, CASE, COALESCE and NULLIF. Numbers are in
 * evaluate_number.c; texts, dates and casts are in evaluate_text.c.
 */
#include "plan/evaluate.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "plan/evaluate_parts.h"

enum {
    DIGITS = 15,
    CALL_ARGS_MAX = 64,
    CALL_STEPS = 2, /* steps of a call, beside those of its arguments */
    STEP_BYTES = 2, /* bytes of a text that a function reads in one step */
};

#define WHOLE_MOST 1e15 /* whole numbers below it have at most DIGITS */

static const struct value null_value = {.certainty = CERTAIN};

/* ------------------------------------------------------------- doubles -- */

double
datum_double(const struct datum *d)
{
    return (double)d->n / pow(10, d->scale);
}

struct datum
datum_of_double(double x)
{
    struct datum d = {.type = TYPE_NULL};
    char text[64];
    int len;

    if (!isfinite(x))
        return d;
    if (fabs(x) < WHOLE_MOST && x == trunc(x)) /* shortcut */
        return (struct datum){.type = TYPE_REAL, .n = (i128)x};
    len = snprintf(text, sizeof text, "%.*g", DIGITS, x);
    if (!datum_read(TYPE_REAL, (str){text, (size_t)len}, &d))
        /* below 1e-36 it is 0; with more than 36 digits it is NULL */
        d = (struct datum){.type = fabs(x) < 1 ? TYPE_REAL : TYPE_NULL};
    return d;
}

/* --------------------------------------------------------------- truth -- */

enum truth { NO, YES, UNKNOWN };

static enum truth
truth_of(const struct value *v)
{
    if (v->datum.type == TYPE_NULL)
        return UNKNOWN;
    return v->datum.n ? YES : NO;
}

static struct value
truth_value(enum truth t)
{
    struct value v = {.datum = {.type = TYPE_BOOL, .n = t == YES}};

    return t == UNKNOWN ? null_value : v;
}

static enum truth
truth_not(enum truth t)
{
    return t == UNKNOWN ? UNKNOWN : t == YES ? NO : YES;
}

static enum truth
compare_values(enum call call, const struct value *a, const struct value *b)
{
    int order;

    if (a->datum.type == TYPE_NULL || b->datum.type == TYPE_NULL)
        return UNKNOWN;
    order = datum_cmp(&a->datum, &b->datum);
    switch (call) {
    case CALL_EQ: return order == 0;
    case CALL_NE: return order != 0;
    case CALL_LT: return order < 0;
    case CALL_LE: return order <= 0;
    case CALL_GT: return order > 0;
    default: return order >= 0;
    }
}

static enum truth
truth_and(enum truth a, enum truth b)
{
    if (a == NO || b == NO)
        return NO;
    return a == YES && b == YES ? YES : UNKNOWN;
}

static enum truth
truth_or(enum truth a, enum truth b)
{
    return truth_not(truth_and(truth_not(a), truth_not(b)));
}

/* Evaluates logic, comparisons and IS tests; false: it is another call. */
static bool
evaluate_logic(enum call call, const struct value *v, struct value *out)
{
    bool null = v[0].datum.type == TYPE_NULL;
    enum truth t;

    switch (call) {
    case CALL_AND: t = truth_and(truth_of(&v[0]), truth_of(&v[1])); break;
    case CALL_OR: t = truth_or(truth_of(&v[0]), truth_of(&v[1])); break;
    case CALL_NOT: t = truth_not(truth_of(&v[0])); break;
    case CALL_EQ:
    case CALL_NE:
    case CALL_LT:
    case CALL_LE:
    case CALL_GT:
    case CALL_GE: t = compare_values(call, &v[0], &v[1]); break;
    case CALL_IS_NULL: t = null; break;
    case CALL_IS_NOT_NULL: t = !null; break;
    case CALL_IS_TRUE: t = truth_of(&v[0]) == YES; break;
    case CALL_IS_FALSE: t = truth_of(&v[0]) == NO; break;
    case CALL_IS_NOT_TRUE: t = truth_of(&v[0]) != YES; break;
    case CALL_IS_NOT_FALSE: t = truth_of(&v[0]) != NO; break;
    case CALL_IS_DISTINCT: t = datum_cmp(&v[0].datum, &v[1].datum) != 0; break;
    case CALL_IS_NOT_DISTINCT:
        t = datum_cmp(&v[0].datum, &v[1].datum) == 0;
        break;
    case CALL_BETWEEN:
    case CALL_NOT_BETWEEN:
        t = truth_and(compare_values(CALL_GE, &v[0], &v[1]),
                      compare_values(CALL_LE, &v[0], &v[2]));
        t = call == CALL_BETWEEN ? t : truth_not(t);
        break;
    default: return false;
    }
    *out = truth_value(t);
    return true;
}

/* ---------------------------------------------------------------- calls -- */

/* The result is one of the values, with its interval, or NULL. If it is exact
   but another value has noise, evaluate_call makes it uncertain. */
static bool
evaluate_choice(enum call call, const struct value *v, size_t n,
                struct value *out)
{
    size_t best = n;

    switch (call) {
    case CALL_COALESCE:
        for (best = 0; best < n && v[best].datum.type == TYPE_NULL; best++)
            continue;
        *out = best < n ? v[best] : null_value;
        return true;
    case CALL_NULLIF:
        *out = compare_values(CALL_EQ, &v[0], &v[1]) == YES ? null_value : v[0];
        return true;
    default: return false;
    }
}

static bool
evaluate_call(const struct scope *s, const struct expr *e, struct value *out)
{
    struct value v[CALL_ARGS_MAX];
    bool uncertain = false;
    size_t bytes = 0;

    CUSTOS_REQUIRE(e->n_args > 0 && e->n_args <= CALL_ARGS_MAX);
    for (size_t i = 0; i < e->n_args; i++) {
        if (!evaluate(s, e->args[i], &v[i]))
            return false;
        uncertain = uncertain || v[i].certainty != CERTAIN;
        if (v[i].datum.type == TYPE_TEXT)
            bytes += v[i].datum.text.len;
    }
    if (!effort_take(s->effort, CALL_STEPS + bytes / STEP_BYTES))
        return false;
    *out = null_value;
    if (evaluate_number(e, v, out))
        return true;
    if (!evaluate_logic(e->call, v, out) &&
        !evaluate_choice(e->call, v, e->n_args, out) &&
        !evaluate_date(e, v, out) && !evaluate_text(s->a, e, v, out))
        return false;
    if (uncertain && out->certainty == CERTAIN)
        out->certainty = UNCERTAIN;
    return true;
}

static bool
evaluate_case(const struct scope *s, const struct expr *e, struct value *out)
{
    bool uncertain = false;

    *out = null_value;
    for (size_t i = 0; i + 1 < e->n_args; i += 2) {
        struct value when;

        if (!evaluate(s, e->args[i], &when))
            return false;
        uncertain = uncertain || when.certainty != CERTAIN;
        if (truth_of(&when) == YES) {
            if (!evaluate(s, e->args[i + 1], out))
                return false;
            goto chosen;
        }
    }
    if (e->n_args % 2 == 1 && e->args[e->n_args - 1] &&
        !evaluate(s, e->args[e->n_args - 1], out))
        return false;
chosen:
    if (uncertain)
        out->certainty = UNCERTAIN;
    return true;
}

static bool
evaluate_in(const struct scope *s, const struct expr *e, struct value *out)
{
    enum truth found = NO;
    struct value what, one;

    if (!evaluate(s, e->args[0], &what))
        return false;
    for (size_t i = 1; i < e->n_args; i++) {
        if (!evaluate(s, e->args[i], &one))
            return false;
        found = truth_or(found, compare_values(CALL_EQ, &what, &one));
    }
    *out = truth_value(e->negated ? truth_not(found) : found);
    if (what.certainty != CERTAIN)
        out->certainty = UNCERTAIN;
    return true;
}

bool
evaluate(const struct scope *s, const struct expr *e, struct value *out)
{
    struct value v;

    if (!effort_take(s->effort, 1))
        return false;
    switch (e->kind) {
    case EXPR_LITERAL:
        *out = (struct value){.datum = e->value, .certainty = CERTAIN};
        return true;
    case EXPR_CALL: return evaluate_call(s, e, out);
    case EXPR_CASE: return evaluate_case(s, e, out);
    case EXPR_IN: return evaluate_in(s, e, out);
    case EXPR_CAST:
        return evaluate(s, e->args[0], &v) && evaluate_cast(s->a, e, &v, out);
    case EXPR_COLUMN:
    case EXPR_KEY:
    case EXPR_AGGREGATE:
    case EXPR_INTERVAL: return s->leaf(s->ctx, e, out);
    case EXPR_IN_QUERY: break; /* there are no rows here */
    }
    return false; /* UNREACHABLE: the tree is closed */
}

bool
evaluate_knows(const struct expr *e)
{
    if (e->kind == EXPR_AGGREGATE)
        return true;
    if (e->kind == EXPR_IN_QUERY ||
        (e->kind == EXPR_CALL && e->n_args > CALL_ARGS_MAX))
        return false;
    if (e->kind == EXPR_CALL)
        switch (e->call) {
        case CALL_LIKE:
        case CALL_NOT_LIKE:
        case CALL_ILIKE:
        case CALL_NOT_ILIKE: return false;
        default: break;
        }
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !evaluate_knows(e->args[i]))
            return false;
    return true;
}
