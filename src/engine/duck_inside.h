/*
 * What the files over DuckDB's C API share.
 */
#ifndef ENGINE_DUCK_INSIDE_H
#define ENGINE_DUCK_INSIDE_H

#include <duckdb.h>

#include "engine/duck.h"
#include "engine/duck_numbers.h"

/* A statement that was prepared before, and may be run again. */
struct duck_statements {
    char *sql;
    duckdb_prepared_statement statement;
    uint64_t used; /* when last; the least recently used one is dropped */
    bool busy;     /* a result of it is open */
};

enum { DUCK_KEPT_MAX = 32, DUCK_KEPT_BYTES = 1 << 16 };

struct duck_connection {
    duckdb_connection c;
    enum duck_reuse keeps;
    uint64_t clock;
    struct duck_statements kept[DUCK_KEPT_MAX];
};

/*
 * The prepared statement of a text, kept or new; *kept is where it lies, NULL
 * when the caller owns it. After a failure *statement has the error's text, and
 * the caller owns it. *bound has the numbers to use while it runs.
 */
bool duck_prepare(struct duck_connection *c, const char *sql,
                  duckdb_prepared_statement *statement,
                  struct duck_statements **kept, struct duck_numbers *bound);
void duck_forget_all(struct duck_connection *c);

/* A flat vector as a column. */
void duck_vector_read(duckdb_vector v, struct duck_column *out);

#endif
