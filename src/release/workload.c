#include "release/workload.h"

#include <stdio.h>

#include "base/error.h"
#include "release/names.h"
#include "store/file.h"

enum { FILE_MAX = 1 << 20, SETS_MAX = 1 << 16 };

/* A larger table would be of no use: its noise is that of every cell. */
#define CELLS_MAX ((size_t)1 << 24)

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

struct maker {
    arena *a;
    const struct schema *schema;
    struct colset *sets;
    size_t n, skipped;
    custos_err *err;
};

/* The names of a set's columns, for messages. */
static void
write_set(const struct schema *s, struct colset set, char *out, size_t room)
{
    size_t at = 0;

    out[0] = '\0';
    COLSET_EACH(i, set)
    {
        const str name = s->columns[s->column[i]].name;

        if (at + 1 < room)
            at += (size_t)snprintf(out + at, room - at, "%s%.*s", at ? "," : "",
                                   (int)name.len, name.ptr);
    }
}

static custos_status
add_set(struct maker *m, struct colset set)
{
    if (m->n == SETS_MAX)
        return custos_fail(m->err, CUSTOS_EOVERFLOW,
                           "the workload has more than %d tables" HINT
                           "ask for all-2way, for the tables of a file, or "
                           "for fewer columns",
                           SETS_MAX);
    m->sets[m->n++] = set;
    return CUSTOS_OK;
}

static bool
is_too_large(const struct maker *m, struct colset set)
{
    return domain_cells(&m->schema->domain, set) > CELLS_MAX;
}

static custos_status
fail_too_large(const struct maker *m, struct colset set)
{
    char words[120];

    write_set(m->schema, set, words, sizeof words);
    return custos_fail(m->err, CUSTOS_EOVERFLOW,
                       "the table of %s has more than %zu cells" HINT
                       "leave out a column of it, or ask for smaller tables",
                       words, CELLS_MAX);
}

/* ------------------------------------------------------------------- all -- */

/* All sets of `order` columns from `from` on, together with `with`, but for those
   whose table would be too large. */
static custos_status
add_all(struct maker *m, struct colset with, size_t from, size_t order)
{
    custos_status st = CUSTOS_OK;

    if (is_too_large(m, with)) {
        m->skipped++;
        return CUSTOS_OK;
    }
    if (order == 0)
        return add_set(m, with);
    for (size_t c = from; !st && c + order <= m->schema->domain.n; c++)
        st = add_all(m, colset_or(with, colset_of(c)), c + 1, order - 1);
    return st;
}

/* ------------------------------------------------------------------ file -- */

/* Drops the line from the text. */
static str
take_line(str *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    str line = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};
    size_t used = line.len + (end != NULL);

    *text = (str){text->ptr + used, text->len - used};
    return line;
}

static custos_status
add_column(struct maker *m, str name, size_t line, struct colset *set)
{
    const struct schema *s = m->schema;

    for (size_t i = 0; i < s->n; i++) {
        if (!str_equal(s->columns[i].name, name))
            continue;
        if (s->columns[i].coding == SCHEMA_NUMBER)
            return custos_fail(m->err, CUSTOS_EINVAL,
                               "line %zu of the workload: column %.*s only "
                               "identifies, so there is no table of it",
                               line, (int)name.len, name.ptr);
        *set = colset_or(*set, colset_of(s->columns[i].place));
        return CUSTOS_OK;
    }
    return custos_fail(m->err, CUSTOS_ENAME,
                       "line %zu of the workload: the release has no column "
                       "'%.*s'",
                       line, (int)(name.len < 60 ? name.len : 60), name.ptr);
}

static custos_status
add_line(struct maker *m, str line, size_t number)
{
    struct colset set = {{0, 0}};
    custos_status st = CUSTOS_OK;

    line = names_trim(line);
    if (line.len == 0 || line.ptr[0] == '#')
        return CUSTOS_OK;
    while (!st && line.len > 0) {
        custos_err why = CUSTOS_ERR_INIT;
        str name;

        st = names_take(m->a, &line, '#', &name, &why);
        st = st ? custos_fail(m->err, st,
                              "line %zu of the workload: %s" HINT "%s", number,
                              why.said, why.hint)
                : add_column(m, name, number, &set);
    }
    if (!st && colset_count(set) > WORKLOAD_ORDER)
        st = custos_fail(m->err, CUSTOS_EINVAL,
                         "line %zu of the workload: a table has at most %d "
                         "columns",
                         number, WORKLOAD_ORDER);
    if (!st && is_too_large(m, set))
        st = fail_too_large(m, set);
    for (size_t i = 0; i < m->n; i++)
        if (colset_same(m->sets[i], set))
            return st;
    return st ? st : add_set(m, set);
}

static custos_status
add_file(struct maker *m, const char *path)
{
    custos_status st;
    str text;

    st = file_read(path, FILE_MAX, m->a, &text, m->err);
    if (st == CUSTOS_ENAME)
        st = custos_fail(m->err, CUSTOS_ENAME,
                         "the workload '%.100s' is not a file" HINT
                         "give all-2way, all-3way or a file with a table on "
                         "each line, such as: age,city",
                         path);
    for (size_t line = 1; !st && text.len > 0; line++)
        st = add_line(m, take_line(&text), line);
    if (!st && m->n == 0)
        st = custos_fail(m->err, CUSTOS_EINVAL, "the workload has no tables");
    return st;
}

custos_status
workload_make(arena *a, const struct schema *s, str words, struct workload *out,
              size_t *skipped, custos_err *err)
{
    const struct colset none = {{0, 0}};
    const size_t d = s->domain.n;
    struct maker m = {.a = a, .schema = s, .err = err};
    custos_status st;

    m.sets = arena_take(a, SETS_MAX, sizeof *m.sets);
    if (!m.sets)
        return no_memory(err);
    if (words.len == 0 || str_equal(words, str_of("all-2way")))
        st = add_all(&m, none, 0, d < 2 ? d : 2);
    else if (str_equal(words, str_of("all-3way")))
        st = add_all(&m, none, 0, d < 3 ? d : 3);
    else
        st = add_file(&m, words.ptr);
    if (!st && m.n == 0)
        st = fail_too_large(&m, domain_all(&s->domain));
    if (!st) {
        *out = (struct workload){.sets = m.sets, .n = m.n};
        *skipped = m.skipped;
    }
    return st;
}
