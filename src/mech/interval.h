/*
 * Error bars: exact quantiles of the noise laws.
 */
#ifndef MECH_INTERVAL_H
#define MECH_INTERVAL_H

#include "base/base.h"
#include "noise/noise.h"
#include "num/ival.h"

/*
 * The least integer m >= 0 with P[n independent draws all within m of 0] >=
 * 1 - beta, or m + 1 if that cannot be decided. Needs 0 < beta < 1, n >= 1.
 * May fail: CUSTOS_EINVAL, for a law without an error bar.
 */
CUSTOS_MUST_USE custos_status interval_half_width(const custos_noise *noise,
                                                  const rat *beta, size_t n,
                                                  i128 *m, custos_err *err);

/*
 * Encloses 1 - (1-p)^(1/n): the probability with which each of n draws may lie
 * outside its error bar if p is the probability that at least one does.
 */
void interval_share(ival *r, const rat *p, size_t n);

/*
 * The law of discrete Laplace noise, value by value: `chance` encloses
 * P[Y = k] = tanh(rate/2) exp(-rate k). laplace_law_init sets k = 0;
 * laplace_law_next moves to k + 1. Needs rate > 0.
 */
struct laplace_law {
    ival chance, ratio;
};
void laplace_law_init(struct laplace_law *l, const rat *rate);
void laplace_law_next(struct laplace_law *l);
void laplace_law_clear(struct laplace_law *l);

#endif
