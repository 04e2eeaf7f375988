/*
 * A close upper bound on the tail of a sum of noises, computed in microseconds.
 *
 * The sum is X + k Y with k >= 0. Y, the noise of a count, takes whole numbers
 * and often has a small scale, so its points are summed one by one. X is the
 * noise of sums; its steps are small compared to its scale, so a smooth law
 * that dominates it suffices. If both scales are small, both laws are summed
 * point by point. This is for error bars, after noise, so doubles are safe.
 */
#ifndef CURATOR_TAIL_H
#define CURATOR_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "curator/bars.h"

enum {
    TAIL_COARSE = 16, /* a law with a smaller scale becomes a table */
    TAIL_REACH = 17,  /* how many scales a table covers; a Laplace is beyond
                         with probability below 10^-7 */
    TAIL_REACH_GAUSS = 6,
    TAIL_TABLE = TAIL_COARSE * TAIL_REACH + 2,
    TAIL_SMOOTH_MAX = 6,
};

/* The sum of independent Laplace variables and one normal, as a signed mixture
   (see tail.c). */
struct tail_smooth {
    int n;
    double scale[TAIL_SMOOTH_MAX];
    double weight[TAIL_SMOOTH_MAX];
    double sigma;
};

struct tail {
    struct bar_law y;
    struct tail_smooth x;     /* with the largest factors: for its right side */
    struct tail_smooth inner; /* with the least factors: for its left side */
    double margin; /* how far smooth X must be shifted to dominate X */
    bool tables;   /* X as a table of its points */
    int x_reach, y_reach;
    double x_above[TAIL_TABLE]; /* P[X >= i], i = 0, 1, ... */
    double y_at[TAIL_TABLE];    /* P[Y = j], j = 0, 1, ...; y_reach < 0: none */
};

/*
 * X is the sum of n (1 or 2) noises with these laws, each multiplied by a
 * factor in [least, most], which is >= 0; the first factor is 1.
 */
void tail_init(struct tail *t, const struct bar_law *x, const double *least,
               const double *most, int n, struct bar_law y);

/*
 * THEOREM  bars-tail
 *   Discrete Laplace noise of scale t is stochastically dominated by a Laplace
 *   of that scale shifted by 1 - t ln(2/(1+q)) steps, where q = exp(-1/t);
 *   discrete Gaussian noise by a normal shifted by one step. Sums preserve
 *   this order.
 * SOURCE   doc/proofs/bars-tail.md; Canonne, Kamath, Steinke 2020,
 *          arXiv:2004.00010, for the Gaussian.
 * NEEDS    k >= 0.
 * GIVES    an upper bound on P[X + k Y >= x] for all factors in X; if n = 2,
 *          also for all smaller k.
 * FAILS    cannot.
 * TESTED   tail_is_an_upper_bound tail_holds_for_all_factors
 */
double tail_above(const struct tail *t, double k, double x);

/*
 * THEOREM  bars-tail-many
 *   The sum of f_i N_i is dominated by that of the smooth laws, each times
 *   f_i, shifted by the sum of f_i times their margins; and its tail beyond 0
 *   grows with each f_i.
 * SOURCE   doc/proofs/bars-tail.md
 * NEEDS    n <= TAIL_SMOOTH_MAX factors >= 0.
 * GIVES    an upper bound on P[sum of f_i N_i >= x] for these and for all
 *          smaller factors.
 * FAILS    cannot.
 * TESTED   tail_of_many_is_an_upper_bound
 */
double tail_many_above(const struct bar_law *laws, const double *factors,
                       size_t n, double x);

/* How far right the smooth law must be shifted to dominate the discrete one. */
double tail_margin(struct bar_law law);

/* An upper bound on P[Y >= y]. */
double tail_of(struct bar_law law, double y);

#endif
