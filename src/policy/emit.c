/*
 * Texts that come back from YAML as they were, whatever bytes they have.
 */
#include "policy/emit.h"

#include <string.h>

#include "base/base.h"

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

static void
emit_quoted(struct buf *out, str text)
{
    buf_add_text(out, "\"");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            buf_printf(out, "\\x%02X", c);
        else
            buf_add(out, text.ptr + i, 1);
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
emit_head(struct buf *out, const char *people_hint)
{
    buf_add_text(
        out,
        "custos: 1\n"
        "\n"
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
        "  delta: TODO # ? far below 1/n; 0 for a pure promise\n");
    buf_printf(out,
               "  n: TODO # ? how many people, as the public knows it%s%s\n"
               "\n"
               "# ? What one query may cost at most, and what it costs when it "
               "names no price.\n"
               "# query: {max_epsilon: 0.1, epsilon: 0.01}\n"
               "\n",
               people_hint ? "; " : "", people_hint ? people_hint : "");
}
