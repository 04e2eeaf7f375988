/*
 * A charge: what one admission costs, in every currency that a filter or
 * odometer counts in, as fixed-point amounts rounded up. A charge is made
 * once, from public facts; adding it to a sum takes a few integer additions.
 */
#ifndef ACCOUNT_CHARGE_H
#define ACCOUNT_CHARGE_H

#include "account/amount.h"
#include "account/mechanism.h"

/* The Renyi orders are a fixed list: a filter may use no others. */
enum { CHARGE_ORDERS = 16 };

struct charge {
    amount epsilon;         /* infinite if there is none, as for Gaussians */
    amount epsilon_squared; /* the sum of squares over all releases */
    amount rho;
    amount mu_squared;          /* infinite where there is no mu */
    amount delta;               /* epsilon and mu hold up to this: cost.h */
    amount delta_rho;           /* rho and loss hold up to this */
    amount loss[CHARGE_ORDERS]; /* infinite if it holds up to a delta only */
};

/* Order i, exactly. */
void charge_order(size_t i, rat *alpha);

/* The index of an order; false if it is not in the list. */
bool charge_order_find(const rat *alpha, size_t *i);

/* The charge of all releases of m together. */
void charge_of_mechanism(const struct mechanism *m, struct charge *out);

/*
 * A charge given by its amounts; NULL for an epsilon or rho that is not known.
 * epsilon holds up to delta, and rho up to delta_rho (NULL: both up to delta; it
 * needs a rho). rho is at most epsilon tanh(epsilon/2) unless delta_rho is below
 * delta, where the rho of epsilon does not hold; it is infinite if both are
 * NULL. The divergences follow from rho and from epsilon.
 */
void charge_of_amounts(const rat *epsilon, const rat *rho, const rat *delta,
                       const rat *delta_rho, struct charge *out);

/*
 * The same in epsilon, rho and one delta for both, which is what pure and
 * best-of-both filters count; every other amount is infinite. About a hundred
 * times as fast as charge_of_amounts.
 */
void charge_of_price(const rat *epsilon, const rat *rho, const rat *delta,
                     struct charge *out);

/*
 * Sums of charges in epsilon, rho and their deltas, which is what budgets count;
 * every other amount is infinite. charge_sum_init sets the sum of none.
 */
void charge_sum_init(struct charge *sum);
void charge_sum_add(struct charge *sum, const struct charge *c);

#endif
