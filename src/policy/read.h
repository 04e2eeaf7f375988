/*
 * The parts of a policy, each read by a file of its own, in this order: what
 * stands alone first, then what names other parts.
 */
#ifndef POLICY_READ_H
#define POLICY_READ_H

#include "policy/node.h"
#include "policy/policy.h"

/* budget: and query: */
CUSTOS_MUST_USE custos_status read_budgets(const struct reading *r,
                                           const struct node *root,
                                           struct policy *p);

/* storage: */
CUSTOS_MUST_USE custos_status read_storage(const struct reading *r,
                                           const struct node *root,
                                           struct policy *p);

/* tripwire: */
CUSTOS_MUST_USE custos_status read_tripwire(const struct reading *r,
                                            const struct node *root,
                                            struct policy *p);

/* {epsilon, delta}: epsilon > 0 must be there, delta in [0, 1) may. */
CUSTOS_MUST_USE custos_status read_amounts(const struct reading *r,
                                           const struct node *map,
                                           const char *what, str no_delta,
                                           struct policy_budget *out);

CUSTOS_MUST_USE custos_status read_tables(const struct reading *r,
                                          const struct node *root,
                                          struct policy *p);

/* One column, but for what it references; the name is set already. */
CUSTOS_MUST_USE custos_status read_column(const struct reading *r,
                                          const struct node *map,
                                          struct policy_column *c);

/*
 * What holds between tables: references exist and agree in type, units are
 * columns that are there, paths end at a unit, public tables stand alone.
 */
CUSTOS_MUST_USE custos_status resolve_tables(const struct reading *r,
                                             const struct node *root,
                                             struct policy *p);

CUSTOS_MUST_USE custos_status read_views(const struct reading *r,
                                         const struct node *root,
                                         struct policy *p);

CUSTOS_MUST_USE custos_status read_analysts(const struct reading *r,
                                            const struct node *root,
                                            struct policy *p);

#endif
