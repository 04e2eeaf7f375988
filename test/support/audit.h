/*
 * Shared by the attack tests: sizes, bounds on epsilon from counts, and two
 * rank statistics.
 */
#ifndef TEST_AUDIT_H
#define TEST_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How much to draw: `few` if CUSTOS_QUICK is set (valgrind), `many` if
 * CUSTOS_LONG is (make attacks), otherwise `some`.
 */
size_t audit_size(size_t few, size_t some, size_t many);
bool audit_long(void);
bool audit_quick(void);

/* The regularised incomplete beta function I_x(a, b). */
double audit_beta(double a, double b, double x);

/*
 * Clopper-Pearson bounds on p after `hits` of n, each wrong with probability at
 * most alpha.
 */
double audit_p_low(uint64_t hits, uint64_t n, double alpha);
double audit_p_high(uint64_t hits, uint64_t n, double alpha);

/*
 * A lower bound on epsilon from how often an event was seen in n runs on each
 * of two neighbours: ln(p_low / other_high), where each of the two is wrong
 * with probability at most alpha/2. So the bound is wrong with probability at
 * most alpha, if the event was fixed in advance.
 */
double
audit_epsilon_low(uint64_t hits, uint64_t other_hits, uint64_t n, double alpha);

/* A measurement and the class it belongs to. */
struct audit_point {
    double value;
    bool large;
};

/*
 * The AUC: P[a value of class large > one of the other class], where a tie
 * counts one half. Sorts points.
 */
double audit_auc(struct audit_point *points, size_t n);

/*
 * The asymptotic p-value of the Kolmogorov-Smirnov distance between the two
 * classes; with ties it is too large, which is safe. Sorts points.
 */
double audit_ks_p(struct audit_point *points, size_t n);

#endif
