/*
 * An answer as the client gets it: columns, and rows as messages. It is made
 * once and never changed, so that portals and the cache can share it, by
 * reference counting.
 */
#ifndef PG_ROWS_H
#define PG_ROWS_H

#include "curator/catalog.h"
#include "wire/pg_out.h"

/* Formats as in a Bind message: none means text, a single one is for all
   columns. */
struct formats {
    const enum pg_format *of;
    size_t n;
};
enum pg_format format_at(const struct formats *f, size_t i);

struct rows {
    _Atomic size_t holders;
    arena *a;
    struct pg_column *columns;
    size_t n_columns;
    struct buf bytes; /* DataRow after DataRow */
    uint64_t n;
    str bars;     /* error bars and remarks; may be empty */
    uint64_t seq; /* the ledger's row of the charge; 0: none */
};

/* On success the caller holds *out. The rows may have up to `most` bytes; up to
   1 GiB if `most` is 0 or the answer is private. May fail: CUSTOS_ENOMEM,
   CUSTOS_EOVERFLOW (more bytes); catalogs also CUSTOS_EINVAL and CUSTOS_ERANGE
   (a text that is not a value of its column's type). */
CUSTOS_MUST_USE custos_status rows_of_answer(const struct answer *answer,
                                             const struct formats *formats,
                                             size_t most, struct rows **out,
                                             custos_err *err);
CUSTOS_MUST_USE custos_status rows_of_catalog(const struct catalog_rows *found,
                                              const struct formats *formats,
                                              size_t most, struct rows **out,
                                              custos_err *err);
/* One row with one text, for SHOW. */
CUSTOS_MUST_USE custos_status rows_of_text(str name, str text,
                                           struct rows **out, custos_err *err);

/* The columns to announce, in a; NULL: out of memory. */
/* How an output is announced that is a column or, with others, an array. */
struct pg_type pg_type_in(enum data_type type, const struct array_place *array);

struct pg_column *
columns_of(arena *a, const str *names, const struct pg_type *types, size_t n);

struct rows *rows_hold(struct rows *r);
void rows_drop(struct rows *r);

/* Where the row message that begins at `at` ends. */
size_t rows_end_of(const struct rows *r, size_t at);

/* The memory it takes, roughly. */
size_t rows_bytes(const struct rows *r);

#endif
