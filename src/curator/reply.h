/*
 * Class times of replies against a snapshot: speeds of the machine, ceilings of
 * rows, and, where the policy has none, the bounds that the owner has paid for.
 * The bounds are in the store's file `rows`:
 *
 *     custos rows 1
 *     version 3
 *     2097152 visits
 *
 * They are released values and so public. For a later data version they serve
 * until it is counted too.
 */
#ifndef CURATOR_REPLY_H
#define CURATOR_REPLY_H

#include "curator/shared_state.h"

/* Sets w->speeds from what the store s has. Cannot fail: what cannot be read
   counts as unknown. */
void reply_load(const struct store *s, struct snapshot *w);

/* plan_class_us for a plan that was made against c's snapshot. */
int64_t reply_class_of(const struct curator *c, const struct plan *p);

/* The text of the file; false where it is incomplete. bounds: by table of p, 0
   where there is none. */
bool reply_rows_parse(str text, const struct policy *p, uint64_t *version,
                      uint64_t *bounds);
void reply_rows_print(uint64_t version, const struct policy *p,
                      const uint64_t *bounds, struct buf *out);

#endif
