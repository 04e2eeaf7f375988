/*
 * row_hash: salted SHA-256 as a function of the engine. The engine's own sha256
 * returns text and would need the salt in every statement.
 *
 * SHA-256 works in blocks of 64 bytes. The salt, as text, is exactly one block, so
 * it is hashed once for all rows.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sha256.h"
#include "engine/duckdb/duck_inside.h"

struct salted {
    struct sha256 begun; /* the state after the salt */
};

static void
salted_free(void *salted)
{
    wipe(salted, sizeof(struct salted));
    free(salted);
}

/* The first 128 bits as a big-endian number, which sorts like the bytes. */
static duckdb_uhugeint
hash_of(const struct salted *s, duckdb_string_t *text)
{
    uint8_t hash[SHA256_BYTES];
    struct sha256 h = s->begun;
    duckdb_uhugeint out = {0, 0};

    sha256_add(&h, duckdb_string_t_data(text), duckdb_string_t_length(*text));
    sha256_end(&h, hash);
    for (int i = 0; i < 8; i++) {
        out.upper = out.upper << 8 | hash[i];
        out.lower = out.lower << 8 | hash[8 + i];
    }
    return out;
}

static void
row_hash(duckdb_function_info info, duckdb_data_chunk input,
         duckdb_vector output)
{
    const struct salted *s = duckdb_scalar_function_get_extra_info(info);
    duckdb_vector v = duckdb_data_chunk_get_vector(input, 0);
    duckdb_string_t *texts = duckdb_vector_get_data(v);
    uint64_t *valid = duckdb_vector_get_validity(v);
    duckdb_uhugeint *to = duckdb_vector_get_data(output);
    size_t n = duckdb_data_chunk_get_size(input);

    for (size_t i = 0; i < n; i++) {
        if (!valid || duckdb_validity_row_is_valid(valid, i)) {
            to[i] = hash_of(s, &texts[i]);
            continue;
        }
        duckdb_vector_ensure_validity_writable(output);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), i);
    }
}

custos_status
duck_hash_add(struct duck_connection *c, str salt, custos_err *err)
{
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type wide = duckdb_create_logical_type(DUCKDB_TYPE_UHUGEINT);
    duckdb_scalar_function f = duckdb_create_scalar_function();
    struct salted *s = malloc(sizeof *s);
    custos_status st = CUSTOS_OK;

    if (!s || !f || !text || !wide) {
        free(s);
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    sha256_init(&s->begun);
    sha256_add(&s->begun, salt.ptr, salt.len);
    duckdb_scalar_function_set_name(f, "row_hash");
    duckdb_scalar_function_add_parameter(f, text);
    duckdb_scalar_function_set_return_type(f, wide);
    duckdb_scalar_function_set_extra_info(f, s, salted_free);
    duckdb_scalar_function_set_function(f, row_hash);
    if (duckdb_register_scalar_function(c->c, f) != DuckDBSuccess) {
        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
        custos_note(err, "row_hash is not taken");
    }
out:
    duckdb_destroy_scalar_function(&f);
    duckdb_destroy_logical_type(&wide);
    duckdb_destroy_logical_type(&text);
    return st;
}
