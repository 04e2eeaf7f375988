/*
 * A quick look at a text, before PostgreSQL's scanner and parser see it: how
 * many words and symbols it has, how many statements, and whether it is a
 * single SELECT of the policy's tables. It takes a few nanoseconds per byte, so
 * that the server's event loop can run it on every message.
 *
 * It decides which code reads the text next, not what the text means: a text
 * that looks like a SELECT of the policy's tables is later read in full to be
 * answered.
 */
#ifndef SQL_PEEK_H
#define SQL_PEEK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct sql_peek {
    size_t words;      /* words and symbols: never fewer than the scanner's
                          tokens */
    size_t statements; /* not counting empty ones */
    size_t at, len;    /* the first statement, up to its last word */
    size_t word;       /* length of its first word */
    size_t second;     /* where the second statement begins; 0: there is none */
    bool explain;      /* its first word is EXPLAIN */
    bool private; /* a single SELECT or WITH, with EXPLAIN or without, with a
                     FROM and no catalog name: it can only read the policy's
                     tables */
};

/* Cannot fail: a text that is not SQL is not `private`. */
void sql_peek(str text, struct sql_peek *out);

#endif
