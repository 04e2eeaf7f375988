/*
 * Error bars of the tables of GROUPING SETS, ROLLUP and CUBE.
 */
#ifndef CURATOR_MARGINALS_H
#define CURATOR_MARGINALS_H

#include "curator/aggregate.h"

/* The noise of a cell, and how far rounding may move it. */
struct cell_noise {
    double variance, fourth; /* fourth: the fourth cumulant */
    double rounded, most;    /* the variance of rounding; its bound */
};

/* Of the cells of all tables: n_sets for each layer. */
void marginals_noise(const struct plan *p, struct cell_noise *out);

/*
 * THEOREM  bars-marginals
 *   The noise of a cell of the table of B is a sum of independent draws, those of
 *   the residual of A with coefficients whose squares add up to p_A/n_B^2 (p_A:
 *   the product of (n_i - 1)/n_i), so its variance is at most
 *   V = sum over A in B of sigma_A^2 p_A/n_B^2, sigma_A that of the draws. It is
 *   rounded to a whole number by at most 2^(k-1), k the keys of B. Where tables
 *   get Laplace noise, V is the sum of the squared coefficients of their draws,
 *   each times its variance; the quantile is that of Cornish and Fisher with the
 *   fourth cumulant. A sum of t Laplace draws: bars-running.
 * SOURCE   doc/proofs/residual-marginals.md
 * NEEDS    0 < miss < 1; the laws of the parts, in steps.
 * GIVES    half[s] for each table of the layer with this noise, exceeded with
 *          probability about `miss` where V is at least 100, and with at most
 *          that where it is less. law: of the draws, where one table has the
 *          noise.
 * FAILS    cannot.
 * TESTED   marginals_bars_cover
 */
void marginals_bars(const struct plan *p, const struct cell_noise *noise,
                    struct bar_law law, double miss, double *half);

/* The same of a sum that is read from the tables of a centred sum and of a count;
   noise: of all layers. */
void
marginals_sum_bars(const struct plan *p, const struct plan_aggregate *f,
                   const struct cell_noise *noise, double miss, double *half);

/* The law of a cell's noise as part of a mean: normal noise of the same variance or,
   for Laplace noise, a Laplace law of the same variance, which is wider at 95 % and
   beyond than any sum of such draws. */
struct bar_law marginals_law(const struct plan *p, const struct cell_noise *x);

/* Fills the bars of tables and the laws of their noise; false without memory. */
bool marginals_bars_make(arena *a, const struct plan *p, struct bars *out);

#endif
