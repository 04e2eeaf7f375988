/*
 * What a printed statement consists of, as far as duck_numbers.h needs it: the
 * counterpart of duck_print.h and sql/duckdb.h for texts that they have printed.
 */
#ifndef ENGINE_DUCK_PRINTED_H
#define ENGINE_DUCK_PRINTED_H

#include <stdbool.h>
#include <stdint.h>

/* Is the statement only a scan of one table with conditions? A text that has one of
   the words of other statements is not, even in quotes. */
bool duck_printed_is_scan(const char *sql);

/* Where the whole number ends that begins at `at` in sql; NULL: none begins there. */
const char *duck_printed_whole(const char *sql, const char *at, int64_t *value);

/* Where the quoted text or name ends that begins at `at`; else, the next character. */
const char *duck_printed_skip(const char *at);

#endif
