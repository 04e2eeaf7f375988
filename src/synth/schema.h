/*
 * The public schema of a release: its columns, and what each of their codes stands
 * for. A row of the data becomes a row of codes, and a synthetic row of codes becomes
 * a row of values again. Everything here follows from the policy alone.
 */
#ifndef SYNTH_SCHEMA_H
#define SYNTH_SCHEMA_H

#include "base/datum.h"
#include "synth/domain.h"

enum schema_coding {
    SCHEMA_VALUES, /* a code for each value */
    SCHEMA_CUTS,   /* a code for each run of steps between two cuts */
    SCHEMA_NUMBER, /* not modelled: synthetic rows are numbered, without NULL */
};

/* Where the rows of a column are, as released sums say: rows[k] of them are before
   cuts[k], and those between two cuts are spread evenly. */
struct schema_spread {
    uint32_t n;
    const i128 *cuts;   /* n + 1 */
    const double *rows; /* n + 1, which do not fall; rows[0] is 0 */
};

struct schema_column {
    str name;
    enum data_type type;
    int scale; /* TYPE_DECIMAL: digits after the point */
    enum schema_coding coding;
    bool ordered;  /* neighbouring codes stand for neighbouring values */
    bool nullable; /* one more code, the last, stands for NULL */
    uint32_t n;    /* codes other than NULL's */
    size_t place;  /* the column's number in the domain; SCHEMA_NUMBER: none */

    struct datum *values; /* SCHEMA_VALUES: by code */

    /* SCHEMA_CUTS: n + 1 of them, ascending. Code k stands for the values of
       cuts[k], ..., cuts[k + 1] - 1 steps. A step is base^-digits; of dates it is a
       day, of timestamps a microsecond. */
    i128 *cuts;
    int base, digits;
    const struct schema_spread *spread; /* NULL: evenly over each run */
};

struct schema {
    str table;
    struct schema_column *columns; /* in the order of the table */
    size_t n;
    struct domain domain; /* of the columns that are modelled */
    size_t *column;       /* by number in the domain */
};

/* A column's codes, NULL's included. */
static inline uint32_t
schema_codes(const struct schema_column *c)
{
    return c->n + (c->nullable ? 1 : 0);
}

#endif
