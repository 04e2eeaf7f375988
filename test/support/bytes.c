/*
 * Bytes in tests.
 */
#include "support/bytes.h"

#include <stdio.h>

#include "support/support.h"

enum { SHOWN_MAX = 4096 };

str
bytes_of_hex(const char *hex)
{
    size_t n = strlen(hex) / 2;
    char *bytes = malloc(n + 1);

    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};

        bytes[i] = (char)strtoul(pair, NULL, 16);
    }
    bytes[n] = '\0';
    return (str){bytes, n};
}

str
bytes_copy(str bytes)
{
    char *copy = malloc(bytes.len ? bytes.len : 1);

    assert_non_null(copy);
    if (bytes.len)
        memcpy(copy, bytes.ptr, bytes.len);
    return (str){copy, bytes.len};
}

static void
hex_of(str bytes, char shown[SHOWN_MAX])
{
    assert_true(2 * bytes.len < SHOWN_MAX);
    shown[0] = '\0';
    for (size_t i = 0; i < bytes.len; i++)
        snprintf(shown + 2 * i, 3, "%02x", (unsigned char)bytes.ptr[i]);
}

void
assert_hex(const struct buf *got, const char *hex)
{
    char shown[SHOWN_MAX];

    assert_false(got->failed);
    hex_of((str){got->ptr, got->len}, shown);
    assert_string_equal(shown, hex);
}

void
assert_bytes(const struct buf *got, str want)
{
    char shown[SHOWN_MAX];

    hex_of(want, shown);
    assert_hex(got, shown);
}
