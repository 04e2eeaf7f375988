/*
 * Which columns of its relations a plan reads.
 *
 * A join that multiplies rows copies every column that it hands on once for
 * each pair, so it hands on only those that something above it reads
 * (relation->carried). The engine prints no others, and unit-work counts the
 * bytes of these.
 *
 * A join with many public rows numbers the rows of a unit again, in the order
 * of a hash, so that it is not always the same public rows that count. For that
 * each row of the private side has a seed: a 64-bit number that is a function
 * of the unit's own rows and public data. It is computed below all joins
 * (relation->seeded: computed and handed on), so that no text is copied for it.
 */
#ifndef PLAN_CARRY_H
#define PLAN_CARRY_H

#include "plan/work.h"

/* Marks the relations of w's plan, whose keys, parts and WHERE are made. May
   fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status carry_make(struct work *w);

#endif
