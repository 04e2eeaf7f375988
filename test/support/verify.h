/*
 * The composition of account/pld.h by other means: without tilt or transform,
 * rounding only upwards. It is slow, and so is used for moderate sizes only.
 *
 * Every weight of `up` (connect-the-dots) is rounded up to a multiple of 2^-64
 * and convolved exactly (support/convolve.h), each result rounded up. The
 * resulting law is above the composition of `up` at every point, so its
 * delta(eps) is above the true one, but not far: each rounding adds less than
 * 2^-64 to a point.
 */
#ifndef TEST_VERIFY_H
#define TEST_VERIFY_H

#include "account/sketch.h"
#include "base/base.h"

struct verify {
    custos_alloc alloc;
    double h;
    long first; /* point i is at (first + i) h + offset */
    double offset, shift;
    u128 *mass; /* in units of 2^-64 */
    size_t n;
    double infinite; /* upper bound */
};

/*
 * h and `tail` are as for weights_init; count >= 1 for every part. Fails with
 * CUSTOS_ENOMEM, or with CUSTOS_EOVERFLOW for more than CONVOLVE_MAX points.
 */
CUSTOS_MUST_USE custos_status verify_init(struct verify *v,
                                          const custos_alloc *alloc,
                                          const struct pld_part *parts,
                                          size_t n, double h, double tail);
void verify_clear(struct verify *v);

/* Upper bounds on delta(epsilon) and epsilon(delta). */
double verify_delta(const struct verify *v, double epsilon);
double verify_epsilon(const struct verify *v, double delta);

#endif
