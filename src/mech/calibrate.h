/*
 * How much Gaussian noise a promise needs, and which promise a given noise
 * keeps. Every result is rounded towards more privacy.
 */
#ifndef MECH_CALIBRATE_H
#define MECH_CALIBRATE_H

#include "custos.h"
#include "mech/gauss_delta.h"

/*
 * Checks that epsilon is between 2^-64 and 2^20, a range in which every search
 * ends. May fail: CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status calibrate_check_epsilon(const rat *epsilon,
                                                      custos_err *err);

/*
 * The least sigma, up to one part in 2^46, that is certified by the given
 * route to give (p->epsilon, delta). Sets p->variance to its square. Needs an
 * epsilon checked as above and delta in [10^-528, 1). May fail: CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status calibrate_sigma(enum gauss_route route,
                                              struct gauss_point *p,
                                              const rat *delta, rat *sigma,
                                              custos_err *err);

/* The same up to one part in 2^12, as the start of a caller's own search. */
CUSTOS_MUST_USE custos_status calibrate_sigma_near(enum gauss_route route,
                                                   struct gauss_point *p,
                                                   const rat *delta, rat *sigma,
                                                   custos_err *err);

/*
 * The sigma of the classical formula, which needs epsilon < 1. Sets
 * p->variance to its square. May fail: CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status calibrate_classical(struct gauss_point *p,
                                                  const rat *delta, rat *sigma,
                                                  custos_err *err);

/*
 * The least epsilon, up to one part in 2^46 and not below 2^-64, that p's
 * variance is certified to give with delta. Sets p->epsilon to it. May fail:
 * CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status calibrate_epsilon(enum gauss_route route,
                                                struct gauss_point *p,
                                                const rat *delta,
                                                custos_err *err);

#endif
