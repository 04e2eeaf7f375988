/*
 * How much work one unit can cause.
 *
 * THEOREM  unit-work
 *   Let a unit have at most s rows in each table that a plan reads. Computing
 *   the plan's relations with this unit in the data instead of without it takes
 *   at most unit_work(plan, s) more steps, and at most one more pass over the
 *   public data that the plan reads. A step is the evaluation of a node on
 *   numbers, or about a nanosecond's work on a text (text_steps.h). A row that
 *   a join or a union makes counts as several steps, and so do the bytes of the
 *   texts that it copies. With the policy's bounds on rows in place of s, the
 *   work of a plan is at most the policy's max_unit_work.
 * SOURCE   doc/proofs/unit-work.md
 * NEEDS    unit-local, join-order (rows are cut before and after every join
 *          that meets many), fanout-bound, like-steps; functions whose cost and
 *          output are bounded by the lengths of their arguments; rows that hand
 *          on no other columns than those read above (carry.h).
 * GIVES    a bound from public facts and s: over tables, s times the nodes of
 *          the query; above tables, at most max_unit_work. The bound alone
 *          hides nothing: any extra work can move a reply past a response
 *          step.
 * FAILS    CUSTOS_EDENIED, from public facts alone; sums saturate at 2^64 - 1.
 * TESTED   no_relation_has_more_rows_of_a_unit the_work_of_a_unit_is_capped
 *          steps_are_counted
 *          texts_of_pairs_are_counted every_text_call_has_a_weight
 *          joins_hand_on_what_is_read
 */
#ifndef PLAN_UNIT_WORK_H
#define PLAN_UNIT_WORK_H

#include "plan/work.h"

/* In place of s: use the rows that the policy declares for each table. */
enum { UNIT_ROWS_DECLARED = 0 };

/* Rows of one unit that computing r alone makes, before any cut of r. */
uint64_t
unit_rows(const struct plan *p, const struct relation *r, uint64_t stored);

/* The sum over all relations of rows times steps per row, for each stage with
   values: 0 for a plan with a STAGE_BOUND, whose plans have them. */
uint64_t unit_work(const struct plan *p, uint64_t stored);

/* Refuses a plan whose unit_work exceeds the policy's max_unit_work. */
CUSTOS_MUST_USE custos_status unit_work_check(struct work *w);

#endif
