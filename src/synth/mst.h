/*
 * MST (McKenna, Miklau, Sheldon 2021, arXiv:2108.04978): measures every column,
 * selects a spanning tree of pairs of columns whose dependence the product of the
 * columns misses most, and measures these pairs. It takes seconds, has nothing to
 * tune, and serves tables with many columns.
 */
#ifndef SYNTH_MST_H
#define SYNTH_MST_H

#include "synth/ask.h"

struct mst_options {
    const struct domain *domain;
    amount rho;                    /* of all steps together */
    uint64_t l2_squared;           /* of a marginal, as in price_variance() */
    const struct forbidden *zeros; /* their columns keep all their codes */
    size_t n_zeros;
    size_t
        bytes; /* of the tree, at most, if there are zeros; without them it is a
                     tree of pairs */
};

/* What each of the steps costs, of d columns; 0 if rho is too small to be divided. A
   single column has no pairs, and costs all of rho. */
struct mst_prices {
    amount column, choice, pair;
};

struct mst_prices mst_prices(amount rho, size_t d);

/*
 * With zeros, pairs that would make the tree too large are not selected, and what
 * they would cost is left. May fail: CUSTOS_ERANGE (rho is too small to be divided),
 * CUSTOS_ENOMEM, CUSTOS_EOVERFLOW, and as the calls of the trusted side.
 */
CUSTOS_MUST_USE custos_status mst_run(const custos_alloc *alloc,
                                      const struct mst_options *o,
                                      const struct trusted *t,
                                      struct synthesis *out, custos_err *err);

#endif
