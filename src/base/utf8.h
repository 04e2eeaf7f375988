/*
 * Strict UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF, and no
 * NUL, which no text of ours may contain.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* Bytes of the character that text begins with, or 0 when that is not valid.
   Needs len > 0. */
size_t utf8_step(str text);

/* The length of the longest prefix that is valid. */
size_t utf8_prefix(str text);

/* Replaces control characters, and every byte that is not of a valid character,
   with '?': text becomes one line that any terminal and client can show. */
void utf8_clean(char *text);

#endif
