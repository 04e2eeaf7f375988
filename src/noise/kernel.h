/*
 * The inner loops, portable or for a processor with AVX2. Both turn the same
 * words into the same outcomes.
 */
#ifndef NOISE_KERNEL_H
#define NOISE_KERNEL_H

#include "noise/dials.h"
#include "noise/gauss.h"

struct kernel {
    const char *name;
    dials_scan_fn *scan;
    gauss_judge_fn *judge;
};

extern const struct kernel kernel_portable;

/* The fastest kernel that this processor can run. Cannot fail. */
const struct kernel *kernel_best(void);

#endif
