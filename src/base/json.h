/*
 * Writes JSON to a buf: the only place that puts quotes, commas and braces. Numbers
 * that must stay exact are texts with every digit, so that even a reader that turns
 * JSON numbers into doubles gets what was released; only counts and the like, below
 * 2^53, are JSON numbers.
 *
 *     json_init(&j, &body, JSON_ONE_LINE);
 *     json_begin(&j, NULL);
 *     json_add_text(&j, "name", name);
 *     json_begin_list(&j, "rows");
 *     json_add_count(&j, NULL, 1);
 *     json_end(&j);
 *     json_end(&j);                          {"name":"ana","rows":[1]}
 *
 * Every value is a member with a name, an element of a list (name NULL), or the whole
 * text. Errors stay in the buf.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/datum.h"

/* JSON_LINES: in the lists of the outermost object, every object and list begins a
   line. */
enum json_layout { JSON_ONE_LINE, JSON_LINES };

struct json {
    struct buf *out; /* borrowed */
    enum json_layout layout;
    bool more; /* what is open has a value already */
    int depth;
    uint32_t lists; /* bit i: what is open at depth i is a list */
};

void json_init(struct json *j, struct buf *out, enum json_layout layout);

/* Opens an object or a list; json_end closes the innermost one. The outermost one
   ends with an end of line. At most 31 deep, or the program is wrong. */
void json_begin(struct json *j, const char *name);
void json_begin_list(struct json *j, const char *name);
void json_end(struct json *j);

/* Bytes that are not UTF-8 become U+FFFD. */
void json_add_text(struct json *j, const char *name, str text);

/* The same, but null if the text is empty. */
void json_add_text_or_null(struct json *j, const char *name, str text);

/* The lines of a text, as a list. */
void json_add_lines(struct json *j, const char *name, str text);

void json_add_null(struct json *j, const char *name);
void json_add_bool(struct json *j, const char *name, bool value);
void json_add_int(struct json *j, const char *name, int64_t value);
void json_add_count(struct json *j, const char *name, uint64_t value);

/* A number that is valid JSON already, such as one that was read. */
void json_add_number(struct json *j, const char *name, str number);

/* A length of time in microseconds, as a number of seconds. */
void json_add_seconds(struct json *j, const char *name, int64_t us);

/* A moment in microseconds since 1970: "2026-11-16T00:03:01Z"; 0: null. */
void json_add_moment(struct json *j, const char *name, int64_t us);

/* Bytes as a text of hex digits. */
void json_add_hex(struct json *j, const char *name, const uint8_t *bytes,
                  size_t len);

/* Numbers and dates as texts, with every digit; NULL as null. */
void
json_add_datum(struct json *j, const char *name, const struct datum *value);

/* The same, but as a text whatever the type. */
void json_add_datum_text(struct json *j, const char *name,
                         const struct datum *value);

#endif
