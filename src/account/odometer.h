/*
 * Odometer: what has been spent so far, valid at any moment, even one chosen by
 * looking at the answers. Constant time and size per charge.
 */
#ifndef ACCOUNT_ODOMETER_H
#define ACCOUNT_ODOMETER_H

#include "account/amount.h"
#include "account/charge.h"
#include "custos.h"

enum { ODOMETER_GRID_MAX = 64 };

struct odometer {
    amount delta;                    /* the odometer's own */
    size_t grid;                     /* m */
    int exponent[ODOMETER_GRID_MAX]; /* lambda_j = 2^exponent */
    amount start[ODOMETER_GRID_MAX]; /* ln(m/delta)/lambda_j, rounded up */
    amount epsilon_sum, rho_sum, delta_sum;
};

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE. */
CUSTOS_MUST_USE custos_status
odometer_init(struct odometer *o, const custos_odometer_options *options,
              custos_err *err);

/* Cannot fail: a sum above the largest amount is infinite. */
void odometer_add(struct odometer *o, const struct charge *c);

/* What has been spent so far: epsilon, and the delta that goes with it. */
amount odometer_epsilon(const struct odometer *o);
amount odometer_delta(const struct odometer *o);

#endif
