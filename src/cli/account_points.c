/*
 * Points of the curve of a plan: epsilon at deltas that fall evenly in
 * logarithms, all to the same width, a thousandth of the last one.
 */
#include "cli/account_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Epsilon at one delta, or an exit code after its sentence. */
static int
point_at(const custos_plan *plan, const char *delta, const char *width,
         struct point *p)
{
    custos_interval at;
    custos_err err;
    custos_status st = custos_plan_pld_epsilon(plan, delta, width, &at, &err);

    if (st)
        return fail_status(st, &err);
    if (at.reason)
        return fail_usage("there is no curve: %s", at.reason);
    if (!isfinite(strtod(at.high, NULL)))
        return fail_usage("there is no curve at delta %.60s", delta);
    snprintf(p->delta, sizeof p->delta, "%.31s", delta);
    memcpy(p->low, at.low, sizeof p->low);
    memcpy(p->high, at.high, sizeof p->high);
    return CLI_OK;
}

int
points_of_plan(const custos_plan *plan, const char *delta, size_t n,
               struct points *p)
{
    double end = strtod(delta, NULL);
    char text[CUSTOS_NUMBER_MAX];
    int code = point_at(plan, delta, NULL, &p->points[n - 1]);

    snprintf(p->width, sizeof p->width, "%.3g",
             fmax(strtod(p->points[n - 1].high, NULL) * 1e-3, 1e-12));
    for (size_t i = 0; i + 1 < n && !code; i++) {
        double share = (double)i / (double)(n - 1);

        snprintf(text, sizeof text, "%.6g",
                 POINTS_DELTA * pow(end / POINTS_DELTA, share));
        code = point_at(plan, text, p->width, &p->points[i]);
    }
    p->n = n;
    return code;
}

int
points_of_zero(const custos_plan *plan, size_t n, struct points *p)
{
    double least = 0, most = POINTS_DELTA;
    char text[CUSTOS_NUMBER_MAX];
    int code = CLI_OK;

    for (int i = 0; i < 40 && most - least > 5e-4 * most && !code; i++) {
        struct point at;

        snprintf(text, sizeof text, "%.6g", (least + most) / 2);
        code = point_at(plan, text, p->width, &at);
        if (!code && !strcmp(at.high, "0"))
            most = strtod(text, NULL);
        else
            least = strtod(text, NULL);
    }
    for (size_t i = 1; i <= n && !code; i++) {
        snprintf(text, sizeof text, "%.6g", most * (double)i / (double)n);
        code = point_at(plan, text, p->width, &p->points[p->n]);
        p->n += !code;
    }
    return code;
}
