/*
 * The contents of a noise handle, for noise.c and for tests and benchmarks
 * that compare kernels.
 */
#ifndef NOISE_DRAW_H
#define NOISE_DRAW_H

#include "noise/coin.h"
#include "noise/dials.h"
#include "noise/gauss.h"
#include "noise/kernel.h"
#include "noise/noise.h"

typedef custos_status
draw_fn(const custos_noise *noise, custos_rng *rng, i128 *out, size_t n);

struct custos_noise {
    custos_alloc alloc;
    custos_law law;
    rat parameter;
    draw_fn *draw;
    const struct kernel *kernel;
    struct dials dials; /* Laplace, geometric, Gaussian proposals */
    struct gauss gauss; /* Gaussian */
    struct slope slope; /* Bernoulli(exp(-x)), x > 0 */
    uint64_t sides;     /* uniform: number of values; 0 means 2^64 */
};

#endif
