/*
 * Quotients of released values inside the expressions of a query: sums,
 * differences and multiples of counts and sums, and one such divided by
 * another. Their bars come from the joint law of all their noises; boxes of
 * intervals, one for each aggregate, would be about twice as wide.
 */
#ifndef CURATOR_QUOTIENT_H
#define CURATOR_QUOTIENT_H

#include "curator/aggregate.h"

/* A number that is linear in the released parts of one cell. */
struct linear {
    double constant;
    size_t n;
    struct linear_term {
        size_t part;
        double factor;
    } terms[BAR_TERMS_MAX];
};

struct quotient {
    const struct expr *expr;
    struct linear above, below;
    bool whole; /* of whole numbers: it is truncated */
};

/* The quotients of one expression that have two aggregates or more; the
   largest such subtrees. */
struct quotients {
    struct quotient *list;
    size_t n;
    size_t level; /* how many bars the expression is computed from: quotients,
                     and aggregates outside of them */
};

/* False without memory. `level` is at most plan_aggregates(). */
CUSTOS_MUST_USE bool
quotients_find(arena *a, const struct plan *p, const struct expr *e,
               struct quotients *out);

/* The bar of a quotient in a cell, at 1 - 0.05/level. If there is none, v
   becomes uncertain. */
void quotient_narrow(const struct quotient *q, const struct released *r,
                     const struct bars *bars, size_t cell, size_t level,
                     struct value *v);

#endif
