/*
 * The bound selection: chooses how many rows of a unit count, where the policy
 * does not say. The bounds 1, 2, 4, ... are tried in turn, and the first that
 * only few units exceed is taken. That is a release of its own, with a share of
 * the query's epsilon. The query then runs as an ordinary plan with that bound
 * and the rest of the price.
 *
 * All plans that can follow are made before anything is charged, so that none
 * of them can fail to be made afterwards. The charge is the selection's share
 * plus the largest of theirs.
 *
 * THEOREM  bound-race
 *   Let m_u be a whole number that is a function of the rows of unit u and of
 *   public data, and N_j the number of units with m_u > 2^j. Ask for j = 0, 1,
 *   ... whether -N_j reaches -T, by the sparse vector technique for monotone
 *   values of sensitivity 1 with epsilon e, and take the first bound 2^j for
 *   which it does: this is e-DP, under add-remove and under change-one. If an
 *   (e', d)-DP plan for that bound follows, both together are (e + e', d)-DP.
 *   With b the scale of the noise and T >= 6b: with probability at least 95 %,
 *   the bound that is taken is the last one, or at most T + 8b units exceed it;
 *   and where no unit exceeds 2^j, j is passed over with probability at most
 *   2 %.
 * SOURCE   doc/proofs/bound-race.md
 * NEEDS    unit-local; sparse-vector-lattice; at most 11 bounds; the largest
 *          charge of all plans that can follow is paid first.
 * GIVES    a bound for every table that declares none.
 * FAILS    before the charge: CUSTOS_ERANGE (noise out of range),
 *          CUSTOS_EINVAL (epsilon has too many digits), CUSTOS_EUNSUPPORTED
 *          (asked by accuracy).
 * TESTED   the_race_takes_the_first_bound_that_few_pass
 *          neighbours_differ_as_the_plan_says
 *          the_price_of_a_race_is_the_largest_of_its_plans
 *          few_units_have_more_than_the_bound
 */
#ifndef PLAN_BOUND_SELECTION_H
#define PLAN_BOUND_SELECTION_H

#include "plan/plan.h"
#include "plan/from/relation.h"

struct work;

/* Bounds 1, 2, 4, ..., 1024. More rows per unit count only if the policy or the
   query states a bound. */
enum { BOUND_SELECTION_MAX = 11 };

struct bound_selection {
    struct plan *plans[BOUND_SELECTION_MAX]; /* at bound 2^i, each complete */
    size_t n;
    const char *epsilon;   /* the bound selection's share, exact */
    rat share, rho, scale; /* epsilon as a rational; its rho; the scale of the
                              noise */
    int64_t few;           /* T */
    int64_t most;          /* T + 8b */
};

/*
 * Calls `each` for every relation whose rows per unit are cut by a bound that
 * is not declared: the whole FROM, or an input of a join, UNION ALL or
 * aggregation that is cut before it is used.
 */
typedef void (*bound_selection_each)(void *ctx, const struct relation *r);
void bound_selection_walk(const struct relation *from,
                          bound_selection_each each, void *ctx);

/* Does bound_selection_walk find any relation? */
bool bound_selection_is_open(const struct relation *from);

/* Takes the bound selection's share off the price. May fail:
   CUSTOS_EUNSUPPORTED. */
CUSTOS_MUST_USE custos_status bound_selection_share(struct work *w);

/*
 * Makes the plan of a bound selection. Takes ownership of `first`, the plan at
 * bound 1, even when it fails. May fail as plan_make does.
 */
CUSTOS_MUST_USE custos_status
bound_selection_make(arena *a, struct query *q, const struct policy *p,
                     const struct plan_options *options, struct plan *first,
                     struct plan **out, custos_err *err);
void bound_selection_clear(struct bound_selection *r);

/* For the answer: says that the bound was chosen, and what that cost. */
void bound_selection_remark(const struct bound_selection *r, struct buf *out);

#endif
