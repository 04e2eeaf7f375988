/*
 * A quantile and its certified ends, from the boxes and counts that were
 * released for it (mech/quantile_box.h).
 */
#ifndef CURATOR_QUANTILE_H
#define CURATOR_QUANTILE_H

#include "base/arena.h"
#include "curator/bars.h"
#include "mech/quantile_box.h"

/* What the ends of one part need at one level. */
struct quantile_bars {
    const custos_quantile *boxes;
    struct bar_law law; /* of the noise on each count */
    double miss;        /* how often an interval may miss */
    const double *rank;
    double *limit;   /* by rank and edge, below 0: not yet computed */
    uint64_t limits; /* how many more may be computed */
    struct quantile_tables *tables; /* shared by all levels */
    i128 *released; /* of the group whose edges are known, if any */
    bool known;
    i128 *edges;
    double *sums; /* of the noisy counts below each edge, last of all counts */
    double *below;
};

/* NULL without memory. `rank` and `tables` are borrowed; the tables are for
   box_counts() draws of the law. */
struct quantile_bars *
quantile_bars_new(arena *a, const custos_quantile *boxes, const double *rank,
                  struct bar_law law, struct quantile_tables *tables,
                  double miss);

/* In steps: low <= value <= high, unless no point of the interval is in the
   box. */
struct quantile_found {
    i128 value, low, high;
};

/*
 * THEOREM  quantile-ends
 *   Let D(e) be the number of values below the edge e minus p n, and c_e such
 *   that the noise on D(e) is above c_e with probability at most beta/2. Go
 *   through the edges from the lowest up, as long as the noisy D(e) is below
 *   -c_e - 1; the last of these edges is the low end, or the end of the domain.
 *   Go likewise from the highest down, as long as it is above c_e + 1; the
 *   high end is the point below the last of these edges. The quantile of rank
 *   p, interpolated or not, is between the ends with probability at least
 *   1 - beta, whatever the values are.
 * SOURCE   doc/proofs/quantile-box.md, *the ends*
 * NEEDS    `released` as box_release gives it, with the law of the bars.
 * GIVES    ends that miss with probability at most bars->miss.
 * FAILS    cannot.
 * TESTED   quantile_limits_are_upper_bounds quantile_ends_cover
 *          quantiles_cover
 */
void quantile_find(struct quantile_bars *bars, const i128 *released,
                   size_t rank, struct quantile_found *out);

/* a (X_1 + ... + X_k) + b (Y_1 + ... + Y_l), noises of one law; a, b >= 0 and
   k, l >= 1. */
struct noise_sum {
    struct bar_law law;
    double a;
    size_t k;
    double b;
    size_t l;
};

/* What quantile_limit needs for sums of up to `draws` noises of a law. NULL
   without memory. */
struct quantile_tables *
quantile_tables_new(arena *a, struct bar_law law, size_t draws);

/* An upper bound c on the noise: it is c or more with probability at most
   `chance`. k + l is at most the draws of the tables, and the law is theirs. */
double quantile_limit(struct quantile_tables *t, const struct noise_sum *s,
                      double chance);

/* A bound that is never below quantile_limit, and quick; and the least share of it
   that quantile_limit is. */
double quantile_limit_far(const struct noise_sum *s, double chance);
#define QUANTILE_LIMIT_LEAST 0.35

/* How many limits take at most so many steps, of about 3 ns each. */
uint64_t quantile_limit_count(const struct quantile_tables *t, uint64_t steps);

#endif
