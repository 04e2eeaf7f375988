/*
 * The values that a column's codes stand for, as far as a question can tell them
 * apart. A code of SCHEMA_VALUES and NULL stand for one value. A run between two
 * cuts stands for many, over which its rows are spread evenly, or as the column's spread
 * says: for each of them if
 * the question asks for each, else for the ends of its parts, where the run is cut
 * at the constants that the question compares it with.
 */
#ifndef SYNOPSIS_QUESTION_VALUES_H
#define SYNOPSIS_QUESTION_VALUES_H

#include "synth/schema.h"

enum { VALUES_EACH_MAX = 4096 };

struct column_value {
    struct datum datum;
    uint32_t code;
    double share; /* of the rows of its code */
};

/* What a question does with a column. */
struct column_use {
    bool each;    /* it needs each value of a run */
    bool value;   /* it computes with the values */
    i128 *splits; /* a part of a run begins at each of these steps */
    size_t n_splits, room;
};

/* Splits runs so that a comparison with this constant is the same for all of a
   part. False if it cannot be compared in steps: then each value is needed. */
bool values_split(arena *a, const struct schema_column *c,
                  struct column_use *use, const struct datum *constant);

/* By code. NULL without memory. */
struct column_value *values_of(arena *a, const struct schema_column *c,
                               struct column_use *use, size_t *n);

/* How many values the runs of the column have. */
i128 values_each(const struct schema_column *c);

#endif
