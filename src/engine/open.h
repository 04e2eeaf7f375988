/*
 * An open engine, for the files of this folder.
 */
#ifndef ENGINE_OPEN_H
#define ENGINE_OPEN_H

#include <stdatomic.h>

#include "engine/duck.h"
#include "engine/engine.h"
#include "engine/file_mark.h"

enum {
    ENGINE_THREADS_MAX = 64,
    ENGINE_CUTS_MAX = 256,
    ENGINE_SMALL_ROWS = 122880, /* DuckDB scans this many on one thread */
};

/* A table as queries see it. */
struct engine_table {
    const char *from; /* t<i>, or the view in parentheses; columns: view.h */
    int64_t *cuts;    /* ascending units, about equal numbers of rows apart */
    size_t n_cuts;
    bool sorted; /* by unit and rank */
    /* For an attached table: */
    const char *path;      /* its file */
    struct file_mark mark; /* the file's, when custos init read it */
    const char *attach;    /* the statement that opens it; "": it needs none */
    bool missing;          /* it could not be opened */
    /* For a public table: the number of its rows, then for each column the most
       rows that share a value. Stored plus 1; 0: not counted yet (count.c). */
    _Atomic uint64_t *counts;
};

/* Shared by all handles on a version; fixed once the version is open. */
struct engine_data {
    atomic_size_t handles;
    arena *a;
    const struct policy *policy;
    uint64_t version;
    struct duck *db;
    struct engine_table *tables;
    char spill[STORE_PATH_MAX];
    int held; /* lock of `spill`; -1: not ours, or there is no folder */
    uint64_t memory_bytes;
    bool fixed; /* nothing is attached: only the version can be read */
    bool small; /* fixed, and no table has enough rows for two threads */
};

/* A handle: its own connections, for one question at a time. */
struct engine {
    struct engine_data *data;
    struct duck_connection *connections[ENGINE_THREADS_MAX];
    size_t threads;
    struct prepared *prepared; /* public parts of the question: prepare.h */
    size_t n_prepared;
};

/* Which prepared statements the connections of a handle reuse (duck.h). */
enum duck_reuse open_reuse(const struct engine *e);

/* engine_open with another limit for small tables: tests have small tables but
   want all threads. */
CUSTOS_MUST_USE custos_status engine_open_for(const struct store *s,
                                              const struct policy *p,
                                              int64_t small_rows,
                                              struct engine **out,
                                              custos_err *err);

#endif
