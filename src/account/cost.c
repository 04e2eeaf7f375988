/*
 * The price of one release. A pure mechanism is priced like randomized
 * response, unless a sharper bound is proved for it; a Gaussian is priced by
 * its ratio D/sigma.
 */
#include "account/cost.h"

#include "account/convert.h"
#include "account/curve.h"
#include "account/laplace.h"
#include "account/search.h"
#include "num/batch.h"

enum { BITS = 320 };

/* r = D^2 / sigma^2 */
static void
gauss_ratio(const struct mechanism *m, rat *r)
{
    rat_div(r, &m->sensitivity_squared, &m->sigma);
    rat_div(r, r, &m->sigma);
}

/*
 * THEOREM  sampling-approx
 *   An (epsilon, delta)-DP mechanism on a Poisson sample of rate q is
 *   (ln(1 + q (e^epsilon - 1)), q delta)-DP under add/remove.
 * SOURCE   Balle, Barthe, Gaboardi 2018, arXiv:1807.01647, theorem 8.
 * NEEDS    0 < q <= 1, neighbours by add/remove, the sample is secret and
 *          drawn anew for every release.
 * GIVES    epsilon rounded up; exactly epsilon at q = 1.
 * FAILS    cannot.
 * TESTED   mechanism_sampling_against_two_outcomes
 */
static void
sampled_epsilon_up(const rat *epsilon, const rat *q, rat *out)
{
    ival x;
    rat up;

    if (rat_cmp_i64(q, 1) == 0) {
        rat_set(out, epsilon);
        return;
    }
    ival_init(&x, BITS);
    rat_init(&up);
    ival_set_rat(&x, epsilon);
    ival_expm1(&x, &x);
    ival_mul_rat(&x, &x, q);
    ival_log1p(&x, &x);
    if (!bound_up(&x, &up) || rat_cmp(&up, epsilon) > 0)
        rat_set(&up, epsilon);
    rat_set(out, &up);
    ival_clear(&x);
    rat_clear(&up);
}

bool
cost_epsilon_up(const struct mechanism *m, rat *epsilon)
{
    if (mechanism_is_gaussian(m))
        return false;
    sampled_epsilon_up(&m->epsilon, &m->sample, epsilon);
    return true;
}

void
cost_delta(const struct mechanism *m, rat *delta)
{
    rat_mul(delta, &m->delta, &m->sample);
}

/* The rho proved for a kind of epsilon-DP mechanism alone, before sampling;
   false if there is none. */
static bool
own_rho_up(const struct mechanism *m, rat *rho)
{
    rat eighth;

    switch (m->kind) {
    case MECHANISM_LAPLACE:
        laplace_continuous_rho_up(&m->epsilon, rho);
        return true;
    case MECHANISM_DISCRETE_LAPLACE:
        laplace_rho_up(&m->epsilon, &m->sensitivity, NULL, rho);
        return true;
    case MECHANISM_EXPONENTIAL:
        rat_init(&eighth);
        rat_set_i64(&eighth, 1, 8);
        rat_mul(rho, &m->epsilon, &m->epsilon);
        rat_mul(rho, rho, &eighth);
        rat_clear(&eighth);
        return true;
    default: return false;
    }
}

/*
 * THEOREM  cost-zcdp
 *   Gaussian noise, discrete or not, of deviation sigma on l2 sensitivity D is
 *   D^2/2sigma^2-zCDP; the exponential mechanism with range epsilon is
 *   epsilon^2/8-zCDP; every epsilon-DP mechanism is
 *   epsilon tanh(epsilon/2)-zCDP, and Laplace noise has the rho of laplace-rho.
 *   Poisson sampling does not raise any of them.
 * SOURCE   Bun, Steinke 2016, arXiv:1605.02065, proposition 1.6; Canonne,
 *          Kamath, Steinke 2020, arXiv:2004.00010, theorem 4; Cesar, Rogers
 *          2021, arXiv:2004.07223 (bounded range); doc/proofs/pure-to-all.md,
 *          doc/proofs/laplace-rho.md; sampling: the divergence is quasi-convex.
 * NEEDS    parameters in the range that mechanism_read accepts.
 * GIVES    rho rounded up, which holds up to cost_delta.
 * FAILS    cannot.
 * TESTED   mechanism_rho_bounds_the_curve mechanism_prices_known
 */
void
cost_rho_up(const struct mechanism *m, rat *rho)
{
    rat x;

    rat_init(&x);
    if (mechanism_is_gaussian(m)) {
        gauss_ratio(m, rho);
        rat_set_i64(&x, 1, 2);
        rat_mul(rho, rho, &x);
    } else {
        sampled_epsilon_up(&m->epsilon, &m->sample, &x);
        pure_rho_up(&x, rho);
        if (own_rho_up(m, &x) && rat_cmp(&x, rho) < 0)
            rat_set(rho, &x);
    }
    rat_clear(&x);
}

/* loss = the smaller of loss and alpha * rho. */
static void
cap_by_rho(const struct mechanism *m, const rat *alpha, rat *loss)
{
    rat x;

    rat_init(&x);
    cost_rho_up(m, &x);
    rat_mul(&x, &x, alpha);
    if (rat_cmp(&x, loss) < 0)
        rat_set(loss, &x);
    rat_clear(&x);
}

bool
cost_rdp_up(const struct mechanism *m, const rat *alpha, rat *loss)
{
    rat ratio;

    if (rat_sign(&m->delta) > 0)
        return false;
    if (mechanism_is_gaussian(m)) {
        rat_init(&ratio);
        gauss_ratio(m, &ratio);
        if (mechanism_is_sampled(m))
            curve_sampled_gauss_up(&ratio, &m->sample, alpha, loss);
        else
            curve_gauss(&ratio, alpha, loss);
        rat_clear(&ratio);
        return true;
    }
    if (mechanism_is_sampled(m))
        curve_sampled_response_up(&m->epsilon, &m->sample, alpha, loss);
    else if (m->kind == MECHANISM_LAPLACE)
        curve_laplace_up(&m->epsilon, alpha, loss);
    else if (m->kind == MECHANISM_DISCRETE_LAPLACE)
        curve_discrete_laplace_up(&m->epsilon, &m->sensitivity, alpha, loss);
    else if (m->kind == MECHANISM_RESPONSE)
        curve_response_up(&m->epsilon, m->values, alpha, loss);
    else
        pure_rdp_up(&m->epsilon, alpha, loss);
    if (m->kind == MECHANISM_EXPONENTIAL || mechanism_is_sampled(m))
        cap_by_rho(m, alpha, loss); /* the other curves never exceed it */
    return true;
}

bool
cost_mu_squared_up(const struct mechanism *m, rat *mu_squared)
{
    rat x;

    if (m->kind == MECHANISM_DISCRETE_GAUSSIAN)
        return false;
    if (m->kind == MECHANISM_GAUSSIAN) {
        gauss_ratio(m, mu_squared);
        return true;
    }
    rat_init(&x);
    sampled_epsilon_up(&m->epsilon, &m->sample, &x);
    pure_mu_squared_up(&x, mu_squared);
    rat_clear(&x);
    return true;
}

/* The Gaussian's epsilon: exact for continuous noise; otherwise by zCDP. */
static bool
gauss_epsilon_at(const struct mechanism *m, const rat *delta, rat *epsilon)
{
    bool got;
    rat x;

    rat_init(&x);
    gauss_ratio(m, &x);
    if (m->kind == MECHANISM_GAUSSIAN) {
        got = gdp_epsilon_up(&x, delta, epsilon);
    } else {
        cost_rho_up(m, &x);
        got = zcdp_epsilon_up(&x, delta, epsilon);
    }
    rat_clear(&x);
    return got;
}

bool
cost_epsilon_at_up(const struct mechanism *m, const rat *delta, rat *epsilon)
{
    bool got = false;
    rat base;

    rat_init(&base);
    rat_div(&base, delta, &m->sample);
    if (rat_cmp_i64(&base, 1) >= 0) {
        rat_set_i64(epsilon, 0, 1); /* P[the unit is sampled] <= delta */
        got = true;
    } else if (mechanism_is_gaussian(m)) {
        got = gauss_epsilon_at(m, &base, epsilon);
    } else {
        got = approx_epsilon_up(&m->epsilon, &m->delta, &base, epsilon);
    }
    if (got)
        sampled_epsilon_up(epsilon, &m->sample, epsilon);
    rat_clear(&base);
    return got;
}
