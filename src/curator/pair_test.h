/*
 * What the tests of covariances, correlations, slopes and lines share: the point,
 * the bars that they rely on, and the noise.
 */
#ifndef CURATOR_PAIR_TEST_H
#define CURATOR_PAIR_TEST_H

#include "curator/bars_pair.h"

#define SHARE 0.04 /* of beta: for each bar that a test relies on */

enum { ROWS, SUM_X, SUM_Y, SQUARES_X, SQUARES_Y, PRODUCT, NOISES };

/* What a test knows. */
struct pair_test {
    const struct bar_pair *p;
    struct pair_point at;
    struct bar a, m;     /* the means of x and y */
    struct bar lambda;   /* the deviation of y over that of x */
    struct bar b, kappa; /* the slope; the mean over the mean square */
    struct bar rise;     /* 1 over the mean of x - zero; 0 .. 0: not used */
    double off_x, off_y; /* how far the means are from their points */
    double zero;         /* where the intercept is taken */
    double d;            /* enum bar_divisor */
    double size_xy, size_xx, size_yy; /* rounding: the summed terms of at */
    double value[NOISES];
    struct bar_law laws[NOISES];
};

/* The largest size of a number in b. */
double pair_far(struct bar b);

/* Sets the bars of the means; false: a number is not finite, or the count may be
   0. */
bool pair_test_init(struct pair_test *t, const struct bar_pair *p, double beta);

/* An upper bound on P[sum of f_i N_i >= x], x lowered by rounding errors. Puts the
   factor of the product into steps. */
double
pair_noise_above(const struct pair_test *t, double *f, double x, double size);

/* An upper bound on the probability that noise, with these factors, makes the
   denominator `below` negative. */
double
pair_sign(const struct pair_test *t, double *f, double below, double size);

/* The deviation of the noise with these factors. */
double pair_spread(const struct pair_test *t, const double *f);

/* The bar around `middle`; false where the search finds no end. */
bool pair_search(const struct pair_test *t,
                 double (*ask)(const void *ctx, double side, double r),
                 double level, double middle, double spread, struct bar *out);

#endif
