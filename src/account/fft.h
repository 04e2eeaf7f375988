/*
 * A power-of-two complex FFT in double, with a bound on its rounding error.
 *
 * fft_forward takes natural order to bit-reversed order; fft_inverse takes it
 * back. Products of spectra do not depend on the order, so no reordering pass
 * is needed. In bit-reversed order, indices 0 and 1 hold the frequencies 0 and
 * n/2, which are their own mirrors. Then, for t = 2, 4, 8, ..., indices t + i
 * and 2 t - 1 - i (0 <= i < t) mirror each other.
 *
 * THEOREM  fft-error
 *   Computed transforms satisfy |y' - y|_2 <= e |y|_2, where
 *   e = t L / (1 - t L), L = log2 N, t = m + g (sqrt 2 + m), m is the error of
 *   the twiddles (below 4 u, u = 2^-53) and g = 4u / (1 - 4u).
 * SOURCE   Higham 2002, "Accuracy and Stability of Numerical Algorithms", 2nd
 *          ed., Theorem 24.2; doc/proofs/tilted-composition.md, 5, for both
 *          directions as implemented here.
 * NEEDS    N a power of two, 4 <= N <= 2^FFT_LOG2_MAX; round to nearest.
 * GIVES    fft_error(N) bounds e.
 * FAILS    cannot.
 * TESTED   fft_agrees_with_exact_sums, fft_twiddles_are_accurate
 */
#ifndef ACCOUNT_FFT_H
#define ACCOUNT_FFT_H

#include <stddef.h>

#include "custos.h"

enum { FFT_LOG2_MAX = 24 };

struct fft {
    custos_alloc alloc;
    size_t n;
    double *cos, *sin; /* twiddles, pass by pass */
};

CUSTOS_MUST_USE custos_status fft_init(struct fft *f, const custos_alloc *alloc,
                                       size_t n);
void fft_clear(struct fft *f);

void fft_forward(const struct fft *f, double *re, double *im);

/* The inverse transform times n: the caller divides. */
void fft_inverse(const struct fft *f, double *re, double *im);

/* The relative error in the 2-norm, rounded up. */
double fft_error(size_t n);

#endif
