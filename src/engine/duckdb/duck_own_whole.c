/*
 * Functions in the engine on whole numbers and dates that cannot fail: those of
 * base/whole.h, applied to columns.
 *
 * THEOREM  total-functions
 *   Each function of own_whole, own_real, own_read, own_text_functions and
 *   own_bound returns a value of its type or NULL for all values of its
 *   arguments, raises no error, and takes time and memory bounded by the length
 *   of its arguments.
 * SOURCE   doc/proofs/totality.md
 * NEEDS    flat vectors of the declared types, as the C API hands them over.
 * GIVES    an expression made of these functions cannot fail, whatever ranges
 *          the planner assumed.
 * FAILS    cannot.
 * TESTED   own_functions_are_total own_functions_stop_at_the_ends
 */
#include <math.h>

#include "base/datum.h"
#include "base/period.h"
#include "base/whole.h"
#include "engine/duckdb/duck_own.h"

/* A HUGEINT of the engine is aligned to 8 bytes, an i128 to 16. */
static inline i128
wide_at(const void *list, size_t i)
{
    duckdb_hugeint x = ((const duckdb_hugeint *)list)[i];

    return (i128)((u128)(uint64_t)x.upper << 64 | x.lower);
}

static inline void
wide_set(void *list, size_t i, i128 x)
{
    ((duckdb_hugeint *)list)[i] =
        (duckdb_hugeint){(uint64_t)x, (int64_t)((u128)x >> 64)};
}

static inline int64_t
narrow_at(const void *list, size_t i)
{
    return ((const int64_t *)list)[i];
}

static inline void
narrow_set(void *list, size_t i, int64_t x)
{
    ((int64_t *)list)[i] = x;
}

/* Define run_name_width, which calls whole_name_width on one or two numbers. */
#define ONE(name, width, at, set)                                              \
    static void run_##name##_##width(duckdb_function_info info,                \
                                     duckdb_data_chunk input,                  \
                                     duckdb_vector output)                     \
    {                                                                          \
        struct own_call c = own_begin(input, output);                          \
                                                                               \
        (void)info;                                                            \
        for (size_t i = 0; i < c.n; i++)                                       \
            set(c.out, i, whole_##name##_##width(at(c.arg[0], i)));            \
    }

#define TWO(name, width, at, set)                                              \
    static void run_##name##_##width(duckdb_function_info info,                \
                                     duckdb_data_chunk input,                  \
                                     duckdb_vector output)                     \
    {                                                                          \
        struct own_call c = own_begin(input, output);                          \
                                                                               \
        (void)info;                                                            \
        for (size_t i = 0; i < c.n; i++)                                       \
            set(c.out, i,                                                      \
                whole_##name##_##width(at(c.arg[0], i), at(c.arg[1], i)));     \
    }

/* The same for functions whose second number must not be 0. */
#define PART(name, width, at, set)                                             \
    static void run_##name##_##width(duckdb_function_info info,                \
                                     duckdb_data_chunk input,                  \
                                     duckdb_vector output)                     \
    {                                                                          \
        struct own_call c = own_begin(input, output);                          \
                                                                               \
        (void)info;                                                            \
        for (size_t i = 0; i < c.n; i++) {                                     \
            if (at(c.arg[1], i) == 0)                                          \
                own_set_null(&c, i);                                           \
            else                                                               \
                set(c.out, i,                                                  \
                    whole_##name##_##width(at(c.arg[0], i), at(c.arg[1], i))); \
        }                                                                      \
    }

#define CLAMP(width, at, set)                                                  \
    static void run_clamp_##width(duckdb_function_info info,                   \
                                  duckdb_data_chunk input,                     \
                                  duckdb_vector output)                        \
    {                                                                          \
        struct own_call c = own_begin(input, output);                          \
                                                                               \
        (void)info;                                                            \
        for (size_t i = 0; i < c.n; i++)                                       \
            set(c.out, i,                                                      \
                whole_clamp_##width(at(c.arg[0], i), at(c.arg[1], i),          \
                                    at(c.arg[2], i)));                         \
    }

TWO(add, i64, narrow_at, narrow_set)
TWO(sub, i64, narrow_at, narrow_set)
TWO(mul, i64, narrow_at, narrow_set)
PART(div, i64, narrow_at, narrow_set)
PART(mod, i64, narrow_at, narrow_set)
ONE(neg, i64, narrow_at, narrow_set)
ONE(abs, i64, narrow_at, narrow_set)
CLAMP(i64, narrow_at, narrow_set)
TWO(add, i128, wide_at, wide_set)
TWO(sub, i128, wide_at, wide_set)
TWO(mul, i128, wide_at, wide_set)
PART(div, i128, wide_at, wide_set)
PART(mod, i128, wide_at, wide_set)
ONE(neg, i128, wide_at, wide_set)
ONE(abs, i128, wide_at, wide_set)
CLAMP(i128, wide_at, wide_set)

static void
narrow(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        narrow_set(c.out, i, whole_narrow(wide_at(c.arg[0], i)));
}

/* --------------------------------------------------------- from doubles -- */

/*
 * The whole number nearest to r, clamped to low .. high. A double is converted only
 * if the type can hold it; this is checked with doubles, since 2^63 and 2^127 are
 * exact as doubles. low and high may not be exact as doubles, so they are compared
 * as whole numbers.
 */
static inline int64_t
near_i64(double r, int64_t low, int64_t high)
{
    double x = round(r);

    if (x >= 0x1p63)
        return high;
    if (x < -0x1p63)
        return low;
    return whole_clamp_i64((int64_t)x, low, high);
}

static inline i128
near_i128(double r, i128 low, i128 high)
{
    double x = round(r);

    if (x >= 0x1p127)
        return high;
    if (x < -0x1p127)
        return low;
    return whole_clamp_i128((i128)x, low, high);
}

static void
of_double_i64(duckdb_function_info info, duckdb_data_chunk input,
              duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const double *r = c.arg[0];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (isnan(r[i]))
            own_set_null(&c, i);
        else
            narrow_set(
                c.out, i,
                near_i64(r[i], narrow_at(c.arg[1], i), narrow_at(c.arg[2], i)));
    }
}

static void
of_double_i128(duckdb_function_info info, duckdb_data_chunk input,
               duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const double *r = c.arg[0];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (isnan(r[i]))
            own_set_null(&c, i);
        else
            wide_set(
                c.out, i,
                near_i128(r[i], wide_at(c.arg[1], i), wide_at(c.arg[2], i)));
    }
}

/* ----------------------------------------------------- indices and dates -- */

/* The difference is computed in 128 bits and saturates, so it never overflows. */
static void
set_index(const struct own_call *c, size_t i, i128 x, i128 from, i128 n)
{
    i128 at = whole_sub_i128(x, from);

    if (at < 0 || at >= n || at > INT32_MAX)
        own_set_null(c, i);
    else
        ((int32_t *)c->out)[i] = (int32_t)at;
}

static void
index_i64(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        set_index(&c, i, narrow_at(c.arg[0], i), narrow_at(c.arg[1], i),
                  narrow_at(c.arg[2], i));
}

static void
index_i128(duckdb_function_info info, duckdb_data_chunk input,
           duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        set_index(&c, i, wide_at(c.arg[0], i), wide_at(c.arg[1], i),
                  wide_at(c.arg[2], i));
}

static void
set_period(const struct own_call *c, size_t i, int64_t days, int hour)
{
    int64_t p = narrow_at(c->arg[1], i);

    if (days < DATE_FIRST || days > DATE_LAST || p < PERIOD_YEAR ||
        p > PERIOD_HOUR)
        own_set_null(c, i);
    else
        narrow_set(c->out, i, period_number((enum period)p, days, hour));
}

static void
period_of_date(duckdb_function_info info, duckdb_data_chunk input,
               duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        set_period(&c, i, ((const int32_t *)c.arg[0])[i], 0);
}

static void
period_of_timestamp(duckdb_function_info info, duckdb_data_chunk input,
                    duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        int hour;
        int64_t day = period_day_of(narrow_at(c.arg[0], i), &hour);

        set_period(&c, i, day, hour);
    }
}

static void
shift_date(duckdb_function_info info, duckdb_data_chunk input,
           duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const int32_t *day = c.arg[0];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        int64_t to = whole_add_i64(day[i], narrow_at(c.arg[1], i));

        if (to < DATE_FIRST || to > DATE_LAST)
            own_set_null(&c, i);
        else
            ((int32_t *)c.out)[i] = (int32_t)to;
    }
}

static void
keep_date(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const int32_t *day = c.arg[0];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (day[i] < DATE_FIRST || day[i] > DATE_LAST)
            own_set_null(&c, i);
        else
            ((int32_t *)c.out)[i] = day[i];
    }
}

static void
keep_timestamp(duckdb_function_info info, duckdb_data_chunk input,
               duckdb_vector output)
{
    struct own_call c = own_begin(input, output);

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        int64_t us = narrow_at(c.arg[0], i);

        if (us < DATE_FIRST * DAY_US || us >= (DATE_LAST + 1) * DAY_US)
            own_set_null(&c, i);
        else
            narrow_set(c.out, i, us);
    }
}

/* ---------------------------------------------------------------- list -- */

#define NARROW DUCKDB_TYPE_BIGINT
#define WIDE DUCKDB_TYPE_HUGEINT
#define REAL DUCKDB_TYPE_DOUBLE

const struct own_function own_whole[] = {
    {"whole_add", NARROW, {NARROW, NARROW}, run_add_i64},
    {"whole_add", WIDE, {WIDE, WIDE}, run_add_i128},
    {"whole_sub", NARROW, {NARROW, NARROW}, run_sub_i64},
    {"whole_sub", WIDE, {WIDE, WIDE}, run_sub_i128},
    {"whole_mul", NARROW, {NARROW, NARROW}, run_mul_i64},
    {"whole_mul", WIDE, {WIDE, WIDE}, run_mul_i128},
    {"whole_div", NARROW, {NARROW, NARROW}, run_div_i64},
    {"whole_div", WIDE, {WIDE, WIDE}, run_div_i128},
    {"whole_mod", NARROW, {NARROW, NARROW}, run_mod_i64},
    {"whole_mod", WIDE, {WIDE, WIDE}, run_mod_i128},
    {"whole_neg", NARROW, {NARROW}, run_neg_i64},
    {"whole_neg", WIDE, {WIDE}, run_neg_i128},
    {"whole_abs", NARROW, {NARROW}, run_abs_i64},
    {"whole_abs", WIDE, {WIDE}, run_abs_i128},
    {"whole_clamp", NARROW, {NARROW, NARROW, NARROW}, run_clamp_i64},
    {"whole_clamp", WIDE, {WIDE, WIDE, WIDE}, run_clamp_i128},
    {"whole_narrow", NARROW, {WIDE}, narrow},
    {"whole_of", NARROW, {REAL, NARROW, NARROW}, of_double_i64},
    {"whole_of", WIDE, {REAL, WIDE, WIDE}, of_double_i128},
    {"whole_index", DUCKDB_TYPE_INTEGER, {NARROW, NARROW, NARROW}, index_i64},
    {"whole_index", DUCKDB_TYPE_INTEGER, {WIDE, WIDE, WIDE}, index_i128},
    {"period_number", NARROW, {DUCKDB_TYPE_DATE, NARROW}, period_of_date},
    {"period_number",
     NARROW,
     {DUCKDB_TYPE_TIMESTAMP, NARROW},
     period_of_timestamp},
    {"calendar", DUCKDB_TYPE_DATE, {DUCKDB_TYPE_DATE}, keep_date},
    {"calendar",
     DUCKDB_TYPE_TIMESTAMP,
     {DUCKDB_TYPE_TIMESTAMP},
     keep_timestamp},
    {"date_shift", DUCKDB_TYPE_DATE, {DUCKDB_TYPE_DATE, NARROW}, shift_date},
    {.name = NULL},
};
