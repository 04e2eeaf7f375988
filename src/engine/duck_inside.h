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

#endif
