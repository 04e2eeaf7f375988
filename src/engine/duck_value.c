/*
 * Reads values from a chunk's raw columns, in the memory layout of duckdb.h.
 */
#include "engine/duck_inside.h"

bool
duck_null(const struct duck_column *c, size_t row)
{
    return c->valid && !(c->valid[row / 64] >> (row % 64) & 1);
}

i128
duck_whole(const struct duck_column *c, size_t row)
{
    duckdb_hugeint wide;

    switch (c->type) {
    case DUCK_BOOL: return ((const bool *)c->data)[row];
    case DUCK_I8: return ((const int8_t *)c->data)[row];
    case DUCK_I16:
    case DUCK_DECIMAL16: return ((const int16_t *)c->data)[row];
    case DUCK_I32:
    case DUCK_DATE:
    case DUCK_DECIMAL32: return ((const int32_t *)c->data)[row];
    case DUCK_I64:
    case DUCK_TIMESTAMP:
    case DUCK_DECIMAL64: return ((const int64_t *)c->data)[row];
    case DUCK_U8: return ((const uint8_t *)c->data)[row];
    case DUCK_U16: return ((const uint16_t *)c->data)[row];
    case DUCK_U32: return ((const uint32_t *)c->data)[row];
    case DUCK_U64: return ((const uint64_t *)c->data)[row];
    case DUCK_I128:
    case DUCK_DECIMAL128:
        wide = ((const duckdb_hugeint *)c->data)[row];
        return (i128)((u128)(uint64_t)wide.upper << 64 | wide.lower);
    default: return 0;
    }
}

double
duck_real(const struct duck_column *c, size_t row)
{
    return c->type == DUCK_F64 ? ((const double *)c->data)[row] : 0;
}

str
duck_text(const struct duck_column *c, size_t row)
{
    const duckdb_string_t *t;

    if (c->type != DUCK_TEXT)
        return (str){"", 0};
    /* Reads the struct of duckdb.h directly: a call for each row would cost more. */
    t = &((const duckdb_string_t *)c->data)[row];
    return (str){t->value.inlined.length <= sizeof t->value.inlined.inlined
                     ? t->value.inlined.inlined
                     : t->value.pointer.ptr,
                 t->value.inlined.length};
}

struct duck_column
duck_items(const struct duck_column *c, size_t row, size_t *from, size_t *n)
{
    const duckdb_list_entry *e = &((const duckdb_list_entry *)c->data)[row];

    *from = e->offset;
    *n = e->length;
    return (struct duck_column){
        .type = c->item, .data = c->items, .valid = c->items_valid};
}
