/*
 * The tables of a release: for each set of its workload a file with the values of the
 * columns, an estimate and its standard error for each cell.
 */
#ifndef SYNOPSIS_TABLES_H
#define SYNOPSIS_TABLES_H

#include "synopsis/estimate.h"
#include "synopsis/table_file.h"

enum tables_kind {
    TABLES_UNBIASED, /* the mean of what was measured; can be negative */
    TABLES_CONSISTENT, /* they agree with each other and are nowhere negative, but are
                          biased and have no standard errors: the model's or, of residuals,
                          those of nonnegative.h */
};

/* Larger tables are not written: the synopsis answers about them. */
enum { TABLES_CELLS_MAX = 1 << 22 };

/* What is known about the table of a set of the workload. */
struct table_facts {
    str name; /* of its file */
    size_t cells;
    const char *estimates; /* "measured", "measured in part", "model",
                              "non-negative" or "too large to be written" */
    double mean_error; /* of the standard errors; NAN: not all cells have one */
    double largest_error; /* NAN: no cell has one */
};

/* In `a`: the files that are written, in the order of the workload, and then their
   index; and the facts about all sets of the workload. */
struct tables_list {
    struct table_file *files;
    size_t n;
    struct table_facts *facts;
};

/*
 * Writes DIR/NAME.csv for each of them; the folder exists and is empty. A column
 * whose codes are runs of values takes two columns, NAME_from and NAME_to. rows
 * (NULL: none) stand for the model where an unbiased table would need too much memory; a
 * consistent one is not written then.
 * `progress` (or NULL) is called after each file. May fail: CUSTOS_EIO,
 * CUSTOS_EINVAL (the path is too long), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status
tables_write(const struct synopsis *s, const struct synthetic_rows *rows,
             enum tables_kind kind, const char *dir, arena *a,
             void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
             struct tables_list *out, custos_err *err);

#endif
