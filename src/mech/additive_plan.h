/*
 * From the options of an additive mechanism to its grid, its sensitivity in
 * grid steps, its noise parameter and its promise. All are exact or rounded
 * towards more privacy, and depend only on the parameters, never on the data.
 */
#ifndef MECH_ADDITIVE_PLAN_H
#define MECH_ADDITIVE_PLAN_H

#include "base/base.h"
#include "custos.h"
#include "mech/gauss_delta.h"

struct additive_plan {
    custos_law law;
    long grid_log2;
    rat steps;     /* l1 sensitivity in steps; Gaussian: l2 squared */
    rat parameter; /* in steps: the scale; Gaussian: the variance */
    rat scale;     /* in units of the values: the scale, or sigma */
    rat epsilon;   /* the promise */
    rat delta;
    rat rho;     /* or this alone */
    bool in_rho; /* the promise is rho: there is no epsilon */
    const char *theorem;
    i128 lower, upper; /* limits of released values, in steps */
};

void additive_plan_init(struct additive_plan *p);
void additive_plan_clear(struct additive_plan *p);

/* Needs options from options_read. May fail: EINVAL, EPARSE, ERANGE. */
CUSTOS_MUST_USE custos_status additive_plan_make(struct additive_plan *p,
                                                 const custos_mech_options *o,
                                                 custos_err *err);

#endif
