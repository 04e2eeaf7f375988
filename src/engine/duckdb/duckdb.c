/*
 * The thin layer over DuckDB's C API, which only this file and duck_*.c call.
 *
 * Results are streamed: chunks of up to 2,048 rows come as the engine makes
 * them, and their vectors are read in place.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/import/csv_fault.h"
#include "engine/duckdb/duck_inside.h"

struct duck {
    duckdb_database db;
};

/* The vectors of the engine are read in place: these layouts must be ours. */
static_assert(sizeof(struct column_wide) == sizeof(duckdb_hugeint) &&
                  offsetof(duckdb_hugeint, lower) == 0 &&
                  sizeof(struct column_string) == sizeof(duckdb_string_t) &&
                  offsetof(struct column_string, there.all) ==
                      offsetof(duckdb_string_t, value.pointer.ptr) &&
                  sizeof(struct column_part) == sizeof(duckdb_list_entry) &&
                  offsetof(duckdb_list_entry, offset) == 0,
              "values are in DuckDB's layout");

struct duck_rows {
    struct result is;
    duckdb_prepared_statement statement;
    struct duck_statements *kept; /* owns the statement; NULL: we do */
    struct duck_numbers bound;
    duckdb_result result;
    duckdb_data_chunk chunk;
    bool has_result;
};

static custos_status
fail_engine(custos_err *err, const char *original)
{
    custos_status st =
        custos_fail(err, CUSTOS_EENGINE, "the query could not be completed");
    char fault[sizeof err->noted];

    if (csv_fault_write(original, fault, sizeof fault))
        original = fault;
    custos_note(err, "%s", original ? original : "no words from the engine");
    return st;
}

const char *
duck_version(void)
{
    return duckdb_library_version();
}

custos_status
duck_open(const char *path, enum duck_mode mode, struct duck **out,
          custos_err *err)
{
    /* The engine must not fetch or load extensions by itself. */
    static const char *const settings[][2] = {
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"allow_community_extensions", "false"},
        {"allow_unsigned_extensions", "false"},
    };
    struct duck *d = malloc(sizeof *d);
    duckdb_config config = NULL;
    char *words = NULL;
    custos_status st = CUSTOS_OK;
    bool ok = d && duckdb_create_config(&config) == DuckDBSuccess;

    for (size_t i = 0; i < COUNT_OF(settings) && ok; i++)
        ok = duckdb_set_config(config, settings[i][0], settings[i][1]) ==
             DuckDBSuccess;
    if (ok && path)
        ok =
            duckdb_set_config(config, "access_mode",
                              mode == DUCK_READ ? "READ_ONLY" : "READ_WRITE") ==
            DuckDBSuccess;
    if (!ok)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else if (duckdb_open_ext(path, &d->db, config, &words) != DuckDBSuccess) {
        st = custos_fail(err, CUSTOS_EIO, "the data cannot be opened");
        custos_note(err, "%s", words ? words : "");
    }
    duckdb_free(words);
    duckdb_destroy_config(&config);
    if (st)
        free(d);
    else
        *out = d;
    return st;
}

void
duck_close(struct duck *d)
{
    if (!d)
        return;
    duckdb_close(&d->db);
    free(d);
}

custos_status
duck_connect(struct duck *d, struct duck_connection **out, custos_err *err)
{
    struct duck_connection *c = calloc(1, sizeof *c);

    if (!c)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (duckdb_connect(d->db, &c->c) != DuckDBSuccess) {
        free(c);
        return fail_engine(err, "no connection");
    }
    *out = c;
    return CUSTOS_OK;
}

void
duck_disconnect(struct duck_connection *c)
{
    if (!c)
        return;
    duck_forget_all(c);
    duckdb_disconnect(&c->c);
    free(c);
}

void
duck_interrupt(struct duck_connection *c)
{
    duckdb_interrupt(c->c);
}

custos_status
duck_do(struct duck_connection *c, const char *sql, custos_err *err)
{
    duckdb_result result;
    custos_status st = CUSTOS_OK;

    if (duckdb_query(c->c, sql, &result) != DuckDBSuccess)
        st = fail_engine(err, duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return st;
}

/* Runs the tasks of a pending result one by one and reports progress. */
static custos_status
pending_run(struct duck_connection *c, duckdb_pending_result pending,
            duck_progress progress, void *ctx, custos_err *err)
{
    struct timespec pause = {0, 1000000};
    duckdb_pending_state state;
    unsigned told = 0;

    do {
        double percent = duckdb_query_progress(c->c).percentage;
        unsigned now = percent > 0 && percent <= 100 ? (unsigned)percent : 0;

        if (now > told)
            progress(ctx, told = now);
        state = duckdb_pending_execute_task(pending);
        if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE)
            nanosleep(&pause, NULL);
        if (state == DUCKDB_PENDING_ERROR)
            return fail_engine(err, duckdb_pending_error(pending));
    } while (!duckdb_pending_execution_is_finished(state));
    return CUSTOS_OK;
}

custos_status
duck_do_slowly(struct duck_connection *c, const char *sql,
               duck_progress progress, void *ctx, custos_err *err)
{
    duckdb_prepared_statement statement = NULL;
    duckdb_pending_result pending = NULL;
    duckdb_result result = {0};
    custos_status st = CUSTOS_OK;

    if (duckdb_prepare(c->c, sql, &statement) != DuckDBSuccess)
        st = fail_engine(err, duckdb_prepare_error(statement));
    if (!st && duckdb_pending_prepared(statement, &pending) != DuckDBSuccess)
        st = fail_engine(err, duckdb_pending_error(pending));
    if (!st)
        st = pending_run(c, pending, progress, ctx, err);
    if (!st) {
        if (duckdb_execute_pending(pending, &result) != DuckDBSuccess)
            st = fail_engine(err, duckdb_result_error(&result));
        duckdb_destroy_result(&result);
    }
    duckdb_destroy_pending(&pending);
    duckdb_destroy_prepare(&statement);
    return st;
}

static enum column_type
decimal_type(duckdb_type inside)
{
    switch (inside) {
    case DUCKDB_TYPE_SMALLINT: return COLUMN_DECIMAL16;
    case DUCKDB_TYPE_INTEGER: return COLUMN_DECIMAL32;
    case DUCKDB_TYPE_BIGINT: return COLUMN_DECIMAL64;
    case DUCKDB_TYPE_HUGEINT: return COLUMN_DECIMAL128;
    default: return COLUMN_OTHER;
    }
}

static enum column_type
type_of(duckdb_type type)
{
    switch (type) {
    case DUCKDB_TYPE_BOOLEAN: return COLUMN_BOOL;
    case DUCKDB_TYPE_TINYINT: return COLUMN_I8;
    case DUCKDB_TYPE_SMALLINT: return COLUMN_I16;
    case DUCKDB_TYPE_INTEGER: return COLUMN_I32;
    case DUCKDB_TYPE_BIGINT: return COLUMN_I64;
    case DUCKDB_TYPE_HUGEINT: return COLUMN_I128;
    case DUCKDB_TYPE_UTINYINT: return COLUMN_U8;
    case DUCKDB_TYPE_USMALLINT: return COLUMN_U16;
    case DUCKDB_TYPE_UINTEGER: return COLUMN_U32;
    case DUCKDB_TYPE_UBIGINT: return COLUMN_U64;
    case DUCKDB_TYPE_DOUBLE: return COLUMN_F64;
    case DUCKDB_TYPE_VARCHAR: return COLUMN_TEXT;
    case DUCKDB_TYPE_DATE: return COLUMN_DATE;
    case DUCKDB_TYPE_TIMESTAMP: return COLUMN_TIMESTAMP;
    case DUCKDB_TYPE_LIST: return COLUMN_LIST;
    case DUCKDB_TYPE_SQLNULL: return COLUMN_NOTHING;
    default: return COLUMN_OTHER;
    }
}

static void
shape_read(duckdb_logical_type logical, struct column *out)
{
    duckdb_type type = duckdb_get_type_id(logical);

    out->type = type_of(type);
    if (type == DUCKDB_TYPE_DECIMAL) {
        out->type = decimal_type(duckdb_decimal_internal_type(logical));
        out->scale = duckdb_decimal_scale(logical);
    }
    if (type == DUCKDB_TYPE_LIST) {
        duckdb_logical_type item = duckdb_list_type_child_type(logical);

        out->item = type_of(duckdb_get_type_id(item));
        duckdb_destroy_logical_type(&item);
    }
}

void
duck_vector_read(duckdb_vector v, struct column *out)
{
    duckdb_logical_type logical = duckdb_vector_get_column_type(v);

    *out = (struct column){.type = COLUMN_OTHER};
    shape_read(logical, out);
    duckdb_destroy_logical_type(&logical);
    out->data = duckdb_vector_get_data(v);
    out->valid = duckdb_vector_get_validity(v);
}

/* Names and types of the columns of the prepared statement. */
static custos_status
rows_shape(struct duck_rows *r, custos_err *err)
{
    r->is.width = duckdb_prepared_statement_column_count(r->statement);
    if (r->is.width > ROWS_COLUMNS_MAX)
        return fail_engine(err, "more columns than are read");
    r->is.shape = calloc(r->is.width + 1, sizeof *r->is.shape);
    r->is.names = calloc(r->is.width + 1, sizeof *r->is.names);
    if (!r->is.shape || !r->is.names)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < r->is.width; i++) {
        duckdb_logical_type logical =
            duckdb_prepared_statement_column_logical_type(r->statement, i);
        const char *name =
            duckdb_prepared_statement_column_name(r->statement, i);

        shape_read(logical, &r->is.shape[i]);
        duckdb_destroy_logical_type(&logical);
        r->is.names[i] = strdup(name ? name : "");
        duckdb_free((void *)name);
        if (!r->is.names[i])
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    return CUSTOS_OK;
}

static void
rows_free(struct result *result)
{
    struct duck_rows *r = (struct duck_rows *)result;

    duckdb_destroy_data_chunk(&r->chunk);
    if (r->has_result)
        duckdb_destroy_result(&r->result);
    if (r->kept)
        r->kept->busy = false;
    else
        duckdb_destroy_prepare(&r->statement);
    for (size_t i = 0; r->is.names && i < r->is.width; i++)
        free(r->is.names[i]);
    free(r->is.names);
    free(r->is.shape);
    free(r);
}

static custos_status
rows_next(struct result *result, size_t *n, struct column *columns,
          custos_err *err)
{
    struct duck_rows *r = (struct duck_rows *)result;
    const char *words;

    duckdb_destroy_data_chunk(&r->chunk);
    duck_numbers_use(&r->bound);
    r->chunk = duckdb_stream_fetch_chunk(r->result);
    duck_numbers_use(NULL);
    if (!r->chunk) {
        words = duckdb_result_error(&r->result);
        if (words && *words)
            return fail_engine(err, words);
        *n = 0;
        return CUSTOS_OK;
    }
    for (size_t i = 0; i < r->is.width; i++) {
        duckdb_vector v = duckdb_data_chunk_get_vector(r->chunk, i);

        columns[i] = r->is.shape[i];
        columns[i].data = duckdb_vector_get_data(v);
        columns[i].valid = duckdb_vector_get_validity(v);
        if (columns[i].type == COLUMN_LIST) {
            v = duckdb_list_vector_get_child(v);
            columns[i].items = duckdb_vector_get_data(v);
            columns[i].items_valid = duckdb_vector_get_validity(v);
        }
    }
    *n = duckdb_data_chunk_get_size(r->chunk);
    return CUSTOS_OK;
}

static const struct result_ops rows_ops = {rows_next, rows_free};

/* Prepares a statement. */
static custos_status
rows_new(struct duck_connection *c, const char *sql, struct duck_rows **out,
         custos_err *err)
{
    struct duck_rows *r = calloc(1, sizeof *r);
    custos_status st;

    if (!r)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    r->is.ops = &rows_ops;
    if (!duck_prepare(c, sql, &r->statement, &r->kept, &r->bound))
        st = fail_engine(err, duckdb_prepare_error(r->statement));
    else
        st = rows_shape(r, err);
    if (st)
        rows_free(&r->is);
    else
        *out = r;
    return st;
}

custos_status
duck_describe(struct duck_connection *c, const char *sql, struct result **out,
              custos_err *err)
{
    struct duck_rows *r = NULL;
    custos_status st = rows_new(c, sql, &r, err);

    if (!st)
        *out = &r->is;
    return st;
}

custos_status
duck_ask(struct duck_connection *c, const char *sql, struct result **out,
         custos_err *err)
{
    struct duck_rows *r = NULL;
    custos_status st = rows_new(c, sql, &r, err);
    duckdb_state state;

    if (st)
        return st;
    r->has_result = true;
    duck_numbers_use(&r->bound);
    state = duckdb_execute_prepared_streaming(r->statement, &r->result);
    duck_numbers_use(NULL);
    if (state != DuckDBSuccess) {
        st = fail_engine(err, duckdb_result_error(&r->result));
        rows_free(&r->is);
        return st;
    }
    *out = &r->is;
    return CUSTOS_OK;
}

custos_status
duck_ask_whole(struct duck_connection *c, const char *sql, i128 *out,
               custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *r = NULL;
    size_t n = 0;
    custos_status st = duck_ask(c, sql, &r, err);

    if (st)
        return st;
    st = result_next(r, &n, columns, err);
    if (!st && (n != 1 || r->width != 1))
        st = fail_engine(err, "not one value");
    if (!st)
        *out =
            column_is_null(&columns[0], 0) ? 0 : column_whole(&columns[0], 0);
    /* Read to the end: an open result would keep its transaction open. */
    if (!st)
        st = result_next(r, &n, columns, err);
    result_free(r);
    return st;
}

static void
add_quoted(struct buf *b, str text, char mark)
{
    buf_add(b, &mark, 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0')
            b->failed = true;
        if (text.ptr[i] == mark)
            buf_add(b, &mark, 1);
        buf_add(b, text.ptr + i, 1);
    }
    buf_add(b, &mark, 1);
}

void
duck_quote_text(struct buf *b, str text)
{
    add_quoted(b, text, '\'');
}

void
duck_quote_name(struct buf *b, str name)
{
    add_quoted(b, name, '"');
}
