/*
 * Texts are scanned once for numbers. The numbers leave the text, so that noise
 * does not make every text a new one, and what is left of it is a category.
 */
#include "audit/program/output_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "audit/hash.h"

enum { NEXT_TEXT = 0x1e }; /* hashed before each text */

struct output_line
output_line_new(double *number, size_t room)
{
    return (struct output_line){
        .number = number, .room = room, .text = HASH_BEGIN, .form = HASH_BEGIN};
}

static bool
is_between(char c)
{
    return c && strchr(" \t\r,;[]()", c);
}

static bool
is_word(char c)
{
    unsigned char u = (unsigned char)c;

    return u >= 0x80 || isalnum(u) || u == '_' || u == '.';
}

/* How a number is written: any run of digits is one 9, since its length depends on
   the value, and a minus is left out, since the value has it. */
static void
add_form(struct output_line *l, const char *at, const char *end)
{
    bool was_digit = false;

    for (; at < end; at++) {
        bool digit = isdigit((unsigned char)*at);

        l->digits += digit;
        if (*at != '-' && !(digit && was_digit))
            l->form = hash_byte(l->form, digit ? '9' : (unsigned char)*at);
        was_digit = digit;
    }
    l->form = hash_byte(l->form, NEXT_TEXT);
}

/* The number at `at`: returns where it ends, or `at` if there is none. */
static const char *
add_number(struct output_line *l, const char *at, const char *end)
{
    char *after;
    double x = strtod(at, &after);

    if (after == at || after > end || (after < end && is_word(*after)))
        return at;
    if (l->n < l->room)
        l->number[l->n] = x;
    l->n++;
    add_form(l, at, after);
    l->text = hash_byte(l->text, '#');
    return after;
}

void
output_line_add(struct output_line *l, str text)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    bool in_word = false;

    l->text = hash_byte(l->text, NEXT_TEXT);
    while (at < end) {
        bool between = is_between(*at);
        const char *after = in_word || between || isspace((unsigned char)*at)
                                ? at
                                : add_number(l, at, end);

        if (after > at) {
            at = after;
            continue;
        }
        l->has_text = l->has_text || !between;
        l->text = hash_byte(l->text, (unsigned char)*at);
        in_word = is_word(*at++);
    }
}

uint32_t
output_line_code(const struct output_line *l)
{
    return l->has_text ? hash_fold(l->text) | CODE_TEXT : 0;
}

struct written
output_line_written(const struct output_line *l)
{
    return (struct written){.form = hash_fold(l->form), .digits = l->digits};
}
