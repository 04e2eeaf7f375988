/*
 * Structural zeros: cells of tables where no row can be, by the constraints of the
 * policy. A cell is one only if no values of its codes satisfy a constraint; NULL
 * does not fail one.
 *
 * They are found from the policy alone and used on released values alone: rows are
 * counted as they are, so that privacy does not depend on whether constraints hold.
 */
#ifndef RELEASE_ZEROS_H
#define RELEASE_ZEROS_H

#include "base/arena.h"
#include "plan/from/relation.h"
#include "release/rules.h"
#include "synth/model.h"
#include "synth/schema.h"

struct zeros_list {
    struct forbidden *of; /* of sets of two or more cells */
    size_t n;
    size_t cells;       /* that are zeros, of all of them together */
    struct rule *rules; /* with cells where only some values satisfy them */
    size_t n_rules;
};

/*
 * Finds them for a relation and its schema, in `a`; field[i] is the column of the
 * relation that column i of the domain is. Constraints of every table in the
 * relation apply, unless rows are grouped above it or come from several branches of
 * a UNION. What a constraint says of a column that the schema has not, is said of
 * some value of it. May fail: CUSTOS_EPOLICY (a constraint cannot be used, or leaves
 * no row), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status zeros_make(arena *a, const struct policy *p,
                                         const struct relation *from,
                                         const struct schema *s,
                                         const size_t *field,
                                         struct zeros_list *out,
                                         custos_err *err);

/* Do the zeros leave a row, all together? Takes as much memory as a model of them.
   May fail: CUSTOS_EPOLICY (they do not), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status zeros_leave_rows(const struct zeros_list *z,
                                               const struct domain *d,
                                               custos_err *err);

/*
 * For the owner: tries all constraints of p, each table alone. Reports the first that
 * cannot be used, as CUSTOS_EPOLICY with its line; `path` names the file. Also
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status zeros_check(arena *a, const struct policy *p,
                                          const char *path, custos_err *err);

#endif
