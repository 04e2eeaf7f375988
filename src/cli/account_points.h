#ifndef CLI_ACCOUNT_POINTS_H
#define CLI_ACCOUNT_POINTS_H

#include <stddef.h>

#include "cli/number.h"
#include "custos.h"

enum { POINTS_MAX = 201 };

/* One point: epsilon lies between low and high. */
struct point {
    char delta[NUMBER_GIVEN_MAX];
    char low[CUSTOS_NUMBER_MAX];
    char high[CUSTOS_NUMBER_MAX];
};

struct points {
    struct point points[POINTS_MAX];
    size_t n;
    char width[CUSTOS_NUMBER_MAX]; /* of the interval [low, high] */
};

/*
 * Computes n points (2 to POINTS_MAX), from the delta at epsilon 0 (but at most
 * 1/2) down to `delta`. Returns CLI_OK, or an exit code after printing why.
 */
int
points_of_pld(custos_pld *pld, const char *delta, size_t n, struct points *p);

/* Adds n more points: their deltas are 1/n, 2/n, ..., 1 times the delta at
   epsilon 0. */
int points_of_zero(custos_pld *pld, size_t n, struct points *p);

#endif
