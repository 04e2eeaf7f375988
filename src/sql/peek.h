/*
 * A quick look at a text, before PostgreSQL's scanner and parser see it: how
 * many words and signs it has, how many statements, and whether it is one
 * SELECT of private tables. It takes a few nanoseconds a byte, and is for who
 * may not wait longer: the loop of the server reads every message by it.
 *
 * It decides who reads the text next, not what the text means: a text that it
 * takes for a SELECT of private tables is read in full by who answers it.
 */
#ifndef SQL_PEEK_H
#define SQL_PEEK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct sql_peek {
    size_t words;      /* words and signs, never fewer than the scanner finds
                          tokens */
    size_t statements; /* that are not empty */
    size_t at, len;    /* the first: where it begins, to its last word */
    size_t word;       /* bytes of its first word */
    size_t second;     /* where the second begins; 0: there is none */
    bool explain;      /* EXPLAIN SELECT, or EXPLAIN WITH */
    bool private; /* one SELECT or WITH, explained or not, with a FROM and no
                     name of the catalog: of private tables, if of any */
};

/* Cannot fail: what is no SQL is not private. */
void sql_peek(str text, struct sql_peek *out);

#endif
