/*
 * Prints the statements of DuckDB's dialect that are no selects: they make, fill and
 * drop tables, attach a database, and set variables and settings. What is always the
 * same is in .sql files (duck_texts.h).
 */
#ifndef ENGINE_DUCK_PRINT_COMMAND_H
#define ENGINE_DUCK_PRINT_COMMAND_H

#include "engine/duckdb/duck_print.h"
#include "engine/duckdb/open.h"
#include "engine/sandbox.h"

/* Runs what is printed in the buf, and clears it. CUSTOS_ENOMEM if the buf has
   failed; else as duck_do. */
CUSTOS_MUST_USE custos_status duck_do_printed(struct duck_connection *c,
                                              struct buf *printed,
                                              custos_err *err);

/* The statements that make a table from a select, and that drop it. A temporary
   table replaces one of the same name, and need not exist to be dropped. */
enum duck_lifetime { DUCK_TABLE_STORED, DUCK_TABLE_TEMPORARY };
void duck_print_table(enum duck_lifetime kind, const char *name,
                      const struct select *s, const struct duck_table *tables,
                      struct buf *out);
void
duck_print_drop(enum duck_lifetime kind, const char *name, struct buf *out);

/* The statements that make an empty table, and that add a row to it. */
void duck_print_create(const char *name, const struct stored_column *columns,
                       size_t n, struct buf *out);
void
duck_print_insert(const char *table, const struct terms *row, struct buf *out);

/* The statement that attaches a database under a name. DUCK_WRITE makes the file
   if there is none. key NULL: the file is not encrypted. */
void duck_print_attach(const char *path, const char *name, enum duck_mode mode,
                       const str *key, struct buf *out);

/* The settings of an import: its memory, the folder to which it spills, and
   that it reports progress. */
void
duck_print_import_settings(long memory_mb, const char *spill, struct buf *out);

/* A column of a CSV file, and its type. */
struct file_column {
    str name;
    struct store_type type;
};

/* The statement that writes a Parquet file from a CSV file with a line of names. */
void duck_print_parquet(const char *from, const struct file_column *columns,
                        size_t n, const char *to, struct buf *out);

/* Locks all settings: from then on the engine can read and write the files of this
   folder and of those inside it alone. */
void duck_print_folder(const char *folder, struct buf *out);

/* The statement that writes all changes to the database's file. */
void duck_print_checkpoint(struct buf *out);

/* Prints the name under which the rows of a sandbox's table are stored: _name if a
   column has SANDBOX_UNSET_DATABASE, and then `name` is a view that fills it in. */
void duck_print_sandbox_name(const struct sandbox_table *t, struct buf *out);

/* Make a schema, and the table with its view: whole statements, each with its
   semicolon. The others print none at the end. */
void duck_print_schema(const char *name, struct buf *out);
void duck_print_sandbox_table(const struct sandbox_table *t, struct buf *out);

/* Sets a variable of the connection; a NUL in the text sets out->failed. */
void duck_print_variable(const char *name, str text, struct buf *out);

/* How many threads the engine may use. */
void duck_print_threads(unsigned n, struct buf *out);

/*
 * Sets the limits of a version's engine and locks all settings: from then on the
 * engine can read only what is open and the files of attached tables that need no
 * statement to open them. An empty `spill`: temporary files are not allowed.
 */
void duck_print_seal(const struct engine_data *d, struct buf *out);

#endif
