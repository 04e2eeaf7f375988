/*
 * Reads JSON with jansson, which nothing else uses. Numbers are exact: a number
 * that was read is kept as its text. Values that were read are in an arena.
 * base/json.h writes JSON.
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include "base/arena.h"
#include "base/json.h"

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

/* Writes a value that was read; a number exactly as it was. */
void json_add_value(struct json *j, const char *name,
                    const struct json_value *value);

#endif
