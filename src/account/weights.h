/*
 * A privacy loss on a grid of step h, twice: `up` dominates the true loss,
 * `low` is dominated by it.
 *
 * THEOREM  connect-the-dots
 *   Move the mass of P at loss L in [a, a + h] to the ends, (1 - e^(a-L)) /
 *   (1 - e^-h) of it to a + h and the rest to a. P's and Q's masses are kept;
 *   delta(eps) does not fall for any eps, and does not change on the grid. The
 *   same holds after composition.
 * SOURCE   Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022,
 *          arXiv:2207.04380 (the pessimistic estimate);
 *          doc/proofs/tilted-composition.md, 2.
 * NEEDS    0 < h <= WEIGHTS_STEP_MAX.
 * GIVES    up: the true loss, lowered by at most `shift`, is dominated by
 *          weights of at most 1 + error times these.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW past WEIGHTS_MAX points or as
 *          line_init.
 * TESTED   upper_curve_lies_above
 *
 * THEOREM  merged-outcomes
 *   Telling only in which cell an outcome lies is post-processing, so a pair
 *   of cell masses (P(C), Q(C)) at loss ln P(C)/Q(C) is dominated by the
 *   original; so it is when P has less or Q more.
 * SOURCE   Dwork, Roth 2014, Proposition 2.1 (post-processing);
 *          doc/proofs/tilted-composition.md, 3.
 * NEEDS    the same.
 * GIVES    low: 1 - error times these, lowered by `shift`, are dominated by
 *          the true loss; cells are cut so that ln P(C)/Q(C) is on the grid,
 *          to second order in h.
 * FAILS    the same.
 * TESTED   lower_curve_lies_below
 */
#ifndef ACCOUNT_WEIGHTS_H
#define ACCOUNT_WEIGHTS_H

#include "account/loss.h"
#include "custos.h"

enum { WEIGHTS_MAX = 1 << 22, WEIGHTS_STEP_MAX = 8 };

struct weights {
    custos_alloc alloc;
    double h;
    long first;    /* weight i is at loss (first + i) h + offset */
    double offset; /* in [0, h] */
    size_t n;
    double *up, *low;
    double infinite;     /* up's mass at +infinity */
    double error, shift; /* as the theorems say */
    double most;         /* the largest finite loss */
};

/* `tail` bounds the mass that is moved to infinity or dropped. */
CUSTOS_MUST_USE custos_status weights_init(struct weights *w,
                                           const custos_alloc *alloc,
                                           const struct loss *l, double h,
                                           double tail);
void weights_clear(struct weights *w);

#endif
