/*
 * A constraint of the policy over the columns of a release: in which cells of its
 * columns a row can be, and what makes a synthetic row satisfy it.
 *
 * A code may stand for a run of values, so there are cells where some values satisfy
 * the constraint and some do not. The model knows of cells alone; for rows in such a
 * cell, values are drawn until they satisfy it.
 */
#ifndef RELEASE_RULES_H
#define RELEASE_RULES_H

#include "base/arena.h"
#include "release/tries.h"
#include "synopsis/synthetic.h"

struct rule {
    struct constraint c;
    /* By column of c: its place in the domain, or SYNTH_COLUMNS_MAX if the release
       does not have it. */
    size_t place[CONSTRAINT_COLUMNS_MAX];
    struct colset set; /* of these places */
    struct schema_column
        codes[CONSTRAINT_COLUMNS_MAX]; /* or as they would be */
    struct tries tries;
    /* By cell of the set: of a cell where some values satisfy it and some do not, one
       more than the number of the first combination that does; else 0. NULL: there is
       no such cell. */
    uint32_t *good;
};

/*
 * Reads constraint c of table t; field[i] is the column of the relation that column i
 * of the schema's domain is, and offset the first of t's. May fail: as
 * constraint_read, schema_column_make and tries_make.
 */
CUSTOS_MUST_USE custos_status rule_make(arena *a, const struct policy *p,
                                        const struct policy_table *t,
                                        const struct policy_constraint *c,
                                        const struct schema *s,
                                        const size_t *field, size_t offset,
                                        struct rule *out, custos_err *err);

/* What combinations of values in a cell do. */
enum { CELL_HOLDS = 1, CELL_FAILS = 2 };

/*
 * Tries all combinations. seen[cell] gets CELL_HOLDS if some of the cell satisfy the
 * constraint, or it is NULL, and CELL_FAILS if some do not; good[cell] as in the rule;
 * all are 0 before. outer: a row may be NULL in all columns, whatever the constraint
 * says of that. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status rule_try(const struct rule *r,
                                       const struct domain *d, bool outer,
                                       arena *scratch, uint8_t *seen,
                                       uint32_t *good, custos_err *err);

/* The rules that synthetic rows are made to satisfy; each of them has `good`. */
struct rules {
    const struct schema *schema;
    const struct rule *of;
    size_t n;
    arena *scratch; /* of one evaluation */
};

/* As synthetic_rules.settle; ctx is a struct rules. */
CUSTOS_MUST_USE custos_status rules_settle(void *ctx,
                                           const struct synthetic_rows *rows,
                                           size_t row, struct datum *values,
                                           custos_rng *rng, bool *holds,
                                           custos_err *err);

#endif
