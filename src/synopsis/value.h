/*
 * What a code stands for: a value, NULL, or a run of values.
 */
#ifndef SYNOPSIS_VALUE_H
#define SYNOPSIS_VALUE_H

#include "synth/schema.h"

/* Do all codes stand for one value each (or for NULL)? */
bool column_is_single(const struct schema_column *c);

/* The value of a step of a column with cuts, in the column's type and scale. */
struct datum step_value(const struct schema_column *c, i128 step);

enum code_end { CODE_FIRST, CODE_LAST };

/* The first or last value of a code's run; a single value is both. Numbers have the
   column's type and scale. Text is borrowed from the schema. */
struct datum
code_value(const struct schema_column *c, uint32_t code, enum code_end end);

/* The share of a run's rows that are from step `from` on and below `to`, both within
   the run. */
double
run_share(const struct schema_column *c, uint32_t code, i128 from, i128 to);

/* The step of a run below which this share of its rows is. */
i128 run_quantile(const struct schema_column *c, uint32_t code, double share);

/* The value that `word`, a uniform 64-bit word, selects among those of the code, all
   equally likely, or as the column's spread says. */
struct datum
code_drawn(const struct schema_column *c, uint32_t code, uint64_t word);

/*
 * The number of a row, 1, 2, ..., as a value of a column that numbers them: so many of
 * the last digits of a decimal, days or seconds after 1970-01-01. A boolean is whether
 * the number is odd, and dates begin again after the year 9999.
 */
struct datum numbered_value(const struct schema_column *c, uint64_t number);

#endif
