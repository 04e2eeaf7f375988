#include "pg/rows.h"

#include <stdlib.h>

#include "base/error.h"
#include "serve/bars.h"

enum {
    ROWS_ARENA = 1 << 24,
    ROWS_BYTES = 1 << 30,
};

enum pg_format
format_at(const struct formats *f, size_t i)
{
    /* The answer can have more columns than there are formats. */
    if (f->n == 1)
        return f->of[0];
    return i < f->n ? f->of[i] : PG_TEXT;
}

static custos_status
rows_new(size_t n_columns, size_t most, struct rows **out, custos_err *err)
{
    struct rows *r = calloc(1, sizeof *r);

    if (r && !(r->a = arena_new(NULL, ROWS_ARENA))) {
        free(r);
        r = NULL;
    }
    if (r) {
        r->holders = 1;
        r->n_columns = n_columns;
        r->columns = arena_take(r->a, n_columns + 1, sizeof *r->columns);
        buf_init(&r->bytes, NULL,
                 most && most < ROWS_BYTES ? most : ROWS_BYTES);
    }
    if (!r || !r->columns) {
        rows_drop(r);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    *out = r;
    return CUSTOS_OK;
}

struct rows *
rows_hold(struct rows *r)
{
    r->holders++;
    return r;
}

void
rows_drop(struct rows *r)
{
    if (!r || --r->holders)
        return;
    buf_clear(&r->bytes);
    arena_free(r->a);
    free(r);
}

size_t
rows_end_of(const struct rows *r, size_t at)
{
    const uint8_t *p = (const uint8_t *)r->bytes.ptr + at;

    return at + 1 +
           ((size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4]);
}

size_t
rows_bytes(const struct rows *r)
{
    size_t n = sizeof *r + r->bytes.room + r->bars.len + 512;

    return n + r->n_columns * (sizeof *r->columns + 32);
}

static bool
column_set(struct rows *r, size_t i, str name, struct pg_type type,
           enum pg_format format)
{
    str copy = {arena_copy(r->a, name), name.len};

    r->columns[i] =
        (struct pg_column){.name = copy, .type = type, .format = format};
    return copy.ptr != NULL;
}

struct pg_column *
columns_of(arena *a, const str *names, const struct pg_type *types, size_t n)
{
    struct pg_column *columns = arena_take(a, n + 1, sizeof *columns);

    for (size_t i = 0; i < n && columns; i++) {
        columns[i].name = (str){arena_copy(a, names[i]), names[i].len};
        columns[i].type = types[i];
        if (!columns[i].name.ptr)
            return NULL;
    }
    return columns;
}

/* Adds one row; at(row, i) gives its i-th value. */
static custos_status
add_row(struct rows *r, const struct datum *(*at)(const void *, size_t),
        const void *row, custos_err *err)
{
    size_t begin = pg_row_begin(&r->bytes, r->n_columns);
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < r->n_columns && !st; i++)
        st = pg_row_add(&r->bytes, begin, at(row, i), &r->columns[i], err);
    if (!st) {
        pg_row_end(&r->bytes, begin);
        r->n++;
    }
    return st;
}

static custos_status
rows_end(struct rows *r, custos_status st, struct rows **out, custos_err *err)
{
    if (!st && r->bytes.failed)
        st = custos_fail(err, CUSTOS_EOVERFLOW,
                         "the answer is larger than the server sends" HINT
                         "ask for fewer rows");
    if (st)
        rows_drop(r);
    else
        *out = r;
    return st;
}

/* ------------------------------------------------------------- answers -- */

struct pg_type
pg_type_in(enum data_type type, const struct array_place *array)
{
    struct pg_type of = pg_type_of(type, PG_64_BITS);

    return array->n ? pg_type_by_oid(pg_array_of(of.oid)) : of;
}

/* Whole numbers are announced as int8. Instead of a number outside that range,
   which noise can produce, the nearest int8 is sent. */
static struct datum
answer_value(const struct answer_cell *cell)
{
    struct datum d = cell->value;

    if (d.type == TYPE_INT && (d.n < INT64_MIN || d.n > INT64_MAX))
        d.n = d.n < 0 ? INT64_MIN : INT64_MAX;
    return d;
}

/* Adds the columns of an answer, elements of an array as one. */
static custos_status
add_columns(struct rows *r, const struct answer *answer,
            const struct formats *formats, custos_err *err)
{
    r->n_columns = 0;
    for (size_t i = 0; i < answer->n_columns; i++) {
        const struct answer_column *c = &answer->columns[i];

        if (c->array.at > 0)
            continue;
        if (!column_set(r, r->n_columns, c->array.n ? c->array.name : c->name,
                        pg_type_in(c->type, &c->array),
                        format_at(formats, r->n_columns)))
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        r->n_columns++;
    }
    return CUSTOS_OK;
}

/* Adds the cells of one row; `room` has as many values. */
static custos_status
add_cells(struct rows *r, const struct answer *answer,
          const struct answer_cell *cells, struct datum *room, custos_err *err)
{
    size_t begin = pg_row_begin(&r->bytes, r->n_columns), to = 0;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < answer->n_columns; i++)
        room[i] = answer_value(&cells[i]);
    for (size_t i = 0; i < answer->n_columns && !st; i++) {
        const struct answer_column *c = &answer->columns[i];

        if (c->array.at > 0)
            continue;
        st = c->array.n
                 ? pg_row_add_array(&r->bytes, begin, &room[i], c->array.n,
                                    pg_type_of(c->type, PG_64_BITS).oid,
                                    &r->columns[to], err)
                 : pg_row_add(&r->bytes, begin, &room[i], &r->columns[to], err);
        to++;
    }
    if (!st) {
        pg_row_end(&r->bytes, begin);
        r->n++;
    }
    return st;
}

custos_status
rows_of_answer(const struct answer *answer, const struct formats *formats,
               size_t most, struct rows **out, custos_err *err)
{
    bool free_of_charge = answer->explained || answer->is_public;
    struct datum *room;
    struct rows *r = NULL;
    custos_status st =
        rows_new(answer->n_columns, free_of_charge ? most : 0, &r, err);

    if (st)
        return st;
    room = arena_take(r->a, answer->n_columns + 1, sizeof *room);
    st = room ? add_columns(r, answer, formats, err)
              : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < answer->n_rows && !st; i++)
        st = add_cells(r, answer, answer->cells + i * answer->n_columns, room,
                       err);
    if (!st && !answer->explained) {
        r->bars = bars_write(r->a, answer);
        r->seq = answer->receipt.seq;
    }
    return rows_end(r, st, out, err);
}

/* ------------------------------------------------------------ catalogs -- */

static custos_status
add_texts(struct rows *r, const struct catalog_value *cells, custos_err *err)
{
    size_t begin = pg_row_begin(&r->bytes, r->n_columns);
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < r->n_columns && !st; i++) {
        const struct pg_bytes text = {cells[i].is_null, cells[i].text};

        st = pg_row_add_text(&r->bytes, begin, &text, &r->columns[i], err);
    }
    if (!st) {
        pg_row_end(&r->bytes, begin);
        r->n++;
    }
    return st;
}

custos_status
rows_of_catalog(const struct catalog_rows *found, const struct formats *formats,
                size_t most, struct rows **out, custos_err *err)
{
    struct rows *r = NULL;
    custos_status st = rows_new(found->n_columns, most, &r, err);

    if (st)
        return st;
    for (size_t i = 0; i < r->n_columns && !st; i++)
        if (!column_set(r, i, found->columns[i].name,
                        pg_type_by_oid(found->columns[i].oid),
                        format_at(formats, i)))
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < found->n_rows && !st; i++)
        st = add_texts(r, found->cells + i * found->n_columns, err);
    return rows_end(r, st, out, err);
}

static const struct datum *
text_value(const void *row, size_t i)
{
    (void)i;
    return row;
}

custos_status
rows_of_text(str name, str text, struct rows **out, custos_err *err)
{
    struct datum value = {.type = TYPE_TEXT, .text = text};
    struct rows *r = NULL;
    custos_status st = rows_new(1, 0, &r, err);

    if (st)
        return st;
    if (!column_set(r, 0, name, pg_type_by_oid(PG_STRING), PG_TEXT))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = add_row(r, text_value, &value, err);
    return rows_end(r, st, out, err);
}
