/*
 * Constraints: conditions that no row of a table fails, as the policy states. They
 * are public facts about the subject, like ranges: releases use them to leave out
 * combinations of values that cannot be. Nothing private depends on them: rows are
 * counted as they are, whether a constraint is true or not, so that a wrong one
 * costs accuracy and never privacy.
 *
 * As in CHECK of SQL, a condition that is NULL for a row is not failed.
 */
#ifndef PLAN_CONSTRAINTS_H
#define PLAN_CONSTRAINTS_H

#include "policy/policy.h"
#include "sql/tree.h"

enum { CONSTRAINT_COLUMNS_MAX = 8 };

struct constraint {
    const struct policy_table *table;
    const struct policy_constraint *of;
    struct expr *is;                        /* typed; names are bound to columns
                                               of the table */
    size_t columns[CONSTRAINT_COLUMNS_MAX]; /* of the table, each once */
    size_t n_columns;
};

/*
 * Reads a constraint of table t of p. All is in a; texts and values are borrowed from
 * p. May fail: CUSTOS_EPOLICY with what is wrong: it is no condition, its names are
 * not columns of t, one of them has no public domain, or it has a part that cannot be
 * computed here; CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status constraint_read(arena *a, const struct policy *p,
                                              const struct policy_table *t,
                                              const struct policy_constraint *c,
                                              struct constraint *out,
                                              custos_err *err);

/* For the owner: reads all constraints of p. Reports the first that fails, as
   CUSTOS_EPOLICY with its line; `path` names the file. Also CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status constraints_check(arena *a,
                                                const struct policy *p,
                                                const char *path,
                                                custos_err *err);

/* "PATH, line N: constraint of table 'T': " and what `why` says, with its hint. */
custos_status constraint_fail(const char *path, const struct policy_table *t,
                              const struct policy_constraint *c,
                              const custos_err *why, custos_err *err);

#endif
