/*
 * CSV, RFC 4180: one cell at a time; the caller writes commas and line ends.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/datum.h"

/* Adds quotes where needed. An empty text is "", which differs from NULL. */
void csv_add_text(struct buf *out, str text);

/* NULL is an empty cell. */
void csv_add_datum(struct buf *out, const struct datum *value);

#endif
