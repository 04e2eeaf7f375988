/*
 * Tables for the benchmark of synthetic data, as codes: those of ../shared/data that
 * are there, and a made one.
 */
#ifndef BENCH_SYNTH_DATA_H
#define BENCH_SYNTH_DATA_H

#include "synth/domain.h"

enum { SYNTH_COLUMNS = 128 };

/* A number has a code for every `width` values; drawn codes become one of these
   values each, and bins of values are compared. */
struct column {
    uint32_t size;
    uint16_t *code;  /* by row */
    uint16_t *value; /* by row; NULL: the code is what is compared */
    uint16_t *bin;   /* by value */
    uint32_t width;
};

/* A table, its columns in ascending order of their number of codes. */
struct data {
    size_t n, rows;
    struct column column[SYNTH_COLUMNS];
    uint32_t size[SYNTH_COLUMNS]; /* of the columns */
    size_t order;                 /* columns of the sets that are compared */
};

void data_clear(struct data *d);

/* The adult data of the AIM paper; false if the file is not there. */
bool data_read_adult(struct data *d);

/* NIST's excerpt of the American Community Survey for Texas, ten columns about
   people; false if the file is not there. */
bool data_read_acs(struct data *d);

/* A million rows of 100 columns with 2 to 20 codes, each like one of the three
   before it in half of the rows. */
struct data data_make_wide(void);

/* Turns drawn codes of a column into what is compared in their place; and the same
   of the data itself, as a new array. */
void data_bin_drawn(const struct column *c, uint16_t *code, size_t n);
uint16_t *data_bin_own(const struct column *c, size_t rows);

/* Counts rows by their codes in the columns of a set; the caller frees it. */
int64_t *
data_count(uint16_t *const *code, const uint32_t *size, size_t n_columns,
           size_t rows, struct colset set, size_t *cells);

#endif
