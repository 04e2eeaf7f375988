/*
 * Functions of our own in the engine, for values of private rows: each is
 * total, whatever its arguments are, and its cost is bounded by their length.
 * The printer (sql/duckdb*.c) writes them by name.
 *
 *   whole_add, _sub, _mul, _neg, _abs, _div, _mod   of BIGINT or HUGEINT,
 *                             saturating at the ends of the type; NULL for
 *                             division by 0
 *   whole_clamp(x, low, high) x clamped to the limits; BIGINT or HUGEINT
 *   whole_narrow(x)           a HUGEINT as BIGINT, saturating at its ends
 *   whole_of(r, low, high)    a DOUBLE, rounded half away from 0 and clamped;
 *                             NULL for NaN; BIGINT or HUGEINT, like the limits
 *   real_sqrt, _ln, _exp(x), real_power(x, y)   of DOUBLE; NULL where the value
 *                             is not a finite number
 *   whole_index(x, from, n)   x - from, an INTEGER; NULL if not in 0 .. n - 1
 *   statement_number(n)       number n of duck_numbers.h; NULL if there is none
 *   period_number(d, p)       as in base/period.h, of a date or timestamp; NULL
 *                             outside the years 1 to 9999, or if p is not a period
 *   calendar(d)               d, a date or timestamp; NULL outside the years 1
 *                             to 9999
 *   date_shift(d, days)       d + days; NULL outside the years 1 to 9999
 *   read_whole, _real, _bool, _date, _timestamp(text)   the value; NULL if text has
 *                             none
 *   read_decimal(text, p, s)  the text of a numeric(p, s), or NULL
 *   text_concat(a, b)         NULL if it has more than TEXT_COMPUTED_MAX bytes
 *   text_short(a, most)       a; NULL if it has more than `most` bytes
 *   text_like(a, pattern)     like.h; NULL if it would take too many steps, or if
 *                             like_compile refuses the pattern
 */
#ifndef ENGINE_DUCK_OWN_H
#define ENGINE_DUCK_OWN_H

#include <duckdb.h>

#include "base/base.h"
#include "base/str.h"

enum { OWN_ARGS_MAX = 3 };

struct own_function {
    const char *name;
    duckdb_type result;
    duckdb_type args[OWN_ARGS_MAX]; /* DUCKDB_TYPE_INVALID: no more */
    duckdb_scalar_function_t run;
};

/* Rows of a call: flat vectors, as the engine hands them over. */
struct own_call {
    size_t n;
    void *arg[OWN_ARGS_MAX];
    void *out;
    duckdb_vector result;
};

/*
 * Reads a call. The result is NULL where an argument is NULL. A function may
 * compute such a row too: the argument is readable memory, and the computed value
 * does not matter.
 */
struct own_call own_begin(duckdb_data_chunk input, duckdb_vector output);

/* own_is_valid: is the result of a row not NULL so far? */
bool own_is_valid(const struct own_call *c, size_t row);
void own_set_null(const struct own_call *c, size_t row);

/* own_text: a text argument, borrowed. own_set_text: sets a text result. */
str own_text(const struct own_call *c, size_t arg, size_t row);
void own_set_text(const struct own_call *c, size_t row, str text);

/* The functions of each file; the last entry has no name. */
extern const struct own_function own_whole[];
extern const struct own_function own_real[];
extern const struct own_function own_read[];
extern const struct own_function own_text_functions[];
extern const struct own_function own_bound[]; /* volatile: never precomputed */

#endif
