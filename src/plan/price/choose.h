/*
 * The mechanism of one part, for the plan and for the search by accuracy.
 */
#ifndef PLAN_CHOOSE_H
#define PLAN_CHOOSE_H

#include "plan/work.h"

/*
 * Makes the part's mechanism at its epsilon, and its bar for n values at once
 * at 95 %; `delta` is what a Gaussian may use.
 */
CUSTOS_MUST_USE custos_status choose_part(struct work *w, struct part *part,
                                          const rat *delta, size_t n,
                                          custos_err *err);

/* The mechanism of the part's rho, which is set, and its bar; the caller owns
   *mech. */
CUSTOS_MUST_USE custos_status choose_gauss_of_rho(const struct plan *p,
                                                  const struct part *part,
                                                  size_t n, custos_mech **mech,
                                                  i128 *bar, custos_err *err);

/* Replaces the part's mechanism and bar; takes over mech. */
void choose_take(struct part *part, custos_mech *mech, custos_mech_kind kind,
                 i128 bar);

/* False if a Gaussian of this sensitivity, squared, cannot have a bar of `bar`
   steps. */
bool choose_gauss_can_win(const rat *l2_squared, const rat *epsilon,
                          const rat *delta, i128 bar);

#endif
