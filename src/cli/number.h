/*
 * Released numbers and parameters as text. Both are public: no private value
 * becomes a double here before its release.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "report/digits.h"

enum {
    NUMBER_MAX = DIGITS_MAX,
    NUMBER_GIVEN_MAX = DIGITS_GIVEN_MAX,
    NUMBER_EXACT_MAX = 1024, /* 2^-400 has 400 decimals, 2^463 140 digits */
};

/* The shortest text that reads back as x. */
void number_write(double x, char text[NUMBER_MAX]);

/* All digits of x, which is a multiple of 10^-decimals; decimals <= 400. */
void number_write_exact(double x, int decimals, char text[NUMBER_EXACT_MAX]);

/* How many decimals a power of two has; `grid` is written as 0.25, 1/1024 or
   8. */
int number_decimals(const char *grid);

/* A number's text, "0.5", "1e-6" or "1/1024", as a double. */
double number_value(const char *text);

/* x >= 0 in four significant digits, rounded up: an error bar must not
   shrink. */
void number_write_up(double x, char text[NUMBER_MAX]);

/*
 * Turns a confidence in percent, "95", into the exact probability of failure,
 * "5/100". Returns CLI_OK, or CLI_USAGE after printing why.
 */
int confidence_read(const char *percent, char beta[NUMBER_MAX]);

#endif
