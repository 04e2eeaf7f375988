/*
 * Reads values from a chunk's raw columns.
 */
#include "engine/statement/rows.h"

bool
column_is_null(const struct column *c, size_t row)
{
    return c->valid && !(c->valid[row / 64] >> (row % 64) & 1);
}

i128
column_whole(const struct column *c, size_t row)
{
    struct column_wide wide;

    switch (c->type) {
    case COLUMN_BOOL: return ((const bool *)c->data)[row];
    case COLUMN_I8: return ((const int8_t *)c->data)[row];
    case COLUMN_I16:
    case COLUMN_DECIMAL16: return ((const int16_t *)c->data)[row];
    case COLUMN_I32:
    case COLUMN_DATE:
    case COLUMN_DECIMAL32: return ((const int32_t *)c->data)[row];
    case COLUMN_I64:
    case COLUMN_TIMESTAMP:
    case COLUMN_DECIMAL64: return ((const int64_t *)c->data)[row];
    case COLUMN_U8: return ((const uint8_t *)c->data)[row];
    case COLUMN_U16: return ((const uint16_t *)c->data)[row];
    case COLUMN_U32: return ((const uint32_t *)c->data)[row];
    case COLUMN_U64: return ((const uint64_t *)c->data)[row];
    case COLUMN_I128:
    case COLUMN_DECIMAL128:
        wide = ((const struct column_wide *)c->data)[row];
        return (i128)((u128)(uint64_t)wide.high << 64 | wide.low);
    default: return 0;
    }
}

double
column_real(const struct column *c, size_t row)
{
    return c->type == COLUMN_F64 ? ((const double *)c->data)[row] : 0;
}

str
column_text(const struct column *c, size_t row)
{
    const struct column_string *t;

    if (c->type != COLUMN_TEXT)
        return (str){"", 0};
    t = &((const struct column_string *)c->data)[row];
    return (str){t->len <= COLUMN_INLINE ? t->here : t->there.all, t->len};
}

struct column
column_items(const struct column *c, size_t row, size_t *from, size_t *n)
{
    const struct column_part *p = &((const struct column_part *)c->data)[row];

    *from = p->from;
    *n = p->n;
    return (struct column){
        .type = c->item, .data = c->items, .valid = c->items_valid};
}

void
result_free(struct result *r)
{
    if (r)
        r->ops->free(r);
}

size_t
result_width(const struct result *r)
{
    return r->width;
}

const char *
result_name(const struct result *r, size_t column)
{
    return r->names[column];
}

enum column_type
result_type(const struct result *r, size_t column, int *scale)
{
    if (scale)
        *scale = r->shape[column].scale;
    return r->shape[column].type;
}

enum column_type
result_item_type(const struct result *r, size_t column, enum column_type *item)
{
    *item = r->shape[column].item;
    return r->shape[column].type;
}

custos_status
result_next(struct result *r, size_t *n, struct column *columns,
            custos_err *err)
{
    return r->ops->next(r, n, columns, err);
}
