/*
 * What a release may cost, and what is charged for it.
 *
 * THEOREM  release-price
 *   Let rho be given, or the largest found such that rho-zCDP implies (epsilon,
 *   delta)-DP. A release whose steps cost at most rho is rho-zCDP with no delta, and
 *   (epsilon, delta)-DP in the second case. Charged as (infinity, rho, 0) or
 *   (epsilon, rho, delta), its delta holding for epsilon alone, it leaves the promise
 *   of every budget that admits it as it was.
 * SOURCE   Bun, Steinke 2016, arXiv:1605.02065, proposition 1.3; Canonne, Kamath,
 *          Steinke 2020, arXiv:2004.00010, proposition 12 (the conversion);
 *          doc/proofs/filter-best-of-both.md
 * NEEDS    release-steps, release-within-budget.
 * GIVES    release_price_make sets `rho`, rounded down, and the charge, rounded up;
 *          release_price_check admits none below the policy's least price.
 * FAILS    CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EINVAL, by the options alone.
 * TESTED   the_receipt_covers_the_steps a_price_is_what_the_policy_allows
 */
#ifndef RELEASE_PRICE_H
#define RELEASE_PRICE_H

#include "account/charge.h"
#include "base/str.h"
#include "policy/policy.h"

enum { PRICE_TEXT_MAX = 160 };

struct release_price {
    amount rho; /* what all steps together may cost */
    struct charge charge;
    char epsilon[PRICE_TEXT_MAX], delta[PRICE_TEXT_MAX]; /* the promise; epsilon
                                                             is "infinity" if the
                                                             price is a rho */
    char rho_text[PRICE_TEXT_MAX];
};

/* Give epsilon and delta, or rho; the others are empty. */
CUSTOS_MUST_USE custos_status release_price_make(str epsilon, str delta,
                                                 str rho,
                                                 struct release_price *out,
                                                 custos_err *err);

/*
 * Is the price, as it was given, at least the policy's least (least-price)? A release
 * below it is refused, not raised: what its steps cost and what is charged stay the same.
 * Of a price in epsilon and delta the rho lane is raised, as for queries: it only
 * limits how many charges a budget can have. The policy's caps
 * are for single queries; a release, which only the owner can make, is limited by the
 * budget. May fail: CUSTOS_EDENIED.
 */
CUSTOS_MUST_USE custos_status release_price_check(struct release_price *p,
                                                  const struct policy *policy,
                                                  custos_err *err);

#endif
