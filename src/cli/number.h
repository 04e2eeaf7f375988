/*
 * Numbers of the user's side: doubles as text, after the release, when they
 * are public. Nothing here lies between a value and its release.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_MAX = 48 };

/* The shortest text that reads back as x. */
void number_write(double x, char text[NUMBER_MAX]);

/* x >= 0 in four significant digits, rounded up: an error bar may not shrink.
 */
void number_write_up(double x, char text[NUMBER_MAX]);

/*
 * "95" percent of confidence as the exact share that may fail, "5/100".
 * Returns CLI_OK, or CLI_USAGE after its sentence.
 */
int confidence_read(const char *percent, char beta[NUMBER_MAX]);

#endif
