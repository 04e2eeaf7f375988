/*
 * Encloses the delta of Gaussian noise. Each route is one formula on
 * intervals; if the interval is too wide to decide, more bits are used.
 * Cancellation (small epsilon, or a sensitivity far below sigma) costs bits,
 * never safety.
 */
#include "mech/gauss_delta.h"

#include "mech/gauss_vector.h"
#include "num/gauss_sum.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    BITS_FIRST = 160,
    BITS_DECIDE = 64, /* usually enough to compare with delta */
    BITS_LAST = 2560,
    BITS_GUARD = 64,
    NARROW_BITS = 60,
    ALPHA_BITS = 96,
    DELTA_LOG2_MIN = -1400,
    VARIANCE_WIDE = 64,
};

void
gauss_point_init(struct gauss_point *p)
{
    rat_init(&p->variance);
    rat_init(&p->sensitivity_squared);
    rat_init(&p->epsilon);
}

void
gauss_point_clear(struct gauss_point *p)
{
    rat_clear(&p->variance);
    rat_clear(&p->sensitivity_squared);
    rat_clear(&p->epsilon);
}

/* r = P[Z > x] for a normal Z. */
static void
normal_tail(ival *r, const ival *x)
{
    ival half, z;

    ival_init(&half, ival_bits(r));
    ival_init(&z, ival_bits(r));
    ival_set_i64(&half, 1);
    ival_mul_pow2(&half, &half, -1);
    ival_sqrt(&half, &half);
    ival_mul(&z, x, &half);
    ival_erfc(r, &z);
    ival_mul_pow2(r, r, -1);
    ival_clear(&half);
    ival_clear(&z);
}

/* r = near - exp(epsilon) far. */
static void
hockey_stick(ival *r, const rat *epsilon, const ival *near, const ival *far)
{
    ival e;

    ival_init(&e, ival_bits(r));
    ival_set_rat(&e, epsilon);
    ival_exp(&e, &e);
    ival_mul(&e, &e, far);
    ival_sub(r, near, &e);
    ival_clear(&e);
}

/*
 * THEOREM  gauss-analytic
 *   Normal noise of deviation sigma on a query of l2 sensitivity D is
 *   (epsilon, delta)-DP if and only if delta >=
 *   P[Z > epsilon sigma/D - D/2sigma]
 *   - exp(epsilon) P[Z > epsilon sigma/D + D/2sigma].
 * SOURCE   Balle, Wang 2018, arXiv:1805.06530, theorem 8.
 * NEEDS    variance, sensitivity, epsilon > 0.
 * GIVES    an interval that contains this difference. The theorem is about the
 *          continuous law. The library's noise is discrete, so additive_plan.c
 *          never rests its promise on this route alone.
 * FAILS    cannot.
 * TESTED   gauss_delta_analytic_agrees_with_quadrature
 */
static void
delta_analytic(const struct gauss_point *p, ival *delta)
{
    long bits = ival_bits(delta);
    ival ratio, middle, near, far;
    rat q;

    ival_init(&ratio, bits);
    ival_init(&middle, bits);
    ival_init(&near, bits);
    ival_init(&far, bits);
    rat_init(&q);
    rat_div(&q, &p->sensitivity_squared, &p->variance);
    ival_set_rat(&ratio, &q);
    ival_sqrt(&ratio, &ratio); /* D / sigma */
    ival_set_rat(&middle, &p->epsilon);
    ival_div(&middle, &middle, &ratio);
    ival_mul_pow2(&ratio, &ratio, -1);
    ival_sub(&near, &middle, &ratio);
    ival_add(&far, &middle, &ratio);
    normal_tail(&near, &near);
    normal_tail(&far, &far);
    hockey_stick(delta, &p->epsilon, &near, &far);
    ival_clear(&ratio);
    ival_clear(&middle);
    ival_clear(&near);
    ival_clear(&far);
    rat_clear(&q);
}

/* The integer root of a perfect square. */
static void
whole_root(rat *r, const rat *square)
{
    bool certain = false;
    i128 root = 0;
    ival x;

    ival_init(&x, 256);
    ival_set_rat(&x, square);
    ival_sqrt(&x, &x);
    CUSTOS_REQUIRE(ival_ceil_up(&x, &root, &certain));
    rat_set_i128(r, root);
    ival_clear(&x);
}

/*
 * THEOREM  gauss-discrete-exact
 *   Let Y be discrete Gaussian, P[y] ~ exp(-y^2/2v), added to an integer that
 *   changes by at most the integer D. This is (epsilon, delta)-DP if and only
 *   if delta >= P[Y > epsilon v/D - D/2] -
 *   exp(epsilon) P[Y > epsilon v/D + D/2]; a smaller change needs a smaller
 *   delta.
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, theorem 7;
 *          doc/proofs/gauss-discrete-exact.md for smaller changes and for
 *          vectors in which one coordinate changes.
 * NEEDS    sensitivity_squared is the square of an integer D >= 1.
 * GIVES    an interval that contains this difference.
 * FAILS    cannot.
 * TESTED   gauss_delta_discrete_agrees_with_its_definition
 *          gauss_delta_discrete_rises_with_the_shift
 */
static void
delta_discrete(const struct gauss_point *p, ival *delta)
{
    long bits = ival_bits(delta);
    ival near, far, all;
    rat d, m, half;

    ival_init(&near, bits);
    ival_init(&far, bits);
    ival_init(&all, bits);
    rat_init(&d);
    rat_init(&m);
    rat_init(&half);
    whole_root(&d, &p->sensitivity_squared);
    rat_mul(&m, &p->epsilon, &p->variance);
    rat_div(&m, &m, &d);
    rat_set_i64(&half, 1, 2);
    rat_mul(&half, &half, &d);
    rat_sub(&m, &m, &half);
    rat_floor(&m, &m);
    rat_set_i64(&half, 1, 1);
    rat_add(&m, &m, &half); /* the first integer above the bound */
    gauss_sum(&near, &p->variance, &m);
    rat_add(&m, &m, &d);
    gauss_sum(&far, &p->variance, &m);
    hockey_stick(delta, &p->epsilon, &near, &far);
    gauss_sum_all(&all, &p->variance);
    ival_div(delta, delta, &all);
    ival_clear(&near);
    ival_clear(&far);
    ival_clear(&all);
    rat_clear(&d);
    rat_clear(&m);
    rat_clear(&half);
}

/* r = ln(1 - 1/alpha) for alpha > 1. */
static void
log_one_minus_inverse(ival *r, const rat *alpha)
{
    rat q;

    rat_init(&q);
    rat_set_i64(&q, -1, 1);
    rat_div(&q, &q, alpha);
    ival_set_rat(r, &q);
    ival_log1p(r, r);
    rat_clear(&q);
}

/* r = (2 alpha - 1) rho - epsilon + ln(1 - 1/alpha), which rises with alpha. */
static void
order_slope(ival *r, const rat *rho, const rat *epsilon, const rat *alpha)
{
    ival log;
    rat q, one;

    ival_init(&log, ival_bits(r));
    rat_init(&q);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_add(&q, alpha, alpha);
    rat_sub(&q, &q, &one);
    rat_mul(&q, &q, rho);
    rat_sub(&q, &q, epsilon);
    ival_set_rat(r, &q);
    log_one_minus_inverse(&log, alpha);
    ival_add(r, r, &log);
    ival_clear(&log);
    rat_clear(&q);
    rat_clear(&one);
}

/* Finds the order where the slope is near 0, by doubling and bisection. */
static void
order_halve(const rat *rho, const rat *epsilon, rat *alpha)
{
    rat low, high, one;
    ival slope, zero;

    ival_init(&slope, 2L * ALPHA_BITS);
    ival_init(&zero, 2L * ALPHA_BITS);
    rat_init(&low);
    rat_init(&high);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_set_i64(&high, 1, 1); /* alpha - 1 */
    for (int i = 0; i < 2 * ALPHA_BITS; i++) {
        rat_add(alpha, &high, &one);
        order_slope(&slope, rho, epsilon, alpha);
        if (ival_certainly_less(&zero, &slope))
            break;
        rat_set(&low, &high);
        rat_add(&high, &high, &high);
    }
    for (int i = 0; i < ALPHA_BITS; i++) {
        rat half;

        rat_init(&half);
        rat_set_i64(&half, 1, 2);
        rat_add(alpha, &low, &high);
        rat_mul(&half, &half, alpha);
        rat_add(alpha, &half, &one);
        order_slope(&slope, rho, epsilon, alpha);
        rat_set(ival_certainly_less(&zero, &slope) ? &high : &low, &half);
        rat_clear(&half);
    }
    rat_add(alpha, &high, &one);
    ival_clear(&slope);
    ival_clear(&zero);
    rat_clear(&low);
    rat_clear(&high);
    rat_clear(&one);
}

/* floor(log2 |x|); x is not 0. */
static long
log2_of_size(const rat *x)
{
    long e;
    rat size;

    rat_init(&size);
    rat_abs(&size, x);
    e = rat_log2_floor(&size);
    rat_clear(&size);
    return e;
}

/*
 * The same by Newton's method, for epsilon > rho. The slope rises and is
 * concave. It is below 0 at the first alpha, where it would be 0 without its
 * logarithm. So every step goes up, none passes the root, and each of the last
 * steps doubles the number of correct digits.
 */
static void
order_newton(const rat *rho, const rat *epsilon, rat *alpha)
{
    enum { STEPS_MAX = 4 * ALPHA_BITS };
    rat t, step, steep, one; /* t: alpha - 1 */
    ival slope;

    ival_init(&slope, 2L * ALPHA_BITS);
    rat_init(&t);
    rat_init(&step);
    rat_init(&steep);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_add(&step, rho, rho);
    rat_sub(&t, epsilon, rho);
    rat_div(&t, &t, &step);
    rat_round_up(&t, &t, ALPHA_BITS);
    for (int i = 0; i < STEPS_MAX; i++) {
        rat_add(alpha, &t, &one);
        order_slope(&slope, rho, epsilon, alpha);
        ival_up(&slope, &step);
        rat_mul(&steep, &t, alpha);
        rat_div(&steep, &one, &steep);
        rat_add(&steep, &steep, rho);
        rat_add(&steep, &steep, rho);
        rat_div(&step, &step, &steep);
        rat_sub(&t, &t, &step);
        rat_round_up(&t, &t, ALPHA_BITS);
        if (rat_sign(&step) >= 0 ||
            rat_log2_floor(&t) - log2_of_size(&step) > ALPHA_BITS - 2)
            break;
    }
    rat_add(alpha, &t, &one);
    ival_clear(&slope);
    rat_clear(&t);
    rat_clear(&step);
    rat_clear(&steep);
    rat_clear(&one);
}

/* Any order above 1 gives a valid delta; the best one gives the least. */
static void
order_best(const rat *rho, const rat *epsilon, rat *alpha)
{
    if (rat_cmp(rho, epsilon) < 0)
        order_newton(rho, epsilon, alpha);
    else
        order_halve(rho, epsilon, alpha);
}

/*
 * THEOREM  gauss-zcdp
 *   Discrete or continuous Gaussian noise of variance v on a query of l2
 *   sensitivity D, in any dimension, is rho-zCDP with rho = D^2/2v, and hence
 *   (epsilon, delta)-DP with delta = exp((a-1)(a rho - epsilon))
 *   (1 - 1/a)^a / (a-1) for every a > 1.
 * SOURCE   Canonne, Kamath, Steinke 2020, arXiv:2004.00010, theorem 4 and
 *          their conversion of concentrated into approximate DP; the best a
 *          solves (2a-1) rho - epsilon + ln(1 - 1/a) = 0.
 * NEEDS    variance, sensitivity, epsilon > 0; the values are on the lattice
 *          of the noise.
 * GIVES    an interval that contains delta at an a near the best.
 * FAILS    cannot.
 * TESTED   gauss_delta_zcdp_bounds_the_discrete_law calibrate_fuzz
 */
static void
delta_zcdp(const struct gauss_point *p, ival *delta)
{
    ival part;
    rat rho, alpha, q, one;

    ival_init(&part, ival_bits(delta));
    rat_init(&rho);
    rat_init(&alpha);
    rat_init(&q);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    rat_add(&q, &p->variance, &p->variance);
    rat_div(&rho, &p->sensitivity_squared, &q);
    order_best(&rho, &p->epsilon, &alpha);
    log_one_minus_inverse(delta, &alpha);
    ival_set_rat(&part, &alpha);
    ival_mul(delta, delta, &part);
    rat_mul(&q, &alpha, &rho);
    rat_sub(&q, &q, &p->epsilon);
    rat_sub(&alpha, &alpha, &one);
    rat_mul(&q, &q, &alpha);
    ival_set_rat(&part, &q);
    ival_add(delta, delta, &part);
    ival_exp(delta, delta);
    ival_set_rat(&part, &alpha);
    ival_div(delta, delta, &part);
    ival_clear(&part);
    rat_clear(&rho);
    rat_clear(&alpha);
    rat_clear(&q);
    rat_clear(&one);
}

/* Encloses the smaller of the two bounds for vectors. From VARIANCE_WIDE on that
   is the one of gauss-vector. */
static void
delta_vector(const struct gauss_point *p, ival *delta)
{
    bool bounded = gauss_vector(p, delta);
    ival other;

    if (bounded && rat_cmp_i64(&p->variance, VARIANCE_WIDE) >= 0)
        return;
    ival_init(&other, ival_bits(delta));
    delta_zcdp(p, &other);
    if (!bounded || ival_certainly_less(&other, delta))
        ival_set(delta, &other);
    ival_clear(&other);
}

void
gauss_delta(enum gauss_route route, const struct gauss_point *p, ival *delta)
{
    ival wide;

    ival_init(&wide, ival_bits(delta) + BITS_GUARD);
    if (route == GAUSS_ANALYTIC)
        delta_analytic(p, &wide);
    else if (route == GAUSS_DISCRETE)
        delta_discrete(p, &wide);
    else if (route == GAUSS_VECTOR)
        delta_vector(p, &wide);
    else
        delta_zcdp(p, &wide);
    ival_set(delta, &wide);
    ival_clear(&wide);
}

bool
gauss_delta_at_most(enum gauss_route route, const struct gauss_point *p,
                    const rat *delta)
{
    bool below = false, above = false;

    for (long bits = BITS_DECIDE; !(below || above); bits *= 2) {
        ival x;

        ival_init(&x, bits);
        gauss_delta(route, p, &x);
        below = ival_certainly_less_rat(&x, delta);
        above = ival_certainly_above_rat(&x, delta);
        ival_clear(&x);
        if (bits >= BITS_LAST) /* UNREACHABLE: the exact delta is irrational */
            break;
    }
    return below;
}

void
gauss_delta_up(enum gauss_route route, const struct gauss_point *p, rat *delta)
{
    bool narrow = false;

    rat_set_i64(delta, 1, 1);
    for (long bits = BITS_FIRST; !narrow && bits <= BITS_LAST; bits *= 2) {
        ival x;
        rat up;

        ival_init(&x, bits);
        rat_init(&up);
        gauss_delta(route, p, &x);
        narrow = ival_is_narrow(&x, NARROW_BITS);
        if (ival_is_below_pow2(&x, DELTA_LOG2_MIN)) {
            rat_set_pow2(delta, DELTA_LOG2_MIN);
            narrow = true; /* smaller ones would be very long rationals */
        } else if (ival_is_finite(&x)) {
            ival_up(&x, &up);
            if (rat_cmp(&up, delta) < 0)
                rat_set(delta, &up);
        }
        rat_clear(&up);
        ival_clear(&x);
    }
}
