/*
 * "Did you mean": the name most like what was written.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The candidate most like text, or NULL when none is much like it. */
const char *nearest(const char *text, const char *const *candidates, size_t n);

#endif
