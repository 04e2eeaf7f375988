/*
 * Convolves parts on n points. Each part has two real laws, `up` and `low`,
 * which are the real and the imaginary part of one complex transform. A part's
 * spectrum is raised to the part's count and multiplied into the product.
 *
 * THEOREM  spectrum-error
 *   If every part's up and low sum to at most 1, the 2-norm of the error of
 *   both computed laws together is at most spectrum.error.
 * SOURCE   doc/proofs/tilted-composition.md, 5
 * NEEDS    fft-error; counts that add up to at most 2^40.
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
    double *re, *im;         /* the current part; at the end the result */
    double *all_re, *all_im; /* the product: up at the lower index of each
                                mirrored pair, low at the upper */
    double norms;            /* sum of count times 2-norm of the part */
    double counts;
    double error;
};

/* With `parts` == 1 the part and the product share their buffers. */
CUSTOS_MUST_USE custos_status spectrum_init(struct spectrum *s,
                                            const custos_alloc *alloc, size_t n,
                                            size_t parts);
void spectrum_clear(struct spectrum *s);

/*
 * Multiplies the product by the k-th power of the part in re (up) and im
 * (low).
 */
void spectrum_multiply(struct spectrum *s, uint64_t k);

/*
 * Transforms the product back: up in re, low in im; no value is negative. Sets
 * error.
 */
void spectrum_invert(struct spectrum *s);

#endif
