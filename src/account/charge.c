/*
 * Charges: prices times counts, rounded up once.
 *
 * THEOREM  charge-rounds-up
 *   Each amount of a charge is a whole number of units, not below count times
 *   the price of one release, and less than one unit above it.
 * SOURCE   Dwork, Roth 2014, theorem 3.14 (sums); exact arithmetic on
 *          rationals, then one ceiling.
 * NEEDS    1 <= count <= 2^63.
 * GIVES    amounts that bound the cost; infinite where it has no bound.
 * FAILS    cannot: an amount of 2^127 units or more is infinite.
 * TESTED   charge_rounds_up filter_exhausts_exactly
 */
#include "account/charge.h"

#include <string.h>

#include "account/convert.h"
#include "account/cost.h"
#include "num/batch.h"

static const struct {
    int64_t num;
    uint64_t den;
} ORDERS[CHARGE_ORDERS] = {
    {5, 4},  {3, 2},  {2, 1},  {3, 1},  {4, 1},  {6, 1},   {8, 1},   {12, 1},
    {16, 1}, {24, 1}, {32, 1}, {48, 1}, {64, 1}, {128, 1}, {256, 1}, {512, 1},
};

void
charge_order(size_t i, rat *alpha)
{
    CUSTOS_REQUIRE(i < CHARGE_ORDERS);
    rat_set_i64(alpha, ORDERS[i].num, ORDERS[i].den);
}

bool
charge_order_find(const rat *alpha, size_t *i)
{
    bool same = false;
    rat order;

    rat_init(&order);
    for (size_t k = 0; k < CHARGE_ORDERS && !same; k++) {
        charge_order(k, &order);
        same = rat_cmp(&order, alpha) == 0;
        if (same)
            *i = k;
    }
    rat_clear(&order);
    return same;
}

/* count * price in units, or infinite when there is no price. */
static amount
price_times(bool has, const rat *price, const rat *count, enum amount_unit unit)
{
    amount all;
    rat x;

    if (!has)
        return AMOUNT_INFINITE;
    rat_init(&x);
    rat_mul(&x, price, count);
    all = amount_from_rat_up(&x, unit);
    rat_clear(&x);
    return all;
}

void
charge_of_mechanism(const struct mechanism *m, struct charge *out)
{
    rat x, count, alpha;
    bool has;

    rat_init(&x);
    rat_init(&count);
    rat_init(&alpha);
    rat_set_u64(&count, m->count);
    has = cost_epsilon_up(m, &x);
    out->epsilon = price_times(has, &x, &count, AMOUNT_LOSS);
    rat_mul(&x, &x, &x);
    out->epsilon_squared = price_times(has, &x, &count, AMOUNT_LOSS);
    cost_rho_up(m, &x);
    out->rho = price_times(true, &x, &count, AMOUNT_LOSS);
    has = cost_mu_squared_up(m, &x);
    out->mu_squared = price_times(has, &x, &count, AMOUNT_LOSS);
    cost_delta(m, &x);
    out->delta = price_times(true, &x, &count, AMOUNT_DELTA);
    out->delta_rho = out->delta;
    for (size_t i = 0; i < CHARGE_ORDERS; i++) {
        charge_order(i, &alpha);
        has = cost_rdp_up(m, &alpha, &x);
        out->loss[i] = price_times(has, &x, &count, AMOUNT_LOSS);
    }
    rat_clear(&x);
    rat_clear(&count);
    rat_clear(&alpha);
}

/*
 * The divergence of order i: the smaller of alpha rho and that of epsilon-DP.
 */
static amount
loss_of_amounts(const rat *epsilon, const rat *rho, size_t i)
{
    amount loss = AMOUNT_INFINITE, other;
    rat alpha, x;

    rat_init(&alpha);
    rat_init(&x);
    charge_order(i, &alpha);
    if (rho) {
        rat_mul(&x, rho, &alpha);
        loss = amount_from_rat_up(&x, AMOUNT_LOSS);
    }
    if (epsilon) {
        pure_rdp_up(epsilon, &alpha, &x);
        other = amount_from_rat_up(&x, AMOUNT_LOSS);
        loss = other < loss ? other : loss;
    }
    rat_clear(&alpha);
    rat_clear(&x);
    return loss;
}

void
charge_of_price(const rat *epsilon, const rat *rho, const rat *delta,
                struct charge *out)
{
    rat x;

    rat_init(&x);
    for (size_t i = 0; i < CHARGE_ORDERS; i++)
        out->loss[i] = AMOUNT_INFINITE;
    out->epsilon = out->epsilon_squared = out->mu_squared = AMOUNT_INFINITE;
    out->rho = AMOUNT_INFINITE;
    if (epsilon) {
        out->epsilon = amount_from_rat_up(epsilon, AMOUNT_LOSS);
        pure_rho_up(epsilon, &x);
        out->rho = amount_from_rat_up(&x, AMOUNT_LOSS);
    }
    if (rho) {
        amount given = amount_from_rat_up(rho, AMOUNT_LOSS);

        out->rho = given < out->rho ? given : out->rho;
    }
    out->delta = amount_from_rat_up(delta, AMOUNT_DELTA);
    out->delta_rho = out->delta;
    rat_clear(&x);
}

void
charge_of_amounts(const rat *epsilon, const rat *rho, const rat *delta,
                  const rat *delta_rho, struct charge *out)
{
    rat x;

    charge_of_price(epsilon, rho, delta, out);
    CUSTOS_REQUIRE(!delta_rho || rho);
    if (delta_rho) {
        out->delta_rho = amount_from_rat_up(delta_rho, AMOUNT_DELTA);
        if (rat_cmp(delta_rho, delta) < 0)
            out->rho = amount_from_rat_up(rho, AMOUNT_LOSS);
    }
    rat_init(&x);
    for (size_t i = 0; i < CHARGE_ORDERS; i++)
        out->loss[i] = loss_of_amounts(out->delta == 0 ? epsilon : NULL,
                                       out->delta_rho == 0 ? rho : NULL, i);
    if (epsilon) {
        rat_mul(&x, epsilon, epsilon);
        out->epsilon_squared = amount_from_rat_up(&x, AMOUNT_LOSS);
        pure_mu_squared_up(epsilon, &x);
        out->mu_squared = amount_from_rat_up(&x, AMOUNT_LOSS);
    }
    rat_clear(&x);
}

void
charge_sum_init(struct charge *sum)
{
    memset(sum, 0xff, sizeof *sum); /* AMOUNT_INFINITE */
    sum->epsilon = sum->rho = sum->delta = sum->delta_rho = 0;
}

void
charge_sum_add(struct charge *sum, const struct charge *c)
{
    sum->epsilon = amount_add(sum->epsilon, c->epsilon);
    sum->rho = amount_add(sum->rho, c->rho);
    sum->delta = amount_add(sum->delta, c->delta);
    sum->delta_rho = amount_add(sum->delta_rho, c->delta_rho);
}
