/*
 * Rows that an engine gives: columns of raw values that come in chunks, in the
 * memory of the engine. Nothing here depends on which engine it is; one that keeps
 * its values in another layout copies them into this one.
 */
#ifndef ENGINE_ROWS_H
#define ENGINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "base/str.h"
#include "custos.h"

/* The layout of a column's values in memory. */
enum column_type {
    COLUMN_OTHER,
    COLUMN_BOOL,
    COLUMN_I8,
    COLUMN_I16,
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_I128, /* struct column_wide */
    COLUMN_U8,
    COLUMN_U16,
    COLUMN_U32,
    COLUMN_U64,
    COLUMN_F64,
    COLUMN_TEXT,      /* struct column_string */
    COLUMN_DATE,      /* i32: days */
    COLUMN_TIMESTAMP, /* i64: microseconds */
    COLUMN_DECIMAL16, /* n / 10^scale */
    COLUMN_DECIMAL32,
    COLUMN_DECIMAL64,
    COLUMN_DECIMAL128,
    COLUMN_LIST,    /* struct column_part; see column_items */
    COLUMN_NOTHING, /* every value is NULL */
};

struct column_wide {
    uint64_t low;
    int64_t high;
};

/* A text of up to COLUMN_INLINE bytes is in the struct itself. */
enum { COLUMN_INLINE = 12 };
struct column_string {
    union {
        struct {
            uint32_t len;
            char here[COLUMN_INLINE];
        };
        struct {
            uint32_t len_again;
            char first[4];
            const char *all;
        } there;
    };
};

struct column_part {
    uint64_t from, n;
};

struct column {
    enum column_type type;
    int scale;
    const void *data;
    const uint64_t *valid; /* a bit per row, 0 for NULL; no array: no NULLs */
    enum column_type item; /* COLUMN_LIST: the type of its items */
    const void *items;
    const uint64_t *items_valid;
};

enum { ROWS_COLUMNS_MAX = 1024, ROWS_CHUNK_MAX = 2048 };

/* One value of a chunk. column_whole gives 0 for a float; column_real is for public
   values only. */
bool column_is_null(const struct column *c, size_t row);
i128 column_whole(const struct column *c, size_t row);
double column_real(const struct column *c, size_t row);
str column_text(const struct column *c, size_t row);

/* The items of a list column as a column; the row's *n items begin at *from. */
struct column
column_items(const struct column *c, size_t row, size_t *from, size_t *n);

/* The rows of a statement. An engine makes its own kind, of which this is the first
   member. */
struct result;
struct result_ops {
    custos_status (*next)(struct result *r, size_t *n, struct column *columns,
                          custos_err *err);
    void (*free)(struct result *r);
};
struct result {
    const struct result_ops *ops;
    size_t width;
    struct column *shape; /* type and scale by column */
    char **names;
};

/* NULL: does nothing. */
void result_free(struct result *r);

size_t result_width(const struct result *r);
const char *result_name(const struct result *r, size_t column);
enum column_type result_type(const struct result *r, size_t column, int *scale);
/* The type of a column and, for a list, the type of its items. */
enum column_type
result_item_type(const struct result *r, size_t column, enum column_type *item);

/*
 * Reads the next chunk: *n rows, at most ROWS_CHUNK_MAX, 0 at the end. Fills
 * columns[i] for every column, valid until the next call. May fail: CUSTOS_EENGINE.
 */
CUSTOS_MUST_USE custos_status result_next(struct result *r, size_t *n,
                                          struct column *columns,
                                          custos_err *err);

#endif
