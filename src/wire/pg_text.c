/*
 * PostgreSQL's texts to binary and back. An array's text is {a,"b c",NULL}; in
 * binary it is its dimensions, its elements' type, and the elements.
 */
#include "wire/pg_text.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/utf8.h"
#include "wire/pg_bytes.h"

static const struct {
    uint32_t array, element;
} arrays[] = {
    {PG_INT2_ARRAY, PG_INT2}, {PG_INT4_ARRAY, PG_INT4},
    {PG_INT8_ARRAY, PG_INT8}, {PG_STRING_ARRAY, PG_STRING},
    {PG_OID_ARRAY, PG_OID},   {PG_NAME_ARRAY, PG_NAME},
    {PG_CHAR_ARRAY, PG_CHAR},
};

/* The type of an array's elements, or 0. */
static uint32_t
element_of(uint32_t oid)
{
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        if (arrays[i].array == oid)
            return arrays[i].element;
    return 0;
}

static custos_status
fail_array(custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL,
                       "a text is no array of one dimension");
}

/* A value as the binary of its type; of types we do not know, as it is. */
static custos_status
write_element(str text, uint32_t oid, struct buf *out, custos_err *err)
{
    enum data_type type;
    struct datum d;

    if (!pg_data_type(oid, &type))
        type = TYPE_TEXT;
    if (!datum_read(type, text, &d))
        return custos_fail(err, CUSTOS_EINVAL, "a text is no value of type %s",
                           data_type_name(type));
    return pg_value_write(&d, oid, PG_BINARY, out, err);
}

static bool
is_null(str text)
{
    return text.len == 4 && !strncasecmp(text.ptr, "null", 4);
}

/* -------------------------------------------------------- text arrays -- */

/* One element of an array's text, unquoted into `out`; had it quotes? */
static bool
take_element(const char **at, const char *end, struct buf *out)
{
    bool quoted = false, inside = false;

    for (; *at < end && (inside || (**at != ',' && **at != '}')); ++*at) {
        if (**at == '"') {
            quoted = true;
            inside = !inside;
            continue;
        }
        if (**at == '\\' && *at + 1 < end)
            ++*at;
        buf_add(out, *at, 1);
    }
    return quoted;
}

/* The elements of "{...}", from after the brace; counts them, and NULLs. */
static custos_status
write_elements(str text, uint32_t oid, struct buf *out, uint32_t *n,
               uint32_t *nulls, custos_err *err)
{
    const char *at = text.ptr + 1, *end = text.ptr + text.len;
    custos_status st = CUSTOS_OK;
    struct buf one;

    buf_init(&one, &out->alloc, text.len + 1);
    while (!st && at < end) {
        size_t length_at = out->len;
        bool quoted, null;

        one.len = 0;
        quoted = take_element(&at, end, &one);
        null = !quoted && is_null((str){one.ptr, one.len});
        if (at == end || one.failed || (*at == '}') != (at + 1 == end) ||
            (!quoted && one.len == 0)) {
            st = fail_array(err);
            break;
        }
        add_u32(out, UINT32_MAX);
        ++*n;
        *nulls += null;
        if (!null)
            st = write_element((str){buf_text(&one), one.len}, oid, out, err);
        if (!st && !null && !out->failed)
            u32_put(out->ptr + length_at, (uint32_t)(out->len - length_at - 4));
        at++;
    }
    buf_clear(&one);
    return st;
}

static custos_status
write_array(str text, uint32_t element, struct buf *out, custos_err *err)
{
    uint32_t n = 0, nulls = 0;
    size_t head = out->len;
    custos_status st;

    if (text.len < 2 || text.ptr[0] != '{')
        return fail_array(err);
    if (text.len == 2 && text.ptr[1] == '}') {
        add_u32(out, 0);
        add_u32(out, 0);
        add_u32(out, element);
        return CUSTOS_OK;
    }
    add_u32(out, 1);
    add_u32(out, 0); /* are there NULLs; filled below */
    add_u32(out, element);
    add_u32(out, 0); /* how many; filled below */
    add_u32(out, 1); /* counted from */
    st = write_elements(text, element, out, &n, &nulls, err);
    if (!st && !out->failed) {
        u32_put(out->ptr + head + 4, nulls > 0);
        u32_put(out->ptr + head + 12, n);
    }
    return st;
}

custos_status
pg_text_write(str text, uint32_t oid, enum pg_format format, struct buf *out,
              custos_err *err)
{
    uint32_t element = element_of(oid);

    if (format == PG_TEXT) {
        buf_add(out, text.ptr, text.len);
        return CUSTOS_OK;
    }
    return element ? write_array(text, element, out, err)
                   : write_element(text, oid, out, err);
}

/* ------------------------------------------------------ binary arrays -- */

static bool
needs_quotes(str text)
{
    if (text.len == 0 || is_null(text))
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (strchr("{},\"\\ \t\n\r\v\f", text.ptr[i]))
            return true;
    return false;
}

static void
add_quoted(struct buf *out, str text)
{
    bool quotes = needs_quotes(text);

    if (quotes)
        buf_add(out, "\"", 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            buf_add(out, "\\", 1);
        buf_add(out, &text.ptr[i], 1);
    }
    if (quotes)
        buf_add(out, "\"", 1);
}

static custos_status
fail_parameter(int number, custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL,
                       "parameter $%d is no array of one dimension", number);
}

static custos_status
read_elements(struct pg_list values, uint32_t element, int number,
              struct buf *out, custos_err *err)
{
    const char *comma = "";
    struct pg_bytes v;

    buf_add(out, "{", 1);
    while (pg_value_next(&values, &v)) {
        struct datum d;
        custos_status st =
            pg_value_read(&v, element, PG_BINARY, number, &d, err);

        if (st)
            return st;
        buf_add_text(out, comma);
        comma = ",";
        if (d.type == TYPE_TEXT)
            add_quoted(out, d.text);
        else
            datum_write(&d, out); /* an integer, or NULL */
    }
    buf_add(out, "}", 1);
    return CUSTOS_OK;
}

/* That as many values as said fill the bytes exactly. */
static bool
values_fill(str bytes, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t len;

        if (bytes.len - at < 4)
            return false;
        len = u32_at(bytes.ptr + at);
        at += 4;
        if (len == UINT32_MAX)
            continue;
        if (bytes.len - at < len)
            return false;
        at += len;
    }
    return at == bytes.len;
}

static custos_status
read_array(str b, uint32_t element, int number, struct buf *out,
           custos_err *err)
{
    enum { HEAD = 12, DIMENSION = 8 };
    uint32_t dimensions = b.len >= HEAD ? u32_at(b.ptr) : 2;
    size_t n;

    if (dimensions > 1 || u32_at(b.ptr + 8) != element)
        return fail_parameter(number, err);
    if (dimensions == 0) {
        if (b.len != HEAD)
            return fail_parameter(number, err);
        buf_add_text(out, "{}");
        return CUSTOS_OK;
    }
    if (b.len < HEAD + DIMENSION)
        return fail_parameter(number, err);
    n = u32_at(b.ptr + HEAD);
    b = (str){b.ptr + HEAD + DIMENSION, b.len - HEAD - DIMENSION};
    if (!values_fill(b, n))
        return fail_parameter(number, err);
    return read_elements((struct pg_list){b.ptr, n}, element, number, out, err);
}

custos_status
pg_text_read(const struct pg_bytes *bytes, uint32_t oid, enum pg_format format,
             int number, struct buf *out, custos_err *err)
{
    str b = bytes->bytes;
    uint32_t element = element_of(oid);
    enum data_type type;
    struct datum d;
    custos_status st;

    CUSTOS_REQUIRE(!bytes->is_null);
    if (format == PG_BINARY && element)
        return read_array(b, element, number, out, err);
    if (format == PG_BINARY || pg_data_type(oid, &type)) {
        st = pg_value_read(bytes, oid, format, number, &d, err);
        return st ? st : pg_value_write(&d, oid, PG_TEXT, out, err);
    }
    if (utf8_prefix(b) != b.len)
        return custos_fail(err, CUSTOS_EINVAL, "parameter $%d is not UTF-8",
                           number);
    buf_add(out, b.ptr, b.len);
    return CUSTOS_OK;
}
