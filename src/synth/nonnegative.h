/*
 * Tables from noisy residuals that have no negative cell, and still agree with each
 * other: the least squares estimate of all residuals, weighted, among those that make no
 * cell negative (McKenna, Mullins, Sheldon, Miklau 2024, arXiv:2410.01091, GReM-LNN). The
 * truth is one of these, so the estimate is nearer to it, in those weights, than the
 * residuals as they were released. It has a bias where counts are near 0: small counts
 * come out too large, and large ones, for that, too small.
 *
 * THEOREM  nonnegative-tables
 *   Let every table of a family be made of the same vectors a_A in the ranges of the P_A,
 *   one for each set A of columns: T_B = sum over A within B of a_A/n_B. Then any two of
 *   the tables have the same sums over the columns that both have. That stays so if all a_A
 *   but that of the empty set, N >= 0, are multiplied by one number 1 - t, which moves cell x of B
 *   to (1 - t) x + t N/n_B; no cell is negative if t is at least -m/(N - m), m < 0 the least of all
 *   n_B x. So released residuals give consistent non-negative tables, at no cost.
 * SOURCE   doc/proofs/residual-marginals.md; Dwork, Roth 2014, proposition 2.1
 *          (post-processing).
 * NEEDS    released residuals and their variances, and nothing else.
 * GIVES    nonnegative_table: a cell is at least 0, whatever was released; tables agree
 *          up to the rounding of doubles. Residuals whose tables have no negative cell
 *          are left as they are.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   nonnegative_tables_agree tables_without_negative_cells_stay
 *          nonnegative_tables_err_less totals_stay_where_they_were
 */
#ifndef SYNTH_NONNEGATIVE_H
#define SYNTH_NONNEGATIVE_H

#include "base/arena.h"
#include "custos.h"
#include "synth/residual.h"

struct nonnegative_part {
    struct colset set;
    size_t cells;
    double variance;  /* of each number released, or its weight's inverse */
    double *released; /* those numbers, projected */
    double *values;   /* a_A */
};

struct nonnegative {
    const struct domain *domain;
    struct nonnegative_part *parts; /* by set, ascending */
    size_t n_parts;
};

/*
 * Everything lives in the arena; borrows the domain. sets: the tables that are to be
 * non-negative, of at most 8 columns each. Residuals that are missing count as 0. May
 * fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status
nonnegative_make(arena *a, const struct domain *d, const struct residual *parts,
                 size_t n_parts, const struct colset *sets, size_t n_sets,
                 struct nonnegative *out, custos_err *err);

/* The table of one of the sets. */
void
nonnegative_table(const struct nonnegative *n, struct colset set, double *out);

#endif
