/*
 * Readers of the parts of a policy, one file each. Parts that refer to other
 * parts are read last.
 */
#ifndef POLICY_READ_H
#define POLICY_READ_H

#include "policy/node.h"
#include "policy/policy.h"

/* Rejects a key of format 2 in a file of format 1. */
CUSTOS_MUST_USE custos_status read_key_of_2(const struct reading *r,
                                            const struct policy *p,
                                            const char *key, int line);

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

/* {epsilon, delta}: epsilon > 0 is required, delta in [0, 1) is optional;
   no_delta: the delta if the map has none. */
CUSTOS_MUST_USE custos_status read_amounts(const struct reading *r,
                                           const struct node *map,
                                           const char *what, str no_delta,
                                           struct policy_budget *out);

/* sources: */
CUSTOS_MUST_USE custos_status read_sources(const struct reading *r,
                                           const struct node *root,
                                           struct policy *p);

/* The keys of a table that say where it is; p has its sources. */
CUSTOS_MUST_USE custos_status read_table_source(const struct reading *r,
                                                const struct node *map,
                                                const struct policy *p,
                                                struct policy_table *t);

CUSTOS_MUST_USE custos_status read_tables(const struct reading *r,
                                          const struct node *root,
                                          struct policy *p);

/* One column without its reference; the name is already set. */
CUSTOS_MUST_USE custos_status read_column(const struct reading *r,
                                          const struct node *map,
                                          struct policy_column *c);

/*
 * Checks across tables: referenced columns exist and have the same type, unit
 * columns exist, references end at a unit, public tables reference no private
 * table.
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
