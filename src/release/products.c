#include "release/products.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "engine/parquet.h"
#include "store/store.h"
#include "synopsis/public_report.h"
#include "synopsis/schema_sql.h"

enum { NAMES_BYTES = 1 << 28, SCHEMA_BYTES = 1 << 26 };

struct writing {
    const struct synopsis *s;
    const struct synthetic_rows *rows;
    custos_rng *rng;
    const struct products_options *o;
    const char *folder;
    arena *a;
    struct parquet_writer *parquet;
};

static void
report(const struct writing *w, const char *what, size_t done, size_t all)
{
    if (w->o->progress)
        w->o->progress(w->o->ctx, what, done, all);
}

static void
report_tables(void *ctx, size_t done, size_t all)
{
    report(ctx, "tables", done, all);
}

static void
report_rows(void *ctx, size_t done, size_t all)
{
    report(ctx, "synthetic rows", done, all);
}

/* below: the folder of the file inside w->folder, with its slash. */
static custos_status
add_parquet(const struct writing *w, const char *below,
            const struct table_file *f, custos_err *err)
{
    struct engine_source_column *columns =
        calloc(f->n_columns + 1, sizeof *columns);
    char name[STORE_PATH_MAX];
    custos_status st;

    if (!columns)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < f->n_columns; i++)
        columns[i] = (struct engine_source_column){
            f->columns[i].name, f->columns[i].type, f->columns[i].scale};
    snprintf(name, sizeof name, "%s%.*s", below, (int)f->name.len, f->name.ptr);
    st = parquet_write(w->parquet, name, columns, f->n_columns, err);
    free(columns);
    return st;
}

/* below: the folder of the tables inside w->folder, with its slash. */
static custos_status
write_tables(struct writing *w, const char *below, enum tables_kind kind,
             struct tables_list *list, custos_err *err)
{
    char folder[STORE_PATH_MAX];
    custos_status st;

    if ((size_t)snprintf(folder, sizeof folder, "%s/%s", w->folder, below) >=
        sizeof folder)
        return custos_fail(err, CUSTOS_EINVAL, "the path %.100s is too long",
                           w->folder);
    if (mkdir(folder, 0777))
        return custos_fail(err, CUSTOS_EIO, "cannot make %.150s: %s", folder,
                           strerror(errno));
    st = tables_write(w->s, w->rows, kind, folder, w->a, report_tables, w, list,
                      err);
    for (size_t i = 0; !st && i < list->n; i++) {
        st = add_parquet(w, below, &list->files[i], err);
        report(w, "tables as Parquet", i + 1, list->n);
    }
    return st;
}

static custos_status
write_rows(struct writing *w, custos_err *err)
{
    struct table_file file;
    custos_status st =
        synthetic_write(w->s, w->rows, w->o->rules, w->rng, w->folder, w->a,
                        report_rows, w, &file, err);

    return st ? st : add_parquet(w, "", &file, err);
}

static custos_status
write_schema(const struct writing *w, custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, SCHEMA_BYTES);
    schema_sql(w->s->schema, &text);
    st = text.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                     : public_file_write(w->folder, "schema.sql",
                                         str_of(buf_text(&text)), err);
    buf_clear(&text);
    return st;
}

custos_status
products_write(const struct synopsis *s, const struct synthetic_rows *rows,
               custos_rng *rng, const struct products_options *o,
               const char *folder, custos_err *err)
{
    struct writing w = {
        s, rows, rng, o, folder, arena_new(NULL, NAMES_BYTES), .parquet = NULL};
    struct tables_list list;
    custos_status st = CUSTOS_OK;

    if (!w.a)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = parquet_writer_open(folder, &w.parquet, err);
    if (!st)
        st = write_tables(&w, "tables/", TABLES_UNBIASED, &list, err);
    if (!st && rows)
        st = write_rows(&w, err);
    if (!st)
        st = write_schema(&w, err);
    if (!st)
        st =
            public_report_write(s, list.facts, rows ? rows->n : 0, folder, err);
    parquet_writer_close(w.parquet);
    arena_free(w.a);
    return st;
}

custos_status
products_write_consistent(const struct synopsis *s,
                          const struct products_options *o, const char *folder,
                          custos_err *err)
{
    struct writing w = {
        .s = s, .o = o, .folder = folder, .a = arena_new(NULL, NAMES_BYTES)};
    struct tables_list list;
    custos_status st = w.a ? parquet_writer_open(folder, &w.parquet, err)
                           : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = write_tables(&w, "consistent/", TABLES_CONSISTENT, &list, err);
    parquet_writer_close(w.parquet);
    arena_free(w.a);
    return st;
}
