/*
 * Pure DP in the other currencies. All of them rest on one fact: every
 * epsilon-DP mechanism is a post-processing of randomized response with that
 * epsilon (KOV15), so its best bound in every currency is that of two
 * outcomes.
 *
 * THEOREM  pure-to-all
 *   An epsilon-DP mechanism has divergence of order a at most
 *   ln((e^(a epsilon) + e^((1-a) epsilon)) / (1 + e^epsilon)) / (a-1), is
 *   epsilon tanh(epsilon/2)-zCDP, and mu-GDP with P[Z > mu/2] =
 *   1/(1 + e^epsilon). An (epsilon, d)-DP one is (E, delta)-DP whenever
 *   (1 - delta)/(1 - d) <= 1 - (e^epsilon - e^E)+ / (1 + e^epsilon).
 * SOURCE   Kairouz, Oh, Viswanath 2015, arXiv:1311.0776 (the dominating
 *          mechanism; theorem 3.3); doc/proofs/pure-to-all.md for zCDP and
 *          GDP.
 * NEEDS    epsilon > 0, a > 1, 0 <= d < 1.
 * GIVES    each number rounded up.
 * FAILS    cannot.
 * TESTED   convert_pure_fuzz convert_pure_mu_touches_the_curve
 *          convert_approx_fuzz
 */
#include "account/convert.h"

#include "account/search.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum { BITS = 448, RHO_BITS = 160, MU_BITS = 44, MU_LOG2_MAX = 24 };

void
pure_rho_up(const rat *epsilon, rat *rho)
{
    ival x[2];

    ivals_init(x, 2, RHO_BITS); /* nothing cancels here */
    ival_set_rat(&x[0], epsilon);
    ival_mul_pow2(&x[1], &x[0], -1);
    ival_tanh(&x[1], &x[1]);
    ival_mul(&x[0], &x[0], &x[1]);
    CUSTOS_REQUIRE(bound_up(&x[0], rho));
    ivals_clear(x, 2);
}

void
pure_rdp_up(const rat *epsilon, const rat *alpha, rat *loss)
{
    ival x[3];
    rat q[2];

    ivals_init(x, 3, BITS);
    rats_init(q, 2);
    rat_set_i64(&q[1], 1, 1);
    rat_sub(&q[1], alpha, &q[1]); /* a - 1 */
    CUSTOS_REQUIRE(rat_sign(&q[1]) > 0);
    rat_mul(&q[0], alpha, epsilon);
    ival_set_rat(&x[0], &q[0]);
    ival_exp(&x[0], &x[0]);
    rat_sub(&q[0], epsilon, &q[0]);
    ival_set_rat(&x[1], &q[0]);
    ival_exp(&x[1], &x[1]);
    ival_add(&x[0], &x[0], &x[1]);
    ival_set_rat(&x[1], epsilon);
    ival_exp(&x[1], &x[1]);
    ival_set_i64(&x[2], 1);
    ival_add(&x[1], &x[1], &x[2]);
    ival_div(&x[0], &x[0], &x[1]);
    ival_log(&x[0], &x[0]);
    ival_set_rat(&x[1], &q[1]);
    ival_div(&x[0], &x[0], &x[1]);
    if (!bound_up(&x[0], loss) || rat_cmp(loss, epsilon) > 0)
        rat_set(loss, epsilon);
    ivals_clear(x, 3);
    rats_clear(q, 2);
}

/* erfc(mu / sqrt 8) (1 + e^epsilon) < 2. */
static bool
mu_covers(const void *of, const rat *mu)
{
    const rat *epsilon = of;
    long e = rat_log2_floor(epsilon);
    bool covers;
    ival x[2];
    rat two;

    ivals_init(x, 2, e < 0 ? 128 - 2 * e : 128);
    rat_init(&two);
    ival_set_i64(&x[0], 8);
    ival_sqrt(&x[0], &x[0]);
    ival_set_rat(&x[1], mu);
    ival_div(&x[0], &x[1], &x[0]);
    ival_erfc(&x[0], &x[0]);
    ival_set_rat(&x[1], epsilon);
    ival_exp(&x[1], &x[1]);
    rat_set_i64(&two, 1, 1);
    ival_add_rat(&x[1], &x[1], &two);
    ival_mul(&x[0], &x[0], &x[1]);
    rat_set_i64(&two, 2, 1);
    covers = ival_certainly_less_rat(&x[0], &two);
    ivals_clear(x, 2);
    rat_clear(&two);
    return covers;
}

void
pure_mu_squared_up(const rat *epsilon, rat *mu_squared)
{
    long e = rat_log2_floor(epsilon);
    struct search_range in = {e < 0 ? e - 2 : -2, e < 0 ? 4 : e + 4, MU_BITS};
    rat mu, eight;

    rat_init(&mu);
    rat_init(&eight);
    rat_set_i64(&eight, 8, 1);
    if (e < MU_LOG2_MAX && search_least(mu_covers, epsilon, in, &mu))
        rat_mul(mu_squared, &mu, &mu);
    else /* P[Z > x] <= e^(-x^2/2)/2, so mu^2 = 8 epsilon suffices */
        rat_mul(mu_squared, epsilon, &eight);
    rat_clear(&mu);
    rat_clear(&eight);
}

/*
 * r = (delta - have)/(1 - have): the part of delta that the outcomes may use.
 */
static void
share_left(const rat *have, const rat *delta, rat *r)
{
    rat rest;

    rat_init(&rest);
    rat_set_i64(&rest, 1, 1);
    rat_sub(&rest, &rest, have);
    rat_sub(r, delta, have);
    rat_div(r, r, &rest);
    rat_clear(&rest);
}

bool
approx_epsilon_up(const rat *epsilon, const rat *have, const rat *delta,
                  rat *out)
{
    ival x[3];
    rat share;

    if (rat_cmp(delta, have) < 0)
        return false;
    if (rat_cmp(delta, have) == 0) {
        rat_set(out, epsilon);
        return true;
    }
    ivals_init(x, 3, BITS);
    rat_init(&share);
    share_left(have, delta, &share);
    ival_set_rat(&x[0], epsilon);
    ival_exp(&x[0], &x[0]);
    ival_set_i64(&x[1], 1);
    ival_add(&x[1], &x[1], &x[0]);
    ival_mul_rat(&x[1], &x[1], &share);
    ival_sub(&x[0], &x[0], &x[1]); /* e^E */
    ival_set_i64(&x[2], 1);
    if (ival_certainly_less(&x[0], &x[2])) {
        rat_set_i64(out, 0, 1);
    } else {
        ival_log(&x[0], &x[0]);
        if (!bound_up(&x[0], out) || rat_cmp(out, epsilon) > 0)
            rat_set(out, epsilon);
    }
    ivals_clear(x, 3);
    rat_clear(&share);
    return true;
}
