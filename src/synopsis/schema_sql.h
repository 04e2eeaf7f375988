/*
 * The schema as a statement that makes an empty table, for PostgreSQL and DuckDB:
 * synthetic rows fit its types and constraints.
 */
#ifndef SYNOPSIS_SCHEMA_SQL_H
#define SYNOPSIS_SCHEMA_SQL_H

#include "synth/schema.h"

void schema_sql(const struct schema *s, struct buf *out);

#endif
