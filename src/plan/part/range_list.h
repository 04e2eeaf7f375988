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

/* range_list: sets low and high to candidate `from` of e and those after it, at
   most `room` of them. range_count: how many there are, at most RANGES_MAX. */
void
range_list(const struct expr *e, size_t from, size_t room, rat *low, rat *high);
size_t range_count(const struct expr *e);

#endif
