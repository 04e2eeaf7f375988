/*
 * The least price: a charge below it is raised to it.
 *
 * A query at a tiny epsilon costs almost nothing, and its noisy answer reveals
 * almost nothing. But if a query also reveals something through a defect that
 * is not yet known, it does so at any epsilon. So the number of queries is
 * limited too: no query costs less than a public minimum. The noise is still
 * that of the price asked for.
 *
 * THEOREM  least-price
 *   Let every charge of the common budget be at least m_e in epsilon and m_r
 *   in rho, both above 0. Then its filter, with limits L_e and L_r, admits at
 *   most max(floor(L_e/m_e), floor(L_r/m_r)) charges; a pure filter admits at
 *   most floor(L_e/m_e).
 * SOURCE   by counting: sums of n charges are at least n m_e and n m_r, and
 *          the best-of-both filter admits while either sum is within its limit.
 * NEEDS    the minimum is a function of the policy; a raised charge is still an
 *          upper bound on the cost of the release.
 * GIVES    by the policy's defaults at most 10,000 charges of one budget; the
 *          ledger's promise is untouched, for a charge is only ever raised.
 * FAILS    cannot.
 * TESTED   least_price_is_charged_in_both_lanes
 *          least_price_bounds_the_number_of_charges
 *          least_price_is_of_the_whole_race
 */
#include "plan/work.h"

/* Raises *to to the minimum; true where it was below. */
static bool
raise_to(str text, amount *to)
{
    amount least;
    rat x;

    rat_init(&x);
    /* The policy's text, which policy_read has checked. */
    CUSTOS_REQUIRE(!rat_read(text.ptr, "least", &x, NULL));
    least = amount_from_rat_up(&x, AMOUNT_LOSS);
    rat_clear(&x);
    if (*to >= least)
        return false;
    *to = least;
    return true;
}

void
least_make(struct plan *p)
{
    size_t n;
    struct plan *const *next = plan_next(p, &n);
    bool epsilon, rho;

    if (p->is_public)
        return;
    epsilon = raise_to(p->policy->min_epsilon, &p->charge.epsilon);
    rho = raise_to(p->policy->min_rho, &p->charge.rho);
    p->raised = epsilon || rho;
    for (size_t i = 0; i < n; i++)
        next[i]->charge = p->charge;
}
