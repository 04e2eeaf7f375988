/*
 * Answers as bytes, for the ledger: a flat list of fields, each text with its
 * length before it. Numbers are small mostly, so that they take few bytes: the
 * sign goes into the lowest bit, then seven bits a byte, low ones first, and
 * the top bit of a byte says that more follow. The reader trusts nothing: what
 * does not fit is damage.
 */
#include <string.h>

#include "base/error.h"
#include "curator/answer.h"

enum {
    KEEP_FORMAT = 1,
    KEEP_MAX = 1 << 28,
    NUMBER_BITS = 128,
    NUMBER_BYTES = (NUMBER_BITS + 6) / 7,
};

/* -------------------------------------------------------------- writing -- */

static void
put_number(struct buf *b, i128 n)
{
    u128 rest = (u128)n << 1 ^ (n < 0 ? ~(u128)0 : 0);
    char bytes[NUMBER_BYTES];
    size_t len = 0;

    for (; rest >> 7; rest >>= 7)
        bytes[len++] = (char)(unsigned char)((rest & 0x7f) | 0x80);
    bytes[len++] = (char)(unsigned char)rest;
    buf_add(b, bytes, len);
}

static void
put_text(struct buf *b, str text)
{
    put_number(b, (i128)text.len);
    if (text.len)
        buf_add(b, text.ptr, text.len);
}

static void
put_datum(struct buf *b, const struct datum *d)
{
    put_number(b, d->type);
    put_number(b, d->scale);
    put_number(b, d->n);
    put_text(b, d->type == TYPE_TEXT ? d->text : (str){"", 0});
}

static void
put_answer(struct buf *b, const struct answer *a)
{
    put_number(b, KEEP_FORMAT);
    put_text(b, a->epsilon);
    put_text(b, a->rho);
    put_text(b, a->delta);
    put_text(b, a->remarks);
    put_number(b, (i128)a->n_columns);
    for (size_t i = 0; i < a->n_columns; i++) {
        put_text(b, a->columns[i].name);
        put_number(b, a->columns[i].type);
        put_number(b, a->columns[i].is_key);
    }
    put_number(b, (i128)a->n_rows);
    for (size_t i = 0; i < a->n_rows * a->n_columns; i++) {
        put_datum(b, &a->cells[i].value);
        put_number(b, a->cells[i].has_bar);
        if (a->cells[i].has_bar) {
            put_datum(b, &a->cells[i].low);
            put_datum(b, &a->cells[i].high);
        }
    }
}

custos_status
answer_keep(struct till *t, const uint8_t key[32], const struct answer *a,
            custos_err *err)
{
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, KEEP_MAX);
    put_answer(&b, a);
    st = b.failed ? custos_fail(err, CUSTOS_EOVERFLOW, "too large to be kept")
                  : till_keep(t, key, &a->receipt, (str){b.ptr, b.len}, err);
    buf_clear(&b);
    return st;
}

/* -------------------------------------------------------------- reading -- */

struct reader {
    const char *ptr, *end;
    bool failed;
};

/* A number, or 0 after a failure. */
static i128
get_number(struct reader *r)
{
    bool more = true;
    u128 n = 0;

    for (unsigned shift = 0; more; shift += 7) {
        unsigned char byte = 0;

        r->failed |= r->ptr == r->end || shift >= NUMBER_BITS;
        if (r->failed)
            return 0;
        byte = (unsigned char)*r->ptr++;
        n |= (u128)(byte & 0x7f) << shift;
        more = byte >> 7;
    }
    return (i128)(n >> 1 ^ (n & 1 ? ~(u128)0 : 0));
}

/* From 0 to most, or 0 after a failure. */
static size_t
get_size(struct reader *r, size_t most)
{
    i128 n = get_number(r);

    if (n < 0 || n > (i128)most) {
        r->failed = true;
        return 0;
    }
    return (size_t)n;
}

static str
get_text(struct reader *r)
{
    size_t len = get_size(r, (size_t)(r->end - r->ptr));
    str text = {r->ptr, len};

    /* the length was taken before the number itself was passed */
    if (len > (size_t)(r->end - r->ptr)) {
        r->failed = true;
        return (str){"", 0};
    }
    r->ptr += len;
    return text;
}

static struct datum
get_datum(struct reader *r)
{
    struct datum d = {.type = (enum data_type)get_size(r, TYPE_TIMESTAMP)};

    d.scale = (int)get_size(r, 36);
    d.n = get_number(r);
    d.text = get_text(r);
    return d;
}

static void
get_cells(struct reader *r, struct answer *a)
{
    for (size_t i = 0; i < a->n_rows * a->n_columns && !r->failed; i++) {
        struct answer_cell *c = &a->cells[i];

        c->value = get_datum(r);
        c->has_bar = get_size(r, 1);
        if (c->has_bar) {
            c->low = get_datum(r);
            c->high = get_datum(r);
        }
    }
}

/* Texts stay in the bytes, which live in the answer's own arena. */
static void
get_answer(struct reader *r, struct answer *a)
{
    size_t room = (size_t)(r->end - r->ptr);

    r->failed = get_number(r) != KEEP_FORMAT;
    a->epsilon = get_text(r);
    a->rho = get_text(r);
    a->delta = get_text(r);
    a->remarks = get_text(r);
    a->n_columns = get_size(r, room);
    a->columns = arena_take(a->arena, a->n_columns + 1, sizeof *a->columns);
    r->failed = r->failed || !a->columns;
    for (size_t i = 0; i < a->n_columns && !r->failed; i++) {
        a->columns[i].name = get_text(r);
        a->columns[i].type = (enum data_type)get_size(r, TYPE_TIMESTAMP);
        a->columns[i].is_key = get_size(r, 1);
    }
    a->n_rows = get_size(r, room);
    /* every cell takes bytes, so these many fit in what is there */
    r->failed = r->failed || a->n_rows > room / (a->n_columns + 1);
    if (r->failed)
        return;
    a->cells =
        arena_take(a->arena, a->n_rows * a->n_columns + 1, sizeof *a->cells);
    r->failed = !a->cells;
    get_cells(r, a);
    r->failed = r->failed || r->ptr != r->end;
}

custos_status
answer_find(struct ledger *l, const uint8_t key[32], struct answer **out,
            custos_err *err)
{
    struct answer *a = NULL;
    struct reader r = {0};
    custos_status st = answer_new(1, &a, err);
    str bytes = {"", 0};

    if (!st)
        st = ledger_answer_find(l, key, a->arena, &bytes, &a->receipt, err);
    if (!st) {
        r.ptr = bytes.ptr;
        r.end = bytes.ptr + bytes.len;
        get_answer(&r, a);
        if (r.failed)
            st = custos_fail(err, CUSTOS_ECORRUPT,
                             "a stored answer is damaged; the owner should run "
                             "custos ledger verify");
    }
    if (!st) {
        a->stored = true;
        *out = a;
        a = NULL;
    }
    answer_free(a);
    return st;
}
