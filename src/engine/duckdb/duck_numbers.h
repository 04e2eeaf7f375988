/*
 * Takes whole numbers out of the text of a statement, so that questions that differ
 * only in these numbers share one prepared statement: a question on a small table
 * spends most of its time in the engine's planner. (The engine's own parameters
 * would not help: it plans again for each of their values.)
 *
 * A literal CAST('7' AS BIGINT) becomes statement_number(0), a function of ours
 * that reads number 0 of this thread. So the engine must run the statement on the
 * calling thread. Where this is used, the engine has no other thread (open_size).
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

/* Writes sql with its numbers taken out. False: out of memory, or sql must run
   unchanged, because it has no numbers or too many, or is more than a scan of one
   table with conditions. */
bool
duck_numbers_take(const char *sql, struct buf *out, struct duck_numbers *to);

/* The numbers that this thread uses from now on; NULL: none. */
void duck_numbers_use(const struct duck_numbers *b);

#endif
