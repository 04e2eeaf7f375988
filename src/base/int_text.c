/*
 * A 128-bit integer in decimal: printf has no format for it.
 */
#include <string.h>

#include "base/base.h"
#include "base/wide.h"

size_t
custos_int_write(i128 x, char text[41])
{
    u128 size = x < 0 ? -(u128)x : (u128)x;
    char digits[40];
    size_t len = 0, sign = x < 0;

    do {
        digits[len++] = (char)('0' + (int)(size % 10));
        size /= 10;
    } while (size);
    if (sign)
        text[0] = '-';
    for (size_t i = 0; i < len; i++)
        text[sign + i] = digits[len - 1 - i];
    text[sign + len] = '\0';
    wipe(digits, sizeof digits);
    return sign + len;
}

size_t
custos_wide_write(custos_wide x, char text[41])
{
    return custos_int_write(wide_value(x), text);
}
