/*
 * Values as PostgreSQL writes them, in text and binary, and their types. Numbers
 * stay exact decimals. Where the wire has a double (float8), an outgoing decimal
 * becomes the nearest double. An incoming double becomes the shortest decimal that
 * reads back as the same double, which is what the client's own language would
 * print.
 */
#ifndef WIRE_PG_VALUE_H
#define WIRE_PG_VALUE_H

#include "base/datum.h"
#include "wire/pg_in.h"

enum pg_oid {
    PG_BOOL = 16,
    PG_CHAR = 18,
    PG_NAME = 19,
    PG_INT8 = 20,
    PG_INT2 = 21,
    PG_INT4 = 23,
    PG_STRING = 25, /* text */
    PG_OID = 26,
    PG_FLOAT4 = 700,
    PG_FLOAT8 = 701,
    PG_UNKNOWN = 705,
    PG_BPCHAR = 1042,
    PG_VARCHAR = 1043,
    PG_DATE = 1082,
    PG_TIMESTAMP = 1114,
    PG_TIMESTAMPTZ = 1184,
    PG_NUMERIC = 1700,
};

struct pg_type {
    uint32_t oid;
    int16_t length;   /* typlen: bytes, -1 where they vary */
    int32_t modifier; /* typmod; -1: none */
};

/* Does every value of an integer column fit in 64 bits? */
enum pg_width { PG_64_BITS, PG_WIDER };

/* How a column of ours is announced. Integers: int8, or numeric when wider;
   NULL: text. */
struct pg_type pg_type_of(enum data_type type, enum pg_width width);

/* The type with this OID, without a modifier. The length is -1 if the OID is not
   in enum pg_oid. */
struct pg_type pg_type_by_oid(uint32_t oid);

/* The type that values of an OID are read as; TYPE_TEXT for unspecified (0)
   and PG_UNKNOWN. False: we read no values of it. */
bool pg_data_type(uint32_t oid, enum data_type *out);

/*
 * Appends the value (not NULL) without its length. The text format serves every
 * type. The binary format serves the types above; a text value of an unknown type
 * is copied. May fail: CUSTOS_ERANGE, if the number does not fit the type;
 * CUSTOS_EUNSUPPORTED, if the value is not of the type or the type has no binary
 * form here.
 */
CUSTOS_MUST_USE custos_status pg_value_write(const struct datum *value,
                                             uint32_t oid,
                                             enum pg_format format,
                                             struct buf *out, custos_err *err);

/*
 * Decodes a parameter; texts are borrowed from bytes, and are UTF-8 without NUL.
 * Error messages begin with "parameter $<number>". May fail: CUSTOS_EINVAL if it
 * is not a value of the type or has more than 36 digits, CUSTOS_ERANGE if it is
 * outside the range of an integer type, CUSTOS_EUNSUPPORTED for types that we do
 * not know.
 */
CUSTOS_MUST_USE custos_status pg_value_read(const struct pg_bytes *bytes,
                                            uint32_t oid, enum pg_format format,
                                            int number, struct datum *out,
                                            custos_err *err);

#endif
