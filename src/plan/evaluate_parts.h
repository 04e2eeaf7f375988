/*
 * What the files of the evaluator share: one function for each family of calls.
 * Each returns false when the call is not of its family. evaluate_text also
 * returns false without memory.
 */
#ifndef PLAN_EVALUATE_PARTS_H
#define PLAN_EVALUATE_PARTS_H

#include "plan/evaluate.h"

bool
evaluate_number(const struct expr *e, const struct value *v, struct value *out);
bool
evaluate_date(const struct expr *e, const struct value *v, struct value *out);
bool evaluate_text(arena *a, const struct expr *e, const struct value *v,
                   struct value *out);

/* False without memory. */
bool evaluate_cast(arena *a, const struct expr *e, const struct value *v,
                   struct value *out);

#endif
