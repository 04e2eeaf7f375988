/*
 * The tail of a sum of noises: an upper bound, close, in about a microsecond.
 *
 * The sum is X + k Y with k >= 0. Y, the noise of a count, is whole and often
 * small, so its lattice is taken into account; X is the noise of sums, whose
 * steps are small beside it, so a smooth law that dominates it suffices. Where
 * both are small the two lattices are summed. For error bars: doubles, after
 * noise.
 */
#ifndef CURATOR_TAIL_H
#define CURATOR_TAIL_H

#include <stdbool.h>

#include "curator/bars.h"

enum {
    TAIL_COARSE = 16, /* a law of a smaller scale is a table of its points */
    TAIL_REACH = 17,  /* scales of a Laplace, beyond which lies 10^-7 of it */
    TAIL_REACH_GAUSS = 6,
    TAIL_TABLE = TAIL_COARSE * TAIL_REACH + 2,
    TAIL_SMOOTH_MAX = 3,
};

/* Independent Laplaces and one normal: a signed mixture, see tail.c. */
struct tail_smooth {
    int n;
    double scale[TAIL_SMOOTH_MAX];
    double weight[TAIL_SMOOTH_MAX];
    double sigma;
};

struct tail {
    struct bar_law y;
    struct tail_smooth x;     /* by the largest factors: its right side */
    struct tail_smooth inner; /* by the least: its left side */
    double margin; /* by which smooth X must be shifted to dominate X */
    bool tables;   /* X by its points */
    int x_reach, y_reach;
    double x_above[TAIL_TABLE]; /* P[X >= k], k = 0, 1, ... */
    double y_at[TAIL_TABLE];    /* P[Y = j], j = 0, 1, ...; y_reach < 0: none */
};

/*
 * X is the sum of n (1 or 2) laws, each multiplied by a factor from least to
 * most, >= 0; the first factor is 1.
 */
void tail_init(struct tail *t, const struct bar_law *x, const double *least,
               const double *most, int n, struct bar_law y);

/*
 * THEOREM  bars-tail
 *   Discrete Laplace noise lies stochastically below a Laplace moved by
 *   1 - t ln(2/(1+q)) steps, discrete Gaussian noise below a normal moved by
 *   one; sums keep the order.
 * SOURCE   doc/proofs/bars-tail.md; Canonne, Kamath, Steinke 2020,
 *          arXiv:2004.00010, for the Gaussian.
 * NEEDS    k >= 0.
 * GIVES    at least P[X + k Y >= x] for all factors in X; where n = 2, also for
 *          all smaller k.
 * FAILS    cannot.
 * TESTED   tail_is_an_upper_bound tail_holds_for_all_factors
 */
double tail_above(const struct tail *t, double k, double x);

/* At least P[Y >= y]. */
double tail_of(struct bar_law law, double y);

#endif
