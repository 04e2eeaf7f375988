/*
 * The range selection: finds the range that a value is clamped to, where the
 * policy allows that for its columns (find_range) and the query states no bounds.
 * That is a release of its own, with a share of the query's price. The query then
 * runs as an ordinary plan with that range and the rest of the price.
 *
 * The candidates are a public list: [0, M] and [-M, M] for M = 1, 2, 5, 10, 20,
 * ..., within the declared range of the value or, without one, within [-10^12,
 * 10^12]. A candidate's score is minus the number of units with a value outside
 * it, minus a public penalty that grows from each candidate to the next: the
 * exponential mechanism prefers the first candidate that only few units exceed.
 *
 * The sparse vector technique, which the bound selection uses, would need a
 * threshold of several times its noise so as not to run on to the widest range;
 * that many units would be clamped. On fifteen simulated data sets the mean error
 * of sums was four times as large.
 *
 * THEOREM  range-found
 *   Let I_u be the set of candidates that hold every value of unit u, a function
 *   of the unit's own rows and of public data. Let candidate i have the score
 *   -#{u : i not in I_u} - p i, with a constant p. The exponential mechanism on
 *   these scores, of sensitivity 1, with epsilon e is e-DP and e^2/8-zCDP under
 *   change-one; under add-remove the scores are monotone, and the same holds at
 *   twice the rate. If an (e', d)-DP plan for the range that is taken follows,
 *   both together are (e + e', d)-DP, and likewise in rho. With r the rate, p >=
 *   1/r and j the first candidate that holds all values: with probability at
 *   least 95 % one of the candidates 0 .. j + 3 is taken, and at most p j + 5/r
 *   units have a value outside it.
 * SOURCE   McSherry, Talwar 2007, theorem 6; Cesar, Rogers 2021,
 *          arXiv:2004.07223 (bounded range); doc/proofs/range-found.md
 * NEEDS    unit-local; exponential-by-inversion; the largest charge of all plans
 *          that can follow is paid first.
 * GIVES    limits of the value, which are public from then on.
 * FAILS    before the charge: CUSTOS_ERANGE, CUSTOS_EINVAL (epsilon is too small
 *          or has too many digits), CUSTOS_EUNSUPPORTED (asked by accuracy; two
 *          values; a bound on rows is to be selected, too).
 * TESTED   the_range_is_the_first_that_holds_all
 *          neighbours_differ_as_the_plan_says ranges_have_their_probabilities
 *          the_price_of_a_range_is_the_largest_of_its_plans
 *          few_units_are_outside_the_range
 */
#ifndef PLAN_RANGE_SELECTION_H
#define PLAN_RANGE_SELECTION_H

#include "plan/plan.h"

struct work;

/* The most candidates: two for each M of 12 decades, and two for the end. */
enum { RANGES_MAX = 76 };

struct range_selection {
    struct plan *plans[RANGES_MAX]; /* with candidate i, each complete */
    size_t n;
    const char *epsilon; /* of the mechanism, exact */
    rat share, rho;      /* epsilon as a rational, and its rho */
    custos_scores scores;
    int64_t penalty;   /* p */
    struct part value; /* the value in the steps in which it is compared */
    i128 lower[RANGES_MAX], upper[RANGES_MAX]; /* of the candidates, in these */
};

/*
 * range_find (range_list.c): decides whether the range of a value is to be
 * found; if so, sets plan->ranged, and w->range_lower and w->range_upper to the
 * ends of candidate w->range. May fail: CUSTOS_EUNSUPPORTED, CUSTOS_ENOMEM.
 * range_is_found: is the argument of this aggregate that value?
 */
CUSTOS_MUST_USE custos_status range_find(struct work *w);
bool range_is_found(const struct work *w, const struct expr *aggregate);

/* Takes the range selection's share off the price. May fail:
   CUSTOS_EUNSUPPORTED. */
CUSTOS_MUST_USE custos_status range_selection_share(struct work *w);

/*
 * Makes the plan of a range selection. Takes ownership of `first`, the plan with
 * candidate 0, even when it fails. May fail as plan_make does.
 */
CUSTOS_MUST_USE custos_status
range_selection_make(arena *a, struct query *q, const struct policy *p,
                     const struct plan_options *options, struct plan *first,
                     struct plan **out, custos_err *err);
void range_selection_clear(struct range_selection *r);

/* The mechanism that selects. */
custos_select_options range_selection_options(const struct range_selection *r);

/* For the answer: says that candidate `taken` was found, and what that cost. */
void range_selection_remark(const struct range_selection *r, size_t taken,
                            struct buf *out);

/* "[0, 5000]": candidate i. */
void range_selection_words(const struct range_selection *r, size_t i,
                           struct buf *out);

#endif
