/*
 * Error bars of covariances, correlations and lines, from released numbers alone.
 *
 * Given the exact means (and, for a correlation, the exact ratio of the two
 * deviations; for an intercept, the mean over the mean square, and near the mean the
 * slope), each of these is a quotient of numbers that are linear in what was
 * released, so Fieller's test applies (bars.h). The means and ratios are known only
 * within bars of their own, which take a small share of beta. The union over these
 * bars is little wider than one test: the tested number is stationary in them.
 *
 * All numbers are in steps of their grids, of values minus their centres.
 */
#ifndef CURATOR_BARS_PAIR_H
#define CURATOR_BARS_PAIR_H

#include "curator/bars.h"

struct bar_pair {
    struct bar_part rows, sum_x, sum_y, squares_x, squares_y, product;
    double product_step;         /* in steps of x times steps of y */
    struct bar range_x, range_y; /* of a value minus its centre */
};

/* What the released numbers give when taken as exact. */
struct pair_point {
    double n, mean_x, mean_y;
    double xy, xx, yy; /* sums of products and squares about the means */
};

struct pair_point pair_point(const struct bar_pair *p);

/*
 * THEOREM  bars-pair
 *   For every value of the means, the ratio of deviations, the slope and the
 *   mean over the mean square within their own bars, refuse a candidate if the
 *   tail of its test is below the rest of beta, halved. The interval between
 *   refused candidates misses with probability at most beta.
 * SOURCE   doc/proofs/bars-pair.md
 * NEEDS    as bars-ratio.
 * GIVES    true, and an interval that holds the covariance (within the limits
 *          that the ranges give), the correlation (within -1 .. 1), the slope
 *          or the intercept with probability at least 1 - beta, in steps.
 * FAILS    false: noise may hide that x varies at all, so there is no interval
 *          but the whole line. The covariance and the correlation always have
 *          one.
 * TESTED   covariance_covers corr_covers slope_covers intercept_covers
 *          units_do_not_matter
 *          pairs_of_noise_have_no_bar
 */
bool bar_covariance(const struct bar_pair *p, enum bar_divisor divisor,
                    double beta, struct bar *out);
bool bar_corr(const struct bar_pair *p, double beta, struct bar *out);
bool bar_slope(const struct bar_pair *p, double beta, struct bar *out);

/* Of the line at x = at, in steps of x from its centre. */
bool bar_intercept(const struct bar_pair *p, double at, double beta,
                   struct bar *out);

#endif
