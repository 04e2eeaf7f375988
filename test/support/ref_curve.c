/*
 * Exact curves, computed in the simplest way.
 */
#include "support/ref_curve.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

/* ------------------------------------------------------ for custos -- */

static rat
rat_of(double x)
{
    rat r;

    rat_init(&r);
    mpq_set_d(r.q, x);
    return r;
}

struct pld_part
ref_part(const struct ref_mechanism *m, struct loss_of *owner)
{
    rat a = rat_of(m->a), d = rat_of(m->delta), rate = rat_of(m->rate);
    custos_status st = CUSTOS_EINTERNAL;

    switch (m->kind) {
    case REF_GAUSSIAN: st = loss_of_gaussian(&a, &rate, owner); break;
    case REF_LAPLACE: st = loss_of_laplace(&a, &rate, owner); break;
    case REF_EXPONENTIAL: st = loss_of_exponential(&a, &rate, owner); break;
    case REF_RESPONSE:
        st = loss_of_response(NULL, &a, m->b, &rate, owner);
        break;
    case REF_APPROXIMATE:
        st = loss_of_approximate(NULL, &a, &d, &rate, owner);
        break;
    case REF_DLAPLACE:
        st = loss_of_discrete_laplace(NULL, &a, m->b, &rate, owner);
        break;
    case REF_DGAUSSIAN:
        st = loss_of_discrete_gaussian(NULL, &a, m->b, &rate, owner);
        break;
    }
    assert_int_equal(st, CUSTOS_OK);
    rat_clear(&a);
    rat_clear(&d);
    rat_clear(&rate);
    return (struct pld_part){owner->loss, m->count};
}

/* ------------------------------------------------------------ lists -- */

static mpfr_t *
list_new(size_t n)
{
    mpfr_t *x = malloc(n * sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        mpfr_init2(x[i], CURVE_BITS);
    return x;
}

static void
list_free(mpfr_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mpfr_clear(x[i]);
    free(x);
}

/* Outcomes of a discrete mechanism: probability under Q0, and base loss, as in
   account/loss.h. */
struct atoms {
    mpfr_t *q0, *l0;
    size_t n;
    mpfr_t only_p, only_q;
};

/*
 * Scales the probabilities under Q0, which are known up to a factor, so that
 * their sum is `times`.
 */
static void
atoms_scale(struct atoms *a, mpfr_t times)
{
    mpfr_t sum;

    mpfr_init2(sum, CURVE_BITS);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < a->n; i++)
        mpfr_add(sum, sum, a->q0[i], MPFR_RNDN);
    mpfr_div(sum, times, sum, MPFR_RNDN);
    for (size_t i = 0; i < a->n; i++)
        mpfr_mul(a->q0[i], a->q0[i], sum, MPFR_RNDN);
    mpfr_clear(sum);
}

/* e^x for a double x, into out. */
static void
exp_of(mpfr_t out, double x)
{
    mpfr_set_d(out, x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
}

/* Discrete Gaussian, truncated where less than 10^-120 remains. */
static void
fill_gaussian(struct atoms *a, const struct ref_mechanism *m, long reach)
{
    mpfr_t t;

    mpfr_init2(t, CURVE_BITS);
    for (size_t i = 0; i < a->n; i++) {
        long x = (long)i - reach;

        mpfr_set_si(t, -x * x, MPFR_RNDN);
        mpfr_div_ui(t, t, 2, MPFR_RNDN);
        mpfr_div_d(t, t, m->a, MPFR_RNDN);
        mpfr_exp(a->q0[i], t, MPFR_RNDN);
        mpfr_set_si(t, 2 * x - (long)m->b, MPFR_RNDN);
        mpfr_mul_ui(t, t, (unsigned long)m->b, MPFR_RNDN);
        mpfr_div_ui(t, t, 2, MPFR_RNDN);
        mpfr_div_d(a->l0[i], t, m->a, MPFR_RNDN);
    }
    mpfr_set_ui(t, 1, MPFR_RNDN);
    atoms_scale(a, t);
    mpfr_clear(t);
}

/*
 * Discrete Laplace: with r = e^(-eps/D), the outcomes 0 .. D have weights
 * 1/(1-r), r, r^2, ..., r^D/(1-r).
 */
static void
fill_laplace(struct atoms *a, const struct ref_mechanism *m)
{
    mpfr_t r, t;

    mpfr_init2(r, CURVE_BITS);
    mpfr_init2(t, CURVE_BITS);
    mpfr_set_d(r, -m->a, MPFR_RNDN);
    mpfr_div_ui(r, r, (unsigned long)m->b, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    for (size_t i = 0; i < a->n; i++) {
        mpfr_pow_ui(a->q0[i], r, (unsigned long)i, MPFR_RNDN);
        if (i == 0 || i == m->b) {
            mpfr_ui_sub(t, 1, r, MPFR_RNDN);
            mpfr_div(a->q0[i], a->q0[i], t, MPFR_RNDN);
        }
        mpfr_set_d(t, m->a, MPFR_RNDN);
        mpfr_mul_si(t, t, 2 * (long)i - (long)m->b, MPFR_RNDN);
        mpfr_div_ui(a->l0[i], t, (unsigned long)m->b, MPFR_RNDN);
    }
    mpfr_set_ui(t, 1, MPFR_RNDN);
    atoms_scale(a, t);
    mpfr_clear(r);
    mpfr_clear(t);
}

/* Randomized response: the truth has weight e^eps, every other answer 1. */
static void
fill_response(struct atoms *a, const struct ref_mechanism *m)
{
    mpfr_t t;

    mpfr_init2(t, CURVE_BITS);
    for (size_t i = 0; i < a->n; i++) {
        int sign = i == 0 ? -1 : i + 1 == a->n ? 1 : 0;

        mpfr_set_d(a->l0[i], sign * m->a, MPFR_RNDN);
        mpfr_set_ui(a->q0[i], sign == 0 ? (unsigned long)m->b - 2 : 1,
                    MPFR_RNDN);
        if (sign < 0)
            exp_of(a->q0[i], m->a);
    }
    mpfr_set_d(t, m->kind == REF_APPROXIMATE ? m->delta : 0, MPFR_RNDN);
    mpfr_set(a->only_p, t, MPFR_RNDN);
    mpfr_set(a->only_q, t, MPFR_RNDN);
    mpfr_ui_sub(t, 1, t, MPFR_RNDN);
    atoms_scale(a, t);
    mpfr_clear(t);
}

static struct atoms
atoms_of(const struct ref_mechanism *m)
{
    long reach = m->kind == REF_DGAUSSIAN ? (long)(24 * sqrt(m->a)) + 2 : 0;
    struct atoms a = {.n = 2};

    if (m->kind == REF_DGAUSSIAN)
        a.n = (size_t)(2 * reach + 1) + (size_t)m->b;
    else if (m->kind == REF_DLAPLACE)
        a.n = (size_t)m->b + 1;
    else if (m->kind == REF_RESPONSE && m->b > 2)
        a.n = 3;
    a.q0 = list_new(a.n);
    a.l0 = list_new(a.n);
    mpfr_init2(a.only_p, CURVE_BITS);
    mpfr_init2(a.only_q, CURVE_BITS);
    mpfr_set_zero(a.only_p, 1);
    mpfr_set_zero(a.only_q, 1);
    if (m->kind == REF_DGAUSSIAN)
        fill_gaussian(&a, m, reach);
    else if (m->kind == REF_DLAPLACE)
        fill_laplace(&a, m);
    else
        fill_response(&a, m);
    return a;
}

/* ----------------------------------------------------------- curves -- */

void
ref_curve_init(struct ref_curve *c, enum loss_order order)
{
    *c = (struct ref_curve){.order = order, .n = 1};
    c->loss = list_new(1);
    c->mass = list_new(1);
    mpfr_set_zero(c->loss[0], 1);
    mpfr_set_ui(c->mass[0], 1, MPFR_RNDN);
    mpfr_init2(c->finite, CURVE_BITS);
    mpfr_set_ui(c->finite, 1, MPFR_RNDN);
    mpfr_init2(c->square, CURVE_BITS);
    mpfr_set_zero(c->square, 1);
}

void
ref_curve_clear(struct ref_curve *c)
{
    list_free(c->loss, c->n);
    list_free(c->mass, c->n);
    mpfr_clear(c->finite);
    mpfr_clear(c->square);
}

/*
 * The outcomes of one part in P and their losses, including the outcome that
 * only Q0 has.
 */
struct law {
    mpfr_t *loss, *mass;
    size_t n;
    mpfr_t finite;
};

static struct law
law_of(const struct atoms *a, double rate, enum loss_order order)
{
    struct law l = {list_new(a->n + 1), list_new(a->n + 1), a->n, {{0}}};
    mpfr_t r, rest;

    mpfr_init2(r, CURVE_BITS);
    mpfr_init2(rest, CURVE_BITS);
    mpfr_set_ui(rest, 1, MPFR_RNDN); /* 1 - q, exact: small ratios matter */
    mpfr_sub_d(rest, rest, rate, MPFR_RNDN);
    for (size_t i = 0; i <= a->n; i++) {
        bool lone = i == a->n; /* R = 1 - q */

        mpfr_set_zero(r, 1);
        if (!lone)
            mpfr_exp(r, a->l0[i], MPFR_RNDN);
        mpfr_mul_d(r, r, rate, MPFR_RNDN);
        mpfr_add(r, r, rest, MPFR_RNDN);
        mpfr_set(l.mass[i], lone ? a->only_q : a->q0[i], MPFR_RNDN);
        if (order == ORDER_REMOVE)
            mpfr_mul(l.mass[i], l.mass[i], r, MPFR_RNDN);
        mpfr_log(l.loss[i], r, MPFR_RNDN);
        if (order == ORDER_ADD)
            mpfr_neg(l.loss[i], l.loss[i], MPFR_RNDN);
    }
    if (rate < 1)
        l.n++; /* with the one only Q0 has */
    mpfr_init2(l.finite, CURVE_BITS);
    mpfr_set(l.finite, order == ORDER_REMOVE ? a->only_p : a->only_q,
             MPFR_RNDN);
    mpfr_mul_d(l.finite, l.finite, order == ORDER_REMOVE ? rate : rate == 1,
               MPFR_RNDN);
    mpfr_ui_sub(l.finite, 1, l.finite, MPFR_RNDN);
    mpfr_clear(r);
    mpfr_clear(rest);
    return l;
}

/* Replaces the curve by (loss, mass) pairs, which it then owns. */
static void
replace(struct ref_curve *c, mpfr_t *loss, mpfr_t *mass, size_t n)
{
    list_free(c->loss, c->n);
    list_free(c->mass, c->n);
    c->loss = loss;
    c->mass = mass;
    c->n = n;
}

/* Combines all pairs of outcomes; equal sums of losses are not merged. */
static void
multiply(struct ref_curve *c, mpfr_t *loss, mpfr_t *mass, size_t n)
{
    mpfr_t *new_loss = list_new(c->n * n), *new_mass = list_new(c->n * n);

    for (size_t i = 0; i < c->n; i++) {
        for (size_t j = 0; j < n; j++) {
            mpfr_add(new_loss[i * n + j], c->loss[i], loss[j], MPFR_RNDN);
            mpfr_mul(new_mass[i * n + j], c->mass[i], mass[j], MPFR_RNDN);
        }
    }
    replace(c, new_loss, new_mass, c->n * n);
}

/* Two outcomes, k times: the number of second outcomes is binomial. */
static void
multiply_binomial(struct ref_curve *c, const struct law *l, uint64_t k)
{
    size_t n = (size_t)k + 1;
    mpfr_t *loss = list_new(n), *mass = list_new(n), t;
    mpz_t choose;

    mpfr_init2(t, CURVE_BITS);
    mpz_init(choose);
    for (size_t j = 0; j < n; j++) {
        mpz_bin_uiui(choose, (unsigned long)k, (unsigned long)j);
        mpfr_pow_ui(mass[j], l->mass[0], (unsigned long)(k - j), MPFR_RNDN);
        mpfr_pow_ui(t, l->mass[1], (unsigned long)j, MPFR_RNDN);
        mpfr_mul(mass[j], mass[j], t, MPFR_RNDN);
        mpfr_mul_z(mass[j], mass[j], choose, MPFR_RNDN);
        mpfr_mul_ui(loss[j], l->loss[0], (unsigned long)(k - j), MPFR_RNDN);
        mpfr_mul_ui(t, l->loss[1], (unsigned long)j, MPFR_RNDN);
        mpfr_add(loss[j], loss[j], t, MPFR_RNDN);
    }
    multiply(c, loss, mass, n);
    list_free(loss, n);
    list_free(mass, n);
    mpfr_clear(t);
    mpz_clear(choose);
}

static void
add_discrete(struct ref_curve *c, const struct ref_mechanism *m)
{
    struct atoms a = atoms_of(m);
    struct law l = law_of(&a, m->rate, c->order);

    if (l.n == 2)
        multiply_binomial(c, &l, m->count);
    else
        for (uint64_t k = 0; k < m->count; k++)
            multiply(c, l.loss, l.mass, l.n);
    mpfr_pow_ui(l.finite, l.finite, (unsigned long)m->count, MPFR_RNDN);
    mpfr_mul(c->finite, c->finite, l.finite, MPFR_RNDN);
    list_free(l.loss, a.n + 1);
    list_free(l.mass, a.n + 1);
    mpfr_clear(l.finite);
    list_free(a.q0, a.n);
    list_free(a.l0, a.n);
    mpfr_clear(a.only_p);
    mpfr_clear(a.only_q);
}

void
ref_curve_add(struct ref_curve *c, const struct ref_mechanism *m)
{
    mpfr_t t;

    if (m->kind != REF_GAUSSIAN && m->kind != REF_LAPLACE &&
        m->kind != REF_EXPONENTIAL) {
        add_discrete(c, m);
        return;
    }
    /* One continuous part, or several unsampled Gaussians. */
    assert_true(m->count == 1 || (m->kind == REF_GAUSSIAN && m->rate == 1));
    assert_true(!c->smooth ||
                (m->kind == REF_GAUSSIAN && m->rate == 1 &&
                 c->part.kind == REF_GAUSSIAN && c->part.rate == 1));
    c->smooth = true;
    c->part = *m;
    mpfr_init2(t, CURVE_BITS);
    mpfr_set_d(t, m->a, MPFR_RNDN);
    mpfr_sqr(t, t, MPFR_RNDN);
    mpfr_mul_ui(t, t, (unsigned long)m->count, MPFR_RNDN);
    mpfr_add(c->square, c->square, t, MPFR_RNDN);
    mpfr_clear(t);
}

/* Phi(x) = erfc(-x / sqrt 2) / 2, in place. */
static void
normal(mpfr_t x)
{
    mpfr_t root;

    mpfr_init2(root, CURVE_BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_div(x, x, root, MPFR_RNDN);
    mpfr_erfc(x, x, MPFR_RNDN);
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    mpfr_clear(root);
}

/* Phi(mu/2 - y/mu) - e^y Phi(-mu/2 - y/mu) */
static void
gaussian_delta(const struct ref_curve *c, const mpfr_t y, mpfr_t out)
{
    mpfr_t mu, a, b;

    mpfr_init2(mu, CURVE_BITS);
    mpfr_init2(a, CURVE_BITS);
    mpfr_init2(b, CURVE_BITS);
    mpfr_sqrt(mu, c->square, MPFR_RNDN);
    mpfr_div(a, y, mu, MPFR_RNDN);
    mpfr_div_ui(mu, mu, 2, MPFR_RNDN);
    mpfr_add(b, mu, a, MPFR_RNDN);
    mpfr_neg(b, b, MPFR_RNDN);
    mpfr_sub(a, mu, a, MPFR_RNDN);
    normal(a);
    normal(b);
    mpfr_exp(mu, y, MPFR_RNDN);
    mpfr_mul(b, b, mu, MPFR_RNDN);
    mpfr_sub(out, a, b, MPFR_RNDN);
    mpfr_clear(mu);
    mpfr_clear(a);
    mpfr_clear(b);
}

/* (1 - e^y)+ */
static void
plain_delta(const mpfr_t y, mpfr_t out)
{
    mpfr_expm1(out, y, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    if (mpfr_sgn(out) < 0)
        mpfr_set_zero(out, 1);
}

/* Laplace: 1 - e^((y-e)/2); exponential: its square over 1 - e^-e. */
static void
bounded_delta(const struct ref_mechanism *m, const mpfr_t y, mpfr_t out)
{
    mpfr_t t;

    if (mpfr_cmp_d(y, -m->a) <= 0 || mpfr_cmp_d(y, m->a) >= 0) {
        plain_delta(y, out);
        return;
    }
    mpfr_init2(t, CURVE_BITS);
    mpfr_sub_d(t, y, m->a, MPFR_RNDN);
    mpfr_div_ui(t, t, 2, MPFR_RNDN);
    mpfr_expm1(t, t, MPFR_RNDN);
    mpfr_neg(out, t, MPFR_RNDN);
    if (m->kind == REF_EXPONENTIAL) {
        mpfr_sqr(out, t, MPFR_RNDN);
        mpfr_set_d(t, -m->a, MPFR_RNDN);
        mpfr_expm1(t, t, MPFR_RNDN);
        mpfr_neg(t, t, MPFR_RNDN);
        mpfr_div(out, out, t, MPFR_RNDN);
    }
    mpfr_clear(t);
}

static void
base_delta(const struct ref_curve *c, const mpfr_t y, mpfr_t out)
{
    if (c->part.kind == REF_GAUSSIAN)
        gaussian_delta(c, y, out);
    else
        bounded_delta(&c->part, y, out);
}

/*
 * The delta of the continuous part, for y of any sign. With sampling, for a
 * base that is the same in both orders:
 *   remove: q delta0(ln(1 + (e^y - 1)/q)), or 1 - e^y if the ln is undefined
 *   add: c delta0(ln(q e^y / c)), c = 1 - (1 - q) e^y, or 0
 */
static void
smooth_delta(const struct ref_curve *c, const mpfr_t y, mpfr_t out)
{
    double q = c->part.rate;
    mpfr_t e, t;

    if (q == 1) {
        base_delta(c, y, out);
        return;
    }
    mpfr_init2(e, CURVE_BITS);
    mpfr_init2(t, CURVE_BITS);
    mpfr_exp(e, y, MPFR_RNDN);
    if (c->order == ORDER_REMOVE) {
        mpfr_sub_ui(t, e, 1, MPFR_RNDN);
        mpfr_div_d(t, t, q, MPFR_RNDN);
        mpfr_add_ui(t, t, 1, MPFR_RNDN);
        if (mpfr_sgn(t) <= 0) {
            plain_delta(y, out);
        } else {
            mpfr_log(t, t, MPFR_RNDN);
            base_delta(c, t, out);
            mpfr_mul_d(out, out, q, MPFR_RNDN);
        }
    } else {
        mpfr_mul_d(t, e, q, MPFR_RNDN);
        mpfr_sub(e, t, e, MPFR_RNDN);
        mpfr_add_ui(e, e, 1, MPFR_RNDN); /* c */
        mpfr_set_zero(out, 1);
        if (mpfr_sgn(e) > 0) {
            mpfr_div(t, t, e, MPFR_RNDN);
            mpfr_log(t, t, MPFR_RNDN);
            base_delta(c, t, out);
            mpfr_mul(out, out, e, MPFR_RNDN);
        }
    }
    mpfr_clear(e);
    mpfr_clear(t);
}

void
ref_curve_delta(const struct ref_curve *c, double epsilon, mpfr_t out)
{
    mpfr_t y, d;

    mpfr_init2(y, CURVE_BITS);
    mpfr_init2(d, CURVE_BITS);
    mpfr_ui_sub(out, 1, c->finite, MPFR_RNDN);
    for (size_t i = 0; i < c->n; i++) {
        mpfr_d_sub(y, epsilon, c->loss[i], MPFR_RNDN);
        if (c->smooth)
            smooth_delta(c, y, d);
        else
            plain_delta(y, d);
        mpfr_mul(d, d, c->mass[i], MPFR_RNDN);
        mpfr_add(out, out, d, MPFR_RNDN);
    }
    /* A probability; its sum may exceed 1 by a rounding error. */
    if (mpfr_cmp_ui(out, 1) > 0)
        mpfr_set_ui(out, 1, MPFR_RNDN);
    mpfr_clear(y);
    mpfr_clear(d);
}

const char *
ref_curve_check(const struct ref_curve *c, double delta, struct bounds b,
                double *loose)
{
    const char *wrong = NULL;
    double low, high;
    mpfr_t d;

    mpfr_init2(d, CURVE_BITS);
    *loose = 0;
    if (!(b.low >= 0) || !(b.high >= b.low)) {
        wrong = "no interval";
    } else if (isfinite(b.high)) {
        ref_curve_delta(c, b.high, d);
        if (mpfr_cmp_d(d, delta) > 0)
            wrong = "high is below the true value";
        high = mpfr_get_d(d, MPFR_RNDN);
        ref_curve_delta(c, b.low, d);
        if (b.low > 0 && mpfr_cmp_d(d, delta) < 0)
            wrong = "low is above the true value";
        low = mpfr_get_d(d, MPFR_RNDN);
        /* By a chord in ln delta; where delta jumps or is 0, the full width. */
        *loose = b.high - b.low;
        if (high > 0 && low > high && low > delta)
            *loose *=
                fmin((log(delta) - log(high)) / (log(low) - log(high)), 1);
        else if (low <= delta)
            *loose = b.high;
    }
    mpfr_clear(d);
    return wrong;
}
