/*
 * The tables of TPC-H, as much of them as the queries of bench/tpch.c read.
 */
#ifndef BENCH_TPCH_DATA_H
#define BENCH_TPCH_DATA_H

#include "base/str.h"

enum { TPCH_TABLES = 7, TPCH_COLUMNS = 16, TPCH_QUERIES = 5 };

/*
 * A column is its name, and its type and domain as the policy says them; the
 * select makes the rows. $c, $s, $p, $m stand for numbers: customers,
 * suppliers, parts, lines per customer at most. No unit: public.
 */
struct tpch_table {
    const char *name, *unit, *rows_per_unit;
    const char *columns[TPCH_COLUMNS][2];
    const char *rows;
};
extern const struct tpch_table tpch_tables[TPCH_TABLES];

/* Read by custos and by DuckDB alike; keys come first. */
struct tpch_query {
    const char *name;
    size_t n_keys;
    const char *sql; /* after SELECT */
};
extern const struct tpch_query tpch_queries[TPCH_QUERIES];

/* To be run before the statements below. */
extern const char *const tpch_macro;

struct tpch_sizes {
    int customers, suppliers, parts, lines;
};

/* The statement that makes table i a file of the folder. */
void tpch_print_copy(struct buf *out, size_t i, const char *folder,
                     const struct tpch_sizes *sizes);
/* What the policy says of rows of a customer: enough for all of them, or
   nothing. */
enum tpch_bounds { TPCH_DECLARED, TPCH_CHOSEN };
void tpch_print_policy(struct buf *out, const struct tpch_sizes *sizes,
                       enum tpch_bounds bounds);

#endif
