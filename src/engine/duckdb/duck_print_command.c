/*
 * Statements other than selects: they make, fill and drop tables, attach a database,
 * and set how an import runs.
 */
#include "engine/duckdb/duck_print.h"

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
