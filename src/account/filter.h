/*
 * A filter decides whether a query may still run. The query's parameters may
 * depend on all earlier answers; the promise for all queries together is fixed
 * in advance.
 *
 * A filter is a few sums and their limits, nothing more: time and size per
 * query are constant, and the queries cannot be recovered from it. That is on
 * purpose: theorems for plans (optimal composition, loss distributions) need
 * parameters fixed in advance, and an adaptive history must not reach them.
 */
#ifndef ACCOUNT_FILTER_H
#define ACCOUNT_FILTER_H

#include <stdint.h>

#include "account/amount.h"
#include "account/charge.h"
#include "custos.h"

enum { FILTER_BYTES = CUSTOS_FILTER_BYTES };

/* The complete state; copied by assignment, stored by filter_save. */
struct filter {
    custos_filter_kind kind;
    amount epsilon, delta;       /* the promise for all queries together */
    amount delta_limit;          /* of each sum of deltas */
    amount delta_sum[2];         /* by lane of best of both; else the first */
    amount limit[CHARGE_ORDERS]; /* by lane; unused lanes are ignored */
    amount sum[CHARGE_ORDERS];
    size_t order; /* the one order of a Renyi filter; CHARGE_ORDERS means all */
};

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE. */
CUSTOS_MUST_USE custos_status filter_init(struct filter *f,
                                          const custos_filter_options *options,
                                          custos_err *err);

/*
 * The filter that the ledger keeps for a budget: best of both, or the sum of
 * epsilon if delta is 0. May fail: as filter_init, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status filter_of_promise(const char *epsilon,
                                                const char *delta,
                                                struct filter *out,
                                                custos_err *err);

/*
 * Counts the charge if the sums with it stay within the limits; otherwise
 * CUSTOS_ESPENT: nothing is counted, and a smaller charge may still fit.
 */
CUSTOS_MUST_USE custos_status filter_admit(struct filter *f,
                                           const struct charge *c,
                                           custos_err *err);

/*
 * Sets the sums as if charges that add up to `spent` had been admitted, under
 * these limits or others: the owner may change the promise, but not what was
 * spent. Sums above the limits are kept. Until they are within the limits (for
 * best of both, in one lane), the filter admits nothing.
 */
void filter_resume(struct filter *f, const struct charge *spent);

/*
 * The largest epsilon that would be admitted as a charge of charge_of_price
 * without a delta; for the pure and the best-of-both filter only.
 */
amount filter_left_epsilon(const struct filter *f);

/*
 * Whether a charge of epsilon = `left` exceeds what remains in the epsilon
 * lane, so that the rho lane must admit it.
 */
bool filter_left_in_rho(const struct filter *f, amount left);

/*
 * The lane in force: lane 0, or lane 1 of a best-of-both filter once lane 0 is
 * past one of its limits (that of epsilon or that of delta).
 */
size_t filter_lane(const struct filter *f);

/*
 * Why a charge is refused: the lane that lacks the least (where all lanes must
 * hold, the first that is short), and what it lacks there, which is either the
 * delta or the lane's currency. For a charge that filter_admit refuses.
 */
struct filter_shortage {
    size_t lane;
    bool in_delta;
    amount need,
        left; /* in AMOUNT_DELTA or AMOUNT_LOSS; need may be infinite */
};
struct filter_shortage
filter_find_shortage(const struct filter *f, const struct charge *c);
const char *filter_currency(const struct filter *f, size_t lane);
const char *filter_theorem(const struct filter *f);

/* The promise and the sums, as exact text. */
void filter_report(const struct filter *f, custos_filter_facts *out);

/* The filter as bytes, in the same layout on all machines. */
void filter_save(const struct filter *f, uint8_t bytes[FILTER_BYTES]);

/*
 * May fail: CUSTOS_EINVAL, for bytes that filter_save does not write, or that
 * hold sums above their limits.
 */
CUSTOS_MUST_USE custos_status filter_load(struct filter *f,
                                          const uint8_t bytes[FILTER_BYTES],
                                          custos_err *err);

#endif
