/*
 * Numbers have a variable length, since most are small. The sign goes into the
 * lowest bit; then each byte holds seven bits, lowest first, and its top bit
 * says whether more bytes follow.
 */
#include "base/pack.h"

#include <string.h>

enum {
    NUMBER_BITS = 128,
    NUMBER_BYTES = (NUMBER_BITS + 6) / 7,
    SCALE_MOST = 38, /* numeric(38, 38) */
};

/* -------------------------------------------------------------- writing -- */

void
pack_number(struct buf *b, i128 n)
{
    u128 rest = (u128)n << 1 ^ (n < 0 ? ~(u128)0 : 0);
    char bytes[NUMBER_BYTES];
    size_t len = 0;

    for (; rest >> 7; rest >>= 7)
        bytes[len++] = (char)(unsigned char)((rest & 0x7f) | 0x80);
    bytes[len++] = (char)(unsigned char)rest;
    buf_add(b, bytes, len);
}

void
pack_text(struct buf *b, str text)
{
    pack_number(b, (i128)text.len);
    if (text.len)
        buf_add(b, text.ptr, text.len);
}

void
pack_bytes(struct buf *b, const void *bytes, size_t n)
{
    buf_add(b, bytes, n);
}

void
pack_datum(struct buf *b, const struct datum *d)
{
    pack_number(b, d->type);
    pack_number(b, d->scale);
    pack_number(b, d->n);
    pack_text(b, d->type == TYPE_TEXT ? d->text : (str){"", 0});
}

/* -------------------------------------------------------------- reading -- */

struct unpack
unpack_of(str bytes)
{
    return (struct unpack){.ptr = bytes.ptr, .end = bytes.ptr + bytes.len};
}

i128
unpack_number(struct unpack *u)
{
    bool more = true;
    u128 n = 0;

    for (unsigned shift = 0; more; shift += 7) {
        unsigned char byte = 0;

        u->failed |= u->ptr == u->end || shift >= NUMBER_BITS;
        if (u->failed)
            return 0;
        byte = (unsigned char)*u->ptr++;
        n |= (u128)(byte & 0x7f) << shift;
        more = byte >> 7;
    }
    return (i128)(n >> 1 ^ (n & 1 ? ~(u128)0 : 0));
}

size_t
unpack_size(struct unpack *u, size_t most)
{
    i128 n = unpack_number(u);

    if (n < 0 || n > (i128)most) {
        u->failed = true;
        return 0;
    }
    return (size_t)n;
}

str
unpack_text(struct unpack *u)
{
    size_t len = unpack_size(u, (size_t)(u->end - u->ptr));
    str text = {u->ptr, len};

    /* check again: the limit above included the bytes of the length */
    if (u->failed || len > (size_t)(u->end - u->ptr)) {
        u->failed = true;
        return (str){"", 0};
    }
    u->ptr += len;
    return text;
}

void
unpack_bytes(struct unpack *u, void *out, size_t n)
{
    u->failed |= (size_t)(u->end - u->ptr) < n;
    if (u->failed) {
        memset(out, 0, n);
        return;
    }
    memcpy(out, u->ptr, n);
    u->ptr += n;
}

struct datum
unpack_datum(struct unpack *u)
{
    struct datum d = {.type = (enum data_type)unpack_size(u, TYPE_TIMESTAMP)};

    d.scale = (int)unpack_size(u, SCALE_MOST);
    d.n = unpack_number(u);
    d.text = unpack_text(u);
    return d;
}

bool
unpack_end(const struct unpack *u)
{
    return !u->failed && u->ptr == u->end;
}
