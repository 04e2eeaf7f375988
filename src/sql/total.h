/*
 * The functions and operators that may be printed into an engine's statement
 * over private rows, and why each is total. Theorem total-expressions rests on
 * this list. The printer refuses functions that are not listed, and so does the
 * planner (plan/type/printable.c). totals_around lists those that only the engine's
 * own text around an analyst's expressions may use (engine/work*.c,
 * relation*.c, run_*.c, view.c). Tests check complete statements against both
 * lists.
 *
 * An analyst's aggregates are printed only over public rows. Total ones are
 * listed with the rest. Those that are not total (the engine's sums of
 * decimals, its variances) are allowed only in statements that read nothing but
 * public tables.
 */
#ifndef SQL_TOTAL_H
#define SQL_TOTAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct total {
    const char *name;  /* as printed before its parenthesis, or the operator */
    const char *why;   /* why it cannot fail on any value that reaches it */
    const char *tried; /* engine expressions on values at which such functions
                          fail, or nearly do; separated by semicolons */
};

extern const struct total totals[], totals_around[];
extern const size_t n_totals, n_totals_around;

/* Is every function that an expression's text calls listed? */
bool total_is_text(const char *text, size_t len);

/* The same for a statement over public rows only, where aggregates that may
   fail are allowed too. */
bool total_is_public_text(const char *text, size_t len);

#endif
