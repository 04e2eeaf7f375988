/*
 * A file of queries is read line by line; an empty line ends a query. The
 * standing corpus has the same form and is part of the command.
 */
#include "audit/curator/corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/str.h"

enum { QUERY_MAX = 1 << 17 };

static custos_status
add_query(struct corpus *c, struct buf *sql, double epsilon, custos_err *err)
{
    struct corpus_query *more;
    char *text;

    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 256;

        more = realloc(c->query, room * sizeof *more);
        if (!more)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        c->query = more;
        c->room = room;
    }
    text = sql->failed ? NULL : strdup(buf_text(sql));
    if (!text)
        return custos_fail(err, CUSTOS_ENOMEM,
                           "a query of the corpus is longer than %d bytes",
                           QUERY_MAX);
    c->query[c->n++] = (struct corpus_query){text, epsilon};
    buf_clear(sql);
    buf_init(sql, NULL, QUERY_MAX);
    return CUSTOS_OK;
}

static custos_status
read_lines(struct corpus *c, FILE *file, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    double epsilon = 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    struct buf sql;

    buf_init(&sql, NULL, QUERY_MAX);
    while (!st && (len = getline(&line, &room, file)) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (line[0] == '@')
            epsilon = strtod(line + 1, NULL);
        else if (line[0])
            buf_printf(&sql, "%s%s", sql.len ? " " : "", line);
        else if (sql.len) {
            st = add_query(c, &sql, epsilon, err);
            epsilon = 0;
        }
    }
    if (!st && sql.len)
        st = add_query(c, &sql, epsilon, err);
    buf_clear(&sql);
    free(line);
    return st;
}

custos_status
corpus_read(struct corpus *c, const char *path, custos_err *err)
{
    FILE *file = fopen(path, "re");
    size_t before = c->n;
    custos_status st;

    if (!file)
        return custos_fail(err, CUSTOS_EIO, "cannot read %s: %s", path,
                           strerror(errno));
    st = read_lines(c, file, err);
    if (!st && ferror(file))
        st = custos_fail(err, CUSTOS_EIO, "cannot read %s: %s", path,
                         strerror(errno));
    else if (!st && c->n == before)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "%s has no queries" HINT
                         "write one or more, with an empty line after each",
                         path);
    fclose(file);
    return st;
}

/* The files that the build puts into the command (src/meson.build). */
extern const unsigned char errors_txt[], time_txt[], causes_txt[];
extern const size_t errors_txt_len, time_txt_len, causes_txt_len;

custos_status
corpus_standing(struct corpus *c, custos_err *err)
{
    const str texts[] = {
        {(const char *)causes_txt, causes_txt_len},
        {(const char *)errors_txt, errors_txt_len},
        {(const char *)time_txt, time_txt_len},
    };
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < COUNT_OF(texts); i++) {
        /* read only: fmemopen takes no const */
        FILE *file = fmemopen((void *)texts[i].ptr, texts[i].len, "r");

        if (!file)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        st = read_lines(c, file, err);
        fclose(file);
    }
    return st;
}

custos_status
corpus_check_append(const char *path, custos_err *err)
{
    bool is_new = false;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        is_new = fd >= 0;
    }
    if (fd < 0)
        return custos_fail(err, CUSTOS_EIO, "cannot write %s: %s", path,
                           strerror(errno));
    close(fd);
    if (is_new)
        unlink(path);
    return CUSTOS_OK;
}

custos_status
corpus_append(const char *path, const char *remark, const char *sql,
              double epsilon, custos_err *err)
{
    FILE *file = fopen(path, "ae");
    bool good;

    if (!file)
        return custos_fail(err, CUSTOS_EIO, "cannot write %s: %s", path,
                           strerror(errno));
    fprintf(file, "# %s\n@ %g\n%s\n\n", remark, epsilon, sql);
    good = !ferror(file);
    good = fclose(file) == 0 && good;
    return good ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EIO, "cannot write %s", path);
}

void
corpus_clear(struct corpus *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->query[i].sql);
    free(c->query);
    *c = (struct corpus){0};
}
