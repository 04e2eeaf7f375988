/*
 * What the files of the types share.
 */
#ifndef PLAN_TYPES_H
#define PLAN_TYPES_H

#include "plan/fact.h"

struct work;

enum { TYPES_SCALE_MAX = 18 }; /* digits after the point of a decimal */

/* Does a whole number of these bits and a sign hold the range? */
bool types_within_bits(const struct fact *f, long bits);

/* One node each; its arguments are typed. */
CUSTOS_MUST_USE custos_status types_call(struct work *w, struct expr *e);
CUSTOS_MUST_USE custos_status types_case(struct work *w, struct expr *e);
CUSTOS_MUST_USE custos_status types_cast(struct work *w, struct expr *e);

/* Comparisons and IN: operands of one type, a truth value. */
CUSTOS_MUST_USE custos_status types_comparison(struct work *w, struct expr *e);

#endif
