/*
 * A CSV file with typed columns, as a release writes it: a line of names, then rows.
 * It can be read with types again, for a Parquet file beside it.
 */
#ifndef SYNOPSIS_TABLE_FILE_H
#define SYNOPSIS_TABLE_FILE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/datum.h"

struct table_column {
    str name;
    enum data_type type;
    int scale; /* TYPE_DECIMAL */
};

/* What a file has: for the index of a folder, and for whoever converts it. */
struct table_file {
    str name; /* in its folder, without an ending */
    const struct table_column *columns;
    size_t n_columns;
};

/* Makes names that are equal but for case differ, by _ at the end. False: no
   memory. */
bool table_names_differ(arena *a, struct table_column *columns, size_t n);

struct table_writer {
    FILE *file;
    struct buf row;
    bool begun; /* the row has a cell */
};

/* Makes DIR/NAME.csv with its line of names. May fail: CUSTOS_EIO (also if the file
   exists), CUSTOS_EINVAL (the path is too long). */
CUSTOS_MUST_USE custos_status table_writer_open(struct table_writer *w,
                                                const char *dir,
                                                const struct table_file *f,
                                                custos_err *err);

/* table_writer_close reports their errors. */
void table_writer_datum(struct table_writer *w, const struct datum *value);
void table_writer_text(struct table_writer *w, str text);

/* A number; NAN: NULL. */
void table_writer_number(struct table_writer *w, double x);
void table_writer_end_row(struct table_writer *w);

/* Syncs and closes the file. May fail: CUSTOS_EIO, CUSTOS_ENOMEM. Safe to call after a
   failed open. */
CUSTOS_MUST_USE custos_status table_writer_close(struct table_writer *w,
                                                 custos_err *err);

/* Writes a text to a new file that all may read as far as the umask says, synced.
   May fail: CUSTOS_EIO (also if the file exists), CUSTOS_EINVAL (the path is too
   long). */
CUSTOS_MUST_USE custos_status public_file_write(const char *dir,
                                                const char *name, str text,
                                                custos_err *err);

#endif
