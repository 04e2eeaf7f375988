/*
 * short_text(text, most): the text, or NULL where it has more bytes than this.
 * As a macro it would hold its argument twice, and calls within calls would
 * grow exponentially before they are run.
 */
#include "base/error.h"
#include "engine/duck_inside.h"

static bool
is_valid(uint64_t *valid, size_t i)
{
    return !valid || duckdb_validity_row_is_valid(valid, i);
}

static void
short_text(duckdb_function_info info, duckdb_data_chunk input,
           duckdb_vector output)
{
    duckdb_vector v = duckdb_data_chunk_get_vector(input, 0);
    duckdb_vector w = duckdb_data_chunk_get_vector(input, 1);
    duckdb_string_t *texts = duckdb_vector_get_data(v);
    int32_t *most = duckdb_vector_get_data(w);
    uint64_t *valid = duckdb_vector_get_validity(v);
    uint64_t *valid_most = duckdb_vector_get_validity(w);
    size_t n = duckdb_data_chunk_get_size(input);

    (void)info;
    for (size_t i = 0; i < n; i++) {
        if (is_valid(valid, i) && is_valid(valid_most, i) && most[i] >= 0 &&
            duckdb_string_t_length(texts[i]) <= (uint32_t)most[i]) {
            duckdb_vector_assign_string_element_len(
                output, i, duckdb_string_t_data(&texts[i]),
                duckdb_string_t_length(texts[i]));
            continue;
        }
        duckdb_vector_ensure_validity_writable(output);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), i);
    }
}

custos_status
duck_short_add(struct duck_connection *c, custos_err *err)
{
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type whole = duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
    duckdb_scalar_function f = duckdb_create_scalar_function();
    custos_status st = CUSTOS_OK;

    duckdb_scalar_function_set_name(f, "short_text");
    duckdb_scalar_function_add_parameter(f, text);
    duckdb_scalar_function_add_parameter(f, whole);
    duckdb_scalar_function_set_return_type(f, text);
    duckdb_scalar_function_set_function(f, short_text);
    if (duckdb_register_scalar_function(c->c, f) != DuckDBSuccess) {
        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
        custos_note(err, "short_text is not taken");
    }
    duckdb_destroy_scalar_function(&f);
    duckdb_destroy_logical_type(&whole);
    duckdb_destroy_logical_type(&text);
    return st;
}
