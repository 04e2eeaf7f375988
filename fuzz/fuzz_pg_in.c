/*
 * PostgreSQL's protocol: a stream of bytes must give the same messages however
 * it is cut into pieces. Each message must lie within the bytes that have
 * arrived, and a rejection must have a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "wire/pg_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static const struct pg_limits limits = {.message_bytes = 4096, .list_max = 64};

static void
add(struct sha256 *h, str text)
{
    sha256_add(h, &text.len, sizeof text.len);
    sha256_add(h, text.ptr, text.len);
}

static void
add_values(struct sha256 *h, struct pg_list formats, struct pg_list values)
{
    struct pg_bytes v;

    for (size_t i = 0; pg_value_next(&values, &v); i++) {
        enum pg_format format = pg_format_at(&formats, i);

        sha256_add(h, &format, sizeof format);
        sha256_add(h, &v.is_null, sizeof v.is_null);
        add(h, v.bytes);
    }
}

static void
add_startup(struct sha256 *h, const struct pg_startup *s)
{
    struct pg_list pairs = s->pairs;
    struct buf out;
    str name, value;

    require(s->user.len > 0 && s->database.len > 0);
    while (pg_pair_next(&pairs, &name, &value)) {
        add(h, name);
        add(h, value);
    }
    buf_init(&out, NULL, 1 << 16);
    if (pg_must_negotiate(s))
        pg_out_negotiate(&out, s);
    require(!out.failed);
    buf_clear(&out);
}

/* Adds the contents of a message to the hash. */
static void
add_message(struct sha256 *h, const struct pg_message *m)
{
    str mechanism;
    struct pg_bytes response;

    sha256_add(h, &m->kind, sizeof m->kind);
    switch (m->kind) {
    case PG_STARTUP: add_startup(h, &m->startup); break;
    case PG_CANCEL_REQUEST: sha256_add(h, &m->cancel, sizeof m->cancel); break;
    case PG_PARSE:
        add(h, m->parse.name);
        add(h, m->parse.sql);
        for (size_t i = 0; i < m->parse.types.n; i++) {
            uint32_t type = pg_type_at(&m->parse.types, i);

            sha256_add(h, &type, sizeof type);
        }
        break;
    case PG_BIND:
        add(h, m->bind.portal);
        add(h, m->bind.statement);
        add_values(h, m->bind.formats, m->bind.values);
        (void)pg_format_at(&m->bind.results, 3);
        break;
    case PG_DESCRIBE:
    case PG_CLOSE: add(h, m->named.name); break;
    case PG_EXECUTE: add(h, m->execute.portal); break;
    case PG_FUNCTION_CALL:
        add_values(h, m->call.formats, m->call.values);
        break;
    case PG_SECRET:
        (void)!pg_sasl_first(m->text, &mechanism, &response, NULL);
        add(h, m->text);
        break;
    case PG_QUERY:
    case PG_COPY_DATA:
    case PG_COPY_FAIL: add(h, m->text); break;
    default: break;
    }
}

/* Decodes one message from a copy of exactly the bytes that have arrived, so
   that ASan finds a read past their end. */
static enum pg_in
take(str bytes, bool first, struct sha256 *h, size_t *used)
{
    char *copy = malloc(bytes.len ? bytes.len : 1);
    struct pg_message m;
    custos_err err = CUSTOS_ERR_INIT;
    enum pg_in got;

    require(copy != NULL);
    if (bytes.len)
        memcpy(copy, bytes.ptr, bytes.len);
    bytes.ptr = copy;
    got = first ? pg_in_first(bytes, &m, used, &err)
                : pg_in_next(bytes, &limits, &m, used, &err);
    if (got == PG_IN_MESSAGE) {
        require(*used <= bytes.len && *used > 0);
        add_message(h, &m);
    } else if (got == PG_IN_MORE) {
        require(*used > bytes.len);
        require(*used <= (first ? PG_FIRST_BYTES : limits.message_bytes));
    } else {
        require(err.said[0] &&
                (err.code == CUSTOS_EPROTOCOL || err.code == CUSTOS_EOVERFLOW));
        add(h, str_of(err.said));
    }
    free(copy);
    return got;
}

/* Decodes the stream in pieces whose sizes follow from `seed`; 0: all at once.
   out: a hash of all messages. */
static void
read_stream(str stream, unsigned seed, uint8_t out[SHA256_BYTES])
{
    bool first = true;
    size_t at = 0, there = seed ? 0 : stream.len, used;
    struct sha256 h;

    sha256_init(&h);
    for (;;) {
        enum pg_in got =
            take((str){stream.ptr + at, there - at}, first, &h, &used);

        if (got == PG_IN_BAD)
            break;
        if (got == PG_IN_MESSAGE) {
            at += used;
            first = false;
        } else if (there == stream.len) {
            break;
        } else {
            seed = seed * 1103515245u + 12345u;
            there += 1 + (seed >> 16) % 17;
            if (there > stream.len)
                there = stream.len;
        }
    }
    sha256_end(&h, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t whole[SHA256_BYTES], pieces[SHA256_BYTES];
    str stream = {(const char *)data, len};

    if (len > 1 << 14)
        return 0;
    read_stream(stream, 0, whole);
    /* The last byte of the input chooses the pieces. */
    read_stream(stream, 1 + (len ? data[len - 1] : 0u), pieces);
    require(!memcmp(whole, pieces, sizeof whole));
    return 0;
}
