/*
 * The engine's text of an expression that the planner has typed.
 */
#ifndef SQL_DUCKDB_H
#define SQL_DUCKDB_H

#include "base/str.h"
#include "sql/tree.h"

/*
 * Prints e for DuckDB with PostgreSQL's meaning, so that no value of any row
 * can make the text fail. Columns are written alias.column_<slot>. A whole
 * number is BIGINT, or HUGEINT where e->wide. A decimal column, literal or cast
 * is DECIMAL; every other decimal or real is DOUBLE. Sets out->failed if e is
 * refused, for the reasons that duckdb_check_expr lists.
 */
void
duckdb_print_expr(const struct expr *e, const char *alias, struct buf *out);

/*
 * Will duckdb_print_expr and duckdb_print_condition print e? The planner asks
 * this above the charge, so that neither refuses a query that was charged.
 * CUSTOS_EUNSUPPORTED: they refuse it (a function that total.h does not list,
 * an aggregate, or what no engine may see: a NUL in a text, an interval, a
 * key); CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status duckdb_check_expr(const struct expr *e);

/*
 * As duckdb_print_expr, but a decimal column that is also stored as whole
 * steps, alias.steps_<slot>, is compared by these steps. stepped: by slot, are
 * steps stored?
 */
void duckdb_print_condition(const struct expr *e, const char *alias,
                            const bool *stepped, struct buf *out);

/*
 * As duckdb_print_expr, for a statement that reads only public tables: e may
 * have aggregates, and some values may make it fail. The functions above refuse
 * aggregates.
 */
void
duckdb_print_public(const struct expr *e, const char *alias, struct buf *out);

#endif
