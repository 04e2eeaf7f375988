/*
 * The same composition by other means: no tilt, no transform, no rounding but
 * upwards. Slow and for moderate sizes; a certificate for a plan, and a check
 * of pld.h.
 *
 * THEOREM  verified-composition
 *   Round every weight of `up` up to a multiple of 2^-64 and convolve exactly,
 *   rounding each result up: the law so got lies above the composition of `up`
 *   in every point, so its delta(eps) is above the true one.
 * SOURCE   connect-the-dots, convolution-rounded-up
 * NEEDS    a plan.
 * GIVES    delta(eps) <= verify_delta, up to 2^-64 a point above the composed
 *          weights'.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW past CONVOLVE_MAX points.
 * TESTED   verify_agrees_with_the_pld, verify_encloses_randomized_response
 */
#ifndef ACCOUNT_VERIFY_H
#define ACCOUNT_VERIFY_H

#include "account/sketch.h"
#include "base/base.h"

struct verify {
    custos_alloc alloc;
    double h;
    long first; /* point i is at (first + i) h + offset */
    double offset, shift;
    u128 *mass; /* in units of 2^-64 */
    size_t n;
    double infinite; /* at most */
};

/*
 * h and `tail` as for weights_init. count >= 1 for every part.
 */
CUSTOS_MUST_USE custos_status verify_init(struct verify *v,
                                          const custos_alloc *alloc,
                                          const struct pld_part *parts,
                                          size_t n, double h, double tail);
void verify_clear(struct verify *v);

/* delta(epsilon), and epsilon(delta), at most. */
double verify_delta(const struct verify *v, double epsilon);
double verify_epsilon(const struct verify *v, double delta);

#endif
