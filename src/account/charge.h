/*
 * A charge: what one admission costs, in every currency a filter or odometer
 * counts in, as fixed-point amounts rounded up. Made once from public facts;
 * adding it to a sum is a few integer additions.
 */
#ifndef ACCOUNT_CHARGE_H
#define ACCOUNT_CHARGE_H

#include "account/amount.h"
#include "account/mechanism.h"

/* The Renyi orders are a fixed list: a filter may use no others. */
enum { CHARGE_ORDERS = 16 };

struct charge {
    amount epsilon;         /* infinite for a Gaussian */
    amount epsilon_squared; /* the sum of squares over its releases */
    amount rho;
    amount mu_squared;          /* infinite where there is no mu */
    amount delta;               /* all the others hold up to this */
    amount loss[CHARGE_ORDERS]; /* infinite where there is a delta */
};

/* Order i, exactly. */
void charge_order(size_t i, rat *alpha);

/* The index of an order, or false. */
bool charge_order_find(const rat *alpha, size_t *i);

/* All releases of m together. */
void charge_of_mechanism(const struct mechanism *m, struct charge *out);

/*
 * A charge given by its amounts: epsilon or rho may be NULL for infinite. The
 * divergences follow from rho and from epsilon.
 */
void charge_of_amounts(const rat *epsilon, const rat *rho, const rat *delta,
                       struct charge *out);

/*
 * The same in epsilon, rho and delta alone, which is what sums and best-of-both
 * filters count; every other amount is infinite. A hundred times as fast.
 */
void charge_of_price(const rat *epsilon, const rat *rho, const rat *delta,
                     struct charge *out);

#endif
