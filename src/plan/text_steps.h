/*
 * How long an operator takes on its texts, in steps of unit-work.
 *
 * A step is a nanosecond on the machine that this was measured on: each
 * operator that is printed over texts, by the pinned DuckDB alone and on texts
 * of 64 KiB of the worst kind (letters of two bytes that change their length
 * with their case, combining characters, blanks, a pattern that fails at its
 * last byte). A call that has no weight and reads a text has no bound, so a
 * plan with it is refused.
 */
#ifndef PLAN_TEXT_STEPS_H
#define PLAN_TEXT_STEPS_H

#include <stdint.h>

#include "sql/tree.h"

/* Steps that the node e, without its arguments, takes on texts; 2^64 - 1: no
   bound is known. */
uint64_t text_steps(const struct expr *e);

/* Steps of handing on so many bytes in a row that is copied once: by a join, a
   union or an aggregate; or by a window that numbers pairs. */
uint64_t text_steps_copied(uint64_t bytes);
uint64_t text_steps_numbered(uint64_t bytes);

/* Steps of reading so many stored bytes. */
uint64_t text_steps_read(uint64_t bytes);

#endif
