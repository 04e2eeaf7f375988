/*
 * Bytes in tests: literals with NULs in them, hexadecimal, and copies of
 * exactly their size, so that ASan and valgrind see a read past the end.
 */
#ifndef TEST_BYTES_H
#define TEST_BYTES_H

#include "base/str.h"

/* A literal as it is, without its last NUL. */
#define BYTES(literal) ((str){literal, sizeof(literal) - 1})

/*
 * Separately allocated; the caller frees ptr. The bytes of hex are followed by
 * a NUL.
 */
str bytes_of_hex(const char *hex);
str bytes_copy(str bytes);

/* Both must be equal; otherwise shows them as hex. */
void assert_bytes(const struct buf *got, str want);
void assert_hex(const struct buf *got, const char *hex);

#endif
