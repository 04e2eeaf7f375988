/*
 * What a view looks like to who asks: its outputs, as columns of a table.
 */
#ifndef CURATOR_SHAPE_H
#define CURATOR_SHAPE_H

#include "policy/policy.h"

/* Calls take for each output in turn, with a column that it borrows and whether
   this names the unit; not once of a view that cannot be asked. */
void
shape_of_view(const struct policy *p, const struct policy_analyst *who,
              const struct policy_view *v,
              void (*take)(void *ctx, const struct policy_column *c, bool unit),
              void *ctx);

#endif
