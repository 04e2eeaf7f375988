/*
 * Checks complete statements over private rows against both lists of
 * sql/total.h: the text that src/engine prints around an expression may use
 * functions that no expression may.
 */
#ifndef TEST_SQL_TOTAL_STATEMENT_H
#define TEST_SQL_TOTAL_STATEMENT_H

#include <ctype.h>

#include "sql/total.h"

static inline bool
total_has_name(str name)
{
    if (str_equal(name, str_of("DECIMAL")) || str_equal(name, str_of("ENUM")))
        return true; /* types */
    for (size_t i = 0; i < n_totals; i++)
        if (str_equal(name, str_of(totals[i].name)))
            return true;
    for (size_t i = 0; i < n_totals_around; i++)
        if (str_equal(name, str_of(totals_around[i].name)))
            return true;
    return false;
}

/* Whether every function called in the text is listed. Skips quoted text. */
static inline bool
total_is_statement(const char *text, size_t len)
{
    size_t name = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'') {
            do
                i++;
            while (i < len && text[i] != '\'');
        } else if (isalnum((unsigned char)text[i]) || text[i] == '_') {
            continue;
        } else if (text[i] == '(' && i > name &&
                   !total_has_name((str){text + name, i - name})) {
            return false;
        }
        name = i + 1;
    }
    return true;
}

#endif
