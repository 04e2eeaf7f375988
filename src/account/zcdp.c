/*
 * Conversions between (epsilon, delta) and concentrated or Renyi DP. Every
 * order gives a valid bound. The search for the best order looks at the sign
 * of a slope; the bound at the order found is then certified on intervals.
 *
 * THEOREM  rdp-to-approx
 *   If the divergence of order a > 1 is at most B in both directions, the
 *   mechanism is (epsilon, delta)-DP with
 *   delta = exp((a-1)(B - epsilon)) (1 - 1/a)^a / (a-1); solved for epsilon,
 *   epsilon = B + ln(1 - 1/a) - (ln a + ln delta)/(a-1).
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, section
 *          2.3; Balle et al. 2020, arXiv:1905.09982, theorem 21.
 * NEEDS    a > 1, B >= 0, 0 < delta < 1.
 * GIVES    epsilon and delta rounded up, B rounded down. rho-zCDP means
 *          B = a rho at every a; the a where the slope is 0 is used.
 * FAILS    cannot; an epsilon above 2^1300 is reported as none.
 * TESTED   convert_zcdp_fuzz convert_rdp_fuzz convert_zcdp_bounds_the_gaussian
 */
#include "account/convert.h"

#include "account/search.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum {
    BITS = 320,
    SLOPE_BITS = 128,
    ORDER_BITS = 32, /* of a - 1; the curve is flat near its minimum */
};

static const struct search_range ORDERS = {-120, 160, ORDER_BITS};

/* The input of the search for an order. */
struct order_case {
    const rat *rho;
    const rat *epsilon;
    ival *log_delta;
};

static void
one_plus(const rat *t, rat *alpha)
{
    rat one;

    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_add(alpha, t, &one);
    rat_clear(&one);
}

/* r = ln(1 - 1/a), a = 1 + t. */
static void
log_share(ival *r, const rat *t)
{
    rat q;

    rat_init(&q);
    one_plus(t, &q);
    rat_div(&q, t, &q);
    ival_set_rat(r, &q);
    ival_log(r, r);
    rat_clear(&q);
}

/* r = ln(1 + t) + ln delta. */
static void
log_alpha_delta(ival *r, const rat *t, const ival *log_delta)
{
    ival_set_rat(r, t);
    ival_log1p(r, r);
    ival_add(r, r, log_delta);
}

/* r = ln(1 - 1/a) - (ln a + ln delta)/(a-1): what delta adds to the loss. */
static void
price_of_delta(ival *r, const rat *t, const ival *log_delta)
{
    ival x[2];

    ivals_init(x, 2, ival_bits(r));
    log_alpha_delta(&x[0], t, log_delta);
    ival_set_rat(&x[1], t);
    ival_div(&x[0], &x[0], &x[1]);
    log_share(r, t);
    ival_sub(r, r, &x[0]);
    ivals_clear(x, 2);
}

/* Whether epsilon rises with a: rho t^2 + ln a + ln delta > 0. */
static bool
epsilon_rises(const void *of, const rat *t)
{
    const struct order_case *c = of;
    bool rises;
    ival x;
    rat q;

    ival_init(&x, SLOPE_BITS);
    rat_init(&q);
    log_alpha_delta(&x, t, c->log_delta);
    rat_mul(&q, t, t);
    rat_mul(&q, &q, c->rho);
    ival_add_rat(&x, &x, &q);
    rises = ival_is_positive(&x);
    ival_clear(&x);
    rat_clear(&q);
    return rises;
}

bool
zcdp_epsilon_up(const rat *rho, const rat *delta, rat *epsilon)
{
    ival x[2];
    rat t, q;
    struct order_case c = {rho, NULL, &x[1]};
    bool got;

    if (rat_sign(rho) == 0) {
        rat_set_i64(epsilon, 0, 1);
        return true;
    }
    ivals_init(x, 2, BITS);
    rat_init(&t);
    rat_init(&q);
    ival_set_rat(&x[1], delta);
    ival_log(&x[1], &x[1]);
    if (!search_least(epsilon_rises, &c, ORDERS, &t))
        rat_set_pow2(&t, ORDERS.high);
    price_of_delta(&x[0], &t, &x[1]);
    one_plus(&t, &q);
    rat_mul(&q, &q, rho);
    ival_add_rat(&x[0], &x[0], &q);
    got = bound_up(&x[0], epsilon);
    ivals_clear(x, 2);
    rat_clear(&t);
    rat_clear(&q);
    return got;
}

/* Whether (epsilon - price of delta)/a falls with a. */
static bool
budget_falls(const void *of, const rat *t)
{
    const struct order_case *c = of;
    bool falls;
    ival x[2];
    rat q[2];

    ivals_init(x, 2, SLOPE_BITS);
    rats_init(q, 2);
    log_alpha_delta(&x[0], t, c->log_delta);
    one_plus(t, &q[0]);
    rat_add(&q[0], &q[0], t); /* 2a - 1 */
    rat_div(&q[0], &q[0], t);
    rat_div(&q[0], &q[0], t);
    ival_mul_rat(&x[0], &x[0], &q[0]);
    log_share(&x[1], t);
    ival_sub(&x[0], &x[0], &x[1]);
    ival_add_rat(&x[0], &x[0], c->epsilon);
    falls = ival_is_positive(&x[0]);
    ivals_clear(x, 2);
    rats_clear(q, 2);
    return falls;
}

/* r = the largest loss of order 1 + t that keeps epsilon. */
static void
room_for_loss(ival *r, const rat *t, const rat *epsilon, const rat *delta)
{
    ival x;

    ival_init(&x, ival_bits(r));
    ival_set_rat(&x, delta);
    ival_log(&x, &x);
    price_of_delta(r, t, &x);
    ival_neg(r, r);
    ival_add_rat(r, r, epsilon);
    ival_clear(&x);
}

void
zcdp_budget_down(const rat *epsilon, const rat *delta, rat *rho)
{
    ival x[2];
    rat t, q;
    struct order_case c = {NULL, epsilon, &x[1]};

    ivals_init(x, 2, BITS);
    rat_init(&t);
    rat_init(&q);
    ival_set_rat(&x[1], delta);
    ival_log(&x[1], &x[1]);
    if (!search_least(budget_falls, &c, ORDERS, &t))
        rat_set_pow2(&t, ORDERS.high);
    room_for_loss(&x[0], &t, epsilon, delta);
    one_plus(&t, &q);
    ival_set_rat(&x[1], &q);
    ival_div(&x[0], &x[0], &x[1]);
    bound_down(&x[0], rho);
    ivals_clear(x, 2);
    rat_clear(&t);
    rat_clear(&q);
}

/* Whether ln delta rises with a: (2a-1) rho - epsilon + ln(1 - 1/a) > 0. */
static bool
delta_rises(const void *of, const rat *t)
{
    const struct order_case *c = of;
    bool rises;
    ival x;
    rat q;

    ival_init(&x, SLOPE_BITS);
    rat_init(&q);
    one_plus(t, &q);
    rat_add(&q, &q, t);
    rat_mul(&q, &q, c->rho);
    rat_sub(&q, &q, c->epsilon);
    log_share(&x, t);
    ival_add_rat(&x, &x, &q);
    rises = ival_is_positive(&x);
    ival_clear(&x);
    rat_clear(&q);
    return rises;
}

/* exp((a-1)(loss - epsilon)) (1 - 1/a)^a / (a-1), at most 1. */
static void
delta_at(const rat *t, const rat *loss, const rat *epsilon, rat *delta)
{
    ival x[2];
    rat q, one;

    ivals_init(x, 2, BITS);
    rat_init(&q);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    log_share(&x[0], t);
    one_plus(t, &q);
    ival_mul_rat(&x[0], &x[0], &q);
    rat_sub(&q, loss, epsilon);
    rat_mul(&q, &q, t);
    ival_add_rat(&x[0], &x[0], &q);
    ival_exp(&x[0], &x[0]);
    ival_set_rat(&x[1], t);
    ival_div(&x[0], &x[0], &x[1]);
    if (!bound_up(&x[0], delta) || rat_cmp(delta, &one) > 0)
        rat_set(delta, &one);
    ivals_clear(x, 2);
    rat_clear(&q);
    rat_clear(&one);
}

void
zcdp_delta_up(const rat *rho, const rat *epsilon, rat *delta)
{
    struct order_case c = {rho, epsilon, NULL};
    rat t, loss;

    if (rat_sign(rho) == 0) {
        rat_set_i64(delta, 0, 1);
        return;
    }
    rat_init(&t);
    rat_init(&loss);
    if (!search_least(delta_rises, &c, ORDERS, &t))
        rat_set_pow2(&t, ORDERS.high);
    one_plus(&t, &loss);
    rat_mul(&loss, &loss, rho);
    delta_at(&t, &loss, epsilon, delta);
    rat_clear(&t);
    rat_clear(&loss);
}

/* t = a - 1. Needs a > 1. */
static void
less_one(const rat *alpha, rat *t)
{
    rat_set_i64(t, -1, 1);
    rat_add(t, t, alpha);
    CUSTOS_REQUIRE(rat_sign(t) > 0);
}

bool
rdp_epsilon_up(const rat *alpha, const rat *loss, const rat *delta,
               rat *epsilon)
{
    bool got;
    ival x[2];
    rat t;

    ivals_init(x, 2, BITS);
    rat_init(&t);
    less_one(alpha, &t);
    ival_set_rat(&x[1], delta);
    ival_log(&x[1], &x[1]);
    price_of_delta(&x[0], &t, &x[1]);
    ival_add_rat(&x[0], &x[0], loss);
    got = bound_up(&x[0], epsilon);
    ivals_clear(x, 2);
    rat_clear(&t);
    return got;
}

void
rdp_budget_down(const rat *alpha, const rat *epsilon, const rat *delta,
                rat *loss)
{
    ival x;
    rat t;

    ival_init(&x, BITS);
    rat_init(&t);
    less_one(alpha, &t);
    room_for_loss(&x, &t, epsilon, delta);
    bound_down(&x, loss);
    ival_clear(&x);
    rat_clear(&t);
}
