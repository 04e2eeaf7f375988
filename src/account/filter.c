/*
 * Admission: a query runs only if the sums that include it are within the
 * limits. A query that was admitted is called a member. The kind of a filter
 * selects its lanes (which amount of a charge is added to which sum). All lanes
 * must be within their limits, except in the best-of-both filter, where one of
 * the two suffices; there each lane has its own sum of deltas.
 *
 * THEOREM  filter-basic
 *   While sum eps_i <= eps and sum delta_i <= delta, where both sums include
 *   the query about to run, all releases together are (eps, delta)-DP, even if
 *   parameters are chosen adaptively.
 * SOURCE   Rogers, Roth, Ullman, Vadhan 2016, arXiv:1605.08294, the filter by
 *          basic composition.
 * NEEDS    eps_i, delta_i are functions of the answers before query i; an
 *          interactive member is charged in full when it is opened.
 * GIVES    the promise, for CUSTOS_FILTER_PURE.
 * FAILS    CUSTOS_ESPENT, decided from public facts; nothing is then counted.
 * TESTED   filter_exhausts_exactly filter_refused_adds_nothing
 *
 * THEOREM  filter-approx
 *   While sqrt(2 ln(1/d') sum eps_i^2) + sum eps_i^2/2 <= eps and sum delta_i
 *   <= d'', all releases together are (eps, d' + d'')-DP. Solved for the sum:
 *   sum eps_i^2 <= (sqrt(2 ln(1/d') + 2 eps) - sqrt(2 ln(1/d')))^2.
 * SOURCE   Whitehouse, Ramdas, Rogers, Wu 2023, arXiv:2203.05481, the filter
 *          for approximate DP.
 * NEEDS    as filter-basic, d' > 0.
 * GIVES    the promise, for CUSTOS_FILTER_APPROX.
 * FAILS    as filter-basic.
 * TESTED   filter_approx_limit_is_its_formula
 *
 * THEOREM  filter-zcdp
 *   While sum rho_i <= rho, all releases together are rho-zCDP. While sum
 *   loss_i(a) <= loss(a), at one order fixed in advance or at every order, all
 *   together have that divergence. If a member's bound holds only up to
 *   delta_i, the promise holds up to sum delta_i.
 * SOURCE   Feldman, Zrnic 2021, arXiv:2008.11193, the Renyi filter; Whitehouse
 *          et al. 2023, arXiv:2203.05481, the filter for approximate zCDP.
 * NEEDS    as filter-basic.
 * GIVES    the promise, for CUSTOS_FILTER_ZCDP and CUSTOS_FILTER_RDP, by
 *          rdp-to-approx.
 * FAILS    as filter-basic.
 * TESTED   filter_zcdp_admits_the_plan filter_rdp_orders
 *
 * THEOREM  filter-gdp
 *   While sum mu_i^2 <= mu^2, all releases together are mu-GDP.
 * SOURCE   Smith, Thakurta 2022, arXiv:2210.17520 (fully adaptive composition
 *          for Gaussian DP).
 * NEEDS    as filter-basic; each member is mu_i-GDP. The discrete Gaussian is
 *          not D/sigma-GDP: it has no mu here and is refused.
 * GIVES    the promise, for CUSTOS_FILTER_GDP, by gdp-to-approx.
 * FAILS    as filter-basic.
 * TESTED   filter_gdp_refuses_the_discrete_gaussian filter_gdp_limit
 *
 * THEOREM  filter-best-of-both
 *   Let a member be (eps_i, delta_i)-DP and gamma_i-approximate rho_i-zCDP.
 *   While either sum eps_i <= eps and sum delta_i <= D1, or sum rho_i <=
 *   rho*(eps, d_b) and sum gamma_i <= D2, all releases together are
 *   (eps, D1 + D2 + d_b)-DP. Here D1 = D2.
 * SOURCE   doc/proofs/filter-best-of-both.md
 * NEEDS    as filter-basic; eps_i holds up to delta_i and rho_i up to gamma_i,
 *          each by a proof of its own.
 * GIVES    the promise, for CUSTOS_FILTER_BEST.
 * FAILS    as filter-basic.
 * TESTED   filter_best_against_all_analysts filter_best_of_both
 *          filter_best_has_two_delta_sums
 *          filter_best_with_deltas_against_all_analysts
 */
#include "account/filter.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* The amount of a charge that a lane counts. */
static amount
lane_of(const struct filter *f, const struct charge *c, size_t lane)
{
    switch (f->kind) {
    case CUSTOS_FILTER_PURE: return c->epsilon;
    case CUSTOS_FILTER_APPROX: return c->epsilon_squared;
    case CUSTOS_FILTER_ZCDP: return c->rho;
    case CUSTOS_FILTER_GDP: return c->mu_squared;
    case CUSTOS_FILTER_RDP:
        return c->loss[f->order < CHARGE_ORDERS ? f->order : lane];
    default: return lane == 0 ? c->epsilon : c->rho;
    }
}

/* The delta of a charge that a lane counts. */
static amount
delta_of(const struct filter *f, const struct charge *c, size_t lane)
{
    switch (f->kind) {
    case CUSTOS_FILTER_ZCDP:
    case CUSTOS_FILTER_RDP: return c->delta_rho;
    case CUSTOS_FILTER_BEST: return lane == 0 ? c->delta : c->delta_rho;
    default: return c->delta;
    }
}

/* The number of the sum of deltas that belongs to a lane. */
static size_t
delta_sum_of(const struct filter *f, size_t lane)
{
    return f->kind == CUSTOS_FILTER_BEST ? lane : 0;
}

static size_t
lane_count(const struct filter *f)
{
    if (f->kind == CUSTOS_FILTER_BEST)
        return 2;
    return f->kind == CUSTOS_FILTER_RDP && f->order == CHARGE_ORDERS
               ? CHARGE_ORDERS
               : 1;
}

/* Whether the sums are within the limits. An infinite sum never is. */
static bool
is_within_limits(const struct filter *f, const amount *delta_sum,
                 const amount *sum)
{
    size_t n = lane_count(f), held = 0;

    for (size_t i = 0; i < n; i++)
        held += sum[i] <= f->limit[i] &&
                delta_sum[delta_sum_of(f, i)] <= f->delta_limit;
    return f->kind == CUSTOS_FILTER_BEST ? held > 0 : held == n;
}

size_t
filter_lane(const struct filter *f)
{
    return f->kind == CUSTOS_FILTER_BEST &&
           (f->sum[0] > f->limit[0] || f->delta_sum[0] > f->delta_limit);
}

const char *
filter_theorem(const struct filter *f)
{
    switch (f->kind) {
    case CUSTOS_FILTER_PURE: return "filter-basic";
    case CUSTOS_FILTER_APPROX: return "filter-approx";
    case CUSTOS_FILTER_ZCDP:
    case CUSTOS_FILTER_RDP: return "filter-zcdp";
    case CUSTOS_FILTER_GDP: return "filter-gdp";
    default: return "filter-best-of-both";
    }
}

const char *
filter_currency(const struct filter *f, size_t lane)
{
    switch (f->kind) {
    case CUSTOS_FILTER_PURE: return "epsilon";
    case CUSTOS_FILTER_APPROX: return "epsilon squared";
    case CUSTOS_FILTER_ZCDP: return "rho";
    case CUSTOS_FILTER_GDP: return "mu squared";
    case CUSTOS_FILTER_RDP: return "Renyi divergence";
    default: return lane == 0 ? "epsilon" : "rho";
    }
}

/* Of a limit: the part of the cost for which there is room. */
static double
share_left(amount limit, amount sum, amount cost)
{
    if (amount_add(sum, cost) <= limit)
        return 1;
    if (cost == AMOUNT_INFINITE)
        return -1;
    return cost == 0 ? 0 : (double)amount_left(limit, sum) / (double)cost;
}

/* The same of a lane, whose two limits must both have room. */
static double
lane_share_left(const struct filter *f, const struct charge *c, size_t lane)
{
    double loss = share_left(f->limit[lane], f->sum[lane], lane_of(f, c, lane));
    double delta =
        share_left(f->delta_limit, f->delta_sum[delta_sum_of(f, lane)],
                   delta_of(f, c, lane));

    return delta < loss ? delta : loss;
}

/*
 * The lane that a refusal names: the first that is past a limit. In the
 * best-of-both filter both are, and the lane with room for the larger part of
 * the charge is named.
 */
static size_t
lane_short(const struct filter *f, const struct charge *c)
{
    size_t i = 0;

    if (f->kind == CUSTOS_FILTER_BEST)
        return lane_share_left(f, c, 1) > lane_share_left(f, c, 0);
    while (i + 1 < lane_count(f) && lane_share_left(f, c, i) >= 1)
        i++;
    return i;
}

struct filter_shortage
filter_find_shortage(const struct filter *f, const struct charge *c)
{
    size_t i = lane_short(f, c);
    amount delta_sum = f->delta_sum[delta_sum_of(f, i)];
    amount delta = delta_of(f, c, i), cost = lane_of(f, c, i);

    if (amount_add(delta_sum, delta) > f->delta_limit)
        return (struct filter_shortage){i, true, delta,
                                        amount_left(f->delta_limit, delta_sum)};
    return (struct filter_shortage){i, false, cost,
                                    amount_left(f->limit[i], f->sum[i])};
}

static custos_status
refuse_charge(const struct filter *f, const struct charge *c, custos_err *err)
{
    struct filter_shortage s = filter_find_shortage(f, c);
    enum amount_unit unit = s.in_delta ? AMOUNT_DELTA : AMOUNT_LOSS;
    const char *currency = filter_currency(f, s.lane);
    char need[AMOUNT_TEXT_MAX], left[AMOUNT_TEXT_MAX];

    if (!s.in_delta && s.need == AMOUNT_INFINITE)
        return custos_fail(err, CUSTOS_ESPENT,
                           "this release has no bound in %s, which the filter "
                           "counts in",
                           currency);
    amount_write(s.need, unit, need);
    amount_write(s.left, unit, left);
    if (s.in_delta)
        return custos_fail(err, CUSTOS_ESPENT,
                           "the budget has no room: this needs delta %s and %s "
                           "is left for the deltas of charges%s%s",
                           need, left,
                           f->kind == CUSTOS_FILTER_BEST ? " counted in " : "",
                           f->kind == CUSTOS_FILTER_BEST ? currency : "");
    return custos_fail(err, CUSTOS_ESPENT,
                       "the budget has no room: this needs %s %s and %s is "
                       "left",
                       currency, need, left);
}

custos_status
filter_admit(struct filter *f, const struct charge *c, custos_err *err)
{
    amount sum[CHARGE_ORDERS], delta_sum[2] = {0, 0};
    size_t n = lane_count(f);

    for (size_t i = 0; i < n; i++) {
        size_t d = delta_sum_of(f, i);

        sum[i] = amount_add(f->sum[i], lane_of(f, c, i));
        delta_sum[d] = amount_add(f->delta_sum[d], delta_of(f, c, i));
    }
    if (!is_within_limits(f, delta_sum, sum))
        return refuse_charge(f, c, err);
    memcpy(f->delta_sum, delta_sum, sizeof delta_sum);
    memcpy(f->sum, sum, n * sizeof sum[0]);
    return CUSTOS_OK;
}

void
filter_resume(struct filter *f, const struct charge *spent)
{
    for (size_t i = 0; i < lane_count(f); i++) {
        f->sum[i] = lane_of(f, spent, i);
        f->delta_sum[delta_sum_of(f, i)] = delta_of(f, spent, i);
    }
}

void
filter_report(const struct filter *f, custos_filter_facts *out)
{
    size_t lane = filter_lane(f);

    *out = (custos_filter_facts)CUSTOS_FILTER_FACTS_INIT;
    amount_write(f->epsilon, AMOUNT_LOSS, out->epsilon);
    amount_write(f->delta, AMOUNT_DELTA, out->delta);
    amount_write(f->sum[lane], AMOUNT_LOSS, out->spent);
    amount_write(f->limit[lane], AMOUNT_LOSS, out->limit);
    out->currency = filter_currency(f, lane);
    amount_write(f->delta_sum[delta_sum_of(f, lane)], AMOUNT_DELTA,
                 out->member_delta_spent);
    amount_write(f->delta_limit, AMOUNT_DELTA, out->member_delta_limit);
    out->theorem = filter_theorem(f);
}

/* ------------------------------------------------------------ as bytes -- */

/*
 * Layout 2. The second sum of deltas of a best-of-both filter has the place of
 * its third lane, which it does not use. Layout 1 had one sum of deltas, which
 * counts in both lanes.
 */
static const uint8_t MAGIC[8] = {'c', 'u', 's', 't', 'o', 's', 'F', '2'};
static const uint8_t MAGIC_1[8] = {'c', 'u', 's', 't', 'o', 's', 'F', '1'};
enum { DELTA_RHO_PLACE = 2 };

static uint8_t *
put_amount(uint8_t *at, amount a)
{
    for (int i = 0; i < 16; i++)
        *at++ = (uint8_t)(a >> (8 * i));
    return at;
}

static const uint8_t *
get_amount(const uint8_t *at, amount *a)
{
    *a = 0;
    for (int i = 0; i < 16; i++)
        *a |= (amount)*at++ << (8 * i);
    return at;
}

void
filter_save(const struct filter *f, uint8_t bytes[FILTER_BYTES])
{
    uint8_t *at = bytes + sizeof MAGIC;

    memcpy(bytes, MAGIC, sizeof MAGIC);
    at = put_amount(at, (amount)f->kind | (amount)f->order << 64);
    at = put_amount(at, f->epsilon);
    at = put_amount(at, f->delta);
    at = put_amount(at, f->delta_limit);
    at = put_amount(at, f->delta_sum[0]);
    for (int i = 0; i < CHARGE_ORDERS; i++)
        at = put_amount(at, f->limit[i]);
    for (int i = 0; i < CHARGE_ORDERS; i++)
        at =
            put_amount(at, i == DELTA_RHO_PLACE && f->kind == CUSTOS_FILTER_BEST
                               ? f->delta_sum[1]
                               : f->sum[i]);
    CUSTOS_REQUIRE(at == bytes + FILTER_BYTES);
}

custos_status
filter_load(struct filter *f, const uint8_t bytes[FILTER_BYTES],
            custos_err *err)
{
    const uint8_t *at = bytes + sizeof MAGIC;
    struct filter got;
    amount kind;
    bool first = memcmp(bytes, MAGIC_1, sizeof MAGIC_1) == 0;
    bool good = first || memcmp(bytes, MAGIC, sizeof MAGIC) == 0;

    at = get_amount(at, &kind);
    at = get_amount(at, &got.epsilon);
    at = get_amount(at, &got.delta);
    at = get_amount(at, &got.delta_limit);
    at = get_amount(at, &got.delta_sum[0]);
    for (int i = 0; i < CHARGE_ORDERS; i++)
        at = get_amount(at, &got.limit[i]);
    for (int i = 0; i < CHARGE_ORDERS; i++)
        at = get_amount(at, &got.sum[i]);
    got.order = (size_t)(kind >> 64);
    good = good && got.order <= CHARGE_ORDERS &&
           (uint64_t)kind >= CUSTOS_FILTER_BEST &&
           (uint64_t)kind <= CUSTOS_FILTER_GDP;
    got.kind = good ? (custos_filter_kind)(uint64_t)kind : CUSTOS_FILTER_BEST;
    got.delta_sum[1] = 0;
    if (got.kind == CUSTOS_FILTER_BEST) {
        got.delta_sum[1] = first ? got.delta_sum[0] : got.sum[DELTA_RHO_PLACE];
        got.sum[DELTA_RHO_PLACE] = 0;
    }
    if (!good || !is_within_limits(&got, got.delta_sum, got.sum))
        return custos_fail(err, CUSTOS_EINVAL,
                           "these bytes are not the state of a filter");
    *f = got;
    return CUSTOS_OK;
}
