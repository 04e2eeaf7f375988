/*
 * Error bars of ratios and variances, from released numbers alone.
 *
 * A mean is a released sum s divided by a released count c, and both are noisy.
 * Its interval is Fieller's: whatever the exact sum S and count C are, if a is
 * their ratio S/C, then s - a c has a known law, that of Ns - a Nc, where Ns and
 * Nc are the noises. The bar is the set of all a for which s - a c is not too
 * unlikely under that law. The bar of a variance is found likewise, with three
 * noises and a mean that is known only to lie in a bar of its own.
 *
 * This is after noise, so doubles are safe here: there are no exact values. The
 * bars are widened by bounds on rounding errors.
 *
 * All sums are in steps of one grid, of values minus their centre. The caller
 * adds the centre to a mean; a variance needs no correction. Counts and sums
 * are not handled here: mech_error_i128 gives the narrowest interval of
 * their law.
 */
#ifndef CURATOR_BARS_H
#define CURATOR_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The noise on one released whole number. */
struct bar_law {
    enum bar_kind { BAR_LAPLACE, BAR_GAUSSIAN } kind;
    double scale; /* Laplace scale, or sigma; above 0 */
};

/* A released number and the law of its noise; the noises are independent. */
struct bar_part {
    double value; /* as released, not clamped */
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
 *   and S/C in [low, high]. With s and c as released, let
 *   t(a) = P[Ns + a Nc >= |s - a c|] + P[Nc > c]. As upper end take any
 *   u > s/c with t(u) < beta/2, as lower end any u < s/c with t(u) < beta/2;
 *   where there is none, take the end of the range. This interval contains S/C
 *   with probability at least 1 - beta.
 * SOURCE   doc/proofs/bars-ratio.md
 * NEEDS    scales above 0; 0 < beta < 1; range: the range of one value minus
 *          its centre, in steps.
 * GIVES    an interval within the range that holds S/C with probability at
 *          least 1 - beta, whatever S and C >= 1 are. If C = 0, each fixed
 *          number of the range is in it with that probability.
 * FAILS    cannot; NaN gives the range itself.
 * TESTED   ratio_covers ratio_is_not_wide ratio_of_flags_covers
 *          ratio_of_mixed_laws_covers ratio_of_nothing_is_the_range
 *          tail_is_an_upper_bound
 */
struct bar bar_ratio(struct bar_part sum, struct bar_part count,
                     struct bar range, double beta);

/* One of the noises in a quotient of released values: its law, and how often
   it is added to the numerator and to the denominator. */
struct bar_term {
    struct bar_law law;
    double above, below;
};

enum { BAR_TERMS_MAX = 6 };

/*
 * THEOREM  bars-quotient
 *   Let u = U + sum of f_i N_i and w = W + sum of g_i N_i, W not 0, with
 *   independent symmetric noises N_i of known law. Then u - a w has the law of
 *   the sum of (f_i - a g_i) N_i, if a = U/W. Where w > 0, the interval of
 *   bars-ratio with this law and with P[sum of g_i N_i > w] contains U/W with
 *   probability at least 1 - beta.
 * SOURCE   doc/proofs/bars-ratio.md
 * NEEDS    n <= BAR_TERMS_MAX; scales above 0; 0 < beta < 1.
 * GIVES    true, and that interval; with w < 0 that of -u and -w.
 * FAILS    false: w is so near 0 that no end can be found, or a number is not
 *          finite. The interval is then the whole line.
 * TESTED   quotient_covers quotient_is_narrow quotient_by_noise_has_no_bar
 *          bars_of_quotients_cover
 */
bool bar_quotient(const struct bar_term *terms, size_t n, double above,
                  double below, double beta, struct bar *out);

/*
 * THEOREM  bars-variance
 *   With q = Q + Nq, the noisy sum of squares, a = S/C and
 *   v = (Q - a S)/(C - d): q - 2as + a^2 c - v (c - d) has the law of
 *   Nq - 2a Ns + (a^2 - v) Nc. The bar of the mean at beta/10 misses the mean
 *   with at most that probability. Lower end: refused for all means in that
 *   bar. Upper end: v (c - d) - q + s^2/c is a function of the noises, convex
 *   but for Nq; refused for all means in the bar and all counts within what
 *   Nc exceeds with probability beta/50. The interval contains v with
 *   probability at least 1 - beta.
 * SOURCE   doc/proofs/bars-variance.md
 * NEEDS    as bars-ratio.
 * GIVES    an interval within [0, w^2/4] (sample: [0, w^2/2]), w the width of
 *          the range, that holds the variance of C >= 1 (sample: 2) values
 *          with probability at least 1 - beta.
 * FAILS    cannot; NaN gives that widest interval.
 * TESTED   variance_covers variance_is_not_wide variance_counts_the_mean
 *          tail_of_convex_is_an_upper_bound
 *          variance_of_a_sample_covers variance_of_nothing_is_the_range
 */
struct bar bar_variance(struct bar_part squares, struct bar_part sum,
                        struct bar_part count, struct bar range,
                        enum bar_divisor divisor, double beta);

/* Point estimates, within the same limits; always a number. */
double bar_ratio_point(double sum, double count, struct bar range);
double bar_variance_point(double squares, double sum, double count,
                          struct bar range, enum bar_divisor divisor);

/* The bar of a standard deviation: the square roots of the variance's ends. */
struct bar bar_root(struct bar variance);

/* An end of a bar, rounded outwards to a whole number and clamped to [least,
   most]. NaN becomes `least` at the low end and `most` at the high end. */
int64_t bar_whole(double end, bool high, int64_t least, int64_t most);

/* The two leading digits: all that is shown of a quotient without a bar, since its
   noise may be as large as itself. */
double bar_leading(double x);

#endif
