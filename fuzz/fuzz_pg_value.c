/*
 * Parameters of the PostgreSQL protocol: a value that was read is written in
 * text and in binary and read again, and must be the same (a float must only
 * have the same type). The text of a value that came in binary, arrays included,
 * must be the same after it was written in binary and read again. The first two
 * bytes choose type and format.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/pg_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { WRITTEN_MAX = 1 << 20 };

static void
require(bool fact)
{
    if (!fact)
        abort();
}

static const uint32_t oids[] = {
    0,
    PG_BOOL,
    PG_CHAR,
    PG_NAME,
    PG_INT8,
    PG_INT2,
    PG_INT4,
    PG_STRING,
    PG_OID,
    PG_FLOAT4,
    PG_FLOAT8,
    PG_UNKNOWN,
    PG_BPCHAR,
    PG_VARCHAR,
    PG_DATE,
    PG_TIMESTAMP,
    PG_TIMESTAMPTZ,
    PG_NUMERIC,
    PG_INT2_ARRAY,
    PG_INT4_ARRAY,
    PG_INT8_ARRAY,
    PG_STRING_ARRAY,
    PG_OID_ARRAY,
    PG_NAME_ARRAY,
    3802,
};

static void
check_refused(custos_status st, const custos_err *err)
{
    require(st == CUSTOS_EINVAL || st == CUSTOS_ERANGE ||
            st == CUSTOS_EUNSUPPORTED);
    require(err->code == st && err->said[0]);
}

/* Writes a value and reads it again. Of floats only the type is compared, since
   a decimal that is no double becomes the nearest double. */
static void
check_value(const struct datum *d, uint32_t oid)
{
    for (int i = 0; i < 2; i++) {
        enum pg_format format = i ? PG_BINARY : PG_TEXT;
        struct buf out;
        struct pg_bytes b = {0};
        struct datum again;

        buf_init(&out, NULL, WRITTEN_MAX);
        require(!pg_value_write(d, oid, format, &out, NULL) && !out.failed);
        b.bytes = (str){buf_text(&out), out.len};
        /* The nearest double may have more digits than pg_value_read
           accepts. */
        if (pg_value_read(&b, oid, format, 1, &again, NULL)) {
            require(oid == PG_FLOAT8 || oid == PG_FLOAT4);
        } else {
            require(again.type == d->type);
            if (oid != PG_FLOAT8 && oid != PG_FLOAT4)
                require(datum_cmp(d, &again) == 0);
        }
        buf_clear(&out);
    }
}

static void
check_text(const struct pg_bytes *b, uint32_t oid, enum pg_format format)
{
    struct buf text, binary, again;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;

    buf_init(&text, NULL, WRITTEN_MAX);
    buf_init(&binary, NULL, WRITTEN_MAX);
    buf_init(&again, NULL, WRITTEN_MAX);
    st = pg_text_read(b, oid, format, 1, &text, &err);
    if (st) {
        check_refused(st, &err);
    } else if (!pg_text_write((str){buf_text(&text), text.len}, oid, PG_BINARY,
                              &binary, NULL) &&
               oid != 3802) {
        struct pg_bytes c = {.bytes = {buf_text(&binary), binary.len}};

        st = pg_text_read(&c, oid, PG_BINARY, 1, &again, NULL);
        /* a value given in binary has only one text, which must come back */
        if (format == PG_BINARY && oid != PG_FLOAT8 && oid != PG_FLOAT4)
            require(!st && again.len == text.len &&
                    !memcmp(buf_text(&again), buf_text(&text), text.len));
    }
    buf_clear(&text);
    buf_clear(&binary);
    buf_clear(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint32_t oid;
    enum pg_format format;
    struct pg_bytes b = {0};
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    struct datum d;

    if (len < 2 || len > 1 << 14)
        return 0;
    oid = oids[data[0] % COUNT_OF(oids)];
    format = data[1] & 1 ? PG_BINARY : PG_TEXT;
    b.bytes = (str){(const char *)data + 2, len - 2};
    st = pg_value_read(&b, oid, format, 1, &d, &err);
    if (st)
        check_refused(st, &err);
    else
        check_value(&d, oid);
    check_text(&b, oid, format);
    return 0;
}
