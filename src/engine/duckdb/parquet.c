#include "engine/parquet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/import/view.h"
#include "engine/refail.h"
#include "store/file.h"

enum { STATEMENT_BYTES = 1 << 20 };

struct parquet_writer {
    struct duck *db;
    struct duck_connection *c;
    char folder[STORE_PATH_MAX];
};

static custos_status
fail_path(const char *path, custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL, "the path %.100s is too long", path);
}

custos_status
parquet_writer_open(const char *folder, struct parquet_writer **out,
                    custos_err *err)
{
    struct parquet_writer *w = calloc(1, sizeof *w);
    custos_status st;
    struct buf b;

    if (!w)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if ((size_t)snprintf(w->folder, sizeof w->folder, "%s", folder) >=
        sizeof w->folder)
        st = fail_path(folder, err);
    else
        st = duck_open(NULL, DUCK_WRITE, &w->db, err);
    if (!st)
        st = duck_connect(w->db, &w->c, err);
    if (!st) {
        buf_init(&b, NULL, STATEMENT_BYTES);
        duck_print_folder(folder, &b);
        st = duck_do_printed(w->c, &b, err);
    }
    if (st)
        parquet_writer_close(w);
    else
        *out = w;
    return st;
}

void
parquet_writer_close(struct parquet_writer *w)
{
    if (!w)
        return;
    duck_disconnect(w->c);
    duck_close(w->db);
    free(w);
}

/* The columns with the types in which an import would store them. NULL: no memory. */
static struct file_column *
typed(const struct engine_source_column *columns, size_t n)
{
    struct file_column *of = calloc(n + 1, sizeof *of);

    for (size_t i = 0; of && i < n; i++) {
        const struct policy_column c = {.name = columns[i].name,
                                        .type = columns[i].type,
                                        .scale = columns[i].scale};

        of[i] = (struct file_column){c.name, view_type(&c)};
    }
    return of;
}

/* Does the note say that reading or writing a file failed? */
static bool
is_of_the_disk(const custos_err *err)
{
    static const char begin[] = "IO Error";

    return err && !strncmp(err->noted, begin, sizeof begin - 1);
}

custos_status
parquet_write(struct parquet_writer *w, const char *name,
              const struct engine_source_column *columns, size_t n,
              custos_err *err)
{
    struct file_column *of = typed(columns, n);
    char from[STORE_PATH_MAX], to[STORE_PATH_MAX];
    custos_status st;
    struct buf b;

    if (!of)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if ((size_t)snprintf(from, sizeof from, "%s/%s.csv", w->folder, name) >=
            sizeof from ||
        (size_t)snprintf(to, sizeof to, "%s/%s.parquet", w->folder, name) >=
            sizeof to) {
        free(of);
        return fail_path(name, err);
    }
    buf_init(&b, NULL, STATEMENT_BYTES);
    duck_print_parquet(from, of, n, to, &b);
    free(of);
    st = duck_do_printed(w->c, &b, err);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EIO,
                    is_of_the_disk(err)
                        ? "cannot write a Parquet file of the release" HINT
                          "is the disk full?"
                        : "cannot write a Parquet file of the release");
    return st ? st : file_sync(to, err);
}
