/*
 * Two real laws on n points, convolved any number of times: `up` and `low` are
 * the real and imaginary part of one complex transform, and every part's
 * spectrum is raised to its count and multiplied in.
 *
 * THEOREM  spectrum-error
 *   If every part's up and low sum to at most 1, the computed laws are off in
 *   the 2-norm, both together, by at most spectrum.error.
 * SOURCE   doc/proofs/tilted-composition.md, 5
 * NEEDS    fft-error; counts of 2^40 in all at most.
 * GIVES    the convolution, modulo n points.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   spectrum_error_holds
 */
#ifndef ACCOUNT_SPECTRUM_H
#define ACCOUNT_SPECTRUM_H

#include <stdint.h>

#include "account/fft.h"

struct spectrum {
    struct fft fft;
    double *re, *im;         /* the part at hand; at the end the result */
    double *all_re, *all_im; /* the product: up at the lower place of each
                                pair of mirrors, low at the upper */
    double norms;            /* sum of count times 2-norm of the part */
    double counts;
    double error;
};

/* With `parts` == 1 it takes half the memory. */
CUSTOS_MUST_USE custos_status spectrum_init(struct spectrum *s,
                                            const custos_alloc *alloc, size_t n,
                                            size_t parts);
void spectrum_clear(struct spectrum *s);

/* Multiplies in the k-th power of the part in re (up) and im (low). */
void spectrum_multiply(struct spectrum *s, uint64_t k);

/* Back to points: up in re, low in im; no value is negative. Sets error. */
void spectrum_invert(struct spectrum *s);

#endif
