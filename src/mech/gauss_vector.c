/*
 * The delta of discrete Gaussian noise on vectors of which several coordinates
 * change. The loss has no closed form there, so it is bounded by that of
 * continuous noise of a slightly smaller variance.
 *
 * THEOREM  gauss-vector
 *   Let whole numbers change by s_i between neighbours and get discrete Gaussian
 *   noise of variances v_i, where v_i >= v if s_i is not 0, and sum s_i^2/v_i <=
 *   D^2/v. For every w with 1/(2 pi^2) <= w < v the release is (epsilon,
 *   delta)-DP with delta = exp(D^2 (eta + w / (8 v (v - w)))) times the delta of
 *   continuous noise of sensitivity D and variance v - w, where eta is
 *   2 sum over k >= 1 of exp(-2 pi^2 w k^2). gauss-zcdp holds as well: the
 *   smaller delta counts.
 * SOURCE   doc/proofs/gauss-vector.md
 * NEEDS    variance, sensitivity, epsilon > 0; the values are on the lattice of
 *          the noise.
 * GIVES    an interval that contains this bound for one w, which is larger for
 *          larger D and v. Larger v_i keep it.
 * FAILS    if v is not above 2 w: false.
 * TESTED   gauss_vector_bounds_the_exact_law gauss_vector_is_near_the_analytic
 *          gauss_vector_covers_unequal_variances
 */
#include "mech/gauss_vector.h"

#include "num/batch.h"
#include "num/ival_more.h"

/* w is 9/256 for each factor of 2 in 4 D^2 v: eta is then about 1/(2 D^2 v), as
   9/256 is just above (ln 2) / (2 pi^2). */
enum { W_NUM = 9, W_DEN = 256 };

/* ceil(log2 x) or one more; at least 0. */
static long
log2_up(const rat *x)
{
    long e = rat_log2_floor(x) + 1;

    return e < 0 ? 0 : e;
}

/* r = 2 exp(-2 pi^2 w) / (1 - exp(-6 pi^2 w)) >= eta */
static void
eta_up(ival *r, const rat *w)
{
    ival x;
    rat times;

    ival_init(&x, ival_bits(r));
    rat_init(&times);
    ival_pi(&x);
    ival_mul(&x, &x, &x);
    ival_mul_rat(&x, &x, w);
    ival_neg(&x, &x);
    ival_mul_pow2(&x, &x, 1);
    ival_exp(r, &x);
    ival_mul_pow2(r, r, 1);
    rat_set_i64(&times, 3, 1);
    ival_mul_rat(&x, &x, &times);
    ival_expm1(&x, &x);
    ival_neg(&x, &x);
    ival_div(r, r, &x);
    ival_clear(&x);
    rat_clear(&times);
}

bool
gauss_vector(const struct gauss_point *p, ival *delta)
{
    struct gauss_point less; /* of variance v - w */
    bool wide;
    ival x;
    rat w, q;

    gauss_point_init(&less);
    ival_init(&x, ival_bits(delta));
    rat_init(&w);
    rat_init(&q);
    rat_set_i64(
        &w,
        W_NUM * (2 + log2_up(&p->sensitivity_squared) + log2_up(&p->variance)),
        W_DEN);
    rat_sub(&less.variance, &p->variance, &w);
    wide = rat_cmp(&less.variance, &w) > 0;
    if (wide) {
        rat_set(&less.sensitivity_squared, &p->sensitivity_squared);
        rat_set(&less.epsilon, &p->epsilon);
        gauss_delta(GAUSS_ANALYTIC, &less, delta);
        eta_up(&x, &w);
        rat_mul(&q, &p->variance, &less.variance);
        rat_div(&w, &w, &q);
        rat_set_i64(&q, 1, 8);
        rat_mul(&w, &w, &q);
        ival_add_rat(&x, &x, &w);
        ival_mul_rat(&x, &x, &p->sensitivity_squared);
        ival_exp(&x, &x);
        ival_mul(delta, delta, &x);
    }
    gauss_point_clear(&less);
    ival_clear(&x);
    rat_clear(&w);
    rat_clear(&q);
    return wide;
}
