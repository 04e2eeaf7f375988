/*
 * All columns of a CSV are read as text and named by its first line. Values get
 * their types from the policy; those that do not fit become NULL. The separator is
 * the first comma, semicolon, tab or | that the first line has outside quotes.
 */
#include "engine/import/source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/import/csv_fault.h"
#include "engine/import/file_age.h"
#include "engine/import/parquet_check.h"
#include "engine/refail.h"

enum { STATEMENT_MOST = 1 << 20 };

/* A path with one of these characters is a pattern of files to the engine. */
#define PATTERN "*?["

custos_status
source_missing(const char *path, custos_err *err)
{
    return custos_fail(err, CUSTOS_ENAME,
                       "the source %.150s does not exist or is not readable",
                       path);
}

/* Copies the text of b into `a`, and clears b; NULL on failure. */
static char *
take_text(arena *a, struct buf *b)
{
    char *text = b->failed ? NULL : arena_copy(a, str_of(buf_text(b)));

    buf_clear(b);
    return text;
}

custos_status
source_ask(struct duck_connection *c, enum source_asked what,
           const struct builder *b, const struct select *s, struct result **out,
           custos_err *err)
{
    struct buf text;
    custos_status st;

    buf_init(&text, NULL, STATEMENT_MOST + 64);
    if (!b->failed)
        duck_print_select(s, NULL, &text);
    if (b->failed || text.failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else if (what == SOURCE_ASK_ROWS)
        st = duck_ask(c, buf_text(&text), out, err);
    else
        st = duck_describe(c, buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}

custos_status
source_shape(struct duck_connection *c, const struct file *f,
             struct result **out, custos_err *err)
{
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    s = select_new(&b, input_file(&b, f));
    s->all = true;
    st = source_ask(c, SOURCE_ASK_SHAPE, &b, s, out, err);
    builder_clear(&b);
    return st;
}

/* Asks for the first line of a text, compressed or not. */
static custos_status
ask_first_line(struct duck_connection *c, const char *path, struct result **out,
               custos_err *err)
{
    struct file text = {.kind = FILE_LINES, .path = path};
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    s = select_new(&b, input_file(&b, &text));
    select_add_bare(&b, s, term_name(&b, NULL, "line"));
    s->has_limit = true;
    s->limit = 1;
    st = source_ask(c, SOURCE_ASK_ROWS, &b, s, out, err);
    builder_clear(&b);
    return st;
}

/* The line without a byte order mark and without carriage returns at its end. */
static str
line_trim(str line)
{
    if (line.len >= 3 && !memcmp(line.ptr, "\xEF\xBB\xBF", 3))
        line = (str){line.ptr + 3, line.len - 3};
    while (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Reads the first line of a file, as the engine does. */
static custos_status
header_read(struct duck_connection *c, const char *path, arena *a, str *out,
            custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st = ask_first_line(c, path, &rows, err);
    const char *line;

    if (!st)
        st = result_next(rows, &n, columns, err);
    if (!st && n > 0) {
        str found = column_text(&columns[0], 0);

        found = line_trim(found);
        line = arena_copy(a, found);
        if (line)
            *out = (str){line, found.len};
        else
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    result_free(rows);
    if (st && st != CUSTOS_ENOMEM) {
        const char *fault = err ? csv_fault_of(err->noted) : NULL;

        return fault ? refail(err, CUSTOS_EPOLICY, "%s", fault)
                     : refail(err, CUSTOS_EIO, "%.120s cannot be read as CSV",
                              path);
    }
    if (!st && n == 0)
        return custos_fail(err, CUSTOS_EPOLICY,
                           "%.120s is empty: its first line must name the "
                           "columns",
                           path);
    return st;
}

static char
separator_of(str line)
{
    static const char candidates[] = {',', ';', '\t', '|'};
    bool quoted = false;

    for (size_t i = 0; i < line.len; i++) {
        quoted ^= line.ptr[i] == '"';
        for (size_t k = 0; k < sizeof candidates && !quoted; k++)
            if (line.ptr[i] == candidates[k])
                return candidates[k];
    }
    return ',';
}

/* Reads the column name that begins at *at; moves *at past its separator. */
static void
name_read(str line, char separator, size_t *at, struct buf *out)
{
    bool quoted = false;
    size_t i = *at;

    for (; i < line.len && (quoted || line.ptr[i] != separator); i++) {
        if (line.ptr[i] != '"') {
            buf_add(out, line.ptr + i, 1);
            continue;
        }
        if (quoted && i + 1 < line.len && line.ptr[i + 1] == '"')
            buf_add(out, line.ptr + i++, 1);
        else
            quoted = !quoted;
    }
    *at = i + 1;
}

/* Reads the names of a first line; they are allocated in `a`. */
static custos_status
names_read(str line, char separator, arena *a, str **out, size_t *n,
           custos_err *err)
{
    str *names = arena_take(a, line.len + 1, sizeof *names);

    *n = 0;
    for (size_t at = 0; at <= line.len && names; (*n)++) {
        struct buf b;
        char *name;

        buf_init(&b, NULL, STATEMENT_MOST);
        name_read(line, separator, &at, &b);
        name = take_text(a, &b);
        if (!name)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        names[*n] = str_of(name); /* up to a NUL, if it has one */
    }
    *out = names;
    return names ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Refuses equal names, and names that differ only in case: the engine takes these
   for equal. */
static custos_status
names_check(const char *path, const str *names, size_t n, custos_err *err)
{
    /* A file with more than ROWS_COLUMNS_MAX columns is rejected elsewhere. */
    for (size_t i = 0; i < n && n <= ROWS_COLUMNS_MAX; i++)
        for (size_t k = 0; k < i; k++) {
            if (str_equal(names[i], names[k]))
                return custos_fail(err, CUSTOS_EPOLICY,
                                   "%.90s, line 1: column '%.*s' is named "
                                   "twice" HINT "rename one of them",
                                   path, SHOWN(names[i]));
            if (str_equal_but_case(names[i], names[k]))
                return custos_fail(err, CUSTOS_EPOLICY,
                                   "%.70s, line 1: columns '%.*s' and '%.*s' "
                                   "differ only in case" HINT
                                   "rename one of them",
                                   path, SHOWN(names[k]), SHOWN(names[i]));
        }
    return CUSTOS_OK;
}

/* Finds the separator and the columns of a CSV by its first line. */
static custos_status
csv_open(struct duck_connection *c, const char *path, arena *a,
         struct file *out, custos_err *err)
{
    str line = {"", 0}, *names = NULL;
    size_t n = 0;
    custos_status st = header_read(c, path, a, &line, err);

    if (!st)
        st = names_read(line, separator_of(line), a, &names, &n, err);
    if (!st)
        st = names_check(path, names, n, err);
    if (!st)
        *out = (struct file){.kind = FILE_CSV,
                             .path = path,
                             .separator = separator_of(line),
                             .columns = names,
                             .n_columns = n};
    return st;
}

/*
 * Attaches a DuckDB file under a name. Neither the text of a statement with a
 * key nor the engine's message about it leaves this function.
 */
static custos_status
duckdb_attach(struct duck_connection *c, const char *path,
              const struct secret_file *key, const char *name, arena *a,
              char **attach, custos_err *err)
{
    str secret = key ? (str){key->text, key->len} : (str){NULL, 0};
    custos_err quiet = CUSTOS_ERR_INIT;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, STATEMENT_MOST);
    duck_print_attach(path, name, DUCK_READ, key ? &secret : NULL, &b);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_do(c, buf_text(&b), key ? &quiet : err);
    if (key) {
        buf_clear(&b); /* which wipes it */
        wipe(&quiet, sizeof quiet);
        return !st || st == CUSTOS_ENOMEM
                   ? st
                   : custos_fail(err, CUSTOS_EPOLICY,
                                 "%.100s cannot be opened as a DuckDB file "
                                 "with the key in its secret_file",
                                 path);
    }
    *attach = take_text(a, &b);
    if (st)
        return st == CUSTOS_ENOMEM ? st : file_age_fail(path, err);
    return *attach ? CUSTOS_OK
                   : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Attaches a DuckDB file as s<number>, and finds the table in it. */
static custos_status
duckdb_open(struct duck_connection *c, const char *path, const char *table,
            const struct secret_file *key, size_t number, arena *a,
            struct file *out, char **attach, custos_err *err)
{
    char name[32], *copy;
    custos_status st;

    snprintf(name, sizeof name, "s%zu", number);
    st = duckdb_attach(c, path, key, name, a, attach, err);
    if (st)
        return st;
    copy = arena_copy(a, str_of(name));
    if (!copy)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *out = (struct file){.kind = FILE_DATABASE,
                         .path = path,
                         .database = copy,
                         .table = str_of(table)};
    return CUSTOS_OK;
}

custos_status
source_find(struct duck_connection *c, const char *path, enum source_kind kind,
            const char *table, const struct secret_file *key, size_t number,
            arena *a, struct file *out, char **attach, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    *attach = NULL;
    if (!strpbrk(path, PATTERN) && access(path, R_OK))
        return source_missing(path, err);
    if (kind == SOURCE_CSV)
        return csv_open(c, path, a, out, err);
    if (kind == SOURCE_DUCKDB)
        return duckdb_open(c, path, table, key, number, a, out, attach, err);
    if (!strpbrk(path, PATTERN))
        st = parquet_check(path, err);
    if (!st)
        *out = (struct file){.kind = FILE_PARQUET, .path = path};
    return st;
}

/* Fails: the policy names a column that the source does not have, or that it spells
   in another case. */
static custos_status
column_fail(const struct result *shape, const struct policy_column *column,
            const char *path, custos_err *err)
{
    for (size_t i = 0; i < result_width(shape); i++) {
        str name = str_of(result_name(shape, i));

        if (str_equal_but_case(name, column->name))
            return custos_fail(err, CUSTOS_EPOLICY,
                               "%.60s has no column '%.*s', but one named "
                               "'%.*s'" HINT
                               "write \"%.*s\" in the policy (line "
                               "%d)",
                               path, SHOWN(column->name), SHOWN(name),
                               SHOWN(name), column->line);
    }
    return custos_fail(err, CUSTOS_EPOLICY,
                       "%.80s has no column '%.*s', which the policy names "
                       "(line %d)",
                       path, SHOWN(column->name), column->line);
}

/* The number of the source's column with this name; result_width(shape) if none. */
static size_t
column_find(const struct result *shape, str name)
{
    size_t i = 0;

    while (i < result_width(shape) &&
           !str_equal(str_of(result_name(shape, i)), name))
        i++;
    return i;
}

static custos_status
columns_check(struct duck_connection *c, const struct policy_table *t,
              const char *path, struct source *s, custos_err *err)
{
    struct result *shape = NULL;
    custos_status st = source_shape(c, &s->file, &shape, err);

    if (st == CUSTOS_EENGINE)
        return refail(err, CUSTOS_EPOLICY,
                      "table '%.*s' cannot be read from %.100s", SHOWN(t->name),
                      path);
    for (size_t i = 0; i < t->n_columns && !st; i++) {
        const struct policy_column *column = &t->columns[i];
        size_t at = column_find(shape, column->name);

        if (at == result_width(shape))
            st = column_fail(shape, column, path, err);
        else
            s->types[i] = result_type(shape, at, NULL);
    }
    result_free(shape);
    return st;
}

/* The path of a file that the policy names. */
static custos_status
path_take(str name, const char *base, char path[PATH_MAX], custos_err *err)
{
    bool absolute = !base || (name.len > 0 && name.ptr[0] == '/');

    return snprintf(path, PATH_MAX, "%s%s%.*s", absolute ? "" : base,
                    absolute ? "" : "/", (int)name.len, name.ptr) < PATH_MAX
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_EINVAL, "the path is too long");
}

/* source_find for a table of the policy: reads the secret of its source. */
static custos_status
table_find(struct duck_connection *c, const struct policy_table *t,
           const char *full, size_t number, const char *base, arena *a,
           struct source *s, custos_err *err)
{
    char *table =
        arena_copy(a, t->source_table.len ? t->source_table : t->name);
    bool has_key = t->from && t->from->secret_file.len > 0;
    char path[PATH_MAX];
    struct secret_file key;
    custos_status st = CUSTOS_OK;

    /* of an attached table the statement that opens it is stored */
    CUSTOS_REQUIRE(!has_key || !t->attached);
    if (!table)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (has_key)
        st = path_take(t->from->secret_file, base, path, err);
    if (has_key && !st)
        st = secret_file_read(path, &key, err);
    if (st)
        return st;
    st = source_find(c, full, t->source_kind, table, has_key ? &key : NULL,
                     number, a, &s->file, &s->attach, err);
    if (has_key)
        secret_file_clear(&key);
    return st;
}

custos_status
source_open(struct duck_connection *c, const struct policy_table *t,
            size_t number, const char *base, arena *a, struct source *out,
            custos_err *err)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *full;
    struct source s = {0};
    custos_status st = path_take(t->source, base, path, err);

    if (st)
        return st;
    s.types = arena_take(a, t->n_columns + 1, sizeof *s.types);
    if (!s.types)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    /* realpath fails on a pattern; the path then stays as it is, even if relative. */
    full = arena_copy(a, str_of(realpath(path, real) ? real : path));
    if (!full)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (t->attached && strpbrk(full, PATTERN))
        return custos_fail(err, CUSTOS_EPOLICY,
                           "an attached source is one file, without %s: %.100s",
                           PATTERN, path);
    if (t->attached && !file_mark_read(full, &s.mark))
        return source_missing(path, err);
    st = table_find(c, t, full, number, base, a, &s, err);
    if (!st)
        st = columns_check(c, t, path, &s, err);
    if (!st)
        *out = s;
    return st;
}
