/*
 * AIM (McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677): measures every
 * column, then in rounds the set of columns that the workload needs most and the
 * model knows least, as far as that is more than noise; where a measurement taught
 * nothing new, the next ones are more accurate. It ends when rho is spent.
 */
#ifndef SYNTH_AIM_H
#define SYNTH_AIM_H

#include "synth/ask.h"
#include "synth/candidates.h"
#include "synth/fit.h"

struct aim_options {
    const struct domain *domain;
    amount rho;          /* of all steps together */
    uint64_t l2_squared; /* of a marginal, as in price_variance() */
    struct workload workload;
    const struct forbidden *zeros;
    size_t n_zeros;
    size_t bytes;   /* of the tree, at most, when all of rho is spent */
    size_t cells;   /* of all measurements together, about: see aim.c */
    size_t rows;    /* drawn to score sets that the tree does not cover */
    size_t threads; /* 1 or 2; the result is the same */
    struct fit_options each, last; /* of a round; at the end */
};

/* clang-format off */
#define AIM_OPTIONS_INIT                                                       \
    {                                                                          \
        .l2_squared = 1, .bytes = (size_t)80 << 20, .cells = (size_t)1 << 26,  \
        .rows = 50000, .threads = 2,                                           \
        .each = {300, 1e-3, 25}, .last = {2000, 1e-4, 50}                      \
    }
/* clang-format on */

/* What a measurement and a selection of the first round cost, of d columns; a column
   is measured for as much. 0 if rho is too small to be divided. */
struct aim_prices {
    amount measurement, selection;
};

struct aim_prices aim_prices(amount rho, size_t d);

/*
 * The generator is for scores and decides about released values only. May fail:
 * CUSTOS_EINVAL (the workload), CUSTOS_ERANGE (rho is too small to be divided),
 * CUSTOS_EOVERFLOW (columns and zeros alone exceed `bytes`), CUSTOS_ENOMEM,
 * CUSTOS_EENTROPY, and as the calls of the trusted side.
 */
CUSTOS_MUST_USE custos_status aim_run(const custos_alloc *alloc,
                                      const struct aim_options *o,
                                      const struct trusted *t, custos_rng *rng,
                                      struct synthesis *out, custos_err *err);

#endif
