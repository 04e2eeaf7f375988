/*
 * Values that we hold as PostgreSQL's text for them (t, 42, {a,b}), and their
 * text and binary formats on the wire. For values of catalogs, which include
 * one-dimensional arrays, and for parameters that are arrays.
 */
#ifndef WIRE_PG_TEXT_H
#define WIRE_PG_TEXT_H

#include "wire/pg_value.h"

enum pg_array {
    PG_INT2_ARRAY = 1005,
    PG_INT4_ARRAY = 1007,
    PG_INT8_ARRAY = 1016,
    PG_STRING_ARRAY = 1009,
    PG_OID_ARRAY = 1028,
    PG_NAME_ARRAY = 1003,
    PG_CHAR_ARRAY = 1002,
};

/* The element type of an array type, and the reverse; 0 if unknown. */
uint32_t pg_array_element(uint32_t oid);
uint32_t pg_array_of(uint32_t element);

/*
 * Appends the value without its length. May fail: CUSTOS_EINVAL, if the text is
 * not a value of the type; CUSTOS_ERANGE, if a number does not fit the type.
 */
CUSTOS_MUST_USE custos_status pg_text_write(str text, uint32_t oid,
                                            enum pg_format format,
                                            struct buf *out, custos_err *err);

/*
 * Appends a parameter, which is not NULL, as text. For an unknown type only the
 * text format is accepted. Fails like pg_value_read.
 */
CUSTOS_MUST_USE custos_status pg_text_read(const struct pg_bytes *bytes,
                                           uint32_t oid, enum pg_format format,
                                           int number, struct buf *out,
                                           custos_err *err);

#endif
