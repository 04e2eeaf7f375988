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

/* Makes DIR/NAME, which must not exist. */
static custos_status
new_file(const char *dir, str name, const char *ending, FILE **out,
         custos_err *err)
{
    char path[PATH_BYTES];
    int fd;

    if ((size_t)snprintf(path, sizeof path, "%s/%.*s%s", dir, (int)name.len,
                         name.ptr, ending) >= sizeof path)
        return custos_fail(err, CUSTOS_EINVAL, "the path %.100s is too long",
                           dir);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (*out)
        return CUSTOS_OK;
    if (fd >= 0)
        close(fd);
    return custos_fail(err, CUSTOS_EIO, "cannot write %.150s: %s", path,
                       strerror(errno));
}

static custos_status
finish_file(FILE *f, custos_err *err)
{
    bool good = !ferror(f) && !fflush(f) && !fsync(fileno(f));

    good = !fclose(f) && good;
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EIO,
                              "cannot write a file of the release" HINT
                              "is the disk full?");
}

custos_status
public_file_write(const char *dir, const char *name, str text, custos_err *err)
{
    FILE *f = NULL;
    custos_status st = new_file(dir, str_of(name), "", &f, err);

    if (st)
        return st;
    fwrite(text.ptr, 1, text.len, f);
    return finish_file(f, err);
}

custos_status
table_writer_open(struct table_writer *w, const char *dir,
                  const struct table_file *f, custos_err *err)
{
    custos_status st;

    *w = (struct table_writer){.file = NULL};
    st = new_file(dir, f->name, ".csv", &w->file, err);
    if (st)
        return st;
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
    bool memory = w->file && w->row.failed;
    custos_status st;

    if (!w->file)
        return CUSTOS_OK;
    buf_clear(&w->row);
    st = finish_file(w->file, err);
    w->file = NULL;
    return memory && !st ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                         : st;
}
