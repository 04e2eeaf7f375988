/*
 * The steps of a release, each with its price: whether the noise of a file's tables
 * is what their prices buy, and whether all prices together are within the release's.
 */
#ifndef SYNOPSIS_STEPS_H
#define SYNOPSIS_STEPS_H

#include "num/rat.h"
#include "synopsis/synopsis.h"

/* The most rows of a unit that can count. */
#define STEPS_ROWS_MAX ((uint64_t)1 << 30)

/* The most that a unit changes in a table, squared, in l2: by marginal-price, or
   residual-marginals. Needs facts that facts_are_sound, and a table that
   steps_are_sound. */
void step_l2_squared(const struct synopsis *s, const struct released_table *t,
                     rat *out);

/* The same of running sums, in steps of 2^-*bits rows; the root is made in `a`. False
   without memory. */
CUSTOS_MUST_USE bool
step_range_l2_squared(arena *a, const struct synopsis *s,
                      const struct released_range *r, rat *out, int *bits);

/* Is the promise made of numbers, and the unit one that there can be? */
bool facts_are_sound(const struct synopsis_facts *f);

/*
 * Has each table the noise that its price buys, is each residual there at most once,
 * and is the sum of all prices at most that of the release? Needs facts that
 * facts_are_sound. May fail: CUSTOS_ECORRUPT (no), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status steps_check(arena *a, const struct synopsis *s,
                                          custos_err *err);

#endif
