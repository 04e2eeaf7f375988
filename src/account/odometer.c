/*
 * Let L be the privacy loss so far. For a fixed lambda,
 * exp(lambda L - lambda (1 + lambda) sum rho_i) has mean at most 1 at every
 * step, so the probability that it ever exceeds m/delta is at most delta/m
 * (Ville). A grid of m lambdas, fixed in advance, costs ln m; whatever the sum
 * is, one of them is near the best. The lambdas are powers of two, so
 * (1 + lambda) sum rho_i takes a shift and an addition.
 *
 * THEOREM  odometer-grid
 *   Let b = min(sum eps_i, min_j (1 + lambda_j) sum rho_i + ln(m/delta) /
 *   lambda_j) at a moment that may depend on the answers. For every e and d
 *   fixed in advance and every set S of transcripts up to that moment,
 *   P(S and b <= e and delta + sum delta_i <= d) <= exp(e) Q(S) + d.
 *   If no member has a delta, then with probability at least 1 - delta the
 *   privacy loss is at most b at all moments at once. If members have deltas,
 *   this need not hold: (eps, delta)-DP does not say that the loss exceeds eps
 *   with probability at most delta.
 * SOURCE   doc/proofs/odometer-grid.md; after Whitehouse, Ramdas, Rogers, Wu
 *          2023, arXiv:2203.05481 (odometers).
 * NEEDS    each price is a function of the earlier answers; lambdas are fixed
 *          before the first answer. eps_i and rho_i of a member with a delta
 *          hold on one and the same part of its law (they do if rho_i follows
 *          from eps_i); otherwise d must pay for both: a charge whose two deltas
 *          differ counts their sum.
 * GIVES    the bound rounded up; it never decreases from one charge to the
 *          next.
 * FAILS    cannot.
 * TESTED   odometer_is_its_formula odometer_never_falls
 *          odometer_against_all_stopping_rules
 *          odometer_with_deltas_against_all_sets
 *          odometer_loss_may_exceed_the_reading
 */
#include "account/odometer.h"

#include <string.h>

#include "base/sized.h"
#include "account/search.h"
#include "base/error.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum { BITS = 256, EXPONENT_MAX = 60 };

/* r = ln(m/delta) */
static void
log_budget(ival *r, size_t m, const rat *delta)
{
    rat x;

    rat_init(&x);
    rat_set_u64(&x, m);
    rat_div(&x, &x, delta);
    ival_set_rat(r, &x);
    ival_log(r, r);
    rat_clear(&x);
}

/* Roughly floor(log2(sqrt(ln(1/delta)/rho))): any grid is valid. */
static long
best_exponent(const rat *delta, const rat *rho)
{
    long e;
    ival l;
    rat x;

    ival_init(&l, BITS);
    rat_init(&x);
    log_budget(&l, 1, delta);
    ival_up(&l, &x);
    rat_div(&x, &x, rho);
    e = rat_log2_floor(&x);
    ival_clear(&l);
    rat_clear(&x);
    e = e < -2L * EXPONENT_MAX ? -2L * EXPONENT_MAX : e;
    e = e > 2L * EXPONENT_MAX ? 2L * EXPONENT_MAX : e;
    return (e - (e & 1)) / 2;
}

static void
grid_set(struct odometer *o, const rat *delta, const rat *least,
         const rat *most)
{
    long low = best_exponent(delta, most), high = best_exponent(delta, least);
    ival l, x;
    rat up;

    if (high - low >= ODOMETER_GRID_MAX)
        low = high - ODOMETER_GRID_MAX + 1;
    o->grid = (size_t)(high - low + 1);
    ival_init(&l, BITS);
    ival_init(&x, BITS);
    rat_init(&up);
    log_budget(&l, o->grid, delta);
    for (size_t j = 0; j < o->grid; j++) {
        o->exponent[j] = (int)(low + (long)j);
        ival_mul_pow2(&x, &l, -o->exponent[j]);
        CUSTOS_REQUIRE(bound_up(&x, &up));
        o->start[j] = amount_from_rat_up(&up, AMOUNT_LOSS);
    }
    ival_clear(&l);
    ival_clear(&x);
    rat_clear(&up);
}

custos_status
odometer_init(struct odometer *o, const custos_odometer_options *options,
              custos_err *err)
{
    custos_odometer_options given;
    custos_status st;
    rat x[3];

    if (!options_read(&given, sizeof given, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set");
    rats_init(x, 3);
    rat_set_i64(&x[1], 1, 10000);
    rat_set_i64(&x[2], 10, 1);
    st = rat_read_open_unit(given.delta, "delta", &x[0], err);
    if (!st && given.rho_least)
        st = rat_read_positive(given.rho_least, "least rho", &x[1], err);
    if (!st && given.rho_most)
        st = rat_read_positive(given.rho_most, "largest rho", &x[2], err);
    if (!st && rat_cmp(&x[1], &x[2]) > 0)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "least rho must not be above largest rho");
    if (!st) {
        memset(o, 0, sizeof *o);
        o->delta = amount_from_rat_up(&x[0], AMOUNT_DELTA);
        grid_set(o, &x[0], &x[1], &x[2]);
    }
    rats_clear(x, 3);
    return st;
}

void
odometer_add(struct odometer *o, const struct charge *c)
{
    o->epsilon_sum = amount_add(o->epsilon_sum, c->epsilon);
    o->rho_sum = amount_add(o->rho_sum, c->rho);
    o->delta_sum = amount_add(o->delta_sum, c->delta);
    if (c->delta_rho != c->delta)
        o->delta_sum = amount_add(o->delta_sum, c->delta_rho);
}

/* a 2^exponent, rounded up; or infinite. */
static amount
shift_up(amount a, int exponent)
{
    amount back;

    if (exponent >= 0) {
        back = a << exponent >> exponent;
        return back == a ? a << exponent : AMOUNT_INFINITE;
    }
    back = a >> -exponent;
    return back + (back << -exponent != a);
}

amount
odometer_epsilon(const struct odometer *o)
{
    amount least = o->epsilon_sum;

    if (o->rho_sum == AMOUNT_INFINITE)
        return least;
    for (size_t j = 0; j < o->grid; j++) {
        amount x = amount_add(o->rho_sum, shift_up(o->rho_sum, o->exponent[j]));

        x = amount_add(x, o->start[j]);
        least = x < least ? x : least;
    }
    return least;
}

amount
odometer_delta(const struct odometer *o)
{
    return amount_add(o->delta, o->delta_sum);
}
