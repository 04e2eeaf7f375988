/*
 * What the attack tests share: sizes, bounds on epsilon from counts, and the
 * two rank statistics.
 */
#ifndef TEST_AUDIT_H
#define TEST_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How much to draw: `few` where CUSTOS_QUICK is set (valgrind), `many` where
 * CUSTOS_LONG is (make attacks), else `some`.
 */
size_t audit_size(size_t few, size_t some, size_t many);
bool audit_long(void);
bool audit_quick(void);

/* The regularised incomplete beta function I_x(a, b). */
double audit_beta(double a, double b, double x);

/*
 * Clopper and Pearson: bounds of p after `hits` of n, each wrong with
 * probability at most alpha.
 */
double audit_p_low(uint64_t hits, uint64_t n, double alpha);
double audit_p_high(uint64_t hits, uint64_t n, double alpha);

/*
 * A lower bound of epsilon from how often an event was seen in n runs on each
 * of two neighbours: ln(p_low / other_high), alpha/2 each. Wrong with
 * probability at most alpha when the event was fixed beforehand.
 */
double
audit_epsilon_low(uint64_t hits, uint64_t other_hits, uint64_t n, double alpha);

/* A measurement and the class it belongs to. */
struct audit_point {
    double value;
    bool large;
};

/* P[value of a large > value of a small], ties one half. Sorts points. */
double audit_auc(struct audit_point *points, size_t n);

/*
 * Kolmogorov and Smirnov's distance between the two classes as a p-value (the
 * asymptotic one, with ties on the safe side). Sorts points.
 */
double audit_ks_p(struct audit_point *points, size_t n);

#endif
