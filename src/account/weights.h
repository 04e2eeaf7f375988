/*
 * A privacy loss on a grid of step h, in two versions: `up` dominates the true
 * loss, and the true loss dominates `low`.
 *
 * THEOREM  connect-the-dots
 *   Move the mass of P at loss L in [a, a + h] to the ends:
 *   (1 - e^(a-L)) / (1 - e^-h) of it to a + h and the rest to a. This keeps
 *   the total masses of P and Q. delta(eps) does not fall for any eps, and
 *   does not change at an eps on the grid. The same holds after composition.
 * SOURCE   Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022,
 *          arXiv:2207.04380 (the pessimistic estimate);
 *          doc/proofs/tilted-composition.md, 2.
 * NEEDS    0 < h <= WEIGHTS_STEP_MAX.
 * GIVES    up: these weights, times a factor of at most 1 + error, dominate
 *          the true loss lowered by at most `shift`.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EOVERFLOW above WEIGHTS_MAX points or as
 *          line_init.
 * TESTED   upper_curve_lies_above
 *
 * THEOREM  merged-outcomes
 *   Revealing only which cell contains an outcome is post-processing, so the
 *   original dominates the pair of cell masses (P(C), Q(C)) at loss
 *   ln P(C)/Q(C). It still does if P has less mass or Q more.
 * SOURCE   Dwork, Roth 2014, Proposition 2.1 (post-processing);
 *          doc/proofs/tilted-composition.md, 3.
 * NEEDS    as connect-the-dots.
 * GIVES    low: the true loss dominates 1 - error times these weights, lowered
 *          by `shift`. Cells are cut so that ln P(C)/Q(C) is on the grid, to
 *          second order in h.
 * FAILS    as connect-the-dots.
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
    double error, shift; /* of the theorems above */
    double most;         /* the largest finite loss */
};

/* `tail` bounds the mass that is moved to infinity or dropped. */
CUSTOS_MUST_USE custos_status weights_init(struct weights *w,
                                           const custos_alloc *alloc,
                                           const struct loss *l, double h,
                                           double tail);
void weights_clear(struct weights *w);

#endif
