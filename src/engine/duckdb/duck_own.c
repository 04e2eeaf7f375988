/*
 * Our own functions in the engine: access to the values of a call, and
 * registration.
 */
#include "engine/duckdb/duck_own.h"

#include <string.h>

#include "base/error.h"
#include "engine/duckdb/duck_inside.h"

enum { WORD_BITS = 64 };

/* Makes the result NULL where this argument is NULL. */
static void
own_take_nulls(struct own_call *c, duckdb_vector argument)
{
    const uint64_t *from = duckdb_vector_get_validity(argument);
    uint64_t *to;

    if (!from)
        return;
    duckdb_vector_ensure_validity_writable(c->result);
    to = duckdb_vector_get_validity(c->result);
    for (size_t i = 0; i < (c->n + WORD_BITS - 1) / WORD_BITS; i++)
        to[i] &= from[i];
}

struct own_call
own_begin(duckdb_data_chunk input, duckdb_vector output)
{
    struct own_call c = {.n = duckdb_data_chunk_get_size(input),
                         .out = duckdb_vector_get_data(output),
                         .result = output};
    size_t n_args = duckdb_data_chunk_get_column_count(input);

    for (size_t i = 0; i < n_args && i < OWN_ARGS_MAX; i++) {
        duckdb_vector v = duckdb_data_chunk_get_vector(input, i);

        c.arg[i] = duckdb_vector_get_data(v);
        own_take_nulls(&c, v);
    }
    return c;
}

bool
own_is_valid(const struct own_call *c, size_t row)
{
    uint64_t *valid = duckdb_vector_get_validity(c->result);

    return !valid || duckdb_validity_row_is_valid(valid, row);
}

void
own_set_null(const struct own_call *c, size_t row)
{
    duckdb_vector_ensure_validity_writable(c->result);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(c->result), row);
}

str
own_text(const struct own_call *c, size_t arg, size_t row)
{
    duckdb_string_t *texts = c->arg[arg];

    return (str){duckdb_string_t_data(&texts[row]),
                 duckdb_string_t_length(texts[row])};
}

void
own_set_text(const struct own_call *c, size_t row, str text)
{
    duckdb_vector_assign_string_element_len(c->result, row, text.ptr, text.len);
}

/* --------------------------------------------------------- registration -- */

static bool
add_types(duckdb_scalar_function f, const struct own_function *own)
{
    duckdb_logical_type t = duckdb_create_logical_type(own->result);

    if (!t)
        return false;
    duckdb_scalar_function_set_return_type(f, t);
    duckdb_destroy_logical_type(&t);
    for (size_t i = 0; i < OWN_ARGS_MAX && own->args[i] != DUCKDB_TYPE_INVALID;
         i++) {
        t = duckdb_create_logical_type(own->args[i]);
        if (!t)
            return false;
        duckdb_scalar_function_add_parameter(f, t);
        duckdb_destroy_logical_type(&t);
    }
    return true;
}

/* Registers all functions of one name, which follow each other; *n: how many. */
static bool
add_set(struct duck_connection *c, const struct own_function *own,
        bool is_volatile, size_t *n)
{
    duckdb_scalar_function_set set =
        duckdb_create_scalar_function_set(own->name);
    bool good = set != NULL;

    for (*n = 0; own[*n].name && !strcmp(own[*n].name, own->name); (*n)++) {
        duckdb_scalar_function f = duckdb_create_scalar_function();

        good = good && f && add_types(f, &own[*n]);
        if (good) {
            duckdb_scalar_function_set_name(f, own->name);
            duckdb_scalar_function_set_function(f, own[*n].run);
            if (is_volatile)
                duckdb_scalar_function_set_volatile(f);
            good = duckdb_add_scalar_function_to_set(set, f) == DuckDBSuccess;
        }
        duckdb_destroy_scalar_function(&f);
    }
    good =
        good && duckdb_register_scalar_function_set(c->c, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return good;
}

custos_status
duck_own_add(struct duck_connection *c, custos_err *err)
{
    const struct own_function *lists[] = {own_whole, own_real, own_read,
                                          own_text_functions, own_bound};

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (size_t k = 0, n = 0; lists[i][k].name; k += n)
            if (!add_set(c, &lists[i][k], lists[i] == own_bound, &n)) {
                custos_status st = custos_fail(
                    err, CUSTOS_EENGINE, "the query could not be completed");

                custos_note(err, "the engine does not take %s",
                            lists[i][k].name);
                return st;
            }
    return CUSTOS_OK;
}
