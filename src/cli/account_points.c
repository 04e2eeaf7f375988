/*
 * Points of a privacy curve: epsilon at deltas that are evenly spaced on
 * a log scale. Each epsilon is an interval; its width is about a thousandth of
 * the epsilon at the smallest delta.
 */
#include "cli/account_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define DELTA_MOST 0.5 /* the largest delta at which a curve begins */

/* Computes epsilon at one delta. CLI_OK, or an exit code after printing why. */
static int
point_at(custos_pld *pld, const char *delta, const char *width, struct point *p)
{
    custos_interval at = CUSTOS_INTERVAL_INIT;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = custos_pld_epsilon(pld, delta, width, &at, &err);

    if (st)
        return fail_status(st, &err);
    if (at.reason)
        return fail_usage("there is no curve: %s", at.reason);
    if (!isfinite(strtod(at.high, NULL)))
        return fail_usage("there is no curve at delta %.60s", delta);
    snprintf(p->delta, sizeof p->delta, "%s", delta);
    memcpy(p->low, at.low, sizeof p->low);
    memcpy(p->high, at.high, sizeof p->high);
    return CLI_OK;
}

/* The delta at epsilon 0, where the curve begins, rounded up as printed. */
static int
delta_of_zero(custos_pld *pld, double *delta)
{
    custos_interval at = CUSTOS_INTERVAL_INIT;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = custos_pld_delta(pld, "0", NULL, &at, &err);

    if (st)
        return fail_status(st, &err);
    *delta = at.reason ? DELTA_MOST : strtod(at.high, NULL) * (1 + 1e-5);
    return CLI_OK;
}

int
points_of_pld(custos_pld *pld, const char *delta, size_t n, struct points *p)
{
    double end = number_value(delta), begin = 1;
    char text[CUSTOS_NUMBER_MAX];
    int code = point_at(pld, delta, NULL, &p->points[n - 1]);

    if (!code)
        code = delta_of_zero(pld, &begin);
    if (!(begin > end && begin < DELTA_MOST))
        begin = DELTA_MOST;
    snprintf(p->width, sizeof p->width, "%.3g",
             fmax(strtod(p->points[n - 1].high, NULL) * 1e-3, 1e-12));
    for (size_t i = 0; i + 1 < n && !code; i++) {
        double share = (double)i / (double)(n - 1);

        snprintf(text, sizeof text, "%.6g", begin * pow(end / begin, share));
        code = point_at(pld, text, p->width, &p->points[i]);
    }
    p->n = n;
    return code;
}

int
points_of_zero(custos_pld *pld, size_t n, struct points *p)
{
    double begin = 0;
    char text[CUSTOS_NUMBER_MAX];
    int code = delta_of_zero(pld, &begin);

    begin = fmin(begin, 0.999999);
    for (size_t i = 1; i <= n && !code; i++) {
        snprintf(text, sizeof text, "%.6g", begin * (double)i / (double)n);
        code = point_at(pld, text, p->width, &p->points[p->n]);
        p->n += !code;
    }
    return code;
}
