/*
 * Makes the tables of a sandbox and appends their rows, which never become text of a
 * statement. Then runs the dialect's texts for this kind of sandbox.
 */
#include "engine/duckdb/sandbox_fill.h"

#include <string.h>

#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/duckdb/duck_inside.h"
#include "engine/duckdb/duck_texts.h"

enum { COMMANDS_MOST = 1 << 22 };

static bool
begins_schema(const struct sandbox_content *content, size_t table)
{
    for (size_t i = 0; i < table; i++)
        if (!strcmp(content->tables[i].schema, content->tables[table].schema))
            return false;
    return true;
}

static custos_status
make_tables(struct duck_connection *c, const struct sandbox_content *content,
            custos_err *err)
{
    struct buf b;

    buf_init(&b, NULL, COMMANDS_MOST);
    for (size_t i = 0; i < content->n_tables; i++) {
        if (begins_schema(content, i))
            duck_print_schema(content->tables[i].schema, &b);
        duck_print_sandbox_table(&content->tables[i], &b);
    }
    return duck_do_printed(c, &b, err);
}

static bool
append_cell(duckdb_appender to, const struct datum *d)
{
    switch (d->type) {
    case TYPE_NULL: return duckdb_append_null(to) == DuckDBSuccess;
    case TYPE_BOOL: return duckdb_append_bool(to, d->n != 0) == DuckDBSuccess;
    case TYPE_TEXT:
        return duckdb_append_varchar_length(to, d->text.len ? d->text.ptr : "",
                                            d->text.len) == DuckDBSuccess;
    case TYPE_INT:
        return duckdb_append_int64(to, (int64_t)d->n) == DuckDBSuccess;
    default: return false;
    }
}

static bool
append_all(duckdb_appender to, const struct sandbox_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        for (size_t k = 0; k < t->n_columns; k++)
            if (!append_cell(to, &t->cells[i * t->n_columns + k]))
                return false;
        if (duckdb_appender_end_row(to) != DuckDBSuccess)
            return false;
    }
    return duckdb_appender_close(to) == DuckDBSuccess;
}

static custos_status
append_rows(struct duck_connection *c, const struct sandbox_table *t,
            custos_err *err)
{
    duckdb_appender to = NULL;
    custos_status st = CUSTOS_OK;
    struct buf name;

    if (t->n_rows == 0)
        return CUSTOS_OK;
    buf_init(&name, NULL, COMMANDS_MOST);
    duck_print_sandbox_name(t, &name);
    if (name.failed) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    } else if (duckdb_appender_create(c->c, t->schema, buf_text(&name), &to) !=
                   DuckDBSuccess ||
               !append_all(to, t)) {
        const char *words = duckdb_appender_error(to);

        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
        custos_note(err, "%s", words ? words : "");
    }
    duckdb_appender_destroy(&to);
    buf_clear(&name);
    return st;
}

custos_status
sandbox_fill(struct duck_connection *c, const struct sandbox_content *content,
             custos_err *err)
{
    custos_status st = make_tables(c, content, err);

    for (size_t i = 0; i < content->n_tables && !st; i++)
        st = append_rows(c, &content->tables[i], err);
    if (content->kind == SANDBOX_TABLES)
        return st;
    if (!st)
        st = duck_do(c, (const char *)catalog_rows_sql, err);
    if (!st)
        st = duck_do(c, (const char *)catalog_macros_sql, err);
    return st;
}
