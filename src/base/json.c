/*
 * Writes JSON: commas, names and ends of lines follow from what is open.
 */
#include "base/json.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 31 };

void
json_init(struct json *j, struct buf *out, enum json_layout layout)
{
    *j = (struct json){.out = out, .layout = layout};
}

/* ---------------------------------------------------------------- texts -- */

static void
add_escape(struct buf *out, unsigned char c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        if (letters[i] == (char)c) {
            buf_add(out, "\\", 1);
            buf_add(out, &letters[i + 1], 1);
            return;
        }
    buf_printf(out, "\\u%04x", c);
}

static bool
is_plain(unsigned char c)
{
    return c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
}

static void
add_quoted(struct buf *out, str text)
{
    size_t at = 0, from = 0; /* text from `from` to `at` is written as it is */

    buf_add(out, "\"", 1);
    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        size_t n = utf8_step((str){text.ptr + at, text.len - at});

        if (n > 0 && is_plain(c)) {
            at += n;
            continue;
        }
        buf_add(out, text.ptr + from, at - from);
        if (is_plain(c))
            buf_add_text(out, "\xEF\xBF\xBD");
        else
            add_escape(out, c);
        from = ++at;
    }
    buf_add(out, text.ptr + from, at - from);
    buf_add(out, "\"", 1);
}

/* ------------------------------------------------------ objects and lists -- */

static bool
in_list(const struct json *j)
{
    return j->lists >> j->depth & 1;
}

/* Writes what comes before a value. */
static void
begin_value(struct json *j, const char *name)
{
    CUSTOS_REQUIRE(!name == (j->depth == 0 || in_list(j)));
    if (j->more)
        buf_add(j->out, ",", 1);
    if (name) {
        add_quoted(j->out, str_of(name));
        buf_add(j->out, ":", 1);
    }
    j->more = true;
}

static void
open_value(struct json *j, const char *name, bool is_list)
{
    CUSTOS_REQUIRE(j->depth < DEPTH_MAX);
    begin_value(j, name);
    if (j->layout == JSON_LINES && j->depth == 2 && in_list(j))
        buf_add(j->out, "\n", 1);
    buf_add(j->out, is_list ? "[" : "{", 1);
    j->depth++;
    j->lists &= ~(UINT32_C(1) << j->depth);
    j->lists |= (uint32_t)is_list << j->depth;
    j->more = false;
}

void
json_begin(struct json *j, const char *name)
{
    open_value(j, name, false);
}

void
json_begin_list(struct json *j, const char *name)
{
    open_value(j, name, true);
}

void
json_end(struct json *j)
{
    CUSTOS_REQUIRE(j->depth > 0);
    buf_add(j->out, in_list(j) ? "]" : "}", 1);
    j->depth--;
    j->more = true;
    if (j->depth == 0)
        buf_add(j->out, "\n", 1);
}

/* --------------------------------------------------------------- values -- */

void
json_add_text(struct json *j, const char *name, str text)
{
    begin_value(j, name);
    add_quoted(j->out, text);
}

void
json_add_null(struct json *j, const char *name)
{
    begin_value(j, name);
    buf_add_text(j->out, "null");
}

void
json_add_text_or_null(struct json *j, const char *name, str text)
{
    if (text.len)
        json_add_text(j, name, text);
    else
        json_add_null(j, name);
}

void
json_add_lines(struct json *j, const char *name, str text)
{
    json_begin_list(j, name);
    for (size_t i = 0, from = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '\n')
            continue;
        if (i > from)
            json_add_text(j, NULL, (str){text.ptr + from, i - from});
        from = i + 1;
    }
    json_end(j);
}

void
json_add_bool(struct json *j, const char *name, bool value)
{
    begin_value(j, name);
    buf_add_text(j->out, value ? "true" : "false");
}

void
json_add_int(struct json *j, const char *name, int64_t value)
{
    begin_value(j, name);
    buf_printf(j->out, "%" PRId64, value);
}

void
json_add_count(struct json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    buf_printf(j->out, "%" PRIu64, value);
}

void
json_add_number(struct json *j, const char *name, str number)
{
    begin_value(j, name);
    buf_add(j->out, number.ptr, number.len);
}

void
json_add_seconds(struct json *j, const char *name, int64_t us)
{
    begin_value(j, name);
    buf_printf(j->out, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

void
json_add_moment(struct json *j, const char *name, int64_t us)
{
    struct datum d = {.type = TYPE_TIMESTAMP, .n = us};
    struct buf text;

    if (us == 0) {
        json_add_null(j, name);
        return;
    }
    buf_init(&text, NULL, 64);
    datum_write(&d, &text);
    for (size_t i = 0; i < text.len; i++)
        text.ptr[i] = text.ptr[i] == ' ' ? 'T' : text.ptr[i];
    begin_value(j, name);
    buf_printf(j->out, "\"%sZ\"", buf_text(&text));
    buf_clear(&text);
}

void
json_add_hex(struct json *j, const char *name, const uint8_t *bytes, size_t len)
{
    begin_value(j, name);
    buf_add(j->out, "\"", 1);
    for (size_t i = 0; i < len; i++)
        buf_printf(j->out, "%02x", bytes[i]);
    buf_add(j->out, "\"", 1);
}

void
json_add_datum(struct json *j, const char *name, const struct datum *value)
{
    if (value->type == TYPE_NULL) {
        json_add_null(j, name);
    } else if (value->type == TYPE_BOOL) {
        begin_value(j, name);
        datum_write(value, j->out);
    } else {
        json_add_datum_text(j, name, value);
    }
}

void
json_add_datum_text(struct json *j, const char *name, const struct datum *value)
{
    if (value->type == TYPE_TEXT) {
        json_add_text(j, name, value->text);
        return;
    }
    begin_value(j, name); /* other types have nothing to escape */
    buf_add(j->out, "\"", 1);
    datum_write(value, j->out);
    buf_add(j->out, "\"", 1);
}
