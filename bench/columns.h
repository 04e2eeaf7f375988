/*
 * Columns of the public data sets below CUSTOS_DATA, or in ../shared/data, for
 * benchmarks that want real numbers where these are there.
 */
#ifndef BENCH_COLUMNS_H
#define BENCH_COLUMNS_H

#include <stddef.h>

enum { COLUMNS_MOST = 2, COLUMNS_ROWS = 60000 };

struct columns {
    size_t rows; /* in which all of the columns are numbers */
    double values[COLUMNS_MOST][COLUMNS_ROWS];
};

/* Reads columns of a CSV file by their names; `second` may be NULL. Without the
   file there are no rows. */
void columns_read(struct columns *c, const char *file, const char *first,
                  const char *second);

#endif
