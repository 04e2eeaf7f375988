/*
 * Values as bytes, for stored answers and for messages between processes: a
 * flat list of fields, each text preceded by its length. The reader trusts
 * nothing: malformed input sets a sticky failed bit, and every field after that
 * is empty.
 *
 * Users' ledgers hold stored answers in this encoding, so a change needs a new
 * format number (curator/answer_codec.c).
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/datum.h"

void pack_number(struct buf *b, i128 n);
void pack_text(struct buf *b, str text);
void pack_bytes(struct buf *b, const void *bytes, size_t n); /* no length */
void pack_datum(struct buf *b, const struct datum *d);

struct unpack {
    const char *ptr, *end;
    bool failed;
};

struct unpack unpack_of(str bytes);

/* A number, or 0 after a failure. */
i128 unpack_number(struct unpack *u);

/* A number from 0 to most, or 0 after a failure. */
size_t unpack_size(struct unpack *u, size_t most);

/* A text, borrowed from the bytes; empty after a failure. */
str unpack_text(struct unpack *u);

/* Exactly n bytes; zeros after a failure. */
void unpack_bytes(struct unpack *u, void *out, size_t n);

/* A value; its text is borrowed from the bytes. */
struct datum unpack_datum(struct unpack *u);

/* Was everything read without a failure, with nothing left? */
bool unpack_end(const struct unpack *u);

#endif
