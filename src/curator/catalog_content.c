/*
 * Collects tables and rows in an arena. A table's cells double when they are full.
 */
#include "curator/catalog_content.h"

#include <string.h>

#include "base/base.h"

void
content_init(struct catalog_content *c, arena *a, size_t room)
{
    *c = (struct catalog_content){.a = a, .room = room};
    c->tables = arena_take(a, room, sizeof *c->tables);
    c->failed = !c->tables;
}

/* ---------------------------------------------------------------- columns -- */

/* The letters of catalog_tables.c. */
static void
column_type(char letter, struct sandbox_column *out)
{
    static const struct {
        char letter;
        enum column_type type, item;
    } types[] = {
        {'o', COLUMN_U32, COLUMN_OTHER}, {'b', COLUMN_BOOL, COLUMN_OTHER},
        {'s', COLUMN_I16, COLUMN_OTHER}, {'i', COLUMN_I32, COLUMN_OTHER},
        {'l', COLUMN_I64, COLUMN_OTHER}, {'f', COLUMN_F64, COLUMN_OTHER},
        {'S', COLUMN_LIST, COLUMN_I16},  {'O', COLUMN_LIST, COLUMN_U32},
        {'A', COLUMN_LIST, COLUMN_TEXT}, {'T', COLUMN_TIMESTAMP, COLUMN_OTHER},
    };

    out->type = COLUMN_TEXT;
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (types[i].letter == letter) {
            out->type = types[i].type;
            out->item = types[i].item;
        }
}

/* Takes the next column from "oid:o relname ..."; false at the end. */
static bool
column_next(const char **p, struct sandbox_column *out)
{
    size_t len;

    while (**p == ' ')
        (*p)++;
    if (!**p)
        return false;
    len = strcspn(*p, " :");
    *out = (struct sandbox_column){.name = {*p, len}};
    *p += len;
    column_type(**p == ':' ? (*p)[1] : 0, out);
    *p += **p == ':' ? 2 : 0;
    return true;
}

struct sandbox_table *
content_table(struct catalog_content *c, const char *schema, const char *name,
              const char *columns)
{
    struct sandbox_table t = {.schema = schema, .name = name};
    struct sandbox_column column;
    const char *p = columns;

    CUSTOS_REQUIRE(c->failed || c->n_tables < c->room);
    while (column_next(&p, &column))
        t.n_columns++;
    t.columns =
        c->failed ? NULL : arena_take(c->a, t.n_columns, sizeof *t.columns);
    c->failed = !t.columns;
    if (c->failed)
        return NULL;
    p = columns;
    for (size_t i = 0; i < t.n_columns; i++)
        column_next(&p, &t.columns[i]);
    c->tables[c->n_tables] = t;
    return &c->tables[c->n_tables++];
}

/* ------------------------------------------------------------------- rows -- */

void
content_row_of(struct catalog_content *c, struct sandbox_table *t,
               const struct datum *cells, size_t width)
{
    size_t n;

    if (c->failed)
        return;
    CUSTOS_REQUIRE(width == t->n_columns);
    n = t->n_rows;
    if ((n & (n - 1)) == 0) { /* full: 0 or a power of 2 */
        struct datum *more =
            arena_take(c->a, (n ? 2 * n : 1) * width, sizeof *more);

        c->failed = !more;
        if (!more)
            return;
        if (n > 0)
            memcpy(more, t->cells, n * width * sizeof *more);
        t->cells = more;
    }
    memcpy(t->cells + n * width, cells, width * sizeof *cells);
    t->n_rows++;
}

struct datum
content_text(str text)
{
    return (struct datum){.type = TYPE_TEXT, .text = text};
}

struct datum
content_word(const char *text)
{
    return content_text(str_of(text));
}

struct datum
content_copy(struct catalog_content *c, str text)
{
    const char *copy = c->failed ? NULL : arena_copy(c->a, text);

    c->failed = !copy;
    return content_text((str){copy, copy ? text.len : 0});
}

struct datum
content_whole(int64_t n)
{
    return (struct datum){.type = TYPE_INT, .n = n};
}

struct datum
content_flag(bool is)
{
    return (struct datum){.type = TYPE_BOOL, .n = is};
}

struct datum
content_null(void)
{
    return (struct datum){.type = TYPE_NULL};
}
