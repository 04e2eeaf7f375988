/*
 * Intervals of exact rationals, for range.c.
 */
#ifndef PLAN_RANGE_H
#define PLAN_RANGE_H

#include "plan/type/fact.h"

/* Extends f to cover [low, high]; with `first`, f becomes [low, high]. */
void range_cover(struct fact *f, const rat *low, const rat *high, bool first);

/* Each sets f from known operands; f must not be one of them. */
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

/* False when b can be 0: then there is no range. */
bool range_div(struct fact *f, const struct fact *a, const struct fact *b);

/* Covers every rounding to the nearest multiple of 10^-digits. */
void range_round(struct fact *f, const struct fact *a, int digits);

/* As range_round, where the engine multiplies and rounds a double. */
void range_round_double(struct fact *f, const struct fact *a, int digits);

/* range_outward rounds the known ends of doubles outwards to the next double.
   range_slack, called before it where an operation rounds more than once, moves
   them outwards by a relative 2^-50. */
void range_outward(struct fact *f);
void range_slack(struct fact *f);

/* Rounds the ends of an exact number's range so that they hold for the double
   that the engine makes of the number. */
void range_as_double(struct fact *f);

/* Ranges of ln, exp, sqrt and power. */
void range_log(struct expr *e);
void range_exp(struct expr *e);
void range_root(struct expr *e);
void range_power(struct expr *e);

/* Converts ends from days to microseconds. */
void range_as_timestamp(struct fact *f);

/* The range of the year, and of the period, of a date whose range is in days
   (TYPE_DATE) or microseconds. */
void range_year(struct expr *e);
void range_period(struct expr *e);

#endif
