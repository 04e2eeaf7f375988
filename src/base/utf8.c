/*
 * Strict UTF-8.
 */
#include "base/utf8.h"

#include <string.h>

size_t
utf8_step(str text)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text.ptr;
    size_t n = *p < 0x80             ? 1
               : (*p & 0xE0) == 0xC0 ? 2
               : (*p & 0xF0) == 0xE0 ? 3
               : (*p & 0xF8) == 0xF0 ? 4
                                     : 0;
    unsigned c = n == 1 ? *p : *p & (0x7Fu >> n);

    if (n == 0 || n > text.len || *p == 0)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    return c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : n;
}

size_t
utf8_prefix(str text)
{
    size_t at = 0, n;

    while (at < text.len) {
        n = utf8_step((str){text.ptr + at, text.len - at});
        if (n == 0)
            break;
        at += n;
    }
    return at;
}

/* Is the valid character that begins here a control? U+0080 to U+009F, which some
   terminals obey, too, are C2 80 to C2 9F. */
static bool
is_control(const char *text)
{
    const unsigned char c = (unsigned char)*text;

    return c < 0x20 || c == 0x7F ||
           (c == 0xC2 && (unsigned char)text[1] < 0xA0);
}

bool
utf8_is_line(str text)
{
    size_t n;

    for (size_t at = 0; at < text.len; at += n) {
        n = utf8_step((str){text.ptr + at, text.len - at});
        if (n == 0 || is_control(text.ptr + at))
            return false;
    }
    return true;
}

void
utf8_clean(char *text)
{
    size_t len = strlen(text), n;

    for (size_t at = 0; at < len; at += n) {
        n = utf8_step((str){text + at, len - at});
        if (n == 0 || is_control(text + at)) {
            n = n ? n : 1;
            memset(text + at, '?', n);
        }
    }
}
