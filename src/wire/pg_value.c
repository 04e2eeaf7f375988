/*
 * A table with one row per type; encoding and decoding of values as text and binary.
 */
#include "wire/pg_value.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "wire/pg_bytes.h"
#include "wire/pg_number.h"

enum {
    DAYS_TO_2000 = 10957, /* from 1970-01-01 */
    CSTRING = -2,         /* typlen of unknown */
};

static const struct row {
    uint32_t oid;
    int16_t length;
    enum data_type type;
    const char *name;
} rows[] = {
    {PG_BOOL, 1, TYPE_BOOL, "boolean"},
    {PG_CHAR, 1, TYPE_TEXT, "\"char\""},
    {PG_NAME, 64, TYPE_TEXT, "name"},
    {PG_INT8, 8, TYPE_INT, "bigint"},
    {PG_INT2, 2, TYPE_INT, "smallint"},
    {PG_INT4, 4, TYPE_INT, "integer"},
    {PG_STRING, -1, TYPE_TEXT, "text"},
    {PG_OID, 4, TYPE_INT, "oid"},
    {PG_FLOAT4, 4, TYPE_REAL, "real"},
    {PG_FLOAT8, 8, TYPE_REAL, "double precision"},
    {PG_UNKNOWN, CSTRING, TYPE_TEXT, "unknown"},
    {PG_BPCHAR, -1, TYPE_TEXT, "character"},
    {PG_VARCHAR, -1, TYPE_TEXT, "character varying"},
    {PG_DATE, 4, TYPE_DATE, "date"},
    {PG_TIMESTAMP, 8, TYPE_TIMESTAMP, "timestamp"},
    {PG_TIMESTAMPTZ, 8, TYPE_TIMESTAMP, "timestamp with time zone"},
    {PG_NUMERIC, -1, TYPE_DECIMAL, "numeric"},
};

/* NULL for 0 and for types that are not in the table. */
static const struct row *
row_of(uint32_t oid)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].oid == oid)
            return &rows[i];
    return NULL;
}

struct pg_type
pg_type_by_oid(uint32_t oid)
{
    const struct row *row = row_of(oid);

    return (struct pg_type){oid, row ? row->length : (int16_t)-1, -1};
}

struct pg_type
pg_type_of(enum data_type type, enum pg_width width)
{
    switch (type) {
    case TYPE_BOOL: return pg_type_by_oid(PG_BOOL);
    case TYPE_INT:
        return pg_type_by_oid(width == PG_WIDER ? PG_NUMERIC : PG_INT8);
    case TYPE_DECIMAL: return pg_type_by_oid(PG_NUMERIC);
    case TYPE_REAL: return pg_type_by_oid(PG_FLOAT8);
    case TYPE_DATE: return pg_type_by_oid(PG_DATE);
    case TYPE_TIMESTAMP: return pg_type_by_oid(PG_TIMESTAMP);
    case TYPE_NULL:
    case TYPE_TEXT: break;
    }
    return pg_type_by_oid(PG_STRING);
}

bool
pg_data_type(uint32_t oid, enum data_type *out)
{
    const struct row *row = row_of(oid ? oid : PG_UNKNOWN);

    if (!row)
        return false;
    *out = row->type;
    return true;
}

/* The limits of an integer type; false for other types. */
static bool
int_limits(uint32_t oid, int64_t *low, int64_t *high)
{
    switch (oid) {
    case PG_INT2: *low = INT16_MIN, *high = INT16_MAX; return true;
    case PG_INT4: *low = INT32_MIN, *high = INT32_MAX; return true;
    case PG_INT8: *low = INT64_MIN, *high = INT64_MAX; return true;
    case PG_OID: *low = 0, *high = UINT32_MAX; return true;
    default: return false;
    }
}

/* --------------------------------------------------------------- out -- */

static custos_status
fail_kind(const struct datum *d, uint32_t oid, custos_err *err)
{
    const struct row *row = row_of(oid);

    return custos_fail(err, CUSTOS_EUNSUPPORTED,
                       "a value of type %s cannot be sent as %s in binary",
                       data_type_name(d->type), row ? row->name : "this type");
}

/* Checks that a value for an integer type is a whole number within its limits. */
static custos_status
check_int(const struct datum *d, uint32_t oid, custos_err *err)
{
    int64_t low, high;

    if (!int_limits(oid, &low, &high))
        return CUSTOS_OK;
    if (!data_type_is_number(d->type) || d->scale != 0)
        return fail_kind(d, oid, err);
    if (d->n < low || d->n > high)
        return custos_fail(err, CUSTOS_ERANGE,
                           "a number is outside the range of %s" HINT
                           "cast it to "
                           "numeric",
                           row_of(oid)->name);
    return CUSTOS_OK;
}

/* Like datum_write, but without zeros at the end of fractional seconds. */
static void
write_timestamp(const struct datum *d, uint32_t oid, struct buf *out)
{
    datum_write(d, out);
    while (d->n % 1000000 && !out->failed && out->ptr[out->len - 1] == '0')
        out->ptr[--out->len] = '\0';
    if (oid == PG_TIMESTAMPTZ)
        buf_add_text(out, "+00");
}

static void
write_text(const struct datum *d, uint32_t oid, struct buf *out)
{
    if (d->type == TYPE_BOOL)
        buf_add(out, d->n ? "t" : "f", 1);
    else if (d->type == TYPE_TIMESTAMP)
        write_timestamp(d, oid, out);
    else if (data_type_is_number(d->type) && oid == PG_FLOAT8)
        float_write_text(d, FLOAT_8, out);
    else if (data_type_is_number(d->type) && oid == PG_FLOAT4)
        float_write_text(d, FLOAT_4, out);
    else
        datum_write(d, out);
}

static void
write_number(const struct datum *d, uint32_t oid, struct buf *out)
{
    switch (oid) {
    case PG_INT2: add_u16(out, (uint16_t)d->n); break;
    case PG_INT4:
    case PG_OID: add_u32(out, (uint32_t)d->n); break;
    case PG_INT8: add_u64(out, (uint64_t)d->n); break;
    case PG_FLOAT4: float_write(d, FLOAT_4, out); break;
    case PG_FLOAT8: float_write(d, FLOAT_8, out); break;
    default: numeric_write(d->n, d->scale, out); break;
    }
}

static custos_status
write_binary(const struct datum *d, uint32_t oid, struct buf *out,
             custos_err *err)
{
    const struct row *row = row_of(oid);
    enum data_type type = row ? row->type : TYPE_NULL;

    if (type == TYPE_TEXT || (!row && d->type == TYPE_TEXT))
        write_text(d, oid, out);
    else if (type == TYPE_BOOL && d->type == TYPE_BOOL)
        add_u8(out, d->n != 0);
    else if (type == TYPE_DATE && d->type == TYPE_DATE)
        add_u32(out, (uint32_t)(d->n - DAYS_TO_2000));
    else if (type == TYPE_TIMESTAMP && d->type == TYPE_TIMESTAMP)
        add_u64(out, (uint64_t)(d->n - (i128)DAYS_TO_2000 * DAY_US));
    else if (data_type_is_number(type) && data_type_is_number(d->type))
        write_number(d, oid, out);
    else
        return fail_kind(d, oid, err);
    return CUSTOS_OK;
}

custos_status
pg_value_write(const struct datum *value, uint32_t oid, enum pg_format format,
               struct buf *out, custos_err *err)
{
    custos_status st = check_int(value, oid, err);

    CUSTOS_REQUIRE(value->type != TYPE_NULL);
    if (st)
        return st;
    if (format == PG_BINARY)
        return write_binary(value, oid, out, err);
    write_text(value, oid, out);
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- in -- */

static bool
two_digits(const char *p, int *out)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return false;
    *out = (p[0] - '0') * 10 + p[1] - '0';
    return true;
}

static bool
is_sign(char c)
{
    return c == '+' || c == '-';
}

/* Removes a time zone ("Z", "+02", "-0330", "+05:30") from the end of a text.
   *ahead: how many microseconds it is ahead of UTC; 0 if there is no zone. */
static bool
take_zone(str *text, int64_t *ahead)
{
    size_t at = text->len;
    int hours, minutes = 0;
    const char *p;

    *ahead = 0;
    if (at > 0 && text->ptr[at - 1] == 'Z') {
        text->len--;
        return true;
    }
    while (at > 0 && text->len - at < 6 && !is_sign(text->ptr[at - 1]))
        at--;
    /* A minus among the first 10 characters belongs to the date. */
    if (at == 0 || !is_sign(text->ptr[at - 1]) || at <= 10)
        return true;
    p = text->ptr + at;
    switch (text->len - at) {
    case 2: minutes = 0; break;
    case 4:
        if (!two_digits(p + 2, &minutes))
            return false;
        break;
    case 5:
        if (p[2] != ':' || !two_digits(p + 3, &minutes))
            return false;
        break;
    default: return false;
    }
    if (!two_digits(p, &hours) || hours > 15 || minutes > 59)
        return false;
    *ahead = (hours * 60 + minutes) * INT64_C(60000000);
    if (p[-1] == '-')
        *ahead = -*ahead;
    text->len = at - 1;
    return true;
}

static bool
in_calendar(i128 days)
{
    return days >= date_days(1, 1, 1) && days <= date_days(9999, 12, 31);
}

static i128
floor_days(i128 us)
{
    return us / DAY_US - (us % DAY_US < 0);
}

static str
trim_spaces(str text)
{
    while (text.len > 0 && text.ptr[0] == ' ')
        text = (str){text.ptr + 1, text.len - 1};
    while (text.len > 0 && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

/* Like PostgreSQL, ignores the time zone unless the type is timestamptz, and for a
   date takes the day of a timestamp. (JDBC sends dates with a zone and no type.) */
static bool
read_time_text(str text, const struct row *row, struct datum *out)
{
    int64_t ahead;

    if (!take_zone(&text, &ahead) ||
        !datum_read(TYPE_TIMESTAMP, trim_spaces(text), out))
        return false;
    if (row->oid == PG_TIMESTAMPTZ)
        out->n -= ahead;
    if (row->type == TYPE_DATE)
        *out = (struct datum){.type = TYPE_DATE, .n = floor_days(out->n)};
    return row->type == TYPE_DATE || in_calendar(floor_days(out->n));
}

static bool
read_text(str text, const struct row *row, struct datum *out)
{
    if (row->type == TYPE_TEXT)
        return utf8_prefix(text) == text.len &&
               datum_read(TYPE_TEXT, text, out);
    if (row->type == TYPE_DATE || row->type == TYPE_TIMESTAMP)
        return read_time_text(trim_spaces(text), row, out);
    return datum_read(row->type, trim_spaces(text), out);
}

static bool
read_binary(str b, const struct row *row, struct datum *out)
{
    struct datum d = {.type = row->type};

    if (row->type == TYPE_TEXT)
        return read_text(b, row, out);
    if (row->oid == PG_NUMERIC)
        return numeric_read(b, out);
    if (b.len != (size_t)row->length)
        return false;
    switch (row->oid) {
    case PG_BOOL:
        d.n = *b.ptr != 0;
        if ((unsigned char)*b.ptr > 1)
            return false;
        break;
    case PG_INT2: d.n = (int16_t)u16_at(b.ptr); break;
    case PG_INT4: d.n = (int32_t)u32_at(b.ptr); break;
    case PG_OID: d.n = u32_at(b.ptr); break;
    case PG_INT8: d.n = (int64_t)u64_at(b.ptr); break;
    case PG_FLOAT4: return float_read(b.ptr, FLOAT_4, out);
    case PG_FLOAT8: return float_read(b.ptr, FLOAT_8, out);
    case PG_DATE:
        d.n = (i128)(int32_t)u32_at(b.ptr) + DAYS_TO_2000;
        if (!in_calendar(d.n))
            return false;
        break;
    default:
        d.n = (i128)(int64_t)u64_at(b.ptr) + (i128)DAYS_TO_2000 * DAY_US;
        if (!in_calendar(floor_days(d.n)))
            return false;
        break;
    }
    *out = d;
    return true;
}

custos_status
pg_value_read(const struct pg_bytes *bytes, uint32_t oid, enum pg_format format,
              int number, struct datum *out, custos_err *err)
{
    const struct row *row = row_of(oid ? oid : PG_UNKNOWN);
    struct datum d = {.type = TYPE_NULL};
    int64_t low, high;

    if (!row)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "parameter $%d is of a type (OID %u) that is not "
                           "supported" HINT
                           "cast it to text, numeric or timestamp",
                           number, oid);
    if (bytes->is_null) {
        *out = d;
        return CUSTOS_OK;
    }
    if (!(format == PG_BINARY ? read_binary : read_text)(bytes->bytes, row, &d))
        return custos_fail(
            err, CUSTOS_EINVAL,
            "parameter $%d is not a value of type %s that can be "
            "used here%s",
            number, row->name,
            data_type_is_number(row->type) ? ": numbers have at most 36 digits"
                                           : "");
    if (int_limits(row->oid, &low, &high) && (d.n < low || d.n > high))
        return custos_fail(err, CUSTOS_ERANGE,
                           "parameter $%d is outside the range of %s", number,
                           row->name);
    *out = d;
    return CUSTOS_OK;
}
