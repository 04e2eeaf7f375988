/*
 * UTF-8, strictly: no overlong forms, no surrogates, nothing past U+10FFFF,
 * and no NUL, which no text of ours may hold.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* Bytes of the character that text begins with, or 0 when it is none. Needs
   len > 0. */
size_t utf8_step(str text);

/* How far text is UTF-8; all of it when that is its length. */
size_t utf8_prefix(str text);

#endif
