/*
 * Reads values from text in the engine in the same way as everywhere else:
 * datum_read decides what a number or a date is, so that the planner's evaluation
 * of public values (evaluate/evaluate.h) agrees with what the engine computes in a row.
 */
#include "base/base.h"
#include "base/datum.h"
#include "engine/duckdb/duck_own.h"
#include "evaluate/evaluate.h"

/* Reads the text of a row as a value of a type; false: the result is NULL. */
static bool
read_row(const struct own_call *c, size_t row, enum data_type type,
         struct datum *out)
{
    if (own_is_valid(c, row) && datum_read(type, own_text(c, 0, row), out))
        return true;
    own_set_null(c, row);
    return false;
}

static void
read_whole(duckdb_function_info info, duckdb_data_chunk input,
           duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    struct datum d;

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (!read_row(&c, i, TYPE_INT, &d))
            continue;
        if (d.n < INT64_MIN || d.n > INT64_MAX)
            own_set_null(&c, i);
        else
            ((int64_t *)c.out)[i] = (int64_t)d.n;
    }
}

static void
read_real(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    struct datum d;

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        if (read_row(&c, i, TYPE_REAL, &d))
            ((double *)c.out)[i] = datum_double(&d);
}

static void
read_bool(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    struct datum d;

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        if (read_row(&c, i, TYPE_BOOL, &d))
            ((bool *)c.out)[i] = d.n != 0;
}

static void
read_date(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    struct datum d;

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        if (read_row(&c, i, TYPE_DATE, &d))
            ((int32_t *)c.out)[i] = (int32_t)d.n; /* years 1 to 9999 */
}

static void
read_timestamp(duckdb_function_info info, duckdb_data_chunk input,
               duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    struct datum d;

    (void)info;
    for (size_t i = 0; i < c.n; i++)
        if (read_row(&c, i, TYPE_TIMESTAMP, &d))
            ((int64_t *)c.out)[i] = (int64_t)d.n; /* years 1 to 9999 */
}

/* Returns text: the type of a result cannot depend on the arguments p, s. */
static void
read_decimal(duckdb_function_info info, duckdb_data_chunk input,
             duckdb_vector output)
{
    enum { DIGITS_MAX = 38, TEXT_MAX = 80 };
    struct own_call c = own_begin(input, output);
    const int32_t *precision = c.arg[1], *scale = c.arg[2];
    struct datum d;
    struct buf text;

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (!read_row(&c, i, TYPE_DECIMAL, &d))
            continue;
        buf_init(&text, NULL, TEXT_MAX);
        if (precision[i] <= DIGITS_MAX && scale[i] >= 0 &&
            scale[i] <= precision[i] && datum_round(&d, precision[i], scale[i]))
            datum_write(&d, &text);
        if (text.len > 0 && !text.failed)
            own_set_text(&c, i, (str){buf_text(&text), text.len});
        else
            own_set_null(&c, i);
        buf_clear(&text);
    }
}

#define TEXT DUCKDB_TYPE_VARCHAR

const struct own_function own_read[] = {
    {"read_whole", DUCKDB_TYPE_BIGINT, {TEXT}, read_whole},
    {"read_real", DUCKDB_TYPE_DOUBLE, {TEXT}, read_real},
    {"read_bool", DUCKDB_TYPE_BOOLEAN, {TEXT}, read_bool},
    {"read_date", DUCKDB_TYPE_DATE, {TEXT}, read_date},
    {"read_timestamp", DUCKDB_TYPE_TIMESTAMP, {TEXT}, read_timestamp},
    {"read_decimal",
     TEXT,
     {TEXT, DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_INTEGER},
     read_decimal},
    {.name = NULL},
};
