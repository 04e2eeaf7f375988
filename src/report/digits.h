/*
 * Rounds decimal text to fewer digits, up or down. The text itself is rounded,
 * without floating point, so that a shortened bound is still a bound.
 */
#ifndef REPORT_DIGITS_H
#define REPORT_DIGITS_H

enum {
    DIGITS_MAX = 48,        /* bytes of a result, including the NUL */
    DIGITS_GIVEN_MAX = 129, /* of a number as users write it */
};

/*
 * Rounds to at most n significant digits. A text that is not a decimal >= 0
 * ("1/3", "infinity", "") is copied unchanged.
 */
void digits_up(const char *text, int n, char out[DIGITS_MAX]);
void digits_down(const char *text, int n, char out[DIGITS_MAX]);

/* Writes a share of 0 to 1 as a percentage without "%", rounded as above. */
void percent_up(const char *text, int n, char out[DIGITS_MAX]);
void percent_down(const char *text, int n, char out[DIGITS_MAX]);

#endif
