/*
 * The engine's text of an expression that the planner has typed.
 */
#ifndef SQL_DUCKDB_H
#define SQL_DUCKDB_H

#include "base/str.h"
#include "sql/tree.h"

/*
 * Prints e for DuckDB: the meaning of PostgreSQL, and no value of any row can
 * make it fail. Columns are written alias.column_<slot>. A whole number comes out as
 * BIGINT, or HUGEINT where e->wide; a decimal column, literal or cast as
 * DECIMAL, every other decimal or real as DOUBLE. out->failed is set for what
 * no engine may see (a NUL in a text, an interval, a key).
 */
void
duckdb_print_expr(const struct expr *e, const char *alias, struct buf *out);

/*
 * Will duckdb_print_expr and duckdb_print_condition print e? The planner asks,
 * above the charge: what they refuse below it, the analyst has paid for.
 * CUSTOS_EUNSUPPORTED: they refuse it (a function that total.h does not list,
 * an aggregate, or one of the above); CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status duckdb_check_expr(const struct expr *e);

/*
 * The same; decimal columns that are stored as whole steps too,
 * alias.steps_<slot>, are compared by these. stepped: which are, by slot.
 */
void duckdb_print_condition(const struct expr *e, const char *alias,
                            const bool *stepped, struct buf *out);

/*
 * The same for a statement that reads public tables alone: e may have
 * aggregates, and values may make it fail. The others refuse an aggregate.
 */
void
duckdb_print_public(const struct expr *e, const char *alias, struct buf *out);

#endif
