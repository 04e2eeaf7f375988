/*
 * The select list of a query: which items are counts and sums as they are.
 */
#ifndef AUDIT_CURATOR_SHAPE_H
#define AUDIT_CURATOR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_ITEMS_MAX = 64 };

struct shape {
    size_t n_items;
    size_t n_keys;              /* items before the first aggregate */
    bool plain;                 /* every item but keys is a count or a sum */
    bool rows[SHAPE_ITEMS_MAX]; /* item i is count(*) */
    bool filtered;              /* HAVING or LIMIT: which groups are shown
                                  depends on noise */
};

/* Reads the text only; nothing is plain in a query that it cannot read. */
void shape_read(const char *sql, struct shape *out);

#endif
