/*
 * Prints statements in DuckDB's dialect: trees, with sql/duckdb.h, which prints
 * their expressions; files that are read; and statements other than selects.
 * Parentheses are printed where precedence needs them.
 */
#ifndef ENGINE_DUCK_PRINT_H
#define ENGINE_DUCK_PRINT_H

#include "base/str.h"
#include "engine/duckdb/duck.h"
#include "engine/statement/statement.h"

struct duck_table;

/* Where temporary tables are; the name of INPUT_KEPT, which is one. */
#define DUCK_TEMPORARY "temp.main."
#define DUCK_KEPT "prepared%zu"

/* The engine's name of a type. */
void duck_print_type(struct store_type type, struct buf *out);

void duck_print_term(const struct term *t, struct buf *out);
void duck_print_file(const struct file *f, struct buf *out);

/* tables: by number, whose text INPUT_TABLE prints. */
void duck_print_input(const struct input *in, const struct duck_table *tables,
                      struct buf *out);
void duck_print_select(const struct select *s, const struct duck_table *tables,
                       struct buf *out);

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

/* The statement that writes all changes to the database's file. */
void duck_print_checkpoint(struct buf *out);

#endif
