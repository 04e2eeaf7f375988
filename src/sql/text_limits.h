/*
 * How long texts can be: what the engine computes from a row is bounded,
 * whatever is in the row.
 */
#ifndef SQL_TEXT_LIMITS_H
#define SQL_TEXT_LIMITS_H

enum {
    TEXT_COMPUTED_MAX = 4 << 10, /* bytes of a computed text; beyond it: NULL */
    TEXT_NUMBER_MAX = 64,        /* of a number, date or truth value as text */
    TEXT_CASE_GROWTH = 2,     /* upper and lower make at most 2 bytes of one */
    TEXT_CHARACTER_MAX = 4,   /* bytes of a character */
    LIKE_PATTERN_MAX = 1024,  /* bytes of a pattern, for ILIKE in lower case */
    LIKE_STEPS_MAX = 1 << 20, /* steps of LIKE on a value; beyond it: NULL */
};

#endif
