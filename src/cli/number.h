/*
 * Numbers of the user's side: doubles as text, after the release, when they
 * are public. Nothing here lies between a value and its release.
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

/* The decimals that a power of two has, given as 0.25, 1/1024 or 8. */
int number_decimals(const char *grid);

/* A number's text, "0.5", "1e-6" or "1/1024", as a double. */
double number_value(const char *text);

/* x >= 0 in four significant digits, rounded up: an error bar may not shrink.
 */
void number_write_up(double x, char text[NUMBER_MAX]);

/*
 * "95" percent of confidence as the exact share that may fail, "5/100".
 * Returns CLI_OK, or CLI_USAGE after its sentence.
 */
int confidence_read(const char *percent, char beta[NUMBER_MAX]);

#endif
