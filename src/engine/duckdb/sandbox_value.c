/*
 * PostgreSQL's types and texts for values of the sandbox. All of these values are
 * public.
 */
#include "engine/duckdb/sandbox_value.h"

#include <string.h>

#include "base/base.h"
#include "base/datum.h"
#include "base/error.h"

enum { TEXT_MOST = 1 << 24 };

static const struct {
    enum column_type type;
    uint32_t oid, array;
} types[] = {
    {COLUMN_BOOL, 16, 1000},        {COLUMN_I8, 21, 1005},
    {COLUMN_I16, 21, 1005},         {COLUMN_I32, 23, 1007},
    {COLUMN_I64, 20, 1016},         {COLUMN_I128, 1700, 1231},
    {COLUMN_U8, 21, 1005},          {COLUMN_U16, 23, 1007},
    {COLUMN_U32, 26, 1028},         {COLUMN_U64, 1700, 1231},
    {COLUMN_F64, 701, 1022},        {COLUMN_TEXT, 25, 1009},
    {COLUMN_DATE, 1082, 1182},      {COLUMN_TIMESTAMP, 1114, 1115},
    {COLUMN_DECIMAL16, 1700, 1231}, {COLUMN_DECIMAL32, 1700, 1231},
    {COLUMN_DECIMAL64, 1700, 1231}, {COLUMN_DECIMAL128, 1700, 1231},
    {COLUMN_NOTHING, 25, 1009},
};

enum { OID_TEXT = 25, OID_TEXTS = 1009 };

static size_t
type_find(enum column_type type)
{
    size_t i = 0;

    while (i < COUNT_OF(types) && types[i].type != type)
        i++;
    return i;
}

uint32_t
sandbox_oid(const struct result *rows, size_t column)
{
    enum column_type item;
    enum column_type type = result_item_type(rows, column, &item);
    size_t i = type_find(type == COLUMN_LIST ? item : type);

    if (i == COUNT_OF(types))
        return type == COLUMN_LIST ? OID_TEXTS : OID_TEXT;
    return type == COLUMN_LIST ? types[i].array : types[i].oid;
}

/* Writes a value as text; false: values of this type have no text. */
static bool
write_one(const struct column *c, size_t row, struct buf *b)
{
    struct datum d = {.type = TYPE_INT};
    str text;

    switch (c->type) {
    case COLUMN_OTHER:
    case COLUMN_LIST: return false;
    case COLUMN_NOTHING: return true;
    case COLUMN_BOOL:
        buf_add_text(b, column_whole(c, row) ? "t" : "f");
        return true;
    case COLUMN_TEXT:
        text = column_text(c, row);
        buf_add(b, text.ptr, text.len);
        return true;
    case COLUMN_F64: buf_printf(b, "%.17g", column_real(c, row)); return true;
    case COLUMN_DATE: d.type = TYPE_DATE; break;
    case COLUMN_TIMESTAMP: d.type = TYPE_TIMESTAMP; break;
    case COLUMN_DECIMAL16:
    case COLUMN_DECIMAL32:
    case COLUMN_DECIMAL64:
    case COLUMN_DECIMAL128:
        d.type = TYPE_DECIMAL;
        d.scale = c->scale;
        break;
    default: break;
    }
    d.n = column_whole(c, row);
    datum_write(&d, b);
    return true;
}

/* Writes an item of {a,b}, in quotes if it could be misread. */
static void
write_item(struct buf *b, str text)
{
    bool plain =
        text.len > 0 && !(text.len == 4 && !memcmp(text.ptr, "NULL", 4));

    for (size_t i = 0; i < text.len; i++)
        plain = plain && !strchr("{}\",\\ \t\n", text.ptr[i]);
    buf_add_text(b, plain ? "" : "\"");
    for (size_t i = 0; i < text.len; i++) {
        if (!plain && (text.ptr[i] == '"' || text.ptr[i] == '\\'))
            buf_add_text(b, "\\");
        buf_add(b, text.ptr + i, 1);
    }
    buf_add_text(b, plain ? "" : "\"");
}

static bool
write_list(const struct column *c, size_t row, struct buf *b)
{
    size_t from, n;
    struct column items = column_items(c, row, &from, &n);
    bool good = true;
    struct buf one;

    buf_add_text(b, "{");
    for (size_t i = 0; i < n && good; i++) {
        buf_add_text(b, i > 0 ? "," : "");
        if (column_is_null(&items, from + i)) {
            buf_add_text(b, "NULL");
            continue;
        }
        buf_init(&one, NULL, TEXT_MOST);
        good = write_one(&items, from + i, &one);
        write_item(b, (str){one.ptr, one.len});
        b->failed = b->failed || one.failed;
        buf_clear(&one);
    }
    buf_add_text(b, "}");
    return good;
}

custos_status
sandbox_value(const struct column *c, size_t row, arena *a,
              struct sandbox_value *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct buf b;
    bool good;

    out->is_null = c->type == COLUMN_NOTHING || column_is_null(c, row);
    if (out->is_null)
        return CUSTOS_OK;
    buf_init(&b, NULL, TEXT_MOST);
    good =
        c->type == COLUMN_LIST ? write_list(c, row, &b) : write_one(c, row, &b);
    out->text = (str){arena_copy(a, (str){b.ptr ? b.ptr : "", b.len}), b.len};
    if (!good)
        st = custos_fail(err, CUSTOS_EENGINE,
                         "the query could not be completed");
    else if (b.failed || !out->text.ptr)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    buf_clear(&b);
    return st;
}
