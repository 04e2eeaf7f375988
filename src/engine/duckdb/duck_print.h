/*
 * Prints statement trees in DuckDB's dialect, with sql/duckdb.h, which prints
 * their expressions. Parentheses are printed where precedence needs them.
 */
#ifndef ENGINE_DUCK_PRINT_H
#define ENGINE_DUCK_PRINT_H

#include "base/str.h"
#include "engine/statement/statement.h"

struct duck_table;

/* The name of INPUT_KEPT, a temporary table. */
#define DUCK_KEPT "prepared%zu"

/* The engine's name of a type. */
void duck_print_type(struct store_type type, struct buf *out);

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

#endif
