/*
 * Tables from noisy residuals. The residual of a set A of columns is what its table
 * says beyond the tables of its subsets: Q_A x_A, for the exact table x_A and the
 * Kronecker product Q_A of the matrices n_i I - J. It is a vector of whole numbers, and
 * residuals of different sets have nothing in common, so that noise on each of them
 * costs least (mech/marginals.h, residual-marginals). With y_A = Q_A x_A + noise and
 * P_A = Q_A/n_A, the table of B is the sum over its subsets A of P_A y_A/n_B.
 */
#ifndef SYNTH_RESIDUAL_H
#define SYNTH_RESIDUAL_H

#include "synth/domain.h"

/* A noisy residual, as it was released; borrows the numbers. */
struct residual {
    struct colset set;
    const int64_t *values; /* by cell */
    double variance;       /* of the noise of each number */
};

/* How many residuals make the table of a set: those of its subsets without columns of
   a single code, whose residuals are 0. */
size_t residual_parts(const struct domain *d, struct colset set);

/* Subtracts from x, the table of a set, its mean along each axis. */
void residual_project(const struct domain *d, struct colset set, double *x);

/* Adds to each cell of the table of `set`, which contains r->set, what r says about it.
   work: room for the cells of r->set. */
void residual_add(const struct domain *d, const struct residual *r,
                  struct colset set, double *work, double *out);

/* The variance of what that adds to a cell. */
double residual_variance(const struct domain *d, const struct residual *r,
                         struct colset set);

/*
 * The variance of the sum of g(c) y(c) over the cells c of the table y of `set` that all
 * of these residuals make is the sum of factor[S] |g_S|^2 over its subsets S, where g_S
 * has the sums of g over the columns that are not in S. Bit k of S is the k-th column of
 * the set. (|P_A w|^2 is the sum over S in A of (-1)^|A-S| |w_S|^2/n_{A-S}.)
 */
void residual_factors(const struct domain *d, const struct residual *parts,
                      size_t n, struct colset set, double *factor);

#endif
