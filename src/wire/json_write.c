/*
 * Writes JSON to a buf. Numbers are written as texts with every digit, so that
 * even a reader that turns JSON numbers into doubles gets what was released.
 */
#include "base/utf8.h"
#include "wire/json.h"

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

void
json_add_text(struct buf *out, str text)
{
    size_t at = 0;

    buf_add(out, "\"", 1);
    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        size_t n = utf8_step((str){text.ptr + at, text.len - at});

        if (c < ' ' || c == '"' || c == '\\' || c == 0x7f)
            add_escape(out, c);
        else if (n > 0)
            buf_add(out, text.ptr + at, n);
        else
            buf_add_text(out, "\xEF\xBF\xBD");
        at += n ? n : 1;
    }
    buf_add(out, "\"", 1);
}

void
json_add_member(struct buf *out, const char *name, str text)
{
    buf_printf(out, ",\"%s\":", name);
    if (text.len)
        json_add_text(out, text);
    else
        buf_add_text(out, "null");
}

void
json_add_datum(struct buf *out, const struct datum *value)
{
    if (value->type == TYPE_NULL) {
        buf_add_text(out, "null");
    } else if (value->type == TYPE_BOOL) {
        datum_write(value, out);
    } else if (value->type == TYPE_TEXT) {
        json_add_text(out, value->text);
    } else { /* numbers and dates have nothing to escape */
        buf_add(out, "\"", 1);
        datum_write(value, out);
        buf_add(out, "\"", 1);
    }
}

void
json_add_moment(struct buf *out, int64_t us)
{
    struct datum d = {.type = TYPE_TIMESTAMP, .n = us};
    struct buf text;

    buf_init(&text, NULL, 64);
    datum_write(&d, &text);
    for (size_t i = 0; i < text.len; i++)
        text.ptr[i] = text.ptr[i] == ' ' ? 'T' : text.ptr[i];
    buf_printf(out, "\"%sZ\"", buf_text(&text));
    buf_clear(&text);
}

void
json_add_hex(struct buf *out, const uint8_t *bytes, size_t len)
{
    buf_add_text(out, "\"");
    for (size_t i = 0; i < len; i++)
        buf_printf(out, "%02x", bytes[i]);
    buf_add_text(out, "\"");
}
