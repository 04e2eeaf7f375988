/*
 * The tables with which a catalog's small database begins, collected row by row.
 * Failures are sticky: when memory runs out, `failed` is set.
 */
#ifndef CURATOR_CATALOG_CONTENT_H
#define CURATOR_CATALOG_CONTENT_H

#include "engine/sandbox.h"

struct catalog_content {
    arena *a;
    struct sandbox_table *tables; /* room for all */
    size_t n_tables, room;
    bool failed;
};

/* The content has room for `room` tables. */
void content_init(struct catalog_content *c, arena *a, size_t room);

/* Adds a table without rows. Columns are written as in catalog_tables.c: "oid:o
   relname". NULL: failed. */
struct sandbox_table *
content_table(struct catalog_content *c, const char *schema, const char *name,
              const char *columns);

/* content_row(c, t, cell, cell ...) adds a row: one cell for each column, copied
   except for their texts. t is a table of the content; NULL after a failure. */
#define content_row(c, t, ...)                                                 \
    content_row_of(c, t, (const struct datum[]){__VA_ARGS__},                  \
                   COUNT_OF(((const struct datum[]){__VA_ARGS__})))
void content_row_of(struct catalog_content *c, struct sandbox_table *t,
                    const struct datum *cells, size_t n);

/* Cells of a row. The first two borrow the text, which must live as long as the
   content; the third copies it. */
struct datum content_text(str text);
struct datum content_word(const char *text);
struct datum content_copy(struct catalog_content *c, str text);
struct datum content_whole(int64_t n);
struct datum content_flag(bool is);
struct datum content_null(void);

#endif
