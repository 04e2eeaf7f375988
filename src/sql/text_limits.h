/*
 * How long texts can be. These limits bound what the engine computes from a
 * row, whatever is in the row.
 */
#ifndef SQL_TEXT_LIMITS_H
#define SQL_TEXT_LIMITS_H

enum {
    TEXT_COMPUTED_MAX = 4 << 10, /* bytes; a longer computed text is NULL */
    TEXT_NUMBER_MAX = 64,        /* bytes of a number, date or truth value */
    TEXT_CASE_GROWTH = 2,        /* upper, lower: at most 2 bytes from 1 */
    TEXT_CHARACTER_MAX = 4,      /* bytes of a character */
    LIKE_PATTERN_MAX = 1024,     /* bytes of a pattern (ILIKE: in lower case) */
    LIKE_STEPS_MAX = 1 << 20,    /* steps of LIKE on a value; with more: NULL */
};

#endif
