/*
 * Strict UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF, and no
 * NUL, which no text of ours may contain.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>

#include "base/str.h"

/* The length of the character that text begins with, or 0 if it is not valid.
   Needs len > 0. */
size_t utf8_step(str text);

/* The length of the longest valid prefix. */
size_t utf8_prefix(str text);

/* Is it one line that any terminal and client can show: valid, without control
   characters? */
bool utf8_is_line(str text);

/* Replaces control characters, and every byte that is not part of a valid
   character, with '?', so that the text is one line that any terminal and
   client can show. */
void utf8_clean(char *text);

#endif
