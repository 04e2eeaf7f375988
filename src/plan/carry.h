/*
 * Which columns of its relations a plan reads.
 *
 * A join that multiplies rows copies every column that it hands on once for
 * each pair, so it hands on those alone that something above it reads
 * (relation->carried). The engine prints no others, and unit-work counts the
 * bytes of these.
 *
 * Rows of one unit that a join with many public rows numbers anew are ordered
 * by a hash, so that the first public rows are not the ones that always count.
 * For that each row of the private side has a seed: a number of 64 bits that is
 * a function of the unit's own rows and public data. It is made below all joins
 * (relation->seeded: made and handed on), so that no text is copied for it.
 */
#ifndef PLAN_CARRY_H
#define PLAN_CARRY_H

#include "plan/work.h"

/* Marks the relations of w's plan, whose keys, parts and WHERE are made. May
   fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status carry_make(struct work *w);

#endif
