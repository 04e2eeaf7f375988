/*
 * "Did you mean": the name most similar to a misspelt one.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The candidate most similar to text, or NULL if none is similar enough. */
const char *nearest(const char *text, const char *const *candidates, size_t n);

#endif
