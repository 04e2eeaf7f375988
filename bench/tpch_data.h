/*
 * The part of the TPC-H tables that the queries of bench/tpch.c read.
 */
#ifndef BENCH_TPCH_DATA_H
#define BENCH_TPCH_DATA_H

#include "base/str.h"

enum { TPCH_TABLES = 7, TPCH_COLUMNS = 16, TPCH_QUERIES = 5 };

/*
 * A column has its name, and its type and domain as written in the policy. The
 * SELECT in `rows` makes the rows. In it and in rows_per_unit, $c, $s and $p
 * stand for the numbers of customers, suppliers and parts, and $m for the
 * largest number of lines per customer. A table with a NULL unit is public.
 */
struct tpch_table {
    const char *name, *unit, *rows_per_unit;
    const char *columns[TPCH_COLUMNS][2];
    const char *rows;
};
extern const struct tpch_table tpch_tables[TPCH_TABLES];

/* Both custos and DuckDB run this SQL; key columns come first. */
struct tpch_query {
    const char *name;
    size_t n_keys;
    const char *sql; /* after SELECT */
};
extern const struct tpch_query tpch_queries[TPCH_QUERIES];

/* Defines a macro that the statements of tpch_print_copy use: run it first. */
extern const char *const tpch_macro;

struct tpch_sizes {
    int customers, suppliers, parts, lines;
};

/* Writes the statement that makes a file of table i in the folder. */
void tpch_print_copy(struct buf *out, size_t i, const char *folder,
                     const struct tpch_sizes *sizes);
/* Whether the policy declares a contribution bound (one that drops no rows) or
   leaves it to each query. */
enum tpch_bounds { TPCH_DECLARED, TPCH_CHOSEN };
void tpch_print_policy(struct buf *out, const struct tpch_sizes *sizes,
                       enum tpch_bounds bounds);

#endif
