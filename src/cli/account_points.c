/* Points of delta(epsilon) of a plan, from 0 to where delta is small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/account_points.h"
#include "cli/cli.h"

/*
 * Where the curve is to end: the epsilon at `delta`. A plan of delta 0 ends
 * by its sum.
 */
static int
find_end(const custos_plan *plan, const char *delta, double *end)
{
    custos_interval at;
    custos_err err;
    custos_status st = custos_plan_pld_epsilon(plan, delta, NULL, &at, &err);

    if (st)
        return fail_status(st, &err);
    if (at.reason)
        return fail_usage("there is no curve: %s", at.reason);
    *end = strtod(at.high, NULL);
    if (!isfinite(*end))
        return fail_usage("there is no curve: delta never falls to %.60s",
                          delta);
    return CLI_OK;
}

int
points_of_plan(const custos_plan *plan, const char *delta, size_t n,
               struct points *p)
{
    double end = 0;
    custos_err err;
    int code = find_end(plan, delta, &end);

    p->n = 0;
    for (size_t i = 0; i < n && !code; i++) {
        struct point *point = &p->points[i];
        custos_interval at;
        custos_status st;

        snprintf(point->epsilon, sizeof point->epsilon, "%.6g",
                 end * (double)i / (double)(n - 1));
        st = custos_plan_pld_delta(plan, point->epsilon, NULL, &at, &err);
        if (st)
            return fail_status(st, &err);
        if (at.reason)
            return fail_usage("there is no curve: %s", at.reason);
        memcpy(point->low, at.low, sizeof point->low);
        memcpy(point->high, at.high, sizeof point->high);
        p->n++;
    }
    return code;
}
