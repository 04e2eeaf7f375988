/*
 * Integer noise of the laws in custos.h, for the mechanisms. Parameters are
 * exact rationals. A custos_noise is immutable: threads may share it.
 */
#ifndef NOISE_NOISE_H
#define NOISE_NOISE_H

#include "base/base.h"
#include "custos.h"
#include "num/rat.h"

/*
 * Makes a law with its tables. Copies `parameter`: the scale; for the discrete
 * Gaussian the *variance*, for Bernoulli p, for Bernoulli(exp(-x)) x, for
 * uniform the number of values. May fail: CUSTOS_EINVAL (unknown law),
 * CUSTOS_ERANGE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status noise_new(const custos_alloc *alloc,
                                        custos_law law, const rat *parameter,
                                        custos_noise **out, custos_err *err);

/*
 * Draws n values. May fail: CUSTOS_EENTROPY, CUSTOS_EINTERNAL; out is then all
 * zero.
 */
CUSTOS_MUST_USE custos_status noise_draw(const custos_noise *noise,
                                         custos_rng *rng, i128 *out, size_t n);

custos_law noise_law(const custos_noise *noise);
const rat *noise_parameter(const custos_noise *noise); /* borrowed */

#endif
