/*
 * How long an operator takes on its texts, in steps of unit-work.
 *
 * A step is a nanosecond on the machine where this was measured. Each operator
 * that is printed over texts was run by itself in the pinned DuckDB, on texts
 * of 64 KiB of the worst kind (letters of two bytes that change their length
 * with their case, combining characters, blanks, a pattern that fails at its
 * last byte). A call that reads a text and has no weight here has no bound: a
 * plan with it is refused.
 */
#ifndef PLAN_TEXT_STEPS_H
#define PLAN_TEXT_STEPS_H

#include <stdint.h>

#include "sql/tree.h"

/* Steps that the node e, without its arguments, takes on texts; 2^64 - 1: no
   bound is known. */
uint64_t text_steps(const struct expr *e);

/* text_steps_copied: steps of copying so many bytes once, in a row of a join,
   union or aggregate. text_steps_numbered: the same in a window that numbers
   pairs. */
uint64_t text_steps_copied(uint64_t bytes);
uint64_t text_steps_numbered(uint64_t bytes);

/* Steps of reading so many stored bytes. */
uint64_t text_steps_read(uint64_t bytes);

#endif
