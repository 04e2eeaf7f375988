/*
 * From the options of an additive mechanism to what it does: grid, sensitivity
 * in grid steps, noise parameter, promise. All are exact or rounded towards
 * more privacy, and depend on the parameters alone, never on the data.
 */
#ifndef MECH_ADDITIVE_PLAN_H
#define MECH_ADDITIVE_PLAN_H

#include "base/base.h"
#include "custos.h"
#include "mech/gauss_delta.h"

struct additive_plan {
    custos_law law;
    long grid_log2;
    rat steps;     /* l1 sensitivity in steps; Gaussian: its l2 squared */
    rat parameter; /* in steps: the scale, for the Gaussian the variance */
    rat scale;     /* in units of the values: the scale, or sigma */
    rat epsilon;   /* what is promised */
    rat delta;
    const char *theorem;
    i128 lower, upper; /* limits of what is released, in steps */
};

void additive_plan_init(struct additive_plan *p);
void additive_plan_clear(struct additive_plan *p);

/* o has been read by options_read. May fail: EINVAL, EPARSE, ERANGE. */
CUSTOS_MUST_USE custos_status additive_plan_make(struct additive_plan *p,
                                                 const custos_mech_options *o,
                                                 custos_err *err);

#endif
