/*
 * Whole numbers outside the text of a statement: questions that differ in them
 * alone then share one prepared statement, and of a question on a small table
 * most of the time is the engine's planning. (Parameters of the engine's own
 * would not do: it plans anew for each value of them.)
 *
 * A literal CAST('7' AS BIGINT) becomes statement_number(0), a function of ours that
 * reads number 0 of this thread. So the engine must run the statement on the
 * thread that asks: it has one, where this is used (open_size).
 */
#ifndef ENGINE_DUCK_NUMBERS_H
#define ENGINE_DUCK_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { DUCK_NUMBERS_MAX = 24 };

struct duck_numbers {
    size_t n;
    int64_t values[DUCK_NUMBERS_MAX];
};

/* Writes sql with its numbers taken out. False: it is to be run as it is, for
   there are none, or more than there is room for, or it is more than a scan of
   one table with conditions; or there is no memory. */
bool
duck_numbers_take(const char *sql, struct buf *out, struct duck_numbers *to);

/* From now on, on this thread; NULL: there are none. */
void duck_numbers_use(const struct duck_numbers *b);

#endif
