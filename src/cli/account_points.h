#ifndef CLI_ACCOUNT_POINTS_H
#define CLI_ACCOUNT_POINTS_H

#include <stddef.h>

#include "custos.h"

enum { POINTS_MAX = 201 };

/* One point: delta lies between low and high. */
struct point {
    char epsilon[CUSTOS_NUMBER_MAX];
    char low[CUSTOS_NUMBER_MAX];
    char high[CUSTOS_NUMBER_MAX];
};

struct points {
    struct point points[POINTS_MAX];
    size_t n;
};

/*
 * n points (2 to POINTS_MAX) from epsilon 0 to the one at `delta`. Returns
 * CLI_OK or an exit code after its sentence.
 */
int points_of_plan(const custos_plan *plan, const char *delta, size_t n,
                   struct points *p);

#endif
