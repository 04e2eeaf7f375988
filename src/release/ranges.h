/*
 * Columns whose ranges matter: numbers and times that are counted finely, as running sums
 * (mech/running.h), before anything else. From these sums a synopsis answers ranges and
 * quantiles of the column far more accurately than from a count of each code; and the few
 * runs that the other measurements take the column in are cut where they say that its rows
 * are.
 */
#ifndef RELEASE_RANGES_H
#define RELEASE_RANGES_H

#include "plan/from/relation.h"
#include "release/measuring.h"
#include "synth/schema.h"

/* The share of the price that all these columns get together. */
enum { RANGES_SHARE = 5 }; /* a fifth */

struct ranges {
    struct schema
        *fine;      /* as rows are read; the release's own, without ranges */
    size_t *column; /* of the domain */
    size_t n;
    uint32_t *sizes; /* those of the release's schema */
    amount each;     /* the price of one */
    double *sigma;   /* by column: the largest deviation of a range's rows */
};

/*
 * Prepares the columns of a list of names separated by commas (none if it is empty). In
 * *schema they get as many codes as they may have in the end. *rho is what is left of the
 * price for all other measurements. In `a`. May fail: CUSTOS_ENAME (no such column),
 * CUSTOS_EINVAL (it has no range), CUSTOS_ERANGE (the price does not suffice),
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status ranges_prepare(
    arena *a, const struct relation *from, const size_t *field, str names,
    uint64_t l1, uint64_t l2_squared, struct schema **schema, amount *rho,
    struct ranges *out, custos_err *err);

/* Is the column of the domain one of them? */
bool ranges_have(const struct ranges *r, size_t column);

/*
 * Measures them, into `out` (r->n of them), cuts the columns of the schema where they
 * say, and merges the codes of the rows alike. Below the charge. May fail: as
 * measuring_range.
 */
CUSTOS_MUST_USE custos_status ranges_measure(arena *a, const struct ranges *r,
                                             struct measuring *m,
                                             struct schema *schema,
                                             struct released_range *out,
                                             custos_err *err);

#endif
