/*
 * Which columns of its relations a plan reads.
 *
 * A join that multiplies rows copies, once for each pair, every column that it
 * hands on. So it hands on only the columns that something above it reads
 * (relation->carried). The engine prints only these columns, and unit-work
 * counts their bytes.
 *
 * A join in which a private row may meet many public rows (MEET_MANY) numbers
 * the rows of a unit again, in the order of a hash; otherwise the same public
 * rows would always be the ones that count. The hash needs a seed for each row
 * of the private side: a 64-bit number that is a function of the unit's own
 * rows and public data. The seed is computed below all joins and handed on
 * (relation->seeded), so that no text is copied for it.
 */
#ifndef PLAN_CARRY_H
#define PLAN_CARRY_H

#include "plan/work.h"

/* Marks the relations of w's plan; keys, parts and WHERE must be made already.
   May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status carry_make(struct work *w);

#endif
