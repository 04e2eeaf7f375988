/*
 * Prints statement trees, and the files that they read, in DuckDB's dialect;
 * sql/duckdb.h prints the expressions of a query. Parentheses are printed where
 * precedence needs them.
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

#endif
