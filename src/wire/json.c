/*
 * jansson reads numbers as doubles. To keep them exact, the text is parsed twice:
 * as it is, and with every number in quotes. Where the first result has a number,
 * the second has its text. The depth is checked first, on the unparsed text.
 */
#include "wire/json.h"

#include <jansson.h>

#include "base/error.h"
#include "base/utf8.h"

static custos_status
fail_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------- the unparsed text -- */

static bool
in_number(char c)
{
    return (c >= '0' && c <= '9') || strchr("+-.eE", c);
}

/* Where the string that opens at `at` ends; the end of the text if it never does. */
static size_t
string_end(str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at + 1 : text.len;
}

/* Rejects invalid UTF-8 and NUL, which jansson takes for the end in some places. */
static custos_status
check_text(str text, custos_err *err)
{
    size_t at = utf8_prefix(text);

    if (at < text.len)
        return custos_fail_at(err, CUSTOS_ESYNTAX, (int)at,
                              "not valid JSON: not UTF-8 here");
    return CUSTOS_OK;
}

/* Checks the depth of [ and {, and copies the text with its numbers in quotes. */
static custos_status
quote_numbers(str text, char *out, size_t *out_len, custos_err *err)
{
    size_t at = 0, n = 0;
    int depth = 0;

    while (at < text.len) {
        char c = text.ptr[at];
        size_t end = at + 1;

        if (c == '"')
            end = string_end(text, at);
        else if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth--;
        if (depth > JSON_DEPTH_MAX)
            return custos_fail_at(err, CUSTOS_EOVERFLOW, (int)at,
                                  "the JSON is nested deeper than %d levels",
                                  JSON_DEPTH_MAX);
        if (c == '-' || (c >= '0' && c <= '9')) {
            while (end < text.len && in_number(text.ptr[end]))
                end++;
            out[n++] = '"';
            memcpy(out + n, text.ptr + at, end - at);
            n += end - at;
            out[n++] = '"';
        } else {
            memcpy(out + n, text.ptr + at, end - at);
            n += end - at;
        }
        at = end;
    }
    *out_len = n;
    return CUSTOS_OK;
}

/* ----------------------------------------------------- from jansson -- */

static custos_status
copy_text(arena *a, const char *ptr, size_t len, str *out, custos_err *err)
{
    char *copy = arena_copy(a, (str){ptr, len});

    if (!copy)
        return fail_memory(err);
    *out = (str){copy, len};
    return CUSTOS_OK;
}

static custos_status
copy_value(arena *a, const json_t *value, const json_t *exact,
           struct json_value *out, custos_err *err);

static custos_status
copy_list(arena *a, const json_t *value, const json_t *exact,
          struct json_value *out, custos_err *err)
{
    size_t n = json_array_size(value);
    struct json_value *items = arena_take(a, n + 1, sizeof *items);
    custos_status st = items ? CUSTOS_OK : fail_memory(err);

    for (size_t i = 0; i < n && !st; i++)
        st = copy_value(a, json_array_get(value, i), json_array_get(exact, i),
                        &items[i], err);
    out->items = items;
    out->n = n;
    return st;
}

static custos_status
copy_members(arena *a, json_t *value, const json_t *exact,
             struct json_value *out, custos_err *err)
{
    size_t n = json_object_size(value), i = 0;
    struct json_value *items = arena_take(a, n + 1, sizeof *items);
    custos_status st = items ? CUSTOS_OK : fail_memory(err);

    for (void *at = json_object_iter(value); at && !st;
         at = json_object_iter_next(value, at)) {
        const char *name = json_object_iter_key(at);
        struct json_value *item = &items[i++];

        st = copy_value(a, json_object_iter_value(at),
                        json_object_get(exact, name), item, err);
        if (!st)
            st = copy_text(a, name, strlen(name), &item->name, err);
    }
    out->items = items;
    out->n = n;
    return st;
}

/* Recursive; quote_numbers has checked the depth. */
static custos_status
copy_value(arena *a, const json_t *value, const json_t *exact,
           struct json_value *out, custos_err *err)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        out->kind = JSON_MEMBERS;
        return copy_members(a, (json_t *)value, exact, out, err);
    case JSON_ARRAY:
        out->kind = JSON_LIST;
        return copy_list(a, value, exact, out, err);
    case JSON_STRING:
        out->kind = JSON_TEXT;
        return copy_text(a, json_string_value(value), json_string_length(value),
                         &out->text, err);
    case JSON_INTEGER:
    case JSON_REAL:
        out->kind = JSON_NUMBER;
        return copy_text(a, json_string_value(exact), json_string_length(exact),
                         &out->text, err);
    case JSON_TRUE:
    case JSON_FALSE:
        out->kind = JSON_TRUTH;
        out->truth = json_is_true(value);
        break;
    case JSON_NULL: out->kind = JSON_NULL_VALUE; break;
    }
    return CUSTOS_OK;
}

static custos_status
load_json(str text, json_t **out, custos_err *err)
{
    json_error_t wrong;

    *out = json_loadb(text.ptr, text.len,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
                          JSON_DECODE_INT_AS_REAL,
                      &wrong);
    if (*out)
        return CUSTOS_OK;
    if (json_error_code(&wrong) == json_error_out_of_memory)
        return fail_memory(err);
    return custos_fail_at(err, CUSTOS_ESYNTAX, wrong.position,
                          "not valid JSON (line %d): %s", wrong.line,
                          wrong.text);
}

custos_status
json_read(arena *a, str text, struct json_value *out, custos_err *err)
{
    json_t *value = NULL, *exact = NULL;
    struct json_value v = {0};
    char *quoted = NULL;
    custos_status st = check_text(text, err);
    size_t len = 0;

    if (st)
        return st;
    /* Each number gets two quotes and may be a single digit. */
    if (text.len < SIZE_MAX / 3)
        quoted = arena_take(a, 3 * text.len + 1, 1);
    st = quoted ? quote_numbers(text, quoted, &len, err) : fail_memory(err);
    if (!st)
        st = load_json(text, &value, err);
    if (!st)
        st = load_json((str){quoted, len}, &exact, err);
    if (!st)
        st = copy_value(a, value, exact, &v, err);
    if (!st)
        *out = v;
    json_decref(value);
    json_decref(exact);
    return st;
}

const struct json_value *
json_member(const struct json_value *object, const char *name)
{
    for (size_t i = 0; object->kind == JSON_MEMBERS && i < object->n; i++)
        if (str_equal(object->items[i].name, str_of(name)))
            return &object->items[i];
    return NULL;
}
