/*
 * One function for each statement. Names of tables and schemas are our own and need no
 * quotes; texts and names of columns are quoted.
 */
#include "engine/duckdb/duck_print_command.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

custos_status
duck_do_printed(struct duck_connection *c, struct buf *printed, custos_err *err)
{
    custos_status st = printed->failed
                           ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                           : duck_do(c, buf_text(printed), err);

    buf_clear(printed);
    return st;
}

/* ------------------------------------------------------------------ tables -- */

void
duck_print_table(enum duck_lifetime kind, const char *name,
                 const struct select *s, const struct duck_table *tables,
                 struct buf *out)
{
    buf_printf(out, "CREATE %s %s AS ",
               kind == DUCK_TABLE_STORED ? "TABLE" : "OR REPLACE TEMP TABLE",
               name);
    duck_print_select(s, tables, out);
}

void
duck_print_drop(enum duck_lifetime kind, const char *name, struct buf *out)
{
    buf_printf(out, "DROP TABLE %s%s",
               kind == DUCK_TABLE_STORED ? "" : "IF EXISTS " DUCK_TEMPORARY,
               name);
}

void
duck_print_create(const char *name, const struct stored_column *columns,
                  size_t n, struct buf *out)
{
    buf_printf(out, "CREATE TABLE %s (", name);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%s%s ", i ? ", " : "", columns[i].name);
        duck_print_type(columns[i].type, out);
    }
    buf_add_text(out, ")");
}

void
duck_print_insert(const char *table, const struct terms *row, struct buf *out)
{
    buf_printf(out, "INSERT INTO %s VALUES (", table);
    for (const struct term_link *l = row->first; l; l = l->next) {
        buf_add_text(out, l == row->first ? "" : ", ");
        duck_print_term(l->term, out);
    }
    buf_add_text(out, ")");
}

void
duck_print_attach(const char *path, const char *name, enum duck_mode mode,
                  const str *key, struct buf *out)
{
    buf_add_text(out, "ATTACH ");
    duck_quote_text(out, str_of(path));
    buf_printf(out, " AS %s", name);
    if (mode == DUCK_WRITE)
        return;
    buf_add_text(out, " (TYPE duckdb, READ_ONLY");
    if (key) {
        buf_add_text(out, ", ENCRYPTION_KEY ");
        duck_quote_text(out, *key);
    }
    buf_add_text(out, ")");
}

/* ------------------------------------------------------------------- files -- */

void
duck_print_parquet(const char *from, const struct file_column *columns,
                   size_t n, const char *to, struct buf *out)
{
    buf_add_text(out, "COPY (FROM read_csv(");
    duck_quote_text(out, str_of(from));
    buf_printf(out,
               ", auto_detect=false, header=true, delim=',', quote='\"', "
               "escape='\"', nullstr='', allow_quoted_nulls=false, "
               "max_line_size=%d, columns={",
               (int)FILE_LINE_BYTES);
    for (size_t i = 0; i < n; i++) {
        buf_add_text(out, i ? ", " : "");
        duck_quote_text(out, columns[i].name);
        buf_add_text(out, ": '");
        duck_print_type(columns[i].type, out);
        buf_add_text(out, "'");
    }
    buf_add_text(out, "})) TO ");
    duck_quote_text(out, str_of(to));
    buf_add_text(out, " (FORMAT parquet, COMPRESSION zstd)");
}

/* One thread: rows keep their order in little memory. */
void
duck_print_folder(const char *folder, struct buf *out)
{
    buf_add_text(out, "SET threads = 1; SET memory_limit = '512MB'; SET "
                      "temp_directory = ''; SET allowed_directories = [");
    duck_quote_text(out, str_of(folder));
    buf_add_text(out, "]; SET enable_external_access = false; SET "
                      "lock_configuration = true");
}

/* --------------------------------------------------------------- sandboxes -- */

static const char *
type_name(enum column_type type)
{
    switch (type) {
    case COLUMN_BOOL: return "BOOLEAN";
    case COLUMN_I16: return "SMALLINT";
    case COLUMN_I32: return "INTEGER";
    case COLUMN_I64: return "BIGINT";
    case COLUMN_U32: return "UINTEGER";
    case COLUMN_F64: return "DOUBLE";
    case COLUMN_TIMESTAMP: return "TIMESTAMP";
    default: return "VARCHAR";
    }
}

static void
print_column(const struct sandbox_column *c, struct buf *out)
{
    bool list = c->type == COLUMN_LIST;

    duck_quote_name(out, c->name);
    buf_printf(out, " %s%s", type_name(list ? c->item : c->type),
               list ? "[]" : "");
    if (c->unset == SANDBOX_UNSET_ZERO)
        buf_printf(out, " DEFAULT %s", c->type == COLUMN_BOOL ? "false" : "0");
}

static bool
has_database(const struct sandbox_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].unset == SANDBOX_UNSET_DATABASE)
            return true;
    return false;
}

/* Needs the name no quotes? */
static bool
is_bare(const char *name)
{
    return *name &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")];
}

void
duck_print_sandbox_name(const struct sandbox_table *t, struct buf *out)
{
    CUSTOS_REQUIRE(is_bare(t->schema) && is_bare(t->name));
    buf_printf(out, "%s%s", has_database(t) ? "_" : "", t->name);
}

static void
print_view(const struct sandbox_table *t, struct buf *out)
{
    const char *before = "";

    buf_printf(out, "CREATE VIEW %s.%s AS SELECT * REPLACE (", t->schema,
               t->name);
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].unset == SANDBOX_UNSET_DATABASE) {
            buf_printf(out, "%sCAST(getvariable('database') AS VARCHAR) AS ",
                       before);
            duck_quote_name(out, t->columns[i].name);
            before = ", ";
        }
    buf_printf(out, ") FROM %s.", t->schema);
    duck_print_sandbox_name(t, out);
    buf_add_text(out, ";\n");
}

void
duck_print_schema(const char *name, struct buf *out)
{
    buf_printf(out, "CREATE SCHEMA %s;\n", name);
}

void
duck_print_sandbox_table(const struct sandbox_table *t, struct buf *out)
{
    buf_printf(out, "CREATE TABLE %s.", t->schema);
    duck_print_sandbox_name(t, out);
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_add_text(out, i == 0 ? "(" : ", ");
        print_column(&t->columns[i], out);
    }
    buf_add_text(out, ");\n");
    if (has_database(t))
        print_view(t, out);
}

void
duck_print_variable(const char *name, str text, struct buf *out)
{
    buf_printf(out, "SET VARIABLE %s = ", name);
    duck_quote_text(out, text);
}

/* ---------------------------------------------------------------- settings -- */

void
duck_print_threads(unsigned n, struct buf *out)
{
    buf_printf(out, "SET threads = %u", n);
}

static void
print_paths(const struct engine_data *d, struct buf *out)
{
    const char *before = "[";

    for (size_t i = 0; i < d->policy->n_tables; i++) {
        const struct duck_table *t = &d->read[i];

        if (!t->path || t->attach[0] != '\0')
            continue;
        buf_add_text(out, before);
        duck_quote_text(out, str_of(t->path));
        before = ", ";
    }
    buf_add_text(out, *before == '[' ? "[]" : "]");
}

/* One optimizer is disabled: top_n_window_elimination of DuckDB 1.5 fails on some
   queries over attached tables (doc/decisions/duckdb-version.md). */
void
duck_print_seal(const struct engine_data *d, struct buf *out)
{
    buf_printf(out, "SET memory_limit = '%" PRIu64 "MB'; SET temp_directory = ",
               d->memory_bytes >> 20);
    duck_quote_text(out, str_of(d->spill));
    buf_add_text(out, "; SET disabled_optimizers = 'top_n_window_elimination'; "
                      "SET allowed_paths = ");
    print_paths(d, out);
    buf_add_text(out, "; SET enable_external_access = false; SET "
                      "lock_configuration = true");
}

void
duck_print_import_settings(long memory_mb, const char *spill, struct buf *out)
{
    buf_printf(out,
               "SET memory_limit = '%ldMB'; SET temp_directory = ", memory_mb);
    duck_quote_text(out, str_of(spill));
    buf_add_text(out, "; SET enable_progress_bar = true; SET "
                      "enable_progress_bar_print = false; SET "
                      "progress_bar_time = 0");
}

void
duck_print_checkpoint(struct buf *out)
{
    buf_add_text(out, "CHECKPOINT");
}
