/*
 * How long it takes to make answers that are computed from noisy numbers of other
 * cells, the tables of GROUPING SETS and running counts; and error bars that are
 * searched for long.
 */
#ifndef PLAN_COST_TABLES_TIME_H
#define PLAN_COST_TABLES_TIME_H

#include "plan/plan.h"

/* Picoseconds of all tables and running counts of a plan, from public facts alone;
   0 for other plans. Saturates at 2^64 - 1. */
uint64_t tables_ps(const struct plan *p);

/* Picoseconds of the error bars of variances and pairs in so many groups; others
   take less than the output of their value. Likewise saturates. */
uint64_t bars_ps(const struct plan *p, uint64_t groups);

#endif
