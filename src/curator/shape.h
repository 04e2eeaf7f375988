/*
 * What a view looks like to an analyst: its outputs, as columns of a table.
 */
#ifndef CURATOR_SHAPE_H
#define CURATOR_SHAPE_H

#include "policy/policy.h"

/* Calls take for each output in turn, with a borrowed column and whether it names
   the unit; never for a view that cannot be queried. */
void
shape_of_view(const struct policy *p, const struct policy_analyst *who,
              const struct policy_view *v,
              void (*take)(void *ctx, const struct policy_column *c, bool unit),
              void *ctx);

#endif
