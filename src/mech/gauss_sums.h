/*
 * Sums of discrete Gaussian draws of one variance: the divergence between j
 * draws and j draws each of which is shifted by w. Results are cached, because
 * a search asks for the same few repeatedly. G is that of num/gauss_sum.h at
 * variance j v, and C is the factor in theorem keys-gauss.
 */
#ifndef MECH_GAUSS_SUMS_H
#define MECH_GAUSS_SUMS_H

#include "num/ival.h"

enum { GAUSS_SUMS_KEPT = 24 };

struct gauss_sums {
    rat variance;
    long bits;
    ival all; /* the sum of all weights of one draw */
    struct gauss_sums_kept {
        uint64_t j, w;
        rat m;
        ival near, far, all; /* C G(m), G(m+jw) / C, sum of all weights */
    } kept[GAUSS_SUMS_KEPT];
    unsigned n, next;
};

/* variance >= 1; results have `bits` bits. */
void gauss_sums_init(struct gauss_sums *s, const rat *variance, long bits);
void gauss_sums_clear(struct gauss_sums *s);

/* P[Y >= m] of one draw. */
void gauss_sums_tail(const struct gauss_sums *s, int64_t m, ival *r);

/*
 * The hockey-stick divergence at e between j >= 1 draws and j draws each
 * shifted by w >= 1. The upper end of *r bounds it; for j = 1, *r encloses it.
 */
void gauss_sums_divergence(struct gauss_sums *s, const rat *e, uint64_t j,
                           uint64_t w, ival *r);

#endif
