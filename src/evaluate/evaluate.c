/*
 * The evaluator: logic, comparisons, CASE, COALESCE and NULLIF. Numbers are in
 * evaluate_number.c, texts and casts in evaluate_text.c, dates in
 * evaluate_date.c.
 */
#include "evaluate/evaluate.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "evaluate/evaluate_parts.h"

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

/* Is the order of two values one of these? */
static enum truth
compare_values(unsigned orders, const struct value *a, const struct value *b)
{
    int order;

    if (a->datum.type == TYPE_NULL || b->datum.type == TYPE_NULL)
        return UNKNOWN;
    order = datum_cmp(&a->datum, &b->datum);
    return (orders & (order < 0   ? LESS
                      : order > 0 ? GREATER
                                  : EQUAL))
               ? YES
               : NO;
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

static enum truth
truth_both(const struct value *v)
{
    return truth_and(truth_of(&v[0]), truth_of(&v[1]));
}

static enum truth
truth_either(const struct value *v)
{
    return truth_or(truth_of(&v[0]), truth_of(&v[1]));
}

static enum truth
truth_neither(const struct value *v)
{
    return truth_not(truth_of(&v[0]));
}

static enum truth
truth_is_null(const struct value *v)
{
    return v[0].datum.type == TYPE_NULL;
}

static enum truth
truth_is_not_null(const struct value *v)
{
    return v[0].datum.type != TYPE_NULL;
}

static enum truth
truth_is_true(const struct value *v)
{
    return truth_of(&v[0]) == YES;
}

static enum truth
truth_is_false(const struct value *v)
{
    return truth_of(&v[0]) == NO;
}

static enum truth
truth_is_not_true(const struct value *v)
{
    return truth_of(&v[0]) != YES;
}

static enum truth
truth_is_not_false(const struct value *v)
{
    return truth_of(&v[0]) != NO;
}

static enum truth
truth_differ(const struct value *v)
{
    return datum_cmp(&v[0].datum, &v[1].datum) != 0;
}

static enum truth
truth_same(const struct value *v)
{
    return datum_cmp(&v[0].datum, &v[1].datum) == 0;
}

static enum truth
truth_between(const struct value *v)
{
    return truth_and(compare_values(GREATER | EQUAL, &v[0], &v[1]),
                     compare_values(LESS | EQUAL, &v[0], &v[2]));
}

static enum truth
truth_outside(const struct value *v)
{
    return truth_not(truth_between(v));
}

/* ---------------------------------------------------------------- calls -- */

static bool
value_truth(arena *a, const struct expr *e, const struct value *v,
            struct value *out)
{
    (void)a;
    *out = truth_value(evaluators[e->call].truth(v));
    return true;
}

static bool
value_order(arena *a, const struct expr *e, const struct value *v,
            struct value *out)
{
    (void)a;
    *out = truth_value(compare_values(evaluators[e->call].order, &v[0], &v[1]));
    return true;
}

/* The result is one of the values, with its interval, or NULL. If it is exact
   but another value has noise, evaluate_call makes it uncertain. */
bool
value_coalesce(arena *a, const struct expr *e, const struct value *v,
               struct value *out)
{
    size_t first = 0;

    (void)a;
    while (first < e->n_args && v[first].datum.type == TYPE_NULL)
        first++;
    *out = first < e->n_args ? v[first] : null_value;
    return true;
}

bool
value_nullif(arena *a, const struct expr *e, const struct value *v,
             struct value *out)
{
    (void)a, (void)e;
    *out = compare_values(EQUAL, &v[0], &v[1]) == YES ? null_value : v[0];
    return true;
}

const struct evaluator evaluators[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define TRUTH(rule) .value = value_truth, .truth = rule
#define ORDER(which) .value = value_order, .order = which
#define NUMBER(of_reals, of_wholes)                                            \
    .value = value_number, .numeric = true, .real = of_reals, .whole = of_wholes
#define ROUNDS(rule)                                                           \
    .value = value_number, .numeric = true, .round = rule, .whole = whole_same
#define NUMERIC(rule) .value = rule, .numeric = true
#define PART(rule) .value = value_part, .part = rule
#define TEXTUAL(rule) .value = value_text, .text = rule
#define VALUE(rule) .value = rule
#include "sql/functions.def"
};

bool
evaluate_compares(const struct expr *e)
{
    static enum truth (*const rules[])(const struct value *v) = {
        truth_between,     truth_outside, truth_is_null,
        truth_is_not_null, truth_differ,  truth_same};
    const struct evaluator *call = &evaluators[e->call];
    bool found = e->kind == EXPR_IN;

    if (e->kind != EXPR_CALL)
        return found;
    found = call->order != 0;
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        found = found || call->truth == rules[i];
    return found;
}

static bool
evaluate_call(const struct scope *s, const struct expr *e, struct value *out)
{
    const struct evaluator *call = &evaluators[e->call];
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
    if (!call->value || !call->value(s->a, e, v, out))
        return false;
    if (!call->numeric && uncertain && out->certainty == CERTAIN)
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
        found = truth_or(found, compare_values(EQUAL, &what, &one));
    }
    *out = truth_value(e->negated ? truth_not(found) : found);
    if (what.certainty != CERTAIN)
        out->certainty = UNCERTAIN;
    return true;
}

static bool
evaluate_node(const struct scope *s, const struct expr *e, struct value *out)
{
    struct value v;

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
    case EXPR_GROUPING:
    case EXPR_AGGREGATE:
    case EXPR_INTERVAL: return s->leaf(s->ctx, e, out);
    case EXPR_IN_QUERY: break; /* there are no rows here */
    }
    return false; /* UNREACHABLE: the tree is closed */
}

bool
evaluate(const struct scope *s, const struct expr *e, struct value *out)
{
    if (!effort_take(s->effort, 1) || !evaluate_node(s, e, out))
        return false;
    if (s->narrow && (e->kind == EXPR_CALL || e->kind == EXPR_CAST) &&
        out->datum.type != TYPE_NULL)
        s->narrow(s->ctx, e, out);
    return true;
}

bool
evaluate_knows(const struct expr *e)
{
    if (e->kind == EXPR_AGGREGATE)
        return true;
    if (e->kind == EXPR_IN_QUERY ||
        (e->kind == EXPR_CALL && e->n_args > CALL_ARGS_MAX))
        return false;
    if (e->kind == EXPR_CALL && !evaluators[e->call].value)
        return false;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !evaluate_knows(e->args[i]))
            return false;
    return true;
}
