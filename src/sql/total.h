/*
 * The functions and operators that may be printed into an engine's expression
 * over private rows, and why each is total: the list that theorem
 * total-expressions rests on. What is not listed is not printed.
 */
#ifndef SQL_TOTAL_H
#define SQL_TOTAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct total {
    const char *name;  /* as printed before its bracket, or the operator */
    const char *why;   /* it cannot fail on any value that reaches it */
    const char *tried; /* engine expressions on the values where the like of it
                          fails, or nearly does; separated by semicolons */
};

extern const struct total totals[];
extern const size_t n_totals;

/* Is every function that is called in an expression's text listed? */
bool total_is_text(const char *text, size_t len);

#endif
