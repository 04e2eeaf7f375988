/*
 * Shared by the attack tests: sizes and two rank statistics; with the auditor's
 * bounds on epsilon from counts.
 */
#ifndef TEST_AUDIT_H
#define TEST_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/bound.h"

/*
 * How much to draw: `few` if CUSTOS_QUICK is set (valgrind), `many` if
 * CUSTOS_LONG is (make attacks), otherwise `some`.
 */
size_t audit_size(size_t few, size_t some, size_t many);
bool audit_long(void);
bool audit_quick(void);

/*
 * A lower bound on epsilon from how often an event was seen in n runs on each
 * of two neighbours, wrong with probability at most alpha if the event was fixed
 * in advance; negative where the counts show nothing.
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
