/*
 * Parquet files beside CSV files of released values, with the types that an import
 * gives to such columns. A database in memory reads and writes them; it can open no
 * other folder.
 */
#ifndef ENGINE_PARQUET_H
#define ENGINE_PARQUET_H

#include "engine/engine.h"

struct parquet_writer;

/* For files in this folder and those inside it. The caller closes *out. May fail:
   CUSTOS_EENGINE, CUSTOS_EIO, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status parquet_writer_open(const char *folder,
                                                  struct parquet_writer **out,
                                                  custos_err *err);
void parquet_writer_close(struct parquet_writer *w);

/* Writes FOLDER/NAME.parquet from FOLDER/NAME.csv, which begins with a line of names,
   has all these columns, and NULL as nothing between commas. Syncs it. May fail:
   CUSTOS_EINVAL (the path is too long), CUSTOS_EENGINE, CUSTOS_EIO, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status parquet_write(
    struct parquet_writer *w, const char *name,
    const struct engine_source_column *columns, size_t n, custos_err *err);

#endif
