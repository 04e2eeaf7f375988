/*
 * Shared by the files that call DuckDB's C API.
 */
#ifndef ENGINE_DUCK_INSIDE_H
#define ENGINE_DUCK_INSIDE_H

#include <duckdb.h>

#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_numbers.h"

/* A prepared statement that may be run again. */
struct duck_statements {
    char *sql;
    duckdb_prepared_statement statement;
    uint64_t used; /* time of last use; the least recently used is dropped */
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
 * Gives the prepared statement of a text, kept or new. *kept is its entry; NULL:
 * the caller owns the statement. After a failure *statement has the error's text,
 * and the caller owns *statement. *bound has the numbers to use while it runs.
 */
bool duck_prepare(struct duck_connection *c, const char *sql,
                  duckdb_prepared_statement *statement,
                  struct duck_statements **kept, struct duck_numbers *bound);
void duck_forget_all(struct duck_connection *c);

/* Describes a flat vector as a column. */
void duck_vector_read(duckdb_vector v, struct column *out);

#endif
