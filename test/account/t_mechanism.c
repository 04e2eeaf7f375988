/*
 * Mechanisms: which texts are read and which rejected, and every price against
 * sums and integrals with 200 bits.
 */
#include "account/mechanism.h"

#include "account/convert.h"
#include "account/cost.h"
#include "account/mp.h"
#include "support/said.h"

static void
read_or_fail(struct mechanism *m, const char *text)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (mechanism_read(text, CUSTOS_ADD_REMOVE, m, &err))
        fail_msg("%s: %s", text, err.said);
}

static void
check_number(const rat *x, const char *want)
{
    rat y = mp_rat(want);

    assert_int_equal(rat_cmp(x, &y), 0);
    rat_clear(&y);
}

static void
mechanism_reads(void **state)
{
    struct mechanism m;

    (void)state;
    mechanism_init(&m);
    read_or_fail(&m, "laplace:epsilon=0.1:count=100");
    assert_int_equal(m.kind, MECHANISM_LAPLACE);
    check_number(&m.epsilon, "1/10");
    assert_int_equal(m.count, 100);
    assert_false(mechanism_is_sampled(&m));
    read_or_fail(&m, "laplace:scale=20:sensitivity=3");
    check_number(&m.epsilon, "3/20");
    check_number(&m.sigma, "0");
    read_or_fail(&m, "geometric:scale=10:sensitivity=2");
    assert_int_equal(m.kind, MECHANISM_DISCRETE_LAPLACE);
    check_number(&m.epsilon, "1/5");
    read_or_fail(&m, "gaussian:sigma=20:count=50:sensitivity=2:sample=0.01");
    check_number(&m.sensitivity_squared, "4");
    check_number(&m.sample, "1/100");
    assert_true(mechanism_is_sampled(&m));
    read_or_fail(&m, "discrete-gaussian:sensitivity-squared=2:sigma=1/3");
    check_number(&m.sensitivity_squared, "2");
    check_number(&m.sensitivity, "0");
    check_number(&m.sigma, "1/3");
    read_or_fail(&m, "randomized-response:epsilon=1:values=7");
    assert_int_equal(m.values, 7);
    read_or_fail(&m, "randomized-response:epsilon=1");
    assert_int_equal(m.values, 2);
    read_or_fail(&m, "generic:epsilon=1:delta=1e-9:count=9223372036854775808");
    assert_true(m.count == (uint64_t)1 << 63);
    read_or_fail(&m, "exponential:epsilon=1");
    read_or_fail(&m, "permute-and-flip:epsilon=1");
    read_or_fail(&m, "noisy-max:epsilon=1");
    read_or_fail(&m, "sparse-vector:epsilon=1:sample=1");
    assert_int_equal(m.kind, MECHANISM_SPARSE_VECTOR);
    assert_string_equal(mechanism_name(MECHANISM_DISCRETE_LAPLACE),
                        "discrete-laplace");
    mechanism_clear(&m);
}

static void
mechanism_refuses(void **state)
{
    static const struct {
        const char *text, *said;
        custos_status status;
    } cases[] = {
        {"gauss:sigma=1", "unknown mechanism \"gauss\"", CUSTOS_EINVAL},
        {"", "unknown mechanism \"\"", CUSTOS_EINVAL},
        {"laplace", "laplace needs either epsilon or scale", CUSTOS_EINVAL},
        {"laplace:epsilon=1:scale=1", "laplace needs either epsilon or scale",
         CUSTOS_EINVAL},
        {"laplace:sigma=1", "laplace has no key \"sigma\"", CUSTOS_EINVAL},
        {"laplace:epsilon", "epsilon of laplace has no value", CUSTOS_EINVAL},
        {"laplace:epsilon=1:epsilon=1", "epsilon of laplace is given twice",
         CUSTOS_EINVAL},
        {"laplace:", "laplace has no key \"\"", CUSTOS_EINVAL},
        {"laplace:epsilon=-1", "epsilon of laplace must be above 0, not \"-1\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=0", "epsilon of laplace must be above 0, not \"0\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=nan",
         "epsilon of laplace must be a number such as 0.1, 1e-6 or 1/3, not "
         "\"nan\"",
         CUSTOS_EPARSE},
        {"laplace:epsilon=inf",
         "epsilon of laplace must be a number such as 0.1, 1e-6 or 1/3, not "
         "\"inf\"",
         CUSTOS_EPARSE},
        {"laplace:epsilon=1:count=0",
         "count of laplace must be a whole number from 1 to "
         "9223372036854775808, not \"0\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=1:count=9223372036854775809",
         "count of laplace must be a whole number from 1 to "
         "9223372036854775808, not \"9223372036854775809\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=1:count=1.5",
         "count of laplace must be a whole number from 1 to "
         "9223372036854775808, not \"1.5\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=1:count=-3",
         "count of laplace must be a whole number from 1 to "
         "9223372036854775808, not \"-3\"",
         CUSTOS_ERANGE},
        {"laplace:epsilon=1e40",
         "epsilon of laplace must lie between 2^-64 and 2^20", CUSTOS_ERANGE},
        {"laplace:epsilon=1e-40",
         "epsilon of laplace must lie between 2^-64 and 2^20", CUSTOS_ERANGE},
        {"laplace:epsilon=1:sample=0",
         "sample of laplace must be above 0, not \"0\"", CUSTOS_ERANGE},
        {"laplace:epsilon=1:sample=1.01",
         "sample of laplace must lie in (0, 1], not \"1.01\"", CUSTOS_ERANGE},
        {"laplace:epsilon=1:sample=1e-30",
         "sample of laplace must lie between 2^-64 and 2^20", CUSTOS_ERANGE},
        {"discrete-laplace:epsilon=1:sensitivity=0.5",
         "sensitivity of discrete-laplace must be a whole number",
         CUSTOS_ERANGE},
        {"gaussian", "gaussian needs sigma", CUSTOS_EINVAL},
        {"gaussian:sigma=1:sensitivity=1:sensitivity-squared=1",
         "gaussian takes sensitivity or its square, not both", CUSTOS_EINVAL},
        {"gaussian:sigma=1e-9",
         "(sensitivity/sigma)^2 of gaussian must lie between 2^-64 and 2^20",
         CUSTOS_ERANGE},
        {"discrete-gaussian:sigma=1:sensitivity=1/2",
         "sensitivity of discrete-gaussian must be a whole number",
         CUSTOS_ERANGE},
        {"discrete-gaussian:sigma=1:sensitivity-squared=1/2",
         "sensitivity of discrete-gaussian must be a whole number",
         CUSTOS_ERANGE},
        {"randomized-response:epsilon=1:values=1",
         "values of randomized-response must be a whole number from 2 to "
         "4294967295, not \"1\"",
         CUSTOS_ERANGE},
        {"generic:epsilon=1:delta=1",
         "delta of generic must lie in [0, 1), not \"1\"", CUSTOS_ERANGE},
        {"generic:delta=0.1", "generic needs epsilon", CUSTOS_EINVAL},
    };
    char longer[400];
    struct mechanism m;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    mechanism_init(&m);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        err = (custos_err)CUSTOS_ERR_INIT;
        assert_int_equal(
            mechanism_read(cases[i].text, CUSTOS_ADD_REMOVE, &m, &err),
            cases[i].status);
        assert_string_equal(whole_said(&err), cases[i].said);
    }
    memset(longer, '1', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(mechanism_read(longer, CUSTOS_ADD_REMOVE, &m, &err),
                     CUSTOS_EINVAL);
    memcpy(longer, "laplace:epsilon=", 16);
    assert_int_equal(mechanism_read(longer, CUSTOS_ADD_REMOVE, &m, &err),
                     CUSTOS_EPARSE);
    assert_int_equal(mechanism_read(NULL, CUSTOS_ADD_REMOVE, &m, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(mechanism_read("laplace:epsilon=1", 7, &m, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(mechanism_read("laplace:epsilon=1:sample=0.5",
                                    CUSTOS_CHANGE_ONE, &m, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(whole_said(&err),
                        "sample of laplace is priced under add/remove only");
    mechanism_clear(&m);
}

/* ---------------------------------------------------------------- prices -- */

static void
mechanism_prices_known(void **state)
{
    struct mechanism m;
    rat x;

    (void)state;
    mechanism_init(&m);
    rat_init(&x);
    read_or_fail(&m, "gaussian:sigma=5:sensitivity=2");
    assert_false(cost_epsilon_up(&m, &x));
    cost_rho_up(&m, &x);
    check_number(&x, "2/25");
    assert_true(cost_mu_squared_up(&m, &x));
    check_number(&x, "4/25");
    read_or_fail(&m, "exponential:epsilon=0.4");
    cost_rho_up(&m, &x);
    check_number(&x, "0.02"); /* 0.16 / 8 */
    assert_true(cost_epsilon_up(&m, &x));
    check_number(&x, "0.4");
    read_or_fail(&m, "permute-and-flip:epsilon=0.4");
    cost_rho_up(&m, &x);
    assert_true(fabs(mpq_get_d(x.q) - 0.4 * tanh(0.2)) < 1e-15);
    read_or_fail(&m, "generic:epsilon=0.4:delta=0.01:sample=0.5");
    cost_delta(&m, &x);
    check_number(&x, "0.005");
    assert_true(cost_epsilon_up(&m, &x));
    assert_true(fabs(mpq_get_d(x.q) - log1p(0.5 * expm1(0.4))) < 1e-15);
    {
        rat two = mp_rat("2");

        assert_false(cost_rdp_up(&m, &two, &x));
        rat_clear(&two);
    }
    mechanism_clear(&m);
    rat_clear(&x);
}

/* E_Q[(P/Q)^a] for noise e^(-h |x|) on Z, with the centres d apart. */
static void
moment_discrete_laplace(mpfr_t r, const mpfr_t h, long d, const mpfr_t a)
{
    mpfr_t p, q, all;

    mpfr_inits2(MP_BITS, p, q, all, (mpfr_ptr)0);
    mpfr_set_zero(r, 1);
    mpfr_set_zero(all, 1);
    for (long x = -4000; x <= 4000 + d; x++) {
        mpfr_mul_si(p, h, -labs(x), MPFR_RNDN);
        mpfr_mul_si(q, h, -labs(x - d), MPFR_RNDN);
        mpfr_sub(p, p, q, MPFR_RNDN);
        mpfr_mul(p, p, a, MPFR_RNDN);
        mpfr_add(p, p, q, MPFR_RNDN);
        mpfr_exp(p, p, MPFR_RNDN);
        mpfr_add(r, r, p, MPFR_RNDN);
        mpfr_exp(q, q, MPFR_RNDN);
        mpfr_add(all, all, q, MPFR_RNDN);
    }
    mpfr_div(r, r, all, MPFR_RNDN);
    mpfr_clears(p, q, all, (mpfr_ptr)0);
}

/*
 * The Laplace distribution by definition: Simpson's rule between both centres.
 */
static double
divergence_laplace(double e, double a)
{
    enum { STEPS = 2000 };
    double sum = 0;

    for (int i = 0; i <= STEPS; i++) {
        double x = (double)i / STEPS, weight = i % 2 ? 4 : 2;

        weight = i == 0 || i == STEPS ? 1 : weight;
        sum += weight * e / 2 * exp(-a * e * x - (1 - a) * e * (1 - x));
    }
    sum = sum / (3 * STEPS) + exp((a - 1) * e) / 2 + exp(-a * e) / 2;
    return log(sum) / (a - 1);
}

static void
check_curve(const struct mechanism *m, const rat *alpha, const mpfr_t moment,
            double slack)
{
    mpfr_t x, t;
    rat got;

    mpfr_inits2(MP_BITS, x, t, (mpfr_ptr)0);
    rat_init(&got);
    mpfr_log(x, moment, MPFR_RNDN);
    mp_set(t, alpha);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    mpfr_div(x, x, t, MPFR_RNDN);
    assert_true(cost_rdp_up(m, alpha, &got));
    mp_check_up(&got, x, slack);
    mpfr_clears(x, t, (mpfr_ptr)0);
    rat_clear(&got);
}

static void
mechanism_curves_fuzz(void **state)
{
    static const char *const orders[] = {"5/4", "2", "7/2", "17"};
    mpfr_t a, h, e, x, y, z;
    struct mechanism m;
    char text[96];
    rat got;

    (void)state;
    rat_init(&got);
    mechanism_init(&m);
    mpfr_inits2(MP_BITS, a, h, e, x, y, z, (mpfr_ptr)0);
    for (int i = 0; i < 40; i += test_size(9, 1)) {
        rat alpha = mp_rat(orders[i % 4]);
        long d = 1 + i % 5, k = 2 + i % 3;

        mp_set(a, &alpha);
        /*
         * discrete Laplace by its sum; the terms beyond 4000 are below e^-200
         */
        snprintf(text, sizeof text,
                 "discrete-laplace:scale=%d/10:sensitivity=%ld", 3 + 5 * i, d);
        read_or_fail(&m, text);
        mpfr_set_ui(h, 10, MPFR_RNDN);
        mpfr_div_ui(h, h, (unsigned long)(3 + 5 * i), MPFR_RNDN);
        moment_discrete_laplace(x, h, d, a);
        check_curve(&m, &alpha, x, 1e-15);
        /* k-ary response by its sum over outcomes */
        snprintf(text, sizeof text,
                 "randomized-response:epsilon=%d/20:values=%ld", 1 + i, k);
        read_or_fail(&m, text);
        mp_set(e, &m.epsilon);
        mpfr_exp(y, e, MPFR_RNDN);
        mpfr_pow(x, y, a, MPFR_RNDN);
        mpfr_ui_sub(z, 1, a, MPFR_RNDN);
        mpfr_pow(z, y, z, MPFR_RNDN);
        mpfr_add(x, x, z, MPFR_RNDN);
        mpfr_add_ui(x, x, (unsigned long)(k - 2), MPFR_RNDN);
        mpfr_add_ui(y, y, (unsigned long)(k - 1), MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        check_curve(&m, &alpha, x, 1e-15);
        snprintf(text, sizeof text, "laplace:epsilon=%d/20", 1 + i);
        read_or_fail(&m, text);
        assert_true(cost_rdp_up(&m, &alpha, &got));
        assert_true(fabs(mpq_get_d(got.q) -
                         divergence_laplace((1 + i) / 20.0,
                                            mpfr_get_d(a, MPFR_RNDN))) < 1e-9);
        rat_clear(&alpha);
    }
    rat_clear(&got);
    mechanism_clear(&m);
    mpfr_clears(a, h, e, x, y, z, (mpfr_ptr)0);
}

/* alpha rho is at or above the curve of pure mechanisms, at several orders. */
static void
mechanism_rho_bounds_the_curve(void **state)
{
    static const char *const kinds[] = {
        "laplace:epsilon=%s",
        "discrete-laplace:epsilon=%s:sensitivity=3",
        "randomized-response:epsilon=%s:values=5",
        "noisy-max:epsilon=%s",
        "sparse-vector:epsilon=%s:sample=0.2",
    };
    static const char *const eps[] = {"1e-9", "0.01", "0.7", "3", "25", "4e5"};
    static const char *const orders[] = {"1.0001", "2", "33.3", "1000"};
    struct mechanism m;
    rat rho, loss, pure;
    char text[96];

    (void)state;
    mechanism_init(&m);
    rat_init(&rho);
    rat_init(&loss);
    rat_init(&pure);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 4; j++) {
                rat alpha = mp_rat(orders[j]);

                snprintf(text, sizeof text, kinds[k], eps[i]);
                read_or_fail(&m, text);
                cost_rho_up(&m, &rho);
                rat_mul(&rho, &rho, &alpha);
                assert_true(cost_rdp_up(&m, &alpha, &loss));
                assert_true(rat_sign(&loss) > 0);
                assert_true(rat_cmp(&loss, &rho) <= 0);
                pure_rdp_up(&m.epsilon, &alpha, &pure);
                assert_true(rat_cmp(&loss, &pure) <= 0);
                rat_clear(&alpha);
            }
    mechanism_clear(&m);
    rat_clear(&rho);
    rat_clear(&loss);
    rat_clear(&pure);
}

/* -------------------------------------------------------------- sampling -- */

/*
 * Sampled randomized response: its two exact probabilities, the hockey stick
 * and both moments.
 */
static void
mechanism_sampling_against_two_outcomes(void **state)
{
    mpfr_t e, q, p1, q1, p2, q2, x, y, a, t;
    rat alpha = mp_rat("5/2"), got;
    struct mechanism m;
    char text[96];

    (void)state;
    mechanism_init(&m);
    rat_init(&got);
    mpfr_inits2(MP_BITS, e, q, p1, q1, p2, q2, x, y, a, t, (mpfr_ptr)0);
    for (int i = 1; i < 30; i++) {
        snprintf(text, sizeof text,
                 "randomized-response:epsilon=%d/7:sample=%d/31", i, i);
        read_or_fail(&m, text);
        mp_set(e, &m.epsilon);
        mp_set(q, &m.sample);
        mp_set(a, &alpha);
        mpfr_exp(x, e, MPFR_RNDN);
        mpfr_add_ui(y, x, 1, MPFR_RNDN);
        mpfr_ui_div(q1, 1, y, MPFR_RNDN); /* Q = (w, 1 - w) */
        mpfr_ui_sub(q2, 1, q1, MPFR_RNDN);
        /* P = q (1-w, w) + (1-q) Q */
        mpfr_sub(x, q2, q1, MPFR_RNDN);
        mpfr_mul(x, x, q, MPFR_RNDN);
        mpfr_add(p1, q1, x, MPFR_RNDN);
        mpfr_sub(p2, q2, x, MPFR_RNDN);
        /* the largest ratio is the amplified epsilon */
        mpfr_div(x, p1, q1, MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        assert_true(cost_epsilon_up(&m, &got));
        mp_check_up(&got, x, 1e-15);
        /* both moments */
        mpfr_div(t, p1, q1, MPFR_RNDN);
        mpfr_pow(x, t, a, MPFR_RNDN);
        mpfr_mul(x, x, q1, MPFR_RNDN);
        mpfr_div(y, p2, q2, MPFR_RNDN);
        mpfr_pow(y, y, a, MPFR_RNDN);
        mpfr_mul(y, y, q2, MPFR_RNDN);
        mpfr_add(x, x, y, MPFR_RNDN);
        mpfr_div(t, q1, p1, MPFR_RNDN);
        mpfr_pow(y, t, a, MPFR_RNDN);
        mpfr_mul(y, y, p1, MPFR_RNDN);
        mpfr_div(t, q2, p2, MPFR_RNDN);
        mpfr_pow(t, t, a, MPFR_RNDN);
        mpfr_mul(t, t, p2, MPFR_RNDN);
        mpfr_add(y, y, t, MPFR_RNDN);
        mpfr_max(x, x, y, MPFR_RNDN);
        check_curve(&m, &alpha, x, 1e-15);
    }
    mechanism_clear(&m);
    rat_clear(&alpha);
    rat_clear(&got);
    mpfr_clears(e, q, p1, q1, p2, q2, x, y, a, t, (mpfr_ptr)0);
}

/*
 * The moments of the sampled discrete Gaussian by definition, as sums over Z,
 * in both directions and at any order.
 */
enum way { ADD, REMOVE };

static void
sampled_moment(mpfr_t r, long sigma, const mpfr_t q, const mpfr_t a,
               enum way way)
{
    mpfr_t p, m, x, all;

    mpfr_inits2(MP_BITS, p, m, x, all, (mpfr_ptr)0);
    mpfr_set_zero(r, 1);
    mpfr_set_zero(all, 1);
    for (long y = -60 * sigma; y <= 60 * sigma; y++) {
        mpfr_set_si(x, -y * y, MPFR_RNDN);
        mpfr_div_ui(x, x, (unsigned long)(2 * sigma * sigma), MPFR_RNDN);
        mpfr_exp(p, x, MPFR_RNDN); /* Q(y) */
        mpfr_add(all, all, p, MPFR_RNDN);
        mpfr_set_si(x, 2 * y - 1, MPFR_RNDN);
        mpfr_div_ui(x, x, (unsigned long)(2 * sigma * sigma), MPFR_RNDN);
        mpfr_expm1(x, x, MPFR_RNDN);
        mpfr_mul(x, x, q, MPFR_RNDN);
        mpfr_add_ui(m, x, 1, MPFR_RNDN); /* mixture / Q */
        if (way == REMOVE)
            mpfr_pow(m, m, a, MPFR_RNDN);
        else {
            mpfr_ui_sub(x, 1, a, MPFR_RNDN);
            mpfr_pow(m, m, x, MPFR_RNDN);
        }
        mpfr_mul(m, m, p, MPFR_RNDN);
        mpfr_add(r, r, m, MPFR_RNDN);
    }
    mpfr_div(r, r, all, MPFR_RNDN);
    mpfr_clears(p, m, x, all, (mpfr_ptr)0);
}

static void
mechanism_sampled_gauss_fuzz(void **state)
{
    static const char *const orders[] = {"2", "3", "9", "5/2", "1.3", "17/4"};
    static const char *const rates[] = {"0.01", "0.3", "0.9", "1e-4"};
    mpfr_t a, q, x, y;
    struct mechanism m;
    char text[96];

    (void)state;
    mechanism_init(&m);
    mpfr_inits2(MP_BITS, a, q, x, y, (mpfr_ptr)0);
    for (int i = 0; i < 48; i += test_size(5, 1)) {
        rat alpha = mp_rat(orders[i % 6]);
        long sigma = 1 + i / 6 % 3;

        snprintf(text, sizeof text, "discrete-gaussian:sigma=%ld:sample=%s",
                 sigma, rates[i % 4]);
        read_or_fail(&m, text);
        mp_set(a, &alpha);
        mp_set(q, &m.sample);
        sampled_moment(x, sigma, q, a, REMOVE);
        sampled_moment(y, sigma, q, a, ADD);
        assert_true(mpfr_lessequal_p(y, x)); /* as the theorem says */
        /* exact at whole orders, a chord between them */
        check_curve(&m, &alpha, x, i % 6 < 3 ? 1e-15 : 1.0);
        rat_clear(&alpha);
    }
    /*
     * Above the whole orders that are summed, the curve is that without
     * sampling.
     */
    read_or_fail(&m, "gaussian:sigma=3:sample=0.5");
    {
        rat alpha = mp_rat("5000.5"), got;

        rat_init(&got);
        assert_true(cost_rdp_up(&m, &alpha, &got));
        check_number(&got, "10001/36");
        rat_clear(&alpha);
        rat_clear(&got);
    }
    mechanism_clear(&m);
    mpfr_clears(a, q, x, y, (mpfr_ptr)0);
}

/*
 * The least known epsilon of one release at a delta: exact for a Gaussian, below
 * its own epsilon for a pure mechanism, none if the mechanism's own delta is
 * larger.
 */
static void
mechanism_epsilon_at(void **state)
{
    rat delta = mp_rat("1e-6"), half = mp_rat("0.6"), got, mu2 = mp_rat("0.25");
    struct mechanism m;
    rat want;

    (void)state;
    mechanism_init(&m);
    rat_init(&got);
    rat_init(&want);
    read_or_fail(&m, "gaussian:sigma=2");
    assert_true(cost_epsilon_at_up(&m, &delta, &got));
    assert_true(gdp_epsilon_up(&mu2, &delta, &want));
    assert_int_equal(rat_cmp(&got, &want), 0);
    read_or_fail(&m, "discrete-gaussian:sigma=2");
    assert_true(cost_epsilon_at_up(&m, &delta, &want));
    assert_true(rat_cmp(&got, &want) < 0); /* zCDP gives a little more */
    read_or_fail(&m, "gaussian:sigma=2:sample=0.1");
    assert_true(cost_epsilon_at_up(&m, &delta, &want));
    assert_true(rat_cmp(&want, &got) < 0);
    assert_true(cost_epsilon_at_up(&m, &half, &want));
    check_number(&want, "0");
    read_or_fail(&m, "generic:epsilon=1:delta=1e-5");
    assert_false(cost_epsilon_at_up(&m, &delta, &got));
    assert_true(cost_epsilon_at_up(&m, &half, &got));
    read_or_fail(&m, "laplace:epsilon=1");
    assert_true(cost_epsilon_at_up(&m, &delta, &got));
    assert_true(rat_cmp(&got, &m.epsilon) < 0);
    mechanism_clear(&m);
    rat_clear(&delta);
    rat_clear(&half);
    rat_clear(&got);
    rat_clear(&want);
    rat_clear(&mu2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanism_reads),
        cmocka_unit_test(mechanism_refuses),
        cmocka_unit_test(mechanism_prices_known),
        cmocka_unit_test(mechanism_curves_fuzz),
        cmocka_unit_test(mechanism_rho_bounds_the_curve),
        cmocka_unit_test(mechanism_sampling_against_two_outcomes),
        cmocka_unit_test(mechanism_sampled_gauss_fuzz),
        cmocka_unit_test(mechanism_epsilon_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
