/*
 * What a view looks like to an analyst: its outputs, as columns of a table.
 */
#ifndef CURATOR_SHAPE_H
#define CURATOR_SHAPE_H

#include "policy/policy.h"

/* Calls `take` for each output of the view, with a borrowed column and whether it
   holds the unit's id. Makes no call if the analyst cannot query the view. */
void
shape_of_view(const struct policy *p, const struct policy_analyst *who,
              const struct policy_view *v,
              void (*take)(void *ctx, const struct policy_column *c, bool unit),
              void *ctx);

#endif
