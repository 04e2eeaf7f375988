/*
 * Where a table's rows come from: a CSV, Parquet or DuckDB file. Its columns are
 * found by their names, never by looking at values.
 */
#ifndef ENGINE_SOURCE_H
#define ENGINE_SOURCE_H

#include "engine/duckdb/duck.h"
#include "engine/import/view.h"
#include "policy/policy.h"
#include "store/secret_file.h"

/*
 * Opens the source of table t; checks that it exists and has all columns. What *out
 * points to is allocated in `a`. A DuckDB file is attached to c as s<number>,
 * read-only. May fail: CUSTOS_ENAME (source_missing), CUSTOS_EIO, CUSTOS_EPOLICY,
 * CUSTOS_EUNSUPPORTED (a DuckDB file of a version that is not read), CUSTOS_EINVAL,
 * CUSTOS_ENOMEM; for a source with a secret_file also as secret_file_read.
 */
CUSTOS_MUST_USE custos_status source_open(struct duck_connection *c,
                                          const struct policy_table *t,
                                          size_t number, const char *base,
                                          arena *a, struct source *out,
                                          custos_err *err);

/* The same without a policy; `key` opens an encrypted DuckDB file, NULL: it is not
   encrypted. *out keeps path and table; *attach is the statement that attached the
   source's database, or NULL: there is none, or it has a key. */
CUSTOS_MUST_USE custos_status
source_find(struct duck_connection *c, const char *path, enum source_kind kind,
            const char *table, const struct secret_file *key, size_t number,
            arena *a, struct file *out, char **attach, custos_err *err);

/* Asks by a select for rows, or only for the columns that they would have. May
   fail: as duck_ask and duck_describe; CUSTOS_ENOMEM. */
enum source_asked { SOURCE_ASK_ROWS, SOURCE_ASK_SHAPE };
CUSTOS_MUST_USE custos_status source_ask(struct duck_connection *c,
                                         enum source_asked what,
                                         const struct builder *b,
                                         const struct select *s,
                                         struct result **out, custos_err *err);

/* The names and types of all columns of a file. */
CUSTOS_MUST_USE custos_status source_shape(struct duck_connection *c,
                                           const struct file *f,
                                           struct result **out,
                                           custos_err *err);

/* CUSTOS_ENAME: the source at path does not exist or is not readable. */
CUSTOS_MUST_USE custos_status source_missing(const char *path, custos_err *err);

#endif
