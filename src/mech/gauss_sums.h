/*
 * Sums of discrete Gaussian draws of one variance: the divergence of the sum of
 * j draws from itself shifted by j. Results are kept, because a search asks for
 * the same few again and again.
 */
#ifndef MECH_GAUSS_SUMS_H
#define MECH_GAUSS_SUMS_H

#include "num/ival.h"

enum { GAUSS_SUMS_KEPT = 24 };

struct gauss_sums {
    rat variance;
    long bits;
    ival all; /* the weights of one draw */
    struct gauss_sums_kept {
        uint64_t j;
        rat m;
        ival near, far, all; /* C G(m), G(m+j) / C, and all weights */
    } kept[GAUSS_SUMS_KEPT];
    unsigned n, next;
};

/* variance >= 1; results have `bits` bits. */
void gauss_sums_init(struct gauss_sums *s, const rat *variance, long bits);
void gauss_sums_clear(struct gauss_sums *s);

/* P[Y >= m] of one draw. */
void gauss_sums_tail(const struct gauss_sums *s, int64_t m, ival *r);

/*
 * The hockey-stick divergence at e of the sum of j >= 1 draws from itself
 * moved by j: the upper end bounds it, for j = 1 the interval holds it.
 */
void
gauss_sums_divergence(struct gauss_sums *s, const rat *e, uint64_t j, ival *r);

#endif
