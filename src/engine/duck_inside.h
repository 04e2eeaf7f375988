/*
 * What the files over DuckDB's C API share.
 */
#ifndef ENGINE_DUCK_INSIDE_H
#define ENGINE_DUCK_INSIDE_H

#include <duckdb.h>

#include "engine/duck.h"

struct duck_connection {
    duckdb_connection c;
};

/* A flat vector as a column. */
void duck_vector_read(duckdb_vector v, struct duck_column *out);

#endif
