/*
 * Each curve is ln(moment)/(alpha - 1); the moment is a short sum of
 * intervals.
 */
#include "account/curve.h"

#include "account/convert.h"
#include "account/search.h"
#include "num/batch.h"
#include "num/ival_more.h"

enum {
    BITS = 448,
    SAMPLED_ORDER_MAX = 1024, /* above it, the curve without sampling is used */
};

/*
 * The precision for a moment near 1. It differs from 1 by about epsilon^2
 * (alpha - 1), and a hundred bits of that difference should be right.
 */
static long
bits_for(const rat *epsilon, const rat *alpha)
{
    long e = rat_log2_floor(epsilon), t;
    rat x;

    rat_init(&x);
    rat_set_i64(&x, -1, 1);
    rat_add(&x, &x, alpha);
    CUSTOS_REQUIRE(rat_sign(&x) > 0);
    t = rat_log2_floor(&x);
    rat_clear(&x);
    return 160 + (e < 0 ? -3 * e : 2 * e) + (t < 0 ? -2 * t : 2 * t);
}

/* loss = ln(moment)/(alpha - 1), or the cap if that is smaller. */
static void
loss_of_log(const ival *log, const rat *alpha, const rat *cap, rat *loss)
{
    ival x[2];
    rat t;

    ivals_init(x, 2, ival_bits(log));
    rat_init(&t);
    rat_set_i64(&t, -1, 1);
    rat_add(&t, &t, alpha);
    CUSTOS_REQUIRE(rat_sign(&t) > 0);
    ival_set_rat(&x[0], &t);
    ival_div(&x[1], log, &x[0]);
    if (!bound_up(&x[1], loss) || rat_cmp(loss, cap) > 0)
        rat_set(loss, cap);
    ivals_clear(x, 2);
    rat_clear(&t);
}

static void
loss_of_moment(const ival *moment, const rat *alpha, const rat *cap, rat *loss)
{
    ival x;

    ival_init(&x, ival_bits(moment));
    ival_log(&x, moment);
    loss_of_log(&x, alpha, cap, loss);
    ival_clear(&x);
}

/* r = exp(a b) */
static void
exp_product(ival *r, const rat *a, const rat *b)
{
    rat x;

    rat_init(&x);
    rat_mul(&x, a, b);
    ival_set_rat(r, &x);
    ival_exp(r, r);
    rat_clear(&x);
}

void
curve_gauss(const rat *ratio, const rat *alpha, rat *loss)
{
    rat half;

    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    rat_mul(loss, ratio, alpha);
    rat_mul(loss, loss, &half);
    rat_clear(&half);
}

/*
 * THEOREM  curve-laplace
 *   The divergence of order a of Laplace noise of scale D/epsilon is
 *   ln(a/(2a-1) e^((a-1) epsilon) + (a-1)/(2a-1) e^(-a epsilon)) / (a-1).
 * SOURCE   Mironov 2017, arXiv:1702.07476 (Laplace noise).
 * NEEDS    epsilon > 0, a > 1.
 * GIVES    the divergence rounded up, at most epsilon.
 * FAILS    cannot.
 * TESTED   mechanism_curves_fuzz
 */
void
curve_laplace_up(const rat *epsilon, const rat *alpha, rat *loss)
{
    ival x[2];
    rat q[3];

    ivals_init(x, 2, bits_for(epsilon, alpha));
    rats_init(q, 3);
    rat_set_i64(&q[2], 1, 1);
    rat_sub(&q[0], alpha, &q[2]); /* a - 1 */
    rat_add(&q[1], &q[0], alpha); /* 2a - 1 */
    exp_product(&x[0], &q[0], epsilon);
    rat_div(&q[2], alpha, &q[1]);
    ival_mul_rat(&x[0], &x[0], &q[2]);
    rat_div(&q[0], &q[0], &q[1]);
    rat_set_i64(&q[1], -1, 1);
    rat_mul(&q[1], &q[1], alpha);
    exp_product(&x[1], &q[1], epsilon);
    ival_mul_rat(&x[1], &x[1], &q[0]);
    ival_add(&x[0], &x[0], &x[1]);
    loss_of_moment(&x[0], alpha, epsilon, loss);
    ivals_clear(x, 2);
    rats_clear(q, 3);
}

/* r = (e^x - e^y) / (1 - e^z), z < 0. */
static void
geometric_sum(ival *r, const rat *x, const rat *y, const rat *z)
{
    ival e[2];

    ivals_init(e, 2, ival_bits(r));
    ival_set_rat(&e[0], x);
    ival_exp(&e[0], &e[0]);
    ival_set_rat(&e[1], y);
    ival_exp(&e[1], &e[1]);
    ival_sub(r, &e[0], &e[1]);
    ival_set_rat(&e[0], z);
    ival_expm1(&e[0], &e[0]);
    ival_neg(&e[0], &e[0]);
    ival_div(r, r, &e[0]);
    ivals_clear(e, 2);
}

/*
 * THEOREM  curve-discrete-laplace
 *   Let P[x] ~ e^(-h|x|) on Z, Q be P shifted by an integer D, epsilon = h D
 *   and r = e^(-(2a-1) h). Then E_Q[(P/Q)^a] is
 *   (e^((a-1) epsilon) + e^(-a epsilon) +
 *   (1 - e^(-h)) e^((a-1) epsilon) (r - r^D)/(1 - r)) / (1 + e^(-h)).
 * SOURCE   doc/proofs/curve-discrete-laplace.md
 * NEEDS    epsilon > 0, D >= 1 an integer, a > 1.
 * GIVES    the divergence rounded up, at most epsilon; for D = 1 that of
 *          randomized response.
 * FAILS    cannot.
 * TESTED   mechanism_curves_fuzz
 */
void
curve_discrete_laplace_up(const rat *epsilon, const rat *sensitivity,
                          const rat *alpha, rat *loss)
{
    ival x[3];
    rat q[5]; /* h, a-1, ln r, ln r^D, scratch */

    ivals_init(x, 3, bits_for(epsilon, alpha));
    rats_init(q, 5);
    rat_div(&q[0], epsilon, sensitivity);
    rat_set_i64(&q[4], 1, 1);
    rat_sub(&q[1], alpha, &q[4]);
    rat_add(&q[2], &q[1], alpha);
    rat_mul(&q[2], &q[2], &q[0]);
    rat_set_i64(&q[4], -1, 1);
    rat_mul(&q[2], &q[2], &q[4]);
    rat_mul(&q[3], &q[2], sensitivity);
    rat_mul(&q[0], &q[0], &q[4]); /* -h */
    geometric_sum(&x[0], &q[2], &q[3], &q[2]);
    ival_set_rat(&x[1], &q[0]);
    ival_expm1(&x[2], &x[1]);
    ival_neg(&x[2], &x[2]); /* 1 - e^-h */
    ival_mul(&x[0], &x[0], &x[2]);
    ival_set_i64(&x[2], 1);
    ival_add(&x[0], &x[0], &x[2]);
    exp_product(&x[1], &q[1], epsilon);
    ival_mul(&x[0], &x[0], &x[1]);
    rat_mul(&q[4], &q[4], alpha);
    exp_product(&x[1], &q[4], epsilon);
    ival_add(&x[0], &x[0], &x[1]);
    ival_set_rat(&x[1], &q[0]);
    ival_exp(&x[1], &x[1]);
    ival_add(&x[1], &x[1], &x[2]);
    ival_div(&x[0], &x[0], &x[1]);
    loss_of_moment(&x[0], alpha, epsilon, loss);
    ivals_clear(x, 3);
    rats_clear(q, 5);
}

/*
 * THEOREM  curve-response
 *   Randomized response over k values, where the truth is e^epsilon times as
 *   likely as each other value, has E_Q[(P/Q)^a] =
 *   (e^(a epsilon) + e^((1-a) epsilon) + k - 2) / (e^epsilon + k - 1).
 * SOURCE   Mironov 2017, arXiv:1702.07476 (randomized response), for k = 2;
 *          for other k, the sum over the k outcomes.
 * NEEDS    epsilon > 0, k >= 2, a > 1.
 * GIVES    the divergence rounded up, at most epsilon.
 * FAILS    cannot.
 * TESTED   mechanism_curves_fuzz
 */
void
curve_response_up(const rat *epsilon, uint64_t values, const rat *alpha,
                  rat *loss)
{
    ival x[2];
    rat q[3];

    ivals_init(x, 2, bits_for(epsilon, alpha));
    rats_init(q, 3);
    rat_set_i64(&q[0], 1, 1);
    rat_sub(&q[1], &q[0], alpha);
    exp_product(&x[0], alpha, epsilon);
    exp_product(&x[1], &q[1], epsilon);
    ival_add(&x[0], &x[0], &x[1]);
    rat_set_u64(&q[2], values - 2);
    ival_add_rat(&x[0], &x[0], &q[2]);
    exp_product(&x[1], &q[0], epsilon);
    rat_add(&q[2], &q[2], &q[0]);
    ival_add_rat(&x[1], &x[1], &q[2]);
    ival_div(&x[0], &x[0], &x[1]);
    loss_of_moment(&x[0], alpha, epsilon, loss);
    ivals_clear(x, 2);
    rats_clear(q, 3);
}

/*
 * r = w r1^power + (1-w) r2^power, where r1 and r2 are given by their
 * logarithms.
 */
static void
two_outcomes(ival *r, const ival *w, const ival log[2], const rat *power)
{
    ival x[2];
    rat one;

    ivals_init(x, 2, ival_bits(r));
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    ival_mul_rat(&x[0], &log[0], power);
    ival_exp(&x[0], &x[0]);
    ival_mul(&x[0], &x[0], w);
    ival_neg(r, w);
    ival_add_rat(r, r, &one);
    ival_mul_rat(&x[1], &log[1], power);
    ival_exp(&x[1], &x[1]);
    ival_mul(r, r, &x[1]);
    ival_add(r, r, &x[0]);
    ivals_clear(x, 2);
    rat_clear(&one);
}

/* r = ln(1 + q (e^x - 1)) */
static void
sampled_log(ival *r, const rat *x, const rat *q)
{
    ival_set_rat(r, x);
    ival_expm1(r, r);
    ival_mul_rat(r, r, q);
    ival_log1p(r, r);
}

/*
 * THEOREM  curve-sampled-response
 *   Let w = 1/(1 + e^epsilon), r1 = 1 + q (e^epsilon - 1), r2 = 1 + q
 *   (e^(-epsilon) - 1). Any epsilon-DP mechanism on a Poisson sample of rate q
 *   has E_Q[(P/Q)^a] at most w r1^a + (1-w) r2^a in one direction and
 *   w r1^(1-a) + (1-w) r2^(1-a) in the other.
 * SOURCE   Zhu, Dong, Wang 2022, arXiv:2106.08567, theorem 11, applied to the
 *          pair of two outcomes that dominates epsilon-DP (KOV15).
 * NEEDS    epsilon > 0, 0 < q < 1, a > 1, neighbours by add/remove.
 * GIVES    the larger divergence, rounded up, at most epsilon.
 * FAILS    cannot.
 * TESTED   mechanism_sampling_against_two_outcomes
 */
void
curve_sampled_response_up(const rat *epsilon, const rat *q, const rat *alpha,
                          rat *loss)
{
    ival x[4];
    rat r[2];

    ivals_init(x, 4, BITS);
    rats_init(r, 2);
    sampled_log(&x[0], epsilon, q);
    rat_set_i64(&r[0], -1, 1);
    rat_mul(&r[0], &r[0], epsilon);
    sampled_log(&x[1], &r[0], q);
    ival_set_rat(&x[2], epsilon);
    ival_exp(&x[2], &x[2]);
    ival_set_i64(&x[3], 1);
    ival_add(&x[2], &x[2], &x[3]);
    ival_div(&x[2], &x[3], &x[2]); /* w */
    two_outcomes(&x[3], &x[2], x, alpha);
    loss_of_moment(&x[3], alpha, epsilon, &r[1]);
    rat_set_i64(&r[0], 1, 1);
    rat_sub(&r[0], &r[0], alpha);
    two_outcomes(&x[3], &x[2], x, &r[0]);
    loss_of_moment(&x[3], alpha, epsilon, &r[0]);
    rat_set(loss, rat_cmp(&r[0], &r[1]) > 0 ? &r[0] : &r[1]);
    ivals_clear(x, 4);
    rats_clear(r, 2);
}

/* r = ln sum_k C(n,k) (1-q)^(n-k) q^k e^(k(k-1) ratio/2). */
static void
sampled_log_moment(ival *r, const rat *ratio, const rat *q, uint64_t n)
{
    ival x[4]; /* term, growth, e^ratio, sum */
    rat odds, step, one;

    ivals_init(x, 4, ival_bits(r));
    rat_init(&odds);
    rat_init(&step);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_sub(&odds, &one, q);
    rat_div(&odds, q, &odds);
    rat_sub(&step, &one, q);
    ival_set_rat(&x[0], &step);
    ival_log(&x[0], &x[0]);
    rat_set_u64(&step, n);
    ival_mul_rat(&x[0], &x[0], &step);
    ival_exp(&x[0], &x[0]);
    ival_set_i64(&x[1], 1);
    ival_set_rat(&x[2], ratio);
    ival_exp(&x[2], &x[2]);
    ival_set(&x[3], &x[0]);
    for (uint64_t k = 0; k < n; k++) {
        rat_set_i64(&step, (int64_t)(n - k), k + 1);
        rat_mul(&step, &step, &odds);
        ival_mul_rat(&x[0], &x[0], &step);
        ival_mul(&x[0], &x[0], &x[1]);
        ival_mul(&x[1], &x[1], &x[2]);
        ival_add(&x[3], &x[3], &x[0]);
    }
    ival_log(r, &x[3]);
    ivals_clear(x, 4);
    rat_clear(&odds);
    rat_clear(&step);
    rat_clear(&one);
}

/*
 * THEOREM  curve-sampled-gauss
 *   On a Poisson sample of rate q, a Gaussian mechanism has E_Q[(P/Q)^n] =
 *   sum_k C(n,k) (1-q)^(n-k) q^k e^(k(k-1) D^2/2sigma^2) for an integer n,
 *   where P is the law with the unit's data; the other direction is at most
 *   that. The logarithm is convex in the order, so the chord bounds it between
 *   integer orders.
 * SOURCE   Mironov, Talwar, Zhang 2019, arXiv:1908.10530, section 3; for the
 *          discrete law, doc/proofs/curve-sampled-gauss.md
 * NEEDS    0 < q < 1, a > 1, neighbours by add/remove; for the discrete law,
 *          an integer shift.
 * GIVES    the divergence rounded up, at most the one without sampling.
 * FAILS    cannot.
 * TESTED   mechanism_sampled_gauss_fuzz
 */
void
curve_sampled_gauss_up(const rat *ratio, const rat *q, const rat *alpha,
                       rat *loss)
{
    uint64_t n = 0;
    ival x[2];
    rat cap, part;

    rat_init(&cap);
    curve_gauss(ratio, alpha, &cap);
    if (!rat_floor_u64(alpha, &n) || n >= SAMPLED_ORDER_MAX) {
        rat_set(loss, &cap);
        rat_clear(&cap);
        return;
    }
    ivals_init(x, 2, BITS);
    rat_init(&part);
    rat_set_u64(&part, n);
    rat_sub(&part, alpha, &part); /* alpha = n + part */
    sampled_log_moment(&x[0], ratio, q, n);
    if (rat_sign(&part) > 0) {
        sampled_log_moment(&x[1], ratio, q, n + 1);
        ival_sub(&x[1], &x[1], &x[0]);
        ival_mul_rat(&x[1], &x[1], &part);
        ival_add(&x[0], &x[0], &x[1]);
    }
    loss_of_log(&x[0], alpha, &cap, loss);
    ivals_clear(x, 2);
    rat_clear(&cap);
    rat_clear(&part);
}
