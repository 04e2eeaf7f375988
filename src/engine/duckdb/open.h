/*
 * DuckDB's kind of engine: a data version and the attached files, opened read-only.
 */
#ifndef ENGINE_OPEN_H
#define ENGINE_OPEN_H

#include "engine/duckdb/duck.h"
#include "engine/import/file_mark.h"
#include "engine/handle.h"

enum {
    ENGINE_THREADS_MAX = 64,
    ENGINE_CUTS_MAX = 256,
    ENGINE_SMALL_ROWS = 122880, /* DuckDB scans this many on one thread */
};

/* How a table is read. */
struct duck_table {
    const char *from; /* t<i>, or the view in parentheses; columns: view.h */
    /* For an attached table: */
    const char *path;      /* its file */
    struct file_mark mark; /* the file's, when custos init read it */
    const char *attach;    /* the statement that opens it; "": it needs none */
    bool missing;          /* it could not be opened */
};

/* Shared by all handles on a version; fixed once the version is open. */
struct engine_data {
    atomic_size_t handles;
    arena *a;
    const struct policy *policy;
    uint64_t version;
    struct duck *db;
    struct engine_table *tables;
    struct duck_table *read; /* by table */
    char spill[STORE_PATH_MAX];
    int held; /* lock of `spill`; -1: not ours, or there is no folder */
    uint64_t memory_bytes;
    bool fixed; /* nothing is attached: only the version can be read */
    bool small; /* fixed, and no table has enough rows for two threads */
};

/* A handle has connections of its own, one for each lane. */
struct duck_engine {
    struct engine is;
    struct engine_data *data;
    struct duck_connection *connections[ENGINE_THREADS_MAX];
};

static inline struct duck_engine *
duck_of(struct engine *e)
{
    return (struct duck_engine *)e;
}

/* Which prepared statements the connections of a handle reuse (duck.h). */
enum duck_reuse open_reuse(const struct duck_engine *e);

/* What the handles do: duck_engine.c; open.c closes them and makes more. */
extern const struct engine_ops duck_engine_ops;
CUSTOS_MUST_USE custos_status open_share(struct engine *e, struct engine **out,
                                         custos_err *err);
void open_close(struct engine *e);

/* engine_open with another limit for small tables: tests have small tables but
   want all threads. */
CUSTOS_MUST_USE custos_status engine_open_for(const struct store *s,
                                              const struct policy *p,
                                              int64_t small_rows,
                                              struct engine **out,
                                              custos_err *err);

#endif
