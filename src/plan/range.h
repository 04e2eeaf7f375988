/*
 * Intervals of exact rationals: what range.c is made of.
 */
#ifndef PLAN_RANGE_H
#define PLAN_RANGE_H

#include "plan/fact.h"

/* Extends f to cover [low, high]; with `first`, f becomes just that. */
void range_cover(struct fact *f, const rat *low, const rat *high, bool first);

/* Arithmetic into f, from known operands; f must not be one of them. */
void range_add(struct fact *f, const struct fact *a, const struct fact *b);
void range_sub(struct fact *f, const struct fact *a, const struct fact *b);
void range_mul(struct fact *f, const struct fact *a, const struct fact *b);
void range_square(struct fact *f, const struct fact *a);
void range_abs(struct fact *f, const struct fact *a);
void range_neg(struct fact *f, const struct fact *a);
void range_mod(struct fact *f, const struct fact *a, const struct fact *b);

/* Division of whole numbers, towards 0; by 0 it gives NULL. */
void
range_div_whole(struct fact *f, const struct fact *a, const struct fact *b);

/* False when b can be near 0: then there is no range. */
bool range_div(struct fact *f, const struct fact *a, const struct fact *b);

/* Any rounding to the nearest multiple of 10^-digits lies in it. */
void range_round(struct fact *f, const struct fact *a, int digits);

/* The same where a double is multiplied and rounded by the engine. */
void range_round_double(struct fact *f, const struct fact *a, int digits);

/* Known ends of doubles, outwards to the next double; and before that, where an
   operation rounds more than once, by a relative 2^-50. */
void range_outward(struct fact *f);
void range_slack(struct fact *f);

/* Ends of an exact number as the double that the engine makes of it. */
void range_as_double(struct fact *f);

/* Days as microseconds. */
void range_as_timestamp(struct fact *f);

/* Date parts and cuts; a in days (TYPE_DATE) or microseconds. */
void range_date(struct fact *f, const struct expr *e);

/* The first day, or microsecond, of the period that x lies in. */
i128 date_cut(enum call call, enum data_type type, i128 x);

#endif
