/*
 * How long it takes to make answers that are computed from noisy numbers of other
 * cells: the tables of GROUPING SETS, and running counts.
 */
#ifndef PLAN_COST_TABLES_TIME_H
#define PLAN_COST_TABLES_TIME_H

#include "plan/plan.h"

/* Picoseconds of all tables and running counts of a plan, from public facts alone;
   0 for other plans. Saturates at 2^64 - 1. */
uint64_t tables_ps(const struct plan *p);

#endif
