/*
 * Error bars of ratios and variances, from released numbers alone.
 *
 * A mean is a released sum over a released count, and both are noisy. Its
 * interval is Fieller's: whatever the exact sum S and count C are, s - a c has
 * a known law when a = S/C, that of Ns - a Nc; the bar is the set of those a
 * for which s - a c is not too far out. A variance is the same with three
 * noises and the mean somewhere in a bar of its own.
 *
 * This is after the noise, so doubles are safe here: there are no exact values,
 * and no result goes back to the data. Bounds on rounding errors are added to the
 * bars.
 *
 * All numbers are in steps of one grid, of values less their centre: to a mean
 * the caller adds the centre, to a variance nothing. Counts and sums alone have
 * the narrowest interval of their law, by custos_mech_error_wide.
 */
#ifndef CURATOR_BARS_H
#define CURATOR_BARS_H

#include <stdbool.h>
#include <stdint.h>

/* The noise on one released whole number. */
struct bar_law {
    enum bar_kind { BAR_LAPLACE, BAR_GAUSSIAN } kind;
    double scale; /* of the Laplace, or sigma; above 0 */
};

/* A released number and its noise; independent of the others. */
struct bar_part {
    double value; /* not cut to any limit that it could reach */
    struct bar_law law;
};

struct bar {
    double low, high;
};

/* What the sum of squares about the mean is divided by. */
enum bar_divisor {
    BAR_POPULATION = 0, /* n */
    BAR_SAMPLE = 1,     /* n - 1 */
};

/*
 * THEOREM  bars-ratio
 *   Let s = S + Ns, c = C + Nc with independent symmetric noises of known law
 *   and a = S/C in [low, high]. If P[Ns + a Nc >= |s - a c|] + P[Nc >= c] is
 *   below beta/2 at some u > s/c, then it, and with it every a >= u, is
 *   outside an interval that covers with probability 1 - beta.
 * SOURCE   doc/proofs/bars-ratio.md
 * NEEDS    scales above 0; 0 < beta < 1; range: what one value can be, less
 *          its centre, in steps.
 * GIVES    an interval within the range that holds S/C with probability at
 *          least 1 - beta, whatever S and C >= 1 are. Where C = 0, each single
 *          number of the range is held with that probability.
 * FAILS    cannot; what is not a number gives the whole range.
 * TESTED   ratio_covers ratio_is_not_wide ratio_of_flags_covers
 *          ratio_of_mixed_laws_covers ratio_of_nothing_is_the_range
 *          tail_is_an_upper_bound
 */
struct bar bar_ratio(struct bar_part sum, struct bar_part count,
                     struct bar range, double beta);

/*
 * THEOREM  bars-variance
 *   With q = Q + Nq, the squares, and a = S/C, v = (Q - a S)/(C - d):
 *   q - 2as + a^2 c - v (c - d) has the law of Nq - 2a Ns + (a^2 - v) Nc. The
 *   mean lies in a bar at beta/25 but with that probability; the union of the
 *   intervals for v over it, at the rest of beta, covers v at beta.
 * SOURCE   doc/proofs/bars-variance.md
 * NEEDS    as bars-ratio.
 * GIVES    an interval within [0, w^2/4] (sample: [0, w^2/2]), w the width of
 *          the range, that holds the variance of C >= 1 (sample: 2) values
 *          with probability at least 1 - beta.
 * FAILS    cannot; what is not a number gives the whole of it.
 * TESTED   variance_covers variance_is_not_wide variance_counts_the_mean
 *          variance_of_a_sample_covers variance_of_nothing_is_the_range
 */
struct bar bar_variance(struct bar_part squares, struct bar_part sum,
                        struct bar_part count, struct bar range,
                        enum bar_divisor divisor, double beta);

/* The best guesses, within the same limits; never without a value. */
double bar_ratio_point(double sum, double count, struct bar range);
double bar_variance_point(double squares, double sum, double count,
                          struct bar range, enum bar_divisor divisor);

/* The same for the standard deviation: roots of the ends. */
struct bar bar_root(struct bar variance);

/* An end of a bar as a whole number, away from its middle, within what values
   can be; an end that is not a number or infinite is the last such value. */
int64_t bar_whole(double end, bool high, int64_t least, int64_t most);

#endif
