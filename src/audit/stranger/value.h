/*
 * One value of a column, as the text of a CSV cell.
 */
#ifndef AUDIT_STRANGER_VALUE_H
#define AUDIT_STRANGER_VALUE_H

#include "audit/coins.h"
#include "audit/stranger/data.h"

/* How a value is chosen: anything; or for a target person, who is to matter. */
enum value_style {
    VALUE_ANY,   /* all over the domain, its ends, and beyond */
    VALUE_UPPER, /* hints, else the upper end of the domain or beyond */
    VALUE_LOWER, /* hints, else the lower end */
};

/* Adds a cell, quoted if need be; nothing for NULL. */
void value_add(struct buf *out, const struct schema_column *column,
               enum value_style style, const struct data_options *options,
               struct coins *coins);

/* Adds the n-th of a column's distinct values, for keys and units. False if the
   column cannot have so many. */
bool value_add_distinct(struct buf *out, const struct schema_column *column,
                        size_t n);

/* Adds a text as a cell: quoted, so that it is not NULL. */
void value_add_text(struct buf *out, str text);

#endif
