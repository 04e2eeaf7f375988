/*
 * Expressions over public values, evaluated in C: expressions on aggregates
 * after noise, and the image of declared values under an expression. The engine
 * gives the same values for the same tree (test/engine compares them), except
 * that doubles have only 15 digits here and are NULL from 10^36 on, and that a
 * decimal may be printed differently as a text.
 *
 * Numbers may carry an interval, which is computed by interval arithmetic.
 * Where that is not possible (division by a number that may be 0, a CASE
 * decided by a noisy number) the result is uncertain and has no interval.
 * Doubles are fine here: no exact private value is seen.
 */
#ifndef EVALUATE_EVALUATE_H
#define EVALUATE_EVALUATE_H

#include "base/arena.h"
#include "base/datum.h"
#include "evaluate/effort.h"
#include "sql/tree.h"

enum certainty {
    CERTAIN,   /* exact: a literal, a key */
    BARRED,    /* low <= exact value <= high, with the confidence of the leaves'
                  intervals */
    UNCERTAIN, /* no interval is known */
};

struct value {
    struct datum datum; /* TYPE_NULL: NULL */
    enum certainty certainty;
    double low, high;
};

/*
 * Where leaves get their values: EXPR_COLUMN, EXPR_KEY, EXPR_GROUPING,
 * EXPR_AGGREGATE, EXPR_INTERVAL. New texts live in a.
 */
struct scope {
    arena *a;
    struct effort *effort; /* NULL: below the charge, where the plan bounds the
                              work */
    bool (*leaf)(void *ctx, const struct expr *e, struct value *out);
    /* Replaces the interval of a call or cast that is not NULL where a better
       one is known than that of interval arithmetic; or NULL. */
    void (*narrow)(void *ctx, const struct expr *e, struct value *v);
    void *ctx;
};

/* Can every call of the tree be evaluated? For refusals above the charge. */
bool evaluate_knows(const struct expr *e);

/* Does this node no more than compare its arguments with each other, or with NULL? */
bool evaluate_compares(const struct expr *e);

/* Is this node's own value computed here as a double of 15 digits? The engine's
   value has more digits. */
bool evaluate_rounds(const struct expr *e);

/* False without memory or steps. An undefined value (division by 0, overflow)
   is NULL. */
CUSTOS_MUST_USE bool
evaluate(const struct scope *s, const struct expr *e, struct value *out);

/* A number as a double; and a double as a TYPE_REAL of 15 decimal digits: NULL
   for NaN, infinities and numbers that are too large, 0 for numbers that are
   too small. */
double datum_double(const struct datum *d);
struct datum datum_of_double(double x);

#endif
