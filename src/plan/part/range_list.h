/*
 * The candidate ranges of a value, in the order in which they are preferred.
 */
#ifndef PLAN_RANGE_LIST_H
#define PLAN_RANGE_LIST_H

#include "num/rat.h"
#include "sql/tree.h"

/* The limits that no candidate exceeds: the declared range of e, which has been
   typed, or a default. */
void range_limits(const struct expr *e, rat *lower, rat *upper);

/* Sets low and high to candidate `from` of e and those after it, at most `room` of
   them. Returns how many there are. */
size_t
range_list(const struct expr *e, size_t from, size_t room, rat *low, rat *high);

#endif
