/*
 * What the files of the types share.
 */
#ifndef PLAN_TYPES_H
#define PLAN_TYPES_H

#include "plan/type/fact.h"

struct work;

enum { TYPES_SCALE_MAX = 18 }; /* most digits after the point */

/* Do whole numbers of so many bits and a sign cover the range? */
bool types_within_bits(const struct fact *f, long bits);

/* Each types one node, whose arguments are typed already. */
CUSTOS_MUST_USE custos_status types_call(struct work *w, struct expr *e);
CUSTOS_MUST_USE custos_status types_case(struct work *w, struct expr *e);
CUSTOS_MUST_USE custos_status types_cast(struct work *w, struct expr *e);

/* Types comparisons and IN: operands get one type; the result is a truth
   value. */
CUSTOS_MUST_USE custos_status types_comparison(struct work *w, struct expr *e);

#endif
