/*
 * Neighbouring data sets to try a mechanism on: generated from the range of the
 * values, or read from a file. Only true neighbours are made: a pair at distance
 * two could refute a claim that holds.
 */
#ifndef AUDIT_DATA_PAIRS_H
#define AUDIT_DATA_PAIRS_H

#include "audit/audit.h"
#include "base/str.h"

enum {
    DATA_PAIRS_MAX = 64,
    DATA_ROWS_MAX = 1000000, /* of one data set */
};

struct data_pairs {
    struct pair pair[DATA_PAIRS_MAX]; /* the values are owned by this */
    size_t n;
};

struct data_pairs_options {
    double low, high; /* of the values; low <= high */
    custos_adjacency adjacency;
    const size_t *rows; /* sizes of the larger neighbour, each >= 1 */
    size_t n_rows;
};

void data_pairs_clear(struct data_pairs *p);

/*
 * For each size: all rows at an end of the range, and one fewer (or one moved to
 * the other end); all but one; rows spread over the range, reordered. Fails with
 * CUSTOS_ENOMEM; with CUSTOS_EINVAL if there are too many.
 */
CUSTOS_MUST_USE custos_status
data_pairs_make(const struct data_pairs_options *options,
                struct data_pairs *out, custos_err *err);

/*
 * Reads pairs: one value a line, an empty line between the two data sets of a
 * pair, a line `--` between pairs. Lines that begin with # are comments. Whether
 * they are neighbours is the writer's affair. Fails with CUSTOS_EPARSE, and the
 * line; CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status data_pairs_read(str text, struct data_pairs *out,
                                              custos_err *err);

/* A data set in words: "{}", "{0, 0, 1}", "{1, 1, ... 98 more}". */
void data_describe(const struct data *data, char *text, size_t room);

#endif
