/*
 * A line is all numbers or a text. Nothing of a line that turns out to be a
 * text is left among the numbers.
 */
#include "audit/program/output_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "audit/hash.h"

uint32_t
code_of_text(str text)
{
    return hash_fold(hash_bytes(HASH_BEGIN, text.ptr, text.len)) | CODE_TEXT;
}

static bool
is_between(char c)
{
    return c && strchr(" \t\r,;[]()", c);
}

size_t
output_line_read(str line, double *numbers, size_t room, uint32_t *code)
{
    const char *at = line.ptr, *end = line.ptr + line.len;
    size_t n = 0;

    *code = 0;
    while (at < end) {
        char *after;
        double x;

        if (is_between(*at)) {
            at++;
            continue;
        }
        x = strtod(at, &after);
        if (after == at || after > end || (after < end && !is_between(*after)))
            break;
        if (n < room)
            numbers[n] = x;
        n++;
        at = after;
    }
    if (at >= end)
        return n;
    for (size_t i = 0; i < n && i < room; i++)
        numbers[i] = 0;
    *code = code_of_text(line);
    return 0;
}
