/*
 * "Did you mean": the name most similar to a misspelt one.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#include "base/str.h"

/* The number of edits (insert, delete, replace; the case of ASCII letters does
   not count) that turn a into b; EDITS_MANY if either is longer than this many
   bytes. */
enum { EDITS_MANY = 64 };
size_t edits_between(str a, str b);

/* Are so few edits a misspelling of a text of this length? */
static inline bool
edits_are_few(size_t edits, size_t length)
{
    return edits <= 1 + length / 3;
}

/* The candidate most similar to text, or NULL if none is similar enough. */
const char *nearest(const char *text, const char *const *candidates, size_t n);

#endif
