/*
 * A composed privacy-loss distribution for one neighbour order: bounds from
 * both sides on delta(eps) and eps(delta).
 *
 * The parts are put on one grid, tilted by exp(theta x) so that the losses
 * that matter lie in the middle, and convolved by one FFT. The FFT's absolute
 * error becomes a relative error of delta, at any delta.
 *
 * THEOREM  tilted-composition
 *   For independent losses with joint law r, K(t) = ln E e^(tX) and tilted law
 *   r~(x) = r(x) e^(t x - K(t)):
 *   delta(eps) = P[inf] + e^(K(t) - t eps) sum r~(x) e^(-t y)(1 - e^-y),
 *   over y = x - eps > 0.
 * SOURCE   doc/proofs/tilted-composition.md; Koskela, Jalko, Honkela 2020,
 *          arXiv:1906.03049, for the untilted sum.
 * NEEDS    parameters of all parts fixed beforehand (a plan, never a history
 *          of adaptive queries).
 * GIVES    low <= the true value <= high, for this order of neighbours.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW when the grid would be too large,
 *          or counts so high that roundings would swamp the answer.
 * TESTED   pld_encloses_gaussian, pld_encloses_subsampled,
 *          pld_encloses_randomized_response, verify_agrees_with_the_pld
 */
#ifndef ACCOUNT_PLD_H
#define ACCOUNT_PLD_H

#include <stddef.h>

#include "account/sketch.h"
#include "custos.h"

enum { PLD_POINTS_MAX = 1 << 22 };

struct bounds {
    double low, high;
};

struct pld {
    custos_alloc alloc;
    double h, theta;
    size_t n;                   /* points, a power of two */
    long first;                 /* point i is at (first + i) h + offset, */
    double offset;              /* and at place (first + i) mod n of these: */
    double *up, *low;           /* tilted */
    double log_up, log_low;     /* K(theta) of each */
    double infinite, certain;   /* P[inf], at most and at least */
    double beyond;              /* up's delta from above the window, at most */
    double slack_up, slack_low; /* errors of the sums over r~ */
    double spread;              /* relative error of all weights together */
    double shift;               /* error of the loss */
    double most;                /* the largest finite loss */
};

/* The aim is the sketch's. Needs 0 < h <= WEIGHTS_STEP_MAX. */
CUSTOS_MUST_USE custos_status pld_init(struct pld *p, const struct sketch *s,
                                       double h);
void pld_clear(struct pld *p);

/* P[inf] at least: what no epsilon is enough for. */
double pld_certain(const struct pld_part *parts, size_t n);

/* Good near the aim; valid everywhere. Epsilon is 0 at least. */
struct bounds pld_epsilon(const struct pld *p, double delta);
struct bounds pld_delta(const struct pld *p, double epsilon);

#endif
