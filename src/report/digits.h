/*
 * Rounds decimal text to fewer digits, up or down. The text itself is rounded,
 * without floating point, so that a shortened bound is still a bound.
 */
#ifndef REPORT_DIGITS_H
#define REPORT_DIGITS_H

enum {
    DIGITS_MAX = 48,        /* bytes of what is written, the NUL included */
    DIGITS_GIVEN_MAX = 129, /* of a number as a user may write it */
};

/*
 * At most n significant digits. What is not a decimal >= 0 ("1/3",
 * "infinity", "") is copied as it is.
 */
void digits_up(const char *text, int n, char out[DIGITS_MAX]);
void digits_down(const char *text, int n, char out[DIGITS_MAX]);

/* A share of 0 to 1 as a percentage, rounded likewise, without "%". */
void percent_up(const char *text, int n, char out[DIGITS_MAX]);
void percent_down(const char *text, int n, char out[DIGITS_MAX]);

#endif
