#ifndef CLI_ACCOUNT_POINTS_H
#define CLI_ACCOUNT_POINTS_H

#include <stddef.h>

#include "custos.h"

enum { POINTS_MAX = 201 };

#define POINTS_DELTA 0.5 /* where curves begin */

/* One point: epsilon lies between low and high. */
struct point {
    char delta[CUSTOS_NUMBER_MAX];
    char low[CUSTOS_NUMBER_MAX];
    char high[CUSTOS_NUMBER_MAX];
};

struct points {
    struct point points[POINTS_MAX];
    size_t n;
    char width[CUSTOS_NUMBER_MAX]; /* of each point */
};

/*
 * n points (2 to POINTS_MAX) down to `delta`. Returns CLI_OK or an exit code
 * after its sentence.
 */
int points_of_plan(const custos_plan *plan, const char *delta, size_t n,
                   struct points *p);

/*
 * Adds n more points evenly below the least delta at which epsilon is 0. The
 * same.
 */
int points_of_zero(const custos_plan *plan, size_t n, struct points *p);

#endif
