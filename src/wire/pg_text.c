/*
 * Converts values between PostgreSQL's text and binary formats. An array is
 * {a,"b c",NULL} as text; in binary it is the number of dimensions, the type of
 * the elements, and the elements.
 */
#include "wire/pg_text.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/list_text.h"
#include "base/utf8.h"
#include "wire/pg_bytes.h"

static const struct {
    uint32_t array, element;
} arrays[] = {
    {PG_INT2_ARRAY, PG_INT2}, {PG_INT4_ARRAY, PG_INT4},
    {PG_INT8_ARRAY, PG_INT8}, {PG_STRING_ARRAY, PG_STRING},
    {PG_OID_ARRAY, PG_OID},   {PG_NAME_ARRAY, PG_NAME},
    {PG_CHAR_ARRAY, PG_CHAR}, {1000, PG_BOOL},
    {1014, PG_BPCHAR},        {1015, PG_VARCHAR},
    {1021, PG_FLOAT4},        {1022, PG_FLOAT8},
    {1115, PG_TIMESTAMP},     {1182, PG_DATE},
    {1185, PG_TIMESTAMPTZ},   {1231, PG_NUMERIC},
};

uint32_t
pg_array_element(uint32_t oid)
{
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        if (arrays[i].array == oid)
            return arrays[i].element;
    return 0;
}

uint32_t
pg_array_of(uint32_t element)
{
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        if (arrays[i].element == element)
            return arrays[i].array;
    return 0;
}

static custos_status
fail_array(custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL,
                       "text is not a one-dimensional array");
}

/* Writes a value in binary. The text of an unknown type is copied unchanged. */
static custos_status
write_element(str text, uint32_t oid, struct buf *out, custos_err *err)
{
    enum data_type type;
    struct datum d;

    if (!pg_data_type(oid, &type))
        type = TYPE_TEXT;
    if (!datum_read(type, text, &d))
        return custos_fail(err, CUSTOS_EINVAL, "text is not a value of type %s",
                           data_type_name(type));
    return pg_value_write(&d, oid, PG_BINARY, out, err);
}

static bool
is_null(str text)
{
    return text.len == 4 && !strncasecmp(text.ptr, "null", 4);
}

/* -------------------------------------------------------- text arrays -- */

/* Writes the elements of "{...}" in binary; adds their number to *n, and the
   number of NULLs among them to *nulls. */
static custos_status
write_elements(struct list_text *list, uint32_t oid, struct buf *out,
               uint32_t *n, uint32_t *nulls, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    enum list_item item;
    struct buf one;

    buf_init(&one, &out->alloc, (size_t)(list->end - list->at) + 1);
    while (!st && (item = list_text_next(list, &one)) != LIST_END) {
        size_t length_at = out->len;

        if (item == LIST_BAD || one.failed) {
            st = fail_array(err);
            break;
        }
        add_u32(out, UINT32_MAX);
        ++*n;
        *nulls += item == LIST_NULL;
        if (item == LIST_NULL)
            continue;
        st = write_element((str){buf_text(&one), one.len}, oid, out, err);
        if (!st && !out->failed)
            u32_put(out->ptr + length_at, (uint32_t)(out->len - length_at - 4));
    }
    buf_clear(&one);
    return st;
}

static custos_status
write_array(str text, uint32_t element, struct buf *out, custos_err *err)
{
    enum { DIMENSION = 8 };
    uint32_t n = 0, nulls = 0;
    struct list_text list;
    size_t head = out->len;
    custos_status st;

    if (!list_text_begin(text, &list))
        return fail_array(err);
    add_u32(out, 1); /* dimensions; set below */
    add_u32(out, 0); /* whether there are NULLs; set below */
    add_u32(out, element);
    add_u32(out, 0); /* number of elements; set below */
    add_u32(out, 1); /* index of the first element */
    st = write_elements(&list, element, out, &n, &nulls, err);
    if (st || out->failed)
        return st;
    u32_put(out->ptr + head, n > 0);
    u32_put(out->ptr + head + 4, nulls > 0);
    u32_put(out->ptr + head + 12, n);
    if (n == 0) /* an empty array has no dimension: remove it */
        out->ptr[out->len -= DIMENSION] = 0;
    return CUSTOS_OK;
}

custos_status
pg_text_write(str text, uint32_t oid, enum pg_format format, struct buf *out,
              custos_err *err)
{
    uint32_t element = pg_array_element(oid);

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
                       "parameter $%d is not a one-dimensional array", number);
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
            datum_write(&d, out); /* all other types need no quotes */
    }
    buf_add(out, "}", 1);
    return CUSTOS_OK;
}

/* True if n values, each after its length, fill the bytes exactly. */
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
    uint32_t element = pg_array_element(oid);
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
