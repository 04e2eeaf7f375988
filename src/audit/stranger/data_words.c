/*
 * What a target person has in each table, in words. The rows were written as CSV
 * and are read back from it, so the words are about what the store was made of.
 */
#include "audit/stranger/data_words.h"

#include <string.h>

#include "base/utf8.h"

enum {
    ROWS_SHOWN = 2,  /* of one table */
    CELLS_SHOWN = 8, /* of one row */
    CELL_SHOWN = 24, /* bytes of one value */
};

/* Adds the value at `at`, in quotes if the file has it so; an empty one is NULL.
   Adds nothing if `out` is NULL. Returns where the comma or the line end after it
   is. */
static const char *
add_cell(const char *at, const char *end, struct buf *out)
{
    bool quoted = at < end && *at == '"';
    const char *quote = quoted ? "'" : "";
    size_t len = 0;

    if (out && !quoted && (at == end || *at == ',' || *at == '\n'))
        buf_add_text(out, "NULL");
    else if (out)
        buf_add_text(out, quote);
    for (at += quoted; at < end; at++) {
        if (quoted && *at == '"' && (++at == end || *at != '"'))
            break;
        if (!quoted && (*at == ',' || *at == '\n'))
            break;
        if (out && len++ < CELL_SHOWN)
            buf_add(out, *at ? at : "?", 1); /* texts may have NUL bytes */
    }
    if (out)
        buf_printf(out, "%s%s", len > CELL_SHOWN ? "..." : "", quote);
    return at;
}

/* Adds "(id 7, age 120)", or nothing if `out` is NULL. Returns where the next row
   begins. */
static const char *
add_row(const struct schema_table *t, const char *at, const char *end,
        struct buf *out)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        struct buf *to = c < CELLS_SHOWN ? out : NULL;

        if (to)
            buf_printf(to, "%s%.*s ", c ? ", " : "(",
                       (int)t->columns[c].name.len, t->columns[c].name.ptr);
        at = add_cell(at, end, to);
        at += at < end; /* the comma, or the end of the line */
    }
    if (out)
        buf_add_text(out, t->n_columns > CELLS_SHOWN ? ", ...)" : ")");
    return at;
}

static size_t
count_rows(const struct schema_table *t, const struct buf *rows)
{
    const char *at = rows->ptr, *end = rows->len ? at + rows->len : at;
    size_t n = 0;

    for (; at < end; n++)
        at = add_row(t, at, end, NULL);
    return n;
}

/* "2 rows in visits: (id 7, cost 9), (id 7, cost 0)". */
static void
add_rows(const struct schema_table *t, const struct buf *rows, size_t n,
         struct buf *out)
{
    const char *at = rows->ptr, *end = rows->ptr + rows->len;

    buf_printf(out, "%zu row%s in %.*s: ", n, n == 1 ? "" : "s",
               (int)t->name.len, t->name.ptr);
    for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
        buf_add_text(out, i ? ", " : "");
        at = add_row(t, at, end, out);
    }
    if (n > ROWS_SHOWN)
        buf_printf(out, " and %zu more", n - ROWS_SHOWN);
}

size_t
data_words(const struct schema *schema, const struct generated *g, int target,
           struct buf *out)
{
    bool substitute =
        target == DATA_NOBODY && g->adjacency == CUSTOS_CHANGE_ONE;
    size_t sum = 0;

    if (target == DATA_NOBODY && !substitute) {
        buf_add_text(out, "only the people whom all stores have");
        return 0;
    }
    if (substitute)
        buf_add_text(out, "the same people and, in place of the target, one");
    else
        buf_printf(out, "the same people and target person %d", target + 1);
    for (size_t t = 0; t < g->n_tables; t++) {
        const struct data_table *d = &g->tables[t];
        const struct buf *rows =
            substitute ? &d->substitute : &d->target[target];
        size_t n = count_rows(&schema->tables[t], rows);

        if (!n)
            continue;
        buf_add_text(out, sum ? "; " : ", who has ");
        add_rows(&schema->tables[t], rows, n, out);
        sum += n;
    }
    if (!sum)
        buf_add_text(out, ", who has no row");
    if (!out->failed)
        utf8_clean(out->ptr);
    return sum;
}
