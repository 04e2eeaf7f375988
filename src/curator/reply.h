/*
 * Class times of replies under a snapshot. They follow from the machine's
 * speeds and from bounds on row counts: the policy's max_rows or, where it has
 * none, bounds that the owner has paid for. The latter are in the store's file
 * `rows`:
 *
 *     custos rows 1
 *     version 3
 *     2097152 visits
 *
 * They are released values, and so public. For a later data version they are
 * used until that version is counted too.
 */
#ifndef CURATOR_REPLY_H
#define CURATOR_REPLY_H

#include "curator/shared_state.h"

/* Sets w->speeds from the files of the store s. Cannot fail: what cannot be
   read counts as unknown. */
void reply_load(const struct store *s, struct snapshot *w);

/* plan_class_us for a plan that was made under c's snapshot. */
int64_t reply_class_of(const struct curator *c, const struct plan *p);

/* Parses the text of the file; false if it is malformed. bounds: one for each
   table of p, 0 if it has none. */
bool reply_rows_parse(str text, const struct policy *p, uint64_t *version,
                      uint64_t *bounds);
void reply_rows_print(uint64_t version, const struct policy *p,
                      const uint64_t *bounds, struct buf *out);

#endif
