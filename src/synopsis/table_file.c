#include "synopsis/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/error.h"

enum { PATH_BYTES = 4096, ROW_BYTES = 1 << 24 };

/* -------------------------------------------------------------------- names -- */

static bool
is_taken(const struct table_column *columns, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_equal_but_case(columns[i].name, name))
            return true;
    return false;
}

bool
table_names_differ(arena *a, struct table_column *columns, size_t n)
{
    for (size_t i = 1; i < n; i++)
        while (is_taken(columns, i, columns[i].name)) {
            char *longer = arena_take(a, columns[i].name.len + 2, 1);

            if (!longer)
                return false;
            memcpy(longer, columns[i].name.ptr, columns[i].name.len);
            longer[columns[i].name.len] = '_';
            columns[i].name = str_of(longer);
        }
    return true;
}

/* --------------------------------------------------------------------- file -- */

custos_status
table_writer_open(struct table_writer *w, const char *dir,
                  const struct table_file *f, custos_err *err)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s/%.*s.csv", dir, (int)f->name.len,
                     f->name.ptr),
        fd;

    *w = (struct table_writer){.file = NULL};
    if (n < 0 || (size_t)n >= sizeof path)
        return custos_fail(err, CUSTOS_EINVAL, "the path %.100s is too long",
                           dir);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    w->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!w->file) {
        if (fd >= 0)
            close(fd);
        return custos_fail(err, CUSTOS_EIO, "cannot write %.150s: %s", path,
                           strerror(errno));
    }
    buf_init(&w->row, NULL, ROW_BYTES);
    for (size_t i = 0; i < f->n_columns; i++)
        table_writer_text(w, f->columns[i].name);
    table_writer_end_row(w);
    return CUSTOS_OK;
}

static void
begin_cell(struct table_writer *w)
{
    if (w->begun)
        buf_add_text(&w->row, ",");
    w->begun = true;
}

void
table_writer_datum(struct table_writer *w, const struct datum *value)
{
    begin_cell(w);
    csv_add_datum(&w->row, value);
}

void
table_writer_text(struct table_writer *w, str text)
{
    begin_cell(w);
    csv_add_text(&w->row, text);
}

void
table_writer_number(struct table_writer *w, double x)
{
    begin_cell(w);
    if (!isnan(x))
        buf_printf(&w->row, "%.10g", x);
}

/* An error of the file is kept in its own flag, one of the buf in the buf. */
void
table_writer_end_row(struct table_writer *w)
{
    buf_add_text(&w->row, "\n");
    w->begun = false;
    if (w->row.failed)
        return;
    fwrite(w->row.ptr, 1, w->row.len, w->file);
    w->row.len = 0;
}

custos_status
table_writer_close(struct table_writer *w, custos_err *err)
{
    bool memory = w->file && w->row.failed, good = w->file != NULL;

    if (!w->file)
        return CUSTOS_OK;
    buf_clear(&w->row);
    good = !ferror(w->file) && !fflush(w->file) && !fsync(fileno(w->file));
    good = !fclose(w->file) && good;
    w->file = NULL;
    if (memory)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EIO,
                              "cannot write a file of the release" HINT
                              "is the disk full?");
}
