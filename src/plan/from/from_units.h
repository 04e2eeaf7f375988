/*
 * What the files of aggregates per unit share.
 */
#ifndef PLAN_FROM_UNITS_H
#define PLAN_FROM_UNITS_H

#include "plan/from/from_query.h"

enum { UNITS_AGGREGATES_MAX = 64 };

/* A query's keys and aggregates, while they are collected. */
struct units {
    struct expr **keys;
    size_t n_keys;
    struct expr *found[UNITS_AGGREGATES_MAX]; /* as written, for comparing */
    struct expr *typed[UNITS_AGGREGATES_MAX];
    size_t n_found;
};

/*
 * Types an aggregate over at most w->table->rows_per_unit rows; *value: the
 * whole numbers that it adds, *out: the range of its result. May fail as
 * plan_make does.
 */
CUSTOS_MUST_USE custos_status units_aggregate(struct work *w, struct expr *e,
                                              struct part *value,
                                              struct policy_column *out);

#endif
