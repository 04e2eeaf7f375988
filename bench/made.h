/*
 * A store of made-up data, for benchmarks of queries.
 */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include "custos.h"
#include "engine/duckdb/duck.h"

/* Prints what failed and exits. */
_Noreturn void made_stop(const char *what, const custos_err *err);

/* Makes folder/store from the data files in the folder, under this policy. */
void made_store(const char *folder, const char *policy);

/* Makes folder/tiny.parquet: 100 rows of 40 people, with shop and amount. */
void made_tiny(struct duck_connection *c, const char *folder);

#endif
