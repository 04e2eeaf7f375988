/*
 * Reads JSON with jansson, which nothing else uses, and writes JSON. Numbers are
 * exact both ways: a number that was read is kept as its text, and a number is
 * written as a text with every digit. Values that were read are in an arena.
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include "base/datum.h"

/* ------------------------------------------------------------- reading -- */

enum json_kind {
    JSON_NULL_VALUE,
    JSON_TRUTH,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_MEMBERS,
};

struct json_value {
    enum json_kind kind;
    str name; /* if it is a member of an object */
    bool truth;
    str text; /* of a text; of a number, as it was written */
    const struct json_value *items; /* of a list or an object, in order */
    size_t n;
};

enum { JSON_DEPTH_MAX = 16 };

/*
 * Reads a text that is exactly one value; everything is in the arena. May fail:
 * CUSTOS_ESYNTAX with the position, CUSTOS_EOVERFLOW (deeper than JSON_DEPTH_MAX),
 * CUSTOS_ENOMEM. Names in an object are unique; texts are UTF-8 without NUL.
 */
CUSTOS_MUST_USE custos_status json_read(arena *a, str text,
                                        struct json_value *out,
                                        custos_err *err);

/* The member of this name, or NULL. */
const struct json_value *
json_member(const struct json_value *object, const char *name);

/* ------------------------------------------------------------- writing -- */

/* Writes a text in quotes. Bytes that are not UTF-8 become U+FFFD. */
void json_add_text(struct buf *out, str text);

/* One more member of an object, `,"name":"text"`; an empty text is null. */
void json_add_member(struct buf *out, const char *name, str text);

/* A moment in microseconds since 1970: "2026-11-16T00:03:01.000000Z". */
void json_add_moment(struct buf *out, int64_t us);

/* Bytes as a text of hex digits. */
void json_add_hex(struct buf *out, const uint8_t *bytes, size_t len);

/* Numbers and dates as texts, with every digit; NULL as null. */
void json_add_datum(struct buf *out, const struct datum *value);

#endif
