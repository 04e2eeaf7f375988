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
    ENGINE_SMALL_ROWS = 122880, /* what DuckDB gives one thread to scan */
};

/* A table as queries see it. */
struct engine_table {
    const char *from; /* t<i>, or the bracketed view: columns as in view.h */
    int64_t *cuts;    /* units in ascending order, about as many rows between */
    size_t n_cuts;
    bool sorted; /* by unit and rank */
    /* Of an attached table: */
    const char *path;      /* its file */
    struct file_mark mark; /* when custos init read it */
    const char *attach;    /* the statement that opens it; "": it needs none */
    bool missing;          /* it could not be opened */
    /* Of a public table: its rows, then by column the most rows of one value;
       each 1 more, and 0 before it was counted: count.c */
    _Atomic uint64_t *counts;
};

/* What all handles on a version share: fixed once it is open. */
struct engine_data {
    atomic_size_t handles;
    arena *a;
    const struct policy *policy;
    uint64_t version;
    struct duck *db;
    struct engine_table *tables;
    char spill[STORE_PATH_MAX];
    int held; /* -1: the folder is another's, or there is none */
    uint64_t memory_bytes;
    bool fixed; /* nothing is attached: all that can be read is the version */
    bool small; /* no table has rows for two threads */
};

/* A handle: its own connections, for one question at a time. */
struct engine {
    struct engine_data *data;
    struct duck_connection *connections[ENGINE_THREADS_MAX];
    size_t threads;
    bool public_only; /* what is printed now is of a statement that reads no
                         private table */
    struct prepared *prepared; /* public parts of the question: prepare.h */
    size_t n_prepared;
};

/* What connections of a handle keep (duck.h). */
enum duck_reuse open_reuse(const struct engine *e);

/* engine_open, with another limit of what is small: tests have small tables
   and want all threads. */
CUSTOS_MUST_USE custos_status engine_open_for(const struct store *s,
                                              const struct policy *p,
                                              int64_t small_rows,
                                              struct engine **out,
                                              custos_err *err);

#endif
