/*
 * How much work one unit can cause.
 *
 * THEOREM  unit-work
 *   Let a unit have at most s rows in each table that a plan reads. Computing
 *   the plan's relations with this unit in the data instead of without it takes
 *   at most unit_work(plan, s) more evaluations of a node of an expression, each
 *   of a value of bounded length, and at most one more pass over the public
 *   data that the plan reads.
 * SOURCE   doc/proofs/unit-work.md
 * NEEDS    unit-local, join-order (rows are cut before and after every join
 *          that meets many), fanout-bound, like-steps; functions whose cost and
 *          output their arguments' lengths bound.
 * GIVES    a bound from public facts and s: s times the nodes of the query,
 *          and beyond tables rows_per_unit times max_fanout times nodes. It
 *          hides nothing by itself: any amount can cross a step of time.
 * FAILS    cannot; sums stay at 2^64 - 1.
 * TESTED   no_relation_has_more_rows_of_a_unit
 */
#ifndef PLAN_UNIT_WORK_H
#define PLAN_UNIT_WORK_H

#include "plan/plan.h"

/* Rows of one unit that computing r alone makes, before any cut of r. */
uint64_t
unit_rows(const struct plan *p, const struct relation *r, uint64_t stored);

/* Of all relations of the plan, each row times the nodes evaluated on it. */
uint64_t unit_work(const struct plan *p, uint64_t stored);

#endif
