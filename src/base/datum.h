/*
 * Public values: literals of a query, limits and domains of a policy, released
 * answers. Numbers are exact decimals; doubles are not used.
 */
#ifndef BASE_DATUM_H
#define BASE_DATUM_H

#include <stdint.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/str.h"

enum data_type {
    TYPE_NULL, /* NULL; as a type: always NULL */
    TYPE_BOOL,
    TYPE_INT,
    TYPE_DECIMAL, /* in the engine: DECIMAL(p, s) */
    TYPE_REAL,    /* in the engine: DOUBLE; in a datum: a decimal */
    TYPE_TEXT,
    TYPE_DATE,      /* days since 1970-01-01 */
    TYPE_TIMESTAMP, /* microseconds since 1970-01-01 00:00:00, no zone */
};

/* "integer", "decimal", ... as policies and messages write them. */
const char *data_type_name(enum data_type type);

/* Finds a type by its name in a policy or a cast, in any case; false if there
   is none. */
bool data_type_find(str name, enum data_type *out);

/* TYPE_INT, TYPE_DECIMAL, TYPE_REAL */
bool data_type_is_number(enum data_type type);

struct datum {
    enum data_type type;
    int scale; /* TYPE_DECIMAL, TYPE_REAL: the number is n / 10^scale */
    i128 n;    /* bool: 0 or 1 */
    str text;  /* TYPE_TEXT: borrowed */
};

/*
 * Reads text as a value of a type: numbers as "-12.5" or "1e3", dates as
 * "2026-01-31", timestamps as "2026-01-31 12:00:00.5" (or with T), booleans as
 * true/false/t/f/yes/no/on/off/1/0; a time zone after a date or time ("+00") is
 * ignored. TYPE_TEXT borrows the text. False if it is not such a value, or has
 * more than 36 digits. A TYPE_INT may only have a fraction of 0.
 */
bool datum_read(enum data_type type, str text, struct datum *out);

/* Writes a value so that datum_read reads it back; dates and timestamps in ISO
   form. */
void datum_write(const struct datum *d, struct buf *out);

/* <0, 0, >0. Numbers are compared by value, whatever their type and scale;
   other values must be of one type. NULL is last. */
int datum_cmp(const struct datum *a, const struct datum *b);

/* Rounds a number to a scale, half away from 0. False if a numeric of this
   precision and scale cannot hold it. Needs 0 <= scale <= precision <= 38. */
bool datum_round(struct datum *d, int precision, int scale);

/* The first day of the year 1 and the last of the year 9999. */
enum { DATE_FIRST = -719162, DATE_LAST = 2932896 };

/* Microseconds of a day. */
#define DAY_US INT64_C(86400000000)

/* Convert a date to days since 1970-01-01, and back. Years 1 to 9999. */
int64_t date_days(int year, int month, int day);
void date_split(int64_t days, int *year, int *month, int *day);

#endif
