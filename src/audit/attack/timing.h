/* Pieces of the timing attack. */
#ifndef AUDIT_ATTACK_TIMING_H
#define AUDIT_ATTACK_TIMING_H

#include "audit/attack/attack.h"

/* A draw as the attacker sees it, and what the attacker wants to know. */
struct timed_draw {
    double ns;
    int64_t noise; /* its absolute value */
};

/* The naive sampler: counts coins until the first failure. */
int64_t loop_laplace(struct coins *coins, double scale);

/*
 * The probability that of two draws, one with large noise (above the median) and
 * one with small, the large one took longer; ties count half. 1/2 is blind
 * guessing. Sorts the draws by time. *sd is its standard deviation if time has
 * nothing to do with noise.
 */
double auc_of(struct timed_draw *draws, size_t n, double *sd);

#endif
