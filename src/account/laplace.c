/*
 * THEOREM  laplace-rho
 *   Let P[y] ~ e^(-h|y|) on Z and d be a whole number. The divergence of order
 *   a between P and P shifted by d is at most a f(d) for every a > 1, in both
 *   directions, with f(d) = hd - (1 - e^(-hd)) c and c = h / sinh h; no smaller
 *   factor holds for all a. f is convex and rises with d and with h. So a vector
 *   of whole numbers that moves by at most D in l1 and by at most D2 in l2, with
 *   such noise on each coordinate, is rho-zCDP for rho = f(D) and for
 *   rho = (1 - c) hD + c (h D2)^2 / 2. Continuous noise of scale 1/h: the same
 *   with c = 1.
 * SOURCE   doc/proofs/laplace-rho.md
 * NEEDS    h <= epsilon / D; d may be any number in f if it bounds the move.
 * GIVES    the smaller rho, rounded up: epsilon tanh(epsilon/2) for D = 1,
 *          about e^(-epsilon) - 1 + epsilon where D is large.
 * FAILS    cannot.
 * TESTED   laplace_rho_is_the_supremum laplace_rho_of_vectors
 *          laplace_rho_of_continuous_noise
 */
#include "account/laplace.h"

#include "account/convert.h"
#include "account/search.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum { BITS = 160 };

/* The result is about epsilon^2 / 2, the difference of numbers near epsilon. */
static long
bits_for(const rat *epsilon)
{
    long e = rat_log2_floor(epsilon);

    return e < 0 ? BITS - 2 * e : BITS;
}

/* r = 1 - e^(-x) */
static void
one_less_exp(ival *r, const rat *x)
{
    ival_set_rat(r, x);
    ival_neg(r, r);
    ival_expm1(r, r);
    ival_neg(r, r);
}

/* r = h / sinh h */
static void
spread_factor(ival *r, const rat *h)
{
    ival x;

    ival_init(&x, ival_bits(r));
    one_less_exp(r, h);
    ival_set_rat(&x, h);
    ival_expm1(&x, &x);
    ival_add(&x, &x, r); /* e^h - e^-h */
    ival_set_rat(r, h);
    ival_mul_pow2(r, r, 1);
    ival_div(r, r, &x);
    ival_clear(&x);
}

/* r = epsilon - (1 - e^(-epsilon)) c */
static void
rho_of_one(ival *r, const rat *epsilon, const ival *c)
{
    ival x;

    ival_init(&x, ival_bits(r));
    one_less_exp(&x, epsilon);
    ival_mul(&x, &x, c);
    ival_set_rat(r, epsilon);
    ival_sub(r, r, &x);
    ival_clear(&x);
}

/* r = (1 - c) epsilon + c (h D2)^2 / 2 */
static void
rho_of_spread(ival *r, const rat *epsilon, const rat *h, const rat *l2_squared,
              const ival *c)
{
    ival x;
    rat q;

    ival_init(&x, ival_bits(r));
    rat_init(&q);
    ival_set_i64(&x, 1);
    ival_sub(&x, &x, c);
    ival_mul_rat(r, &x, epsilon);
    rat_mul(&q, h, h);
    rat_mul(&q, &q, l2_squared);
    ival_mul_rat(&x, c, &q);
    ival_mul_pow2(&x, &x, -1);
    ival_add(r, r, &x);
    ival_clear(&x);
    rat_clear(&q);
}

void
laplace_rho_up(const rat *epsilon, const rat *l1, const rat *l2_squared,
               rat *rho)
{
    ival x[2];
    rat h, spread;

    if (rat_cmp_i64(l1, 1) == 0) {
        pure_rho_up(epsilon, rho); /* one step in one coordinate: f is that */
        return;
    }
    ivals_init(x, 2, bits_for(epsilon));
    rat_init(&h);
    rat_init(&spread);
    rat_div(&h, epsilon, l1);
    spread_factor(&x[1], &h);
    rho_of_one(&x[0], epsilon, &x[1]);
    CUSTOS_REQUIRE(bound_up(&x[0], rho));
    if (l2_squared) {
        rho_of_spread(&x[0], epsilon, &h, l2_squared, &x[1]);
        CUSTOS_REQUIRE(bound_up(&x[0], &spread));
        if (rat_cmp(&spread, rho) < 0)
            rat_set(rho, &spread);
    }
    ivals_clear(x, 2);
    rat_clear(&h);
    rat_clear(&spread);
}

void
laplace_continuous_rho_up(const rat *epsilon, rat *rho)
{
    ival x[2];

    ivals_init(x, 2, bits_for(epsilon));
    ival_set_i64(&x[1], 1);
    rho_of_one(&x[0], epsilon, &x[1]);
    CUSTOS_REQUIRE(bound_up(&x[0], rho));
    ivals_clear(x, 2);
}
