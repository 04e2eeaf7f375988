/*
 * Prints commands of DuckDB's dialect that are no selects: tables of a sandbox,
 * variables and settings. What is always the same is in .sql files (duck_texts.h).
 */
#ifndef ENGINE_DUCK_COMMAND_H
#define ENGINE_DUCK_COMMAND_H

#include "engine/duckdb/open.h"
#include "engine/sandbox.h"

/* The table of a sandbox under which its rows are stored: _name if a column has
   SANDBOX_UNSET_DATABASE, and then `name` is a view that fills it in. */
void duck_command_stored(const struct sandbox_table *t, struct buf *out);

void duck_command_schema(const char *name, struct buf *out);

/* Makes the table and its view. */
void duck_command_table(const struct sandbox_table *t, struct buf *out);

/* Sets a variable of the connection; a NUL in the text sets out->failed. */
void duck_command_variable(const char *name, str text, struct buf *out);

void duck_command_threads(unsigned n, struct buf *out);

/*
 * Sets the limits of a version's engine and locks all settings: from then on the
 * engine can read only what is open and the files of attached tables that need no
 * statement to open them. An empty `spill`: temporary files are not allowed.
 */
void duck_command_seal(const struct engine_data *d, struct buf *out);

#endif
