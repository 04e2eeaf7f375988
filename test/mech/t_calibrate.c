/*
 * Calibration. A6: our sigma is compared with an independent computation with
 * 200 bits, for random parameters. That computation uses other formulas where
 * they exist: erfc of the argument itself, plain sums, a golden-section search
 * for the order.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "mech/calibrate.h"
#include "num/ival_more.h"
#include "num/rat_round.h"
#include "support/said.h"
#include "support/support.h"

enum { BITS = 200 };

static uint64_t seed = 77;

static uint64_t
next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ------------------------------------------ the independent computation -- */

/* P[Z > x] */
static void
upper_normal(mpfr_t r, const mpfr_t x)
{
    mpfr_t root;

    mpfr_init2(root, BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(r, x, root, MPFR_RNDN);
    mpfr_erfc(r, r, MPFR_RNDN);
    mpfr_div_ui(r, r, 2, MPFR_RNDN);
    mpfr_clear(root);
}

static void
analytic(mpfr_t delta, const mpfr_t sigma, const mpfr_t d, const mpfr_t eps)
{
    mpfr_t a, b, x;

    mpfr_inits2(BITS, a, b, x, (mpfr_ptr)0);
    mpfr_div(a, d, sigma, MPFR_RNDN);
    mpfr_div_ui(a, a, 2, MPFR_RNDN);
    mpfr_mul(b, eps, sigma, MPFR_RNDN);
    mpfr_div(b, b, d, MPFR_RNDN);
    mpfr_sub(x, b, a, MPFR_RNDN);
    upper_normal(x, x);
    mpfr_add(a, a, b, MPFR_RNDN);
    upper_normal(a, a);
    mpfr_exp(b, eps, MPFR_RNDN);
    mpfr_mul(a, a, b, MPFR_RNDN);
    mpfr_sub(delta, x, a, MPFR_RNDN);
    mpfr_clears(a, b, x, (mpfr_ptr)0);
}

/* Directly by definition: the sum over y of (P[y] - e^eps P[y + d])+. */
static void
discrete(mpfr_t delta, const mpfr_t sigma, long d, const mpfr_t eps)
{
    mpfr_t v, e, all, p, q;
    long reach;

    mpfr_inits2(BITS, v, e, all, p, q, (mpfr_ptr)0);
    mpfr_sqr(v, sigma, MPFR_RNDN);
    mpfr_exp(e, eps, MPFR_RNDN);
    mpfr_set_zero(all, 1);
    mpfr_set_zero(delta, 1);
    reach = (long)(45 * mpfr_get_d(sigma, MPFR_RNDU)) + d + 3;
    for (long y = -reach; y <= reach; y++) {
        mpfr_set_si(p, y, MPFR_RNDN);
        mpfr_sqr(p, p, MPFR_RNDN);
        mpfr_div(p, p, v, MPFR_RNDN);
        mpfr_div_si(p, p, -2, MPFR_RNDN);
        mpfr_exp(p, p, MPFR_RNDN);
        mpfr_add(all, all, p, MPFR_RNDN);
        mpfr_set_si(q, y + d, MPFR_RNDN);
        mpfr_sqr(q, q, MPFR_RNDN);
        mpfr_div(q, q, v, MPFR_RNDN);
        mpfr_div_si(q, q, -2, MPFR_RNDN);
        mpfr_exp(q, q, MPFR_RNDN);
        mpfr_mul(q, q, e, MPFR_RNDN);
        if (mpfr_greater_p(p, q)) {
            mpfr_sub(p, p, q, MPFR_RNDN);
            mpfr_add(delta, delta, p, MPFR_RNDN);
        }
    }
    mpfr_div(delta, delta, all, MPFR_RNDN);
    mpfr_clears(v, e, all, p, q, (mpfr_ptr)0);
}

/* ln of the bound at order 1 + exp(x). */
static void
zcdp_at(mpfr_t r, const mpfr_t rho, const mpfr_t eps, const mpfr_t x)
{
    mpfr_t a, t;

    mpfr_inits2(BITS, a, t, (mpfr_ptr)0);
    mpfr_exp(a, x, MPFR_RNDN);
    mpfr_add_ui(a, a, 1, MPFR_RNDN);
    mpfr_mul(r, a, rho, MPFR_RNDN);
    mpfr_sub(r, r, eps, MPFR_RNDN);
    mpfr_sub_ui(t, a, 1, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    mpfr_sub(r, r, x, MPFR_RNDN);
    mpfr_div(t, t, a, MPFR_RNDN);
    mpfr_log(t, t, MPFR_RNDN);
    mpfr_mul(t, t, a, MPFR_RNDN);
    mpfr_add(r, r, t, MPFR_RNDN);
    mpfr_clears(a, t, (mpfr_ptr)0);
}

/* The least bound over all orders a, by golden section on ln(a - 1). */
static void
zcdp(mpfr_t delta, const mpfr_t sigma, const mpfr_t d, const mpfr_t eps)
{
    mpfr_t rho, low, high, x, y, fx, fy, gold;

    mpfr_inits2(BITS, rho, low, high, x, y, fx, fy, gold, (mpfr_ptr)0);
    mpfr_div(rho, d, sigma, MPFR_RNDN);
    mpfr_sqr(rho, rho, MPFR_RNDN);
    mpfr_div_ui(rho, rho, 2, MPFR_RNDN);
    mpfr_sqrt_ui(gold, 5, MPFR_RNDN);
    mpfr_sub_ui(gold, gold, 1, MPFR_RNDN);
    mpfr_div_ui(gold, gold, 2, MPFR_RNDN);
    mpfr_set_si(low, -80, MPFR_RNDN);
    mpfr_set_si(high, 80, MPFR_RNDN);
    for (int i = 0; i < 150; i++) {
        mpfr_sub(x, high, low, MPFR_RNDN);
        mpfr_mul(x, x, gold, MPFR_RNDN);
        mpfr_add(y, low, x, MPFR_RNDN);
        mpfr_sub(x, high, x, MPFR_RNDN);
        zcdp_at(fx, rho, eps, x);
        zcdp_at(fy, rho, eps, y);
        if (mpfr_less_p(fx, fy))
            mpfr_set(high, y, MPFR_RNDN);
        else
            mpfr_set(low, x, MPFR_RNDN);
    }
    mpfr_exp(delta, fx, MPFR_RNDN);
    mpfr_clears(rho, low, high, x, y, fx, fy, gold, (mpfr_ptr)0);
}

static void
classical(mpfr_t sigma, const mpfr_t delta, long d, const mpfr_t eps)
{
    mpfr_d_div(sigma, 1.25, delta, MPFR_RNDN);
    mpfr_log(sigma, sigma, MPFR_RNDN);
    mpfr_mul_ui(sigma, sigma, 2, MPFR_RNDN);
    mpfr_sqrt(sigma, sigma, MPFR_RNDN);
    mpfr_mul_si(sigma, sigma, d, MPFR_RNDN);
    mpfr_div(sigma, sigma, eps, MPFR_RNDN);
}

static void
delta_of(custos_calibration c, mpfr_t delta, const mpfr_t sigma, long d,
         const mpfr_t eps)
{
    mpfr_t width;

    mpfr_init2(width, BITS);
    mpfr_set_si(width, d, MPFR_RNDN);
    if (c == CUSTOS_ANALYTIC)
        analytic(delta, sigma, width, eps);
    else if (c == CUSTOS_EXACT)
        discrete(delta, sigma, d, eps);
    else
        zcdp(delta, sigma, width, eps);
    mpfr_clear(width);
}

/* ----------------------------------------------------------------- fuzz -- */

struct sample {
    char eps[32], delta[32], squared[32];
    long d;
};

static struct sample
sample_make(custos_calibration c)
{
    static const char *eps[] = {"0.01", "0.1", "1/3", "0.999", "1", "3", "10"};
    struct sample s;
    size_t choices = c == CUSTOS_CLASSICAL ? 4 : 7;

    s.d = 1 + (long)(next() % 5);
    snprintf(s.eps, sizeof s.eps, "%s", eps[next() % choices]);
    snprintf(s.delta, sizeof s.delta, "%ue-%u", 1 + (unsigned)(next() % 9),
             1 + (unsigned)(next() % 20));
    snprintf(s.squared, sizeof s.squared, "%ld", s.d * s.d);
    return s;
}

/* true sigma <= ours <= true sigma (1 + 1e-12), for one sample. */
static void
sample_check(custos_calibration c, const struct sample *s)
{
    char sigma[CUSTOS_NUMBER_MAX];
    mpfr_t ours, eps, delta, got;
    rat q;

    mpfr_inits2(BITS, ours, eps, delta, got, (mpfr_ptr)0);
    rat_init(&q);
    assert_int_equal(
        custos_gauss_sigma(c, s->eps, s->delta, s->squared, sigma, NULL),
        CUSTOS_OK);
    assert_int_equal(rat_read(s->eps, "eps", &q, NULL), CUSTOS_OK);
    mpfr_set_q(eps, q.q, MPFR_RNDN);
    assert_int_equal(rat_read(s->delta, "delta", &q, NULL), CUSTOS_OK);
    mpfr_set_q(delta, q.q, MPFR_RNDN);
    assert_int_equal(rat_read(sigma, "sigma", &q, NULL), CUSTOS_OK);
    mpfr_set_q(ours, q.q, MPFR_RNDN);
    if (c == CUSTOS_CLASSICAL) {
        classical(got, delta, s->d, eps);
        assert_true(mpfr_greaterequal_p(ours, got));
        mpfr_mul_d(got, got, 1 + 1e-12, MPFR_RNDD);
        assert_true(mpfr_lessequal_p(ours, got));
    } else {
        delta_of(c, got, ours, s->d, eps);
        assert_true(mpfr_lessequal_p(got, delta));
        mpfr_mul_d(ours, ours, 1 - 1e-12, MPFR_RNDD);
        delta_of(c, got, ours, s->d, eps);
        assert_true(mpfr_greater_p(got, delta));
    }
    rat_clear(&q);
    mpfr_clears(ours, eps, delta, got, (mpfr_ptr)0);
}

static void
calibrate_fuzz(void **state)
{
    int rounds = getenv("CUSTOS_QUICK") ? 1 : 12;

    (void)state;
    for (int i = 0; i < rounds; i++)
        for (int c = CUSTOS_CLASSICAL; c <= CUSTOS_ZCDP; c++) {
            struct sample s = sample_make((custos_calibration)c);

            /* The sum of the definition is long if sigma is large. */
            if (c == CUSTOS_EXACT && !strcmp(s.eps, "0.01"))
                continue;
            sample_check((custos_calibration)c, &s);
        }
}

/* The sigma returned is certified; a sigma just below is certified to fail. */
static void
calibrate_is_least(void **state)
{
    static const char *eps[] = {"6e-20", "1e-9", "0.5", "1000", "1048575"};
    static const char *deltas[] = {"0.999999999", "1e-6", "1e-300"};

    (void)state;
    for (size_t i = getenv("CUSTOS_QUICK") ? 4 : 0; i < COUNT_OF(eps); i++)
        for (size_t j = 0; j < COUNT_OF(deltas); j += (size_t)test_size(3, 1))
            for (int route = GAUSS_ANALYTIC; route <= GAUSS_VECTOR; route++) {
                struct gauss_point p;
                rat delta, sigma, less;

                gauss_point_init(&p);
                rat_init(&delta);
                rat_init(&sigma);
                rat_init(&less);
                rat_set_i64(&p.sensitivity_squared, 9, 1);
                assert_int_equal(rat_read(eps[i], "eps", &p.epsilon, NULL), 0);
                assert_int_equal(rat_read(deltas[j], "delta", &delta, NULL), 0);
                assert_int_equal(calibrate_sigma((enum gauss_route)route, &p,
                                                 &delta, &sigma, NULL),
                                 CUSTOS_OK);
                assert_true(
                    gauss_delta_at_most((enum gauss_route)route, &p, &delta));
                rat_set_pow2(&less, -45);
                rat_mul(&less, &less, &sigma);
                rat_sub(&less, &sigma, &less);
                rat_mul(&p.variance, &less, &less);
                assert_false(
                    gauss_delta_at_most((enum gauss_route)route, &p, &delta));
                gauss_point_clear(&p);
                rat_clear(&delta);
                rat_clear(&sigma);
                rat_clear(&less);
            }
}

/* ------------------------------------------------------ the delta itself -- */

/* Our enclosure of delta against the definition or the other formula. */
static void
enclosure_check(custos_calibration c, enum gauss_route route, const char *sigma,
                const char *eps, long d)
{
    struct gauss_point p;
    mpfr_t s, e, got, near;
    ival delta;
    rat q;

    mpfr_inits2(BITS, s, e, got, near, (mpfr_ptr)0);
    gauss_point_init(&p);
    ival_init(&delta, 128);
    rat_init(&q);
    assert_int_equal(rat_read(sigma, "sigma", &q, NULL), CUSTOS_OK);
    mpfr_set_q(s, q.q, MPFR_RNDN);
    rat_mul(&p.variance, &q, &q);
    rat_set_i64(&p.sensitivity_squared, d * d, 1);
    assert_int_equal(rat_read(eps, "eps", &p.epsilon, NULL), CUSTOS_OK);
    mpfr_set_q(e, p.epsilon.q, MPFR_RNDN);
    delta_of(c, got, s, d, e);
    gauss_delta(route, &p, &delta);
    /* The other computation is accurate to about 150 of its 200 bits. */
    mpfr_mul_d(near, got, 1 - 0x1p-40, MPFR_RNDD);
    assert_true(mpfr_greater_p(delta.lo, near));
    mpfr_mul_d(near, got, 1 + 0x1p-40, MPFR_RNDU);
    assert_true(mpfr_less_p(delta.hi, near));
    assert_true(ival_is_narrow(&delta, 60));
    gauss_point_clear(&p);
    ival_clear(&delta);
    rat_clear(&q);
    mpfr_clears(s, e, got, near, (mpfr_ptr)0);
}

static void
gauss_delta_discrete_agrees_with_its_definition(void **state)
{
    static const char *sigmas[] = {"0.3", "1", "2.5", "15.9", "16.1", "120"};
    static const char *eps[] = {"0.001", "0.3", "1", "4"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sigmas) - (size_t)test_size(1, 0); i++)
        for (size_t j = 0; j < COUNT_OF(eps); j++)
            for (long d = 1; d <= test_size(1, 3); d++)
                /*
                 * The plain sum's 200 bits are not enough if delta is below
                 * 1e-50.
                 */
                if (!(j == 3 && i > 2) && !(j == 2 && i == 5))
                    enclosure_check(CUSTOS_EXACT, GAUSS_DISCRETE, sigmas[i],
                                    eps[j], d);
}

static void
gauss_delta_analytic_agrees_with_quadrature(void **state)
{
    static const char *sigmas[] = {"0.3", "1", "2.5", "15.9"};
    static const char *eps[] = {"0.001", "0.3", "1"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sigmas); i++)
        for (size_t j = 0; j < COUNT_OF(eps); j++) {
            char delta[CUSTOS_NUMBER_MAX];
            double s = strtod(sigmas[i], NULL), sum = 0, step = s / 4096;
            double e = exp(strtod(eps[j], NULL)), f = s * sqrt(2 * acos(-1.0));

            enclosure_check(CUSTOS_ANALYTIC, GAUSS_ANALYTIC, sigmas[i], eps[j],
                            2);
            /* The definition again: the integral of (p - e^eps q)+. */
            for (double x = -12 * s - 2; x < 12 * s + 2; x += step) {
                double p = exp(-(x + step / 2) * (x + step / 2) / (2 * s * s));
                double q =
                    exp(-(x + 2 + step / 2) * (x + 2 + step / 2) / (2 * s * s));

                sum += p > e * q ? (p - e * q) * step / f : 0;
            }
            assert_int_equal(custos_gauss_delta(CUSTOS_ANALYTIC, sigmas[i],
                                                eps[j], "4", delta, NULL),
                             CUSTOS_OK);
            if (sum > 1e-9)
                assert_true(fabs(strtod(delta, NULL) / sum - 1) < 1e-5);
        }
}

/* At every epsilon the delta by zCDP is above the exact one. */
static void
gauss_delta_zcdp_bounds_the_discrete_law(void **state)
{
    static const char *sigmas[] = {"0.3", "1", "4", "40"};
    static const char *eps[] = {"0.01", "0.1", "0.5", "1"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sigmas); i++)
        for (size_t j = 0; j < COUNT_OF(eps); j++) {
            char exact[CUSTOS_NUMBER_MAX], bound[CUSTOS_NUMBER_MAX];
            rat a, b;

            rat_init(&a);
            rat_init(&b);
            assert_int_equal(custos_gauss_delta(CUSTOS_EXACT, sigmas[i], eps[j],
                                                "1", exact, NULL),
                             CUSTOS_OK);
            assert_int_equal(custos_gauss_delta(CUSTOS_ZCDP, sigmas[i], eps[j],
                                                "1", bound, NULL),
                             CUSTOS_OK);
            assert_int_equal(rat_read(exact, "a", &a, NULL), CUSTOS_OK);
            assert_int_equal(rat_read(bound, "b", &b, NULL), CUSTOS_OK);
            assert_true(rat_cmp(&a, &b) < 0);
            rat_clear(&a);
            rat_clear(&b);
        }
}

static void
gauss_delta_discrete_rises_with_the_shift(void **state)
{
    static const char *sigmas[] = {"0.4", "1", "3.7", "20", "1e6", "1e17"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sigmas); i++) {
        rat last, now;

        rat_init(&last);
        rat_init(&now);
        for (int d = 1; d <= test_size(3, 12); d++) {
            char squared[16], delta[CUSTOS_NUMBER_MAX];

            snprintf(squared, sizeof squared, "%d", d * d);
            assert_int_equal(custos_gauss_delta(CUSTOS_EXACT, sigmas[i],
                                                i < 4 ? "0.3" : "1e-6", squared,
                                                delta, NULL),
                             CUSTOS_OK);
            assert_int_equal(rat_read(delta, "delta", &now, NULL), CUSTOS_OK);
            if (rat_cmp_i64(&last, 1) < 0 && rat_sign(&now) > 0)
                assert_true(rat_cmp(&now, &last) >= 0);
            rat_set(&last, &now);
        }
        assert_true(rat_sign(&last) > 0);
        rat_clear(&last);
        rat_clear(&now);
    }
}

/* ------------------------------------------------------ worked examples -- */

/* Why the classical formula is rejected for an epsilon of 1 or more. */
static void
classical_formula_fails_at_ten(void **state)
{
    char sigma[CUSTOS_NUMBER_MAX], delta[CUSTOS_NUMBER_MAX];
    custos_err err = CUSTOS_ERR_INIT;
    double got;

    (void)state;
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_CLASSICAL, "10", "1e-5", "1", sigma, &err),
        CUSTOS_ERANGE);
    assert_string_equal(whole_said(&err),
                        "the classical calibration needs epsilon below 1");
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_CLASSICAL, "1", "1e-5", "1", sigma, NULL),
        CUSTOS_ERANGE);
    /* the classical sigma: sqrt(2 ln(1.25e5)) / 10 */
    assert_int_equal(custos_gauss_delta(CUSTOS_ANALYTIC, "0.48448052", "10",
                                        "1", delta, NULL),
                     CUSTOS_OK);
    got = strtod(delta, NULL);
    assert_true(got > 2.25e-5 && got < 2.35e-5);
}

/*
 * At sigma 1, delta(0) is 0.3989 for discrete noise and 0.3829 for continuous.
 */
static void
discrete_law_is_not_the_continuous_one(void **state)
{
    char delta[CUSTOS_NUMBER_MAX];

    (void)state;
    assert_int_equal(
        custos_gauss_delta(CUSTOS_EXACT, "1", "1e-9", "1", delta, NULL),
        CUSTOS_OK);
    assert_true(fabs(strtod(delta, NULL) - 0.3989) < 1e-4);
    assert_int_equal(
        custos_gauss_delta(CUSTOS_ANALYTIC, "1", "1e-9", "1", delta, NULL),
        CUSTOS_OK);
    assert_true(fabs(strtod(delta, NULL) - 0.3829) < 1e-4);
}

/* The epsilon computed from a calibrated sigma is the requested one. */
static void
epsilon_goes_there_and_back(void **state)
{
    static const char *eps[] = {"0.1", "1", "7"};

    (void)state;
    for (size_t i = (size_t)test_size(2, 0); i < COUNT_OF(eps); i++)
        for (int c = CUSTOS_ANALYTIC; c <= CUSTOS_ZCDP; c++) {
            char sigma[CUSTOS_NUMBER_MAX], back[CUSTOS_NUMBER_MAX];
            char delta[CUSTOS_NUMBER_MAX];
            double e = strtod(eps[i], NULL);
            custos_calibration k = (custos_calibration)c;

            assert_int_equal(
                custos_gauss_sigma(k, eps[i], "1e-7", "4", sigma, NULL),
                CUSTOS_OK);
            assert_int_equal(
                custos_gauss_epsilon(k, sigma, "1e-7", "4", back, NULL),
                CUSTOS_OK);
            assert_true(fabs(strtod(back, NULL) / e - 1) < 1e-11);
            assert_int_equal(
                custos_gauss_delta(k, sigma, eps[i], "4", delta, NULL),
                CUSTOS_OK);
            assert_true(fabs(strtod(delta, NULL) / 1e-7 - 1) < 1e-10);
        }
    {
        char tiny[CUSTOS_NUMBER_MAX];

        /* With enough noise for epsilon 0, the smallest epsilon is returned. */
        assert_int_equal(
            custos_gauss_epsilon(CUSTOS_EXACT, "1000", "0.5", "1", tiny, NULL),
            CUSTOS_OK);
        assert_true(strtod(tiny, NULL) == 0x1p-64);
    }
}

/* A delta within 2^-300 of the exact one is still compared correctly. */
static void
close_deltas_are_told_apart(void **state)
{
    (void)state;
    for (int route = GAUSS_ANALYTIC; route <= GAUSS_DISCRETE; route++) {
        struct gauss_point p;
        rat delta;
        ival x;

        gauss_point_init(&p);
        rat_init(&delta);
        ival_init(&x, 400);
        rat_set_i64(&p.variance, 7, 1);
        rat_set_i64(&p.sensitivity_squared, 4, 1);
        rat_set_i64(&p.epsilon, 1, 3);
        gauss_delta((enum gauss_route)route, &p, &x);
        ival_up(&x, &delta);
        assert_true(gauss_delta_at_most((enum gauss_route)route, &p, &delta));
        ival_down(&x, &delta);
        assert_false(gauss_delta_at_most((enum gauss_route)route, &p, &delta));
        gauss_point_clear(&p);
        rat_clear(&delta);
        ival_clear(&x);
    }
}

/*
 * For an extreme sigma the delta is an upper bound, 1 or almost 0, and takes no
 * long computation.
 */
static void
delta_at_the_ends(void **state)
{
    static const char *sigmas[] = {"1e-300", "1e300"};
    static const char *expected[] = {"1", "1e-400"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int c = CUSTOS_ANALYTIC; c <= CUSTOS_ZCDP; c++) {
            char delta[CUSTOS_NUMBER_MAX];

            assert_int_equal(custos_gauss_delta((custos_calibration)c,
                                                sigmas[i], "1", "1", delta,
                                                NULL),
                             CUSTOS_OK);
            assert_string_equal(delta, expected[i]);
        }
}

static void
calibrate_refuses(void **state)
{
    char t[CUSTOS_NUMBER_MAX] = "unset";
    custos_calibration none = (custos_calibration)9;

    (void)state;
    assert_int_equal(custos_gauss_sigma(none, "1", "0.1", "1", t, NULL), 1);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_EXACT, NULL, "0.1", "1", t, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_EXACT, "1", "0.1", "1", NULL, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_sigma(CUSTOS_EXACT, "1", "0.1", "2", t, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_EXACT, "1", "0.1", "1e100", t, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_sigma(CUSTOS_EXACT, "1", "1", "1", t, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_gauss_sigma(CUSTOS_EXACT, "0", "0.1", "1", t, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_EXACT, "1048576", "0.1", "1", t, NULL),
        CUSTOS_ERANGE);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_EXACT, "1e-20", "0.1", "1", t, NULL),
        CUSTOS_ERANGE);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_ZCDP, "1e-9", "0.1", "1", t, NULL),
        CUSTOS_ERANGE);
    assert_int_equal(custos_gauss_sigma(CUSTOS_EXACT, "1", NULL, "1", t, NULL),
                     CUSTOS_EPARSE);
    assert_int_equal(custos_gauss_sigma(CUSTOS_ZCDP, "1", "0.1", "x", t, NULL),
                     CUSTOS_EPARSE);
    assert_int_equal(
        custos_gauss_delta(CUSTOS_CLASSICAL, "1", "1", "1", t, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_delta(CUSTOS_ZCDP, NULL, "1", "1", t, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_delta(CUSTOS_ZCDP, "1", NULL, "1", t, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_delta(CUSTOS_ZCDP, "1", "1", "1", NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_delta(CUSTOS_ZCDP, "-1", "1", "1", t, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_CLASSICAL, "1", "0.1", "1", t, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_ZCDP, NULL, "0.1", "1", t, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_ZCDP, "1", "0.1", "1", NULL, NULL),
        CUSTOS_EINVAL);
    assert_int_equal(custos_gauss_epsilon(CUSTOS_ZCDP, "1", "0", "1", t, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(
        custos_gauss_epsilon(CUSTOS_ZCDP, "1", "0.1", "0", t, NULL),
        CUSTOS_ERANGE);
    assert_string_equal(t, "unset");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibrate_fuzz),
        cmocka_unit_test(calibrate_is_least),
        cmocka_unit_test(gauss_delta_discrete_agrees_with_its_definition),
        cmocka_unit_test(gauss_delta_analytic_agrees_with_quadrature),
        cmocka_unit_test(gauss_delta_zcdp_bounds_the_discrete_law),
        cmocka_unit_test(gauss_delta_discrete_rises_with_the_shift),
        cmocka_unit_test(classical_formula_fails_at_ten),
        cmocka_unit_test(discrete_law_is_not_the_continuous_one),
        cmocka_unit_test(epsilon_goes_there_and_back),
        cmocka_unit_test(close_deltas_are_told_apart),
        cmocka_unit_test(delta_at_the_ends),
        cmocka_unit_test(calibrate_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
