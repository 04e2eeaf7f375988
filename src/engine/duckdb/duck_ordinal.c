/*
 * value_ordinal: the ordinal of a value among those of its unit, as a function of
 * the engine, called on every row of a table while the table is written. It
 * remembers earlier rows, so the engine must call it row after row, on one thread
 * at a time. The row's number is an argument; a statement that calls the function
 * in another order fails.
 */
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/duckdb/duck_inside.h"
#include "engine/run/key.h"
#include "engine/run/ordinals.h"

struct ordinal_memory {
    struct ordinals *columns;
    size_t n;
    atomic_flag busy;
};

static void
ordinal_memory_free(void *memory)
{
    struct ordinal_memory *p = memory;

    for (size_t i = 0; p->columns && i < p->n; i++)
        ordinals_clear(&p->columns[i]);
    free(p->columns);
    free(p);
}

/* Arguments: the column's number, the row's number, its unit, its value. */
enum { ARG_COLUMN, ARG_ROW, ARG_UNIT, ARG_VALUE, ARGS };

/* Numbers all rows of a chunk; false if one is out of order. */
static bool
number_rows(struct ordinal_memory *p, const struct column *arg, size_t n,
            int16_t *to)
{
    for (size_t i = 0; i < n; i++) {
        i128 column = column_whole(&arg[ARG_COLUMN], i);
        struct datum key = key_at(&arg[ARG_VALUE], i);

        if (column < 0 || column >= (i128)p->n ||
            !ordinals_next(
                &p->columns[column], (int64_t)column_whole(&arg[ARG_ROW], i),
                (int64_t)column_whole(&arg[ARG_UNIT], i), &key, &to[i]))
            return false;
    }
    return true;
}

static void
value_ordinal(duckdb_function_info info, duckdb_data_chunk input,
              duckdb_vector output)
{
    struct ordinal_memory *p = duckdb_scalar_function_get_extra_info(info);
    struct column arg[ARGS];
    size_t n = duckdb_data_chunk_get_size(input);
    bool good = true;

    for (size_t i = 0; i < ARGS; i++) {
        duckdb_vector v = duckdb_data_chunk_get_vector(input, i);

        duck_vector_read(v, &arg[i]);
        good = good && arg[i].type != COLUMN_OTHER && arg[i].type != COLUMN_F64;
    }
    if (good && !atomic_flag_test_and_set(&p->busy)) {
        good = number_rows(p, arg, n, duckdb_vector_get_data(output));
        atomic_flag_clear(&p->busy);
    } else {
        good = false;
    }
    if (!good)
        duckdb_scalar_function_set_error(info, "rows do not come in order");
}

custos_status
duck_ordinal_add(struct duck_connection *c, size_t columns, custos_err *err)
{
    static const duckdb_type types[ARGS] = {
        DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT,
        DUCKDB_TYPE_ANY};
    duckdb_logical_type t = duckdb_create_logical_type(DUCKDB_TYPE_SMALLINT);
    duckdb_scalar_function f = duckdb_create_scalar_function();
    struct ordinal_memory *p = calloc(1, sizeof *p);
    custos_status st = CUSTOS_OK;

    if (p)
        p->columns = calloc(columns + 1, sizeof *p->columns);
    if (!p || !p->columns || !f || !t) {
        free(p);
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    p->n = columns;
    atomic_flag_clear(&p->busy);
    duckdb_scalar_function_set_name(f, "value_ordinal");
    duckdb_scalar_function_set_return_type(f, t);
    for (size_t i = 0; i < ARGS; i++) {
        duckdb_logical_type arg = duckdb_create_logical_type(types[i]);

        duckdb_scalar_function_add_parameter(f, arg);
        duckdb_destroy_logical_type(&arg);
    }
    duckdb_scalar_function_set_special_handling(f); /* NULL is a value too */
    duckdb_scalar_function_set_volatile(f);
    duckdb_scalar_function_set_extra_info(f, p, ordinal_memory_free);
    duckdb_scalar_function_set_function(f, value_ordinal);
    if (duckdb_register_scalar_function(c->c, f) != DuckDBSuccess) {
        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
        custos_note(err, "value_ordinal is not taken");
    }
out:
    duckdb_destroy_scalar_function(&f);
    duckdb_destroy_logical_type(&t);
    return st;
}
