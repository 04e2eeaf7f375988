/*
 * How long texts are: what the engine may be asked to make of a row is
 * bounded, whatever is in the row.
 */
#ifndef SQL_TEXT_LIMITS_H
#define SQL_TEXT_LIMITS_H

enum {
    TEXT_STORED_MAX = 64 << 10,  /* bytes of a stored value, by default */
    TEXT_COMPUTED_MAX = 4 << 10, /* of a computed one: beyond it is NULL */
    TEXT_NUMBER_MAX = 64,        /* of a number, date or truth value as text */
    TEXT_CASE_GROWTH =
        2, /* upper and lower make at most as many bytes of one */
};

#endif
