/*
 * Answers as bytes (base/pack.h): for the ledger, and from a worker to the
 * server. The reader trusts nothing: malformed bytes count as damaged.
 */
#include "base/error.h"
#include "base/pack.h"
#include "curator/answer.h"

enum { KEEP_FORMAT = 1 };

/* -------------------------------------------------------------- writing -- */

void
answer_pack(const struct answer *a, struct buf *b)
{
    pack_number(b, KEEP_FORMAT);
    pack_text(b, a->epsilon);
    pack_text(b, a->rho);
    pack_text(b, a->delta);
    pack_text(b, a->remarks);
    pack_number(b, (i128)a->n_columns);
    for (size_t i = 0; i < a->n_columns; i++) {
        pack_text(b, a->columns[i].name);
        pack_number(b, a->columns[i].type);
        pack_number(b,
                    (i128)(a->columns[i].array.n << 1) | a->columns[i].is_key);
        if (a->columns[i].array.n) {
            pack_number(b, (i128)a->columns[i].array.at);
            pack_text(b, a->columns[i].array.name);
        }
    }
    pack_number(b, (i128)a->n_rows);
    for (size_t i = 0; i < a->n_rows * a->n_columns; i++) {
        pack_datum(b, &a->cells[i].value);
        pack_number(b, a->cells[i].has_bar);
        if (a->cells[i].has_bar) {
            pack_datum(b, &a->cells[i].low);
            pack_datum(b, &a->cells[i].high);
        }
    }
}

struct ledger_retention
retention_of(const struct policy *p)
{
    return (struct ledger_retention){
        .bytes = p->answer_bytes,
        .age_us = (int64_t)p->answer_days * 86400 * 1000000,
    };
}

custos_status
answer_store(struct ledger_writer *t, const uint8_t key[32],
             const struct answer *a, const struct policy *policy,
             custos_err *err)
{
    const struct ledger_retention retention = retention_of(policy);
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, KEEP_BYTES_MAX);
    answer_pack(a, &b);
    st = b.failed ? custos_fail(err, CUSTOS_EOVERFLOW,
                                "the answer is too large to store")
                  : ledger_writer_store(t, key, &a->receipt,
                                        (str){b.ptr, b.len}, &retention, err);
    buf_clear(&b);
    return st;
}

/* -------------------------------------------------------------- reading -- */

static void
unpack_cells(struct unpack *u, struct answer *a)
{
    for (size_t i = 0; i < a->n_rows * a->n_columns && !u->failed; i++) {
        struct answer_cell *c = &a->cells[i];

        c->value = unpack_datum(u);
        c->has_bar = unpack_size(u, 1);
        if (c->has_bar) {
            c->low = unpack_datum(u);
            c->high = unpack_datum(u);
        }
    }
}

/* Are the elements of every array there, one after the other? */
static bool
arrays_complete(const struct answer *a)
{
    size_t next = 0, n = 0;

    for (size_t i = 0; i < a->n_columns; i++) {
        const struct array_place *p = &a->columns[i].array;

        if (next == n)
            next = 0;
        n = next ? n : p->n;
        if (p->n != n || p->at != next)
            return false;
        next += n > 0;
    }
    return next == n;
}

static void
unpack_columns(struct unpack *u, size_t room, struct answer *a)
{
    size_t flags;

    a->n_columns = unpack_size(u, room);
    a->columns = arena_take(a->arena, a->n_columns + 1, sizeof *a->columns);
    u->failed = u->failed || !a->columns;
    for (size_t i = 0; i < a->n_columns && !u->failed; i++) {
        a->columns[i].name = unpack_text(u);
        a->columns[i].type = (enum data_type)unpack_size(u, TYPE_TIMESTAMP);
        flags = unpack_size(u, 2 * room + 1);
        a->columns[i].is_key = flags & 1;
        a->columns[i].array.n = flags >> 1;
        if (flags >> 1 == 0)
            continue;
        a->columns[i].array.at = unpack_size(u, room);
        a->columns[i].array.name = unpack_text(u);
    }
    u->failed = u->failed || !arrays_complete(a);
}

bool
answer_unpack(str bytes, struct answer *a)
{
    struct unpack u = unpack_of(bytes);
    bool known = unpack_number(&u) == KEEP_FORMAT;

    a->epsilon = unpack_text(&u);
    a->rho = unpack_text(&u);
    a->delta = unpack_text(&u);
    a->remarks = unpack_text(&u);
    unpack_columns(&u, bytes.len, a);
    a->n_rows = unpack_size(&u, bytes.len);
    /* every cell takes at least a byte, so there cannot be more cells than
       bytes */
    if (!known || u.failed || (a->n_rows && !a->n_columns) ||
        a->n_rows > bytes.len / (a->n_columns + 1))
        return false;
    a->cells =
        arena_take(a->arena, a->n_rows * a->n_columns + 1, sizeof *a->cells);
    if (!a->cells)
        return false;
    unpack_cells(&u, a);
    return unpack_end(&u);
}

custos_status
answer_find(struct ledger *l, const uint8_t key[32], struct answer **out,
            custos_err *err)
{
    struct answer *a = NULL;
    custos_status st = answer_new(1, &a, err);
    str bytes = {"", 0};

    if (!st)
        st = ledger_answer_find(l, key, a->arena, &bytes, &a->receipt, err);
    if (!st && !answer_unpack(bytes, a))
        st = custos_fail(err, CUSTOS_ECORRUPT,
                         "a stored answer is damaged" HINT
                         "the owner should run "
                         "custos ledger verify");
    if (!st) {
        a->stored = true;
        *out = a;
        a = NULL;
    }
    answer_free(a);
    return st;
}
