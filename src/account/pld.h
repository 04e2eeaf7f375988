/*
 * A composed privacy-loss distribution for one order of the neighbours, with
 * lower and upper bounds on delta(eps) and eps(delta).
 *
 * The parts are put on one grid, tilted by exp(theta x) so that the losses
 * that matter are in the middle, and convolved by one FFT. Because of the
 * tilt, the FFT's absolute error becomes a relative error of delta, at any
 * delta.
 *
 * THEOREM  tilted-composition
 *   For independent losses with joint law r, K(t) = ln E e^(tX) and tilted law
 *   r~(x) = r(x) e^(t x - K(t)):
 *   delta(eps) = P[inf] + e^(K(t) - t eps) sum r~(x) e^(-t y)(1 - e^-y),
 *   over y = x - eps > 0.
 * SOURCE   doc/proofs/tilted-composition.md; Koskela, Jalko, Honkela 2020,
 *          arXiv:1906.03049, for the untilted sum.
 * NEEDS    parameters of all parts fixed in advance (a plan, never a history
 *          of adaptive queries).
 * GIVES    low <= the true value <= high, for this order of neighbours.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW if the grid would be too large, or
 *          counts are so high that rounding would swamp the result.
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
    long first;                 /* point i is at loss (first + i) h + offset */
    double offset;              /* and at index (first + i) mod n of up, low */
    double *up, *low;           /* the tilted laws */
    double log_up, log_low;     /* K(theta) of each */
    double infinite, certain;   /* upper and lower bound on P[inf] */
    double beyond;              /* bounds what losses above the window add */
    double slack_up, slack_low; /* errors of the sums over r~ */
    double spread;              /* relative error of all weights together */
    double shift;               /* error of the loss */
    double most;                /* the largest finite loss */
};

/* Uses the aim of the sketch. Needs 0 < h <= WEIGHTS_STEP_MAX. */
CUSTOS_MUST_USE custos_status pld_init(struct pld *p, const struct sketch *s,
                                       double h);
void pld_clear(struct pld *p);

/* A lower bound on P[inf], the part of delta that no epsilon removes. */
double pld_certain(const struct pld_part *parts, size_t n);

/* Sharp near the aim; valid everywhere. Epsilon is at least 0. */
struct bounds pld_epsilon(const struct pld *p, double delta);
struct bounds pld_delta(const struct pld *p, double epsilon);

/* Lowers u[i] to the upper bound on delta at epsilon from + i step, for all n
   of them in one pass; epsilon may be negative here. */
void pld_lower_deltas(const struct pld *p, double from, double step, double *u,
                      size_t n);

#endif
