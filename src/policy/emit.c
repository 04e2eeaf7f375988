/*
 * Quotes texts so that YAML reads them back unchanged, whatever bytes they
 * have.
 */
#include "policy/emit.h"

#include <string.h>

#include "base/base.h"
#include "policy/policy.h"

bool
is_sql_word(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (!((c >= 'a' && c <= 'z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return name.len > 0;
}

/*
 * Recognises characters that YAML treats as a line break, or rejects: controls
 * (U+0000 to 1F, 7F to 9F), U+2028, U+2029, U+FEFF. Returns how many bytes the
 * character has, or 0 for any other; *code is its code point.
 */
static size_t
special_bytes(const unsigned char *p, size_t left, unsigned *code)
{
    if (*p < ' ' || *p == 127) {
        *code = *p;
        return 1;
    }
    if (left >= 2 && p[0] == 0xc2 && p[1] < 0xa0) {
        *code = p[1];
        return 2;
    }
    if (left >= 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] | 1) == 0xa9) {
        *code = 0x2000 + (p[2] & 0x3fU);
        return 3;
    }
    if (left >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
        *code = 0xfeff;
        return 3;
    }
    return 0;
}

static void
emit_quoted(struct buf *out, str text)
{
    const unsigned char *p = (const unsigned char *)text.ptr;

    buf_add_text(out, "\"");
    for (size_t i = 0; i < text.len;) {
        unsigned code = 0;
        size_t bytes = special_bytes(p + i, text.len - i, &code);

        if (bytes > 0)
            buf_printf(out, "\\u%04X", code);
        else if (p[i] == '"' || p[i] == '\\')
            buf_printf(out, "\\%c", p[i]);
        else
            buf_add(out, text.ptr + i, 1);
        i += bytes > 0 ? bytes : 1;
    }
    buf_add_text(out, "\"");
}

void
emit_name(struct buf *out, str name)
{
    if (is_sql_word(name))
        buf_add(out, name.ptr, name.len);
    else
        emit_quoted(out, name);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void
emit_text(struct buf *out, str text)
{
    bool plain = text.len > 0 && (is_letter(*text.ptr) || *text.ptr == '/') &&
                 !(text.len >= 4 && !memcmp(text.ptr, "TODO", 4));

    for (size_t i = 0; i < text.len; i++)
        plain = plain && (is_letter(text.ptr[i]) || is_digit(text.ptr[i]) ||
                          strchr("_./-", text.ptr[i]));
    if (plain)
        buf_add(out, text.ptr, text.len);
    else
        emit_quoted(out, text);
}

void
emit_word(struct buf *out, str text)
{
    if (text.len == 0 || is_digit(*text.ptr))
        buf_add_text(out, "t_");
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        else if (!is_letter(c) && !is_digit(c))
            c = '_';
        buf_add(out, &c, 1);
    }
}

void
emit_type(struct buf *out, enum data_type type, int scale)
{
    buf_printf(out, "type: %s", data_type_name(type));
    if (type == TYPE_DECIMAL)
        buf_printf(out, ", scale: %d", scale);
}

void
emit_head(struct buf *out)
{
    buf_printf(out, "custos: %d\n\n", (int)POLICY_FORMAT);
    buf_add_text(
        out,
        "# ? add-remove: a person is in the data or not. change-one: has other "
        "rows\n"
        "#   in it; for data whose number of people is public.\n"
        "adjacency: add-remove\n"
        "\n"
        "# For all answers to all analysts together, for good: nothing refills "
        "it.\n"
        "budget:\n"
        "  epsilon: TODO # ? what is promised to each person; 1 is strong, 10 "
        "hardly anything\n"
        "  delta: TODO # ? far below 1/n; 0 for a pure promise\n"
        "  n: TODO # ? how many people, as the public knows it\n"
        "\n"
        "# ? What one query may cost at most, and what it costs when it names "
        "no price.\n"
        "# query: {max_epsilon: 0.1, epsilon: 0.01}\n"
        "\n");
}
