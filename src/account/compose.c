/*
 * The composition theorems that add up costs: basic, parallel, advanced, zCDP
 * and GDP.
 */
#include "account/compose.h"

#include "account/convert.h"
#include "account/cost.h"
#include "account/plan_scale.h"
#include "account/search.h"
#include "num/batch.h"
#include "num/rat_round.h"

enum {
    BITS = 320,
    SUM_BITS_MAX = 2048, /* bits; a longer sum is rounded to SUM_BITS */
    SUM_BITS = 256,
    FEW = 64, /* with more Gaussians, all get the quick price */
};

static const char NEEDS_DELTA[] = "this theorem needs a delta above 0";
static const char DELTA_SPENT[] =
    "the mechanisms' own deltas add up to more than delta";
static const char NEEDS_SHARE[] = "Gaussians need a share of delta above 0";
static const char NO_EPSILON[] = "epsilon is too large to be written";

void
compose_add(rat *sum, const rat *x, uint64_t count)
{
    rat part;

    rat_init(&part);
    rat_set_u64(&part, count);
    rat_mul(&part, &part, x);
    rat_add(sum, sum, &part);
    if (rat_size(sum) > SUM_BITS_MAX)
        rat_round_up(sum, sum, SUM_BITS);
    rat_clear(&part);
}

bool
compose_rest(const struct custos_plan *plan, const rat *delta, rat *rest)
{
    rat x, sum;

    rat_init(&x);
    rat_init(&sum);
    for (size_t i = 0; i < plan->n; i++) {
        cost_delta(&plan->items[i], &x);
        if (rat_sign(&x) > 0)
            compose_add(&sum, &x, plan->items[i].count);
    }
    rat_sub(rest, delta, &sum);
    rat_clear(&x);
    rat_clear(&sum);
    return rat_sign(rest) >= 0;
}

/* Returns the number of Gaussian mechanisms; counts their releases. */
static size_t
count_gaussians(const struct custos_plan *plan, rat *releases)
{
    size_t n = 0;
    rat one;

    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_set_i64(releases, 0, 1);
    for (size_t i = 0; i < plan->n; i++)
        if (mechanism_is_gaussian(&plan->items[i])) {
            compose_add(releases, &one, plan->items[i].count);
            n++;
        }
    rat_clear(&one);
    return n;
}

/* rho + 2 sqrt(rho l), l = ln(1/delta): a quick bound for long lists. */
static void
gauss_epsilon_quick(const struct mechanism *m, const ival *l, rat *epsilon)
{
    ival x;

    ival_init(&x, BITS);
    cost_rho_up(m, epsilon);
    ival_mul_rat(&x, l, epsilon);
    ival_sqrt(&x, &x);
    ival_mul_pow2(&x, &x, 1);
    ival_add_rat(&x, &x, epsilon);
    CUSTOS_REQUIRE(bound_up(&x, epsilon));
    ival_clear(&x);
}

/* How to price one release, when every Gaussian gets `share` of delta. */
struct pricing {
    const rat *share;
    bool quick;
    ival log; /* ln(1/share) */
};

static void
pricing_init(struct pricing *p, const rat *share, size_t gaussians)
{
    p->share = share;
    p->quick = gaussians > FEW;
    ival_init(&p->log, BITS);
    if (gaussians > 0) {
        ival_set_rat(&p->log, share);
        ival_log(&p->log, &p->log);
        ival_neg(&p->log, &p->log);
    }
}

static bool
price_release(const struct pricing *p, const struct mechanism *m, rat *epsilon)
{
    if (!mechanism_is_gaussian(m))
        return cost_epsilon_up(m, epsilon);
    if (!p->quick)
        return cost_epsilon_at_up(m, p->share, epsilon);
    gauss_epsilon_quick(m, &p->log, epsilon);
    return true;
}

/*
 * THEOREM  compose-basic
 *   Releases that are (eps_i, delta_i)-DP are (sum eps_i, sum delta_i)-DP
 *   together.
 * SOURCE   Dwork, Roth 2014, theorem 3.16.
 * NEEDS    with Gaussians, delta above 0: what remains of it after the other
 *          mechanisms' deltas is divided equally among Gaussian releases.
 * GIVES    the sum; exact if the parts are exact.
 * FAILS    with a reason, when delta does not suffice.
 * TESTED   compose_worked_examples compose_basic_shares_delta
 */
const char *
compose_basic(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason = NULL;
    struct pricing p;
    rat x, rest;
    size_t gaussians;

    rat_init(&x);
    rat_init(&rest);
    gaussians = count_gaussians(plan, &x);
    if (!compose_rest(plan, delta, &rest)) {
        reason = DELTA_SPENT;
    } else if (gaussians > 0 && rat_sign(&rest) == 0) {
        reason = NEEDS_SHARE;
    } else {
        if (gaussians > 0)
            rat_div(&rest, &rest, &x);
        pricing_init(&p, &rest, gaussians);
        rat_set_i64(epsilon, 0, 1);
        for (size_t i = 0; i < plan->n && !reason; i++) {
            if (price_release(&p, &plan->items[i], &x))
                compose_add(epsilon, &x, plan->items[i].count);
            else
                reason = NO_EPSILON; /* UNREACHABLE: the range is bounded */
        }
        ival_clear(&p.log);
    }
    rat_clear(&x);
    rat_clear(&rest);
    return reason;
}

/* Updates the two largest prices with x, which occurs `count` times. */
static void
keep_largest(rat two[2], const rat *x, uint64_t count)
{
    if (rat_cmp(x, &two[0]) >= 0) {
        rat_set(&two[1], count > 1 ? x : &two[0]);
        rat_set(&two[0], x);
    } else if (rat_cmp(x, &two[1]) > 0) {
        rat_set(&two[1], x);
    }
}

/*
 * The price of one release for `units` units of its part at once. Returns a
 * reason if there is none.
 */
static const char *
price_for(const struct pricing *p, const struct mechanism *item, uint64_t units,
          rat *epsilon)
{
    const char *reason = NULL;
    struct mechanism m;
    rat x;

    rat_init(&x);
    rat_set_i64(&x, 1, 1);
    mechanism_scale(item, &x, &m);
    if (units > 1 && mechanism_group(&m, units, NULL))
        reason = "a sampled release, or one that is too weak, has no price "
                 "for a unit that changes";
    cost_delta(&m, &x);
    if (!reason && rat_cmp(&x, p->share) > 0)
        reason = "a mechanism's own delta is larger than its part of delta";
    else if (!reason && !price_release(p, &m, epsilon))
        reason = NO_EPSILON; /* UNREACHABLE: the range is bounded */
    mechanism_clear(&m);
    rat_clear(&x);
    return reason;
}

/* The two largest prices when each release may use `share` of delta. */
static const char *
two_largest(const struct custos_plan *plan, const rat *share, uint64_t units,
            rat two[2])
{
    const char *reason = NULL;
    struct pricing p;
    size_t gaussians;
    rat x;

    rat_init(&x);
    gaussians = count_gaussians(plan, &x);
    if (gaussians > 0 && rat_sign(share) == 0)
        reason = NEEDS_SHARE;
    pricing_init(&p, share, reason ? 0 : gaussians);
    for (size_t i = 0; i < plan->n && !reason; i++) {
        reason = price_for(&p, &plan->items[i], units, &x);
        if (!reason)
            keep_largest(two, &x, plan->items[i].count);
    }
    ival_clear(&p.log);
    rat_clear(&x);
    return reason;
}

/*
 * THEOREM  compose-parallel
 *   Releases on disjoint parts of the data, where the values in a row decide
 *   its part, together cost as much as the most expensive one when one unit is
 *   added or removed.
 * SOURCE   McSherry 2009, theorem 4.
 * NEEDS    each release of the plan reads a part of its own, and a unit is in
 *          one part only. Each release is priced for a unit that is added to
 *          or removed from its part: the plan's adjacency is checked.
 * GIVES    the largest epsilon.
 * FAILS    with a reason, when the plan's adjacency is change-one, delta is
 *          below a member's own, or delta is 0 and there are Gaussians.
 * TESTED   compose_worked_examples compose_parallel_largest
 */
const char *
compose_parallel(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason;
    rat two[2];

    if (plan->adjacency == CUSTOS_CHANGE_ONE)
        return "parallel composition needs a plan under add/remove";
    rats_init(two, 2);
    reason = two_largest(plan, delta, 1, two);
    rat_set(epsilon, &two[0]);
    rats_clear(two, 2);
    return reason;
}

/*
 * THEOREM  compose-parallel-change
 *   Releases on disjoint parts, each priced for a unit that is added to or
 *   removed from its part. A unit that changes may leave one part and enter
 *   another: that costs what the two releases cost in sequence. Or it stays in
 *   its part: that costs what one release costs for two units, because one is
 *   removed and one is added. The larger of the two costs bounds the plan.
 * SOURCE   doc/proofs/compose-parallel-change.md; after McSherry 2009,
 *          theorem 4.
 * NEEDS    as compose-parallel. A price under change-one does not suffice: a
 *          sum over [90,100] moves by 10 when a unit changes within its part,
 *          and by 100 when it leaves.
 * GIVES    the larger of two bounds: the sum of the two largest epsilons, at
 *          delta/2 each; and the largest epsilon for two units, at delta. For
 *          pure releases: twice the largest.
 * FAILS    with a reason: as compose-parallel, with delta/2 in place of delta;
 *          for a release that is sampled or too weak; and if a member's delta
 *          for two units exceeds delta.
 * TESTED   compose_parallel_change_of_sums compose_parallel_change_by_hand
 */
const char *
compose_parallel_change(const struct custos_plan *plan, const rat *delta,
                        rat *epsilon)
{
    const char *reason;
    rat apart[2], within[2], half;

    if (plan->adjacency == CUSTOS_CHANGE_ONE)
        return compose_parallel(plan, delta, epsilon);
    rats_init(apart, 2);
    rats_init(within, 2);
    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    rat_mul(&half, &half, delta);
    reason = two_largest(plan, &half, 1, apart);
    if (!reason)
        reason = two_largest(plan, delta, 2, within);
    rat_add(epsilon, &apart[0], &apart[1]);
    if (rat_cmp(&within[0], epsilon) > 0)
        rat_set(epsilon, &within[0]);
    rats_clear(apart, 2);
    rats_clear(within, 2);
    rat_clear(&half);
    return reason;
}

/* sums[0] += count eps^2, sums[1] += count eps (e^eps - 1), rounded up. */
static bool
add_advanced(const struct mechanism *m, rat sums[2])
{
    rat epsilon, x;
    bool got;
    ival e;

    rat_init(&epsilon);
    rat_init(&x);
    ival_init(&e, BITS);
    got = cost_epsilon_up(m, &epsilon);
    if (got) {
        rat_mul(&x, &epsilon, &epsilon);
        compose_add(&sums[0], &x, m->count);
        ival_set_rat(&e, &epsilon);
        ival_expm1(&e, &e);
        ival_mul_rat(&e, &e, &epsilon);
        got = bound_up(&e, &x);
        compose_add(&sums[1], &x, m->count);
    }
    rat_clear(&epsilon);
    rat_clear(&x);
    ival_clear(&e);
    return got;
}

/*
 * THEOREM  compose-advanced
 *   Releases that are (eps_i, delta_i)-DP are (sqrt(2 ln(1/d) sum eps_i^2) +
 *   sum eps_i (e^eps_i - 1), d + sum delta_i)-DP together.
 * SOURCE   Dwork, Rothblum, Vadhan 2010, theorem III.3: its proof by Azuma's
 *          inequality also holds for unequal eps_i.
 * NEEDS    d > 0, no Gaussians.
 * GIVES    epsilon rounded up. A baseline: where compose-optimal applies, its
 *          epsilon is never larger.
 * FAILS    with a reason.
 * TESTED   compose_advanced_is_a_root compose_worked_examples
 */
const char *
compose_advanced(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason = NULL;
    rat sums[2], rest;
    ival x;

    rats_init(sums, 2);
    rat_init(&rest);
    ival_init(&x, BITS);
    if (!compose_rest(plan, delta, &rest))
        reason = DELTA_SPENT;
    else if (rat_sign(&rest) == 0)
        reason = NEEDS_DELTA;
    for (size_t i = 0; i < plan->n && !reason; i++)
        if (mechanism_is_gaussian(&plan->items[i]))
            reason = "a Gaussian has no epsilon without a delta";
        else if (!add_advanced(&plan->items[i], sums))
            reason = NO_EPSILON;
    if (!reason) {
        ival_set_rat(&x, &rest);
        ival_log(&x, &x);
        ival_neg(&x, &x);
        ival_mul_pow2(&x, &x, 1);
        ival_mul_rat(&x, &x, &sums[0]);
        ival_sqrt(&x, &x);
        ival_add_rat(&x, &x, &sums[1]);
        if (!bound_up(&x, epsilon))
            reason = NO_EPSILON; /* UNREACHABLE: the sums are bounded */
    }
    rats_clear(sums, 2);
    rat_clear(&rest);
    ival_clear(&x);
    return reason;
}

/*
 * THEOREM  compose-zcdp
 *   Releases that are rho_i-zCDP are (sum rho_i)-zCDP together. If each rho_i
 *   holds only up to delta_i, their sum holds up to sum delta_i.
 * SOURCE   Bun, Steinke 2016, arXiv:1605.02065, lemma 1.7 and lemma 8.2.
 * NEEDS    delta above the sum of the members' own.
 * GIVES    epsilon by rdp-to-approx, rounded up.
 * FAILS    with a reason.
 * TESTED   compose_zcdp_and_gdp_of_gaussians compose_rows_never_cross
 */
const char *
compose_zcdp(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason = NULL;
    rat sum, x, rest;

    rat_init(&sum);
    rat_init(&x);
    rat_init(&rest);
    if (!compose_rest(plan, delta, &rest))
        reason = DELTA_SPENT;
    else if (rat_sign(&rest) == 0)
        reason = NEEDS_DELTA;
    for (size_t i = 0; i < plan->n && !reason; i++) {
        cost_rho_up(&plan->items[i], &x);
        compose_add(&sum, &x, plan->items[i].count);
    }
    if (!reason && !zcdp_epsilon_up(&sum, &rest, epsilon))
        reason = NO_EPSILON; /* UNREACHABLE: the range is bounded */
    rat_clear(&sum);
    rat_clear(&x);
    rat_clear(&rest);
    return reason;
}

/*
 * THEOREM  compose-gdp
 *   Releases that are mu_i-GDP are sqrt(sum mu_i^2)-GDP together.
 * SOURCE   Dong, Roth, Su 2019, arXiv:1905.02383, corollary 3.3.
 * NEEDS    continuous Gaussians only (for other mechanisms this bound is never
 *          the best one); without sampling it is exact.
 * GIVES    epsilon by gdp-to-approx, rounded up.
 * FAILS    with a reason.
 * TESTED   compose_zcdp_and_gdp_of_gaussians
 */
const char *
compose_gdp(const struct custos_plan *plan, const rat *delta, rat *epsilon)
{
    const char *reason = rat_sign(delta) == 0 ? NEEDS_DELTA : NULL;
    rat sum, x;

    rat_init(&sum);
    rat_init(&x);
    for (size_t i = 0; i < plan->n && !reason; i++) {
        if (plan->items[i].kind != MECHANISM_GAUSSIAN) {
            reason = "not all mechanisms are continuous Gaussians";
        } else {
            CUSTOS_REQUIRE(cost_mu_squared_up(&plan->items[i], &x));
            compose_add(&sum, &x, plan->items[i].count);
        }
    }
    if (!reason && !gdp_epsilon_up(&sum, delta, epsilon))
        reason = NO_EPSILON; /* UNREACHABLE: the range is bounded */
    rat_clear(&sum);
    rat_clear(&x);
    return reason;
}
