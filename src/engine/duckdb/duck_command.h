/*
 * Prints commands of DuckDB's dialect that are no selects: settings. What is always the
 * same is in .sql files (duck_texts.h).
 */
#ifndef ENGINE_DUCK_COMMAND_H
#define ENGINE_DUCK_COMMAND_H

#include "base/str.h"
#include "engine/duckdb/open.h"

void duck_command_threads(unsigned n, struct buf *out);

/*
 * Sets the limits of a version's engine and locks all settings: from then on the
 * engine can read only what is open and the files of attached tables that need no
 * statement to open them. An empty `spill`: temporary files are not allowed.
 */
void duck_command_seal(const struct engine_data *d, struct buf *out);

#endif
