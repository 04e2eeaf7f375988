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
   encrypted. *from is the FROM text; *attach is the statement that attached the
   source's database, or NULL: there is none, or it has a key. */
CUSTOS_MUST_USE custos_status
source_from(struct duck_connection *c, const char *path, enum source_kind kind,
            const char *table, const struct secret_file *key, size_t number,
            arena *a, char **from, char **attach, custos_err *err);

/* CUSTOS_ENAME: the source at path does not exist or is not readable. */
CUSTOS_MUST_USE custos_status source_missing(const char *path, custos_err *err);

#endif
