/*
 * What the files of subqueries share. Within them w->q is the subquery, and its
 * expressions are over w->from.
 */
#ifndef PLAN_FROM_QUERY_H
#define PLAN_FROM_QUERY_H

#include "plan/part/domain.h"
#include "plan/from/from.h"

/* One SELECT as a relation whose columns are named after its outputs. */
CUSTOS_MUST_USE custos_status query_relation(struct work *w, struct query *q,
                                             struct relation **out);

/* Adds the outputs of q, which are bound, to inner as columns. */
CUSTOS_MUST_USE custos_status query_project(struct work *w,
                                            const struct query *q,
                                            struct relation *inner,
                                            struct relation **out);

/* SELECT ... UNION ALL SELECT ... */
CUSTOS_MUST_USE custos_status query_union(struct work *w, struct query *q,
                                          struct relation **out);

/* A query over private rows that is grouped by a column that identifies the
   unit. */
CUSTOS_MUST_USE custos_status query_units(struct work *w, struct query *q,
                                          struct relation *inner,
                                          struct relation **out);

/* Any query over public rows: a plan of its own. */
CUSTOS_MUST_USE custos_status query_public(struct work *w, struct query *q,
                                           struct relation *from,
                                           struct relation **out);

/* Makes x the lower or upper end of c's range, rounded outwards; false: it does
   not fit. */
bool column_end(const rat *x, bool up, struct policy_column *c);

/* A typed expression as a column of a table, without a name. */
CUSTOS_MUST_USE custos_status query_column(struct work *w, struct expr *e,
                                           struct policy_column *out);

#endif
