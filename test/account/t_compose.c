/*
 * Composition of plans: the worked examples of the papers; each theorem against
 * brute force or an independent formula; and soundness: where the exact answer
 * is known, no bound is below it.
 */
#include "account/compose.h"

#include "account/convert.h"
#include "account/mp.h"
#include "support/said.h"

static custos_plan *
plan_of(custos_adjacency adjacency, const char *const *texts)
{
    custos_plan *plan = NULL;

    assert_int_equal(custos_plan_new(NULL, adjacency, &plan, NULL), CUSTOS_OK);
    for (; *texts; texts++) {
        custos_err err = CUSTOS_ERR_INIT;

        if (custos_plan_add(plan, *texts, &err))
            fail_msg("%s: %s", *texts, err.said);
    }
    return plan;
}

static custos_plan *
plan_one(const char *text)
{
    const char *const texts[] = {text, NULL};

    return plan_of(CUSTOS_ADD_REMOVE, texts);
}

static custos_bound
row(const custos_plan *plan, custos_theorem theorem, const char *delta)
{
    custos_bound b = CUSTOS_BOUND_INIT;

    assert_int_equal(custos_plan_epsilon(plan, theorem, delta, &b, NULL),
                     CUSTOS_OK);
    assert_true((b.value[0] == '\0') == (b.reason != NULL));
    assert_non_null(b.source);
    return b;
}

/* The bound of a plan by one theorem; frees the plan. */
static custos_bound
row_of(custos_plan *plan, custos_theorem theorem, const char *delta)
{
    custos_bound b = row(plan, theorem, delta);

    custos_plan_free(plan);
    return b;
}

static double
value(custos_bound b)
{
    if (b.reason)
        fail_msg("no value: %s", b.reason);
    return strtod(b.value, NULL);
}

/*
 * Gaboardi 1.7: thresholds cost 8 eps, attributes 3 eps, a histogram 2 eps
 * under change-one and 1 eps under add/remove.
 */
static void
compose_worked_examples(void **state)
{
    static const char *const cells[] = {"laplace:epsilon=0.1:count=8", NULL};
    double k1, k4;

    (void)state;
    assert_string_equal(
        row_of(plan_one("laplace:epsilon=0.1:count=8"), CUSTOS_BY_BASIC, "0")
            .value,
        "0.8");
    assert_string_equal(
        row_of(plan_one("laplace:epsilon=0.1:count=3"), CUSTOS_BY_BASIC, "0")
            .value,
        "0.3");
    assert_string_equal(row_of(plan_of(CUSTOS_ADD_REMOVE, cells),
                               CUSTOS_BY_PARALLEL_CHANGE, "0")
                            .value,
                        "0.2");
    assert_string_equal(
        row_of(plan_of(CUSTOS_ADD_REMOVE, cells), CUSTOS_BY_PARALLEL, "0")
            .value,
        "0.1");
    /* Advanced composition grows with the root of k, not with k. */
    k1 = value(row_of(plan_one("laplace:epsilon=0.001:count=10000"),
                      CUSTOS_BY_ADVANCED, "1e-6"));
    k4 = value(row_of(plan_one("laplace:epsilon=0.001:count=40000"),
                      CUSTOS_BY_ADVANCED, "1e-6"));
    assert_true(k1 < 10 && k4 / k1 > 1.99 && k4 / k1 < 2.1);
}

static void
compose_basic_shares_delta(void **state)
{
    static const char *const texts[] = {
        "gaussian:sigma=20:count=3", "generic:epsilon=0.5:delta=1e-6:count=2",
        "laplace:epsilon=1/3", NULL};
    custos_plan *plan = plan_of(CUSTOS_ADD_REMOVE, texts);
    rat mu2 = mp_rat("1/400"), share = mp_rat("1e-6"), one;

    (void)state;
    rat_init(&one);
    /* Three Gaussians share 5e-6 - 2e-6. */
    assert_true(gdp_epsilon_up(&mu2, &share, &one));
    assert_true(fabs(value(row(plan, CUSTOS_BY_BASIC, "5e-6")) -
                     (3 * mpq_get_d(one.q) + 1 + 1.0 / 3)) < 1e-12);
    assert_non_null(strstr(row(plan, CUSTOS_BY_BASIC, "2e-6").reason, "share"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_BASIC, "1e-6").reason, "add up"));
    assert_non_null(strstr(row(plan, CUSTOS_BY_ZCDP, "1e-6").reason, "add up"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_ZCDP, "2e-6").reason, "above 0"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_ADVANCED, "1e-6").reason, "add up"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_ADVANCED, "2e-6").reason, "above 0"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_ADVANCED, "1e-3").reason, "Gaussian"));
    assert_non_null(strstr(row(plan, CUSTOS_BY_RDP, "1e-3").reason, "delta"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_OPTIMAL, "1e-3").reason, "Gaussian"));
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_GDP, "1e-3").reason, "continuous"));
    assert_true(value(row(plan, CUSTOS_BY_ZCDP, "5e-6")) > 0);
    custos_plan_free(plan);
    rat_clear(&mu2);
    rat_clear(&share);
    rat_clear(&one);
}

static void
compose_parallel_largest(void **state)
{
    static const char *const texts[] = {"laplace:epsilon=0.3",
                                        "laplace:epsilon=0.5",
                                        "generic:epsilon=0.4:delta=1e-3", NULL};
    custos_plan *plan = plan_of(CUSTOS_ADD_REMOVE, texts);

    (void)state;
    assert_string_equal(row(plan, CUSTOS_BY_PARALLEL, "1e-3").value, "0.5");
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_PARALLEL, "9e-4").reason, "part"));
    custos_plan_free(plan);
}

/*
 * Sums over [90,100] with Laplace noise of scale 100; people are in two parts.
 * A person who changes within a part moves one sum by 10 and costs 0.1. A
 * person who moves to the other part moves both sums by up to 100 and costs 2.
 * This event shows it: each noisy sum is on the side of its old exact value
 * that is away from the new one. Its probability is 1/4 before the move and
 * e^-2/4 after.
 */
static void
compose_parallel_change_of_sums(void **state)
{
    static const char *const change[] = {"laplace:scale=100:sensitivity=10"
                                         ":count=2",
                                         NULL};
    static const char *const moved[] = {"laplace:scale=100:sensitivity=100"
                                        ":count=2",
                                        NULL};
    double before = 0.5 * 0.5, after = 0.5 * exp(-1) * 0.5 * exp(-1);
    custos_bound b = CUSTOS_BOUND_INIT;

    (void)state;
    b = row_of(plan_of(CUSTOS_CHANGE_ONE, change), CUSTOS_BY_PARALLEL, "0");
    assert_string_equal(b.value, "");
    assert_non_null(strstr(b.reason, "under add/remove"));
    b = row_of(plan_of(CUSTOS_CHANGE_ONE, change), CUSTOS_BY_PARALLEL_CHANGE,
               "0");
    assert_string_equal(b.value, "");
    assert_non_null(strstr(b.reason, "under add/remove"));
    b = row_of(plan_of(CUSTOS_ADD_REMOVE, moved), CUSTOS_BY_PARALLEL_CHANGE,
               "0");
    assert_string_equal(b.value, "2");
    assert_true(before > exp(1.99) * after);
    assert_true(before <= exp(strtod(b.value, NULL)) * after * (1 + 1e-12));
}

/*
 * Change-one over disjoint parts, computed by hand in both cases: the unit
 * leaves its part, or is replaced in it.
 */
static void
compose_parallel_change_by_hand(void **state)
{
    static const char *const texts[] = {"laplace:epsilon=0.3",
                                        "laplace:epsilon=0.5",
                                        "generic:epsilon=0.4:delta=1e-3", NULL};
    static const char *const gauss[] = {"gaussian:sigma=3", "gaussian:sigma=4",
                                        NULL};
    static const char *const sampled[] = {"gaussian:sigma=3:sample=0.1", NULL};
    custos_plan *plan = plan_of(CUSTOS_ADD_REMOVE, texts);
    rat mu2[3] = {mp_rat("1/9"), mp_rat("1/16"), mp_rat("4/9")}, e[3];
    rat half = mp_rat("5e-7"), all = mp_rat("1e-6");
    custos_bound b = CUSTOS_BOUND_INIT;
    double apart;

    (void)state;
    /*
     * Within a part, epsilon is 2 * 0.5, and the generic mechanism needs the
     * delta (1 + e^0.4) 1e-3 = 2.492e-3.
     */
    assert_string_equal(row(plan, CUSTOS_BY_PARALLEL_CHANGE, "2.5e-3").value,
                        "1");
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_PARALLEL_CHANGE, "2.4e-3").reason, "part"));
    custos_plan_free(plan);
    plan = plan_of(CUSTOS_ADD_REMOVE, gauss);
    for (int i = 0; i < 3; i++) {
        rat_init(&e[i]);
        assert_true(gdp_epsilon_up(&mu2[i], i < 2 ? &half : &all, &e[i]));
    }
    apart = mpq_get_d(e[0].q) + mpq_get_d(e[1].q);
    assert_true(fabs(value(row(plan, CUSTOS_BY_PARALLEL_CHANGE, "1e-6")) -
                     fmax(apart, mpq_get_d(e[2].q))) < 1e-12);
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_PARALLEL_CHANGE, "0").reason, "share"));
    custos_plan_free(plan);
    b = row_of(plan_of(CUSTOS_ADD_REMOVE, sampled), CUSTOS_BY_PARALLEL_CHANGE,
               "1e-6");
    assert_non_null(strstr(b.reason, "sampled"));
    for (int i = 0; i < 3; i++) {
        rat_clear(&mu2[i]);
        rat_clear(&e[i]);
    }
    rat_clear(&half);
    rat_clear(&all);
}

static void
compose_advanced_is_a_root(void **state)
{
    static const char *const texts[] = {
        "laplace:epsilon=0.1:count=100",
        "generic:epsilon=0.2:delta=1e-8:count=50", NULL};
    double got = value(
        row_of(plan_of(CUSTOS_ADD_REMOVE, texts), CUSTOS_BY_ADVANCED, "1e-6"));
    double want = sqrt(2 * log(1 / 5e-7) * (100 * 0.01 + 50 * 0.04)) +
                  100 * 0.1 * expm1(0.1) + 50 * 0.2 * expm1(0.2);

    (void)state;
    assert_true(got >= want * (1 - 1e-14) && got <= want * (1 + 1e-14));
}

/* ------------------------------------------------------------ optimal -- */

/* The delta at epsilon `at` of k (eps, d)-DP releases, over all 3^k outcomes. */
static double
brute(int k, double eps, double d, double at, double p, double q)
{
    double w = 1 / (1 + exp(eps)), gap;

    if (k == 0) {
        gap = p - exp(at) * q;
        return gap > 0 ? gap : 0;
    }
    return brute(k - 1, eps, d, at, p * d, 0) +
           brute(k - 1, eps, d, at, p * (1 - d) * (1 - w), q * (1 - d) * w) +
           brute(k - 1, eps, d, at, p * (1 - d) * w, q * (1 - d) * (1 - w));
}

static void
compose_optimal_against_brute_force(void **state)
{
    static const char *const own[] = {"0", "0.001", "0.02"};
    static const char *const deltas[] = {"0.001", "0.01", "0.1", "0.3", "0.9"};
    size_t positive = 0, none = 0;

    (void)state;
    for (int i = 0; i < 90; i++) {
        int k = 1 + i % 6;
        double eps = (1 + i % 7) / 5.0, d = strtod(own[i % 3], NULL), got;
        double delta = strtod(deltas[i % 5], NULL);
        char text[96];
        custos_bound b = CUSTOS_BOUND_INIT;

        snprintf(text, sizeof text, "generic:epsilon=%d/5:delta=%s:count=%d",
                 1 + i % 7, own[i % 3], k);
        b = row_of(plan_one(text), CUSTOS_BY_OPTIMAL, deltas[i % 5]);
        if (b.reason) {
            /* the chance of revealing everything already exceeds delta */
            assert_true(1 - pow(1 - d, k) > delta * (1 - 1e-12));
            none++;
            continue;
        }
        got = value(b);
        assert_true(brute(k, eps, d, got, 1, 1) <= delta * (1 + 1e-11));
        if (got > 0) {
            assert_true(brute(k, eps, d, got * (1 - 1e-9), 1, 1) > delta);
            positive++;
        }
    }
    if (positive < 40 || none < 5 || none > 30)
        fail_msg("the cases say little: %zu, %zu", positive, none);
}

/* Theorem 3.3 of KOV15 at e = (k - 2i) eps, computed with MPFR. */
static void
kov_delta(mpfr_t r, unsigned long k, unsigned long i, const mpfr_t eps)
{
    mpfr_t x, y, all;
    mpz_t c;

    mpz_init(c);
    mpfr_inits2(2000, x, y, all, (mpfr_ptr)0);
    mpfr_set_zero(r, 1);
    for (unsigned long l = 0; l < i; l++) {
        mpfr_mul_ui(x, eps, k - l, MPFR_RNDN);
        mpfr_exp(x, x, MPFR_RNDN);
        mpfr_mul_ui(y, eps, k - 2 * i + l, MPFR_RNDN);
        mpfr_exp(y, y, MPFR_RNDN);
        mpfr_sub(x, x, y, MPFR_RNDN);
        mpz_bin_uiui(c, k, l);
        mpfr_mul_z(x, x, c, MPFR_RNDN);
        mpfr_add(r, r, x, MPFR_RNDN);
    }
    mpfr_exp(all, eps, MPFR_RNDN);
    mpfr_add_ui(all, all, 1, MPFR_RNDN);
    mpfr_pow_ui(all, all, k, MPFR_RNDN);
    mpfr_div(r, r, all, MPFR_RNDN);
    mpfr_clears(x, y, all, (mpfr_ptr)0);
    mpz_clear(c);
}

static void
compose_optimal_is_the_formula(void **state)
{
    static const unsigned long ks[] = {3, 20, 101, 1000};
    static const char *const eps[] = {"1/100", "1/10", "1"};

    (void)state;
    for (int a = 0; a < test_size(3, 4); a++)
        for (size_t b = 0; b < 3; b++)
            for (unsigned long part = 3; part <= 5; part++) {
                unsigned long k = ks[a], i = k * part / 11;
                rat e = mp_rat(eps[b]), delta, got;
                custos_plan *plan;
                mpfr_t x, want;
                char text[64];

                if (i == 0)
                    i = 1;
                mpfr_init2(x, 2000);
                mpfr_init2(want, 2000);
                rat_init(&delta);
                rat_init(&got);
                snprintf(text, sizeof text,
                         "randomized-response:epsilon=%s:count=%lu", eps[b], k);
                plan = plan_one(text);
                mp_set(x, &e);
                kov_delta(want, k, i, x);
                mpfr_prec_round(want, 400, MPFR_RNDD);
                mpfr_get_q(delta.q, want);
                assert_null(compose_optimal(plan, &delta, &got));
                mpfr_mul_ui(x, x, k - 2 * i, MPFR_RNDN);
                mp_check_up(&got, x, 1e-15);
                custos_plan_free(plan);
                mpfr_clears(x, want, (mpfr_ptr)0);
                rat_clear(&e);
                rat_clear(&delta);
                rat_clear(&got);
            }
}

static void
compose_optimal_where_it_applies(void **state)
{
    static const char *const mixed[] = {"laplace:epsilon=0.1",
                                        "laplace:epsilon=0.2", NULL};
    static const char *const alike[] = {"laplace:epsilon=0.1:count=5",
                                        "noisy-max:epsilon=1/10:count=5", NULL};
    custos_plan *plan = plan_of(CUSTOS_ADD_REMOVE, mixed);

    (void)state;
    assert_non_null(
        strstr(row(plan, CUSTOS_BY_OPTIMAL, "1e-6").reason, "same"));
    custos_plan_free(plan);
    plan = plan_of(CUSTOS_ADD_REMOVE, alike);
    assert_string_equal(row(plan, CUSTOS_BY_OPTIMAL, "0").value, "1");
    assert_true(value(row(plan, CUSTOS_BY_OPTIMAL, "1e-3")) < 1);
    custos_plan_free(plan);
    assert_non_null(strstr(row_of(plan_one("laplace:epsilon=1:count=100001"),
                                  CUSTOS_BY_OPTIMAL, "1e-6")
                               .reason,
                           "100000"));
    {
        static const char *const deltas[] = {
            "generic:epsilon=1:delta=0.1", "generic:epsilon=1:delta=0.2", NULL};
        static const char *const many[] = {
            "laplace:epsilon=1:count=9223372036854775808",
            "laplace:epsilon=1:count=9223372036854775808", NULL};

        assert_non_null(strstr(
            row_of(plan_of(CUSTOS_ADD_REMOVE, deltas), CUSTOS_BY_OPTIMAL, "0.5")
                .reason,
            "same"));
        assert_non_null(strstr(
            row_of(plan_of(CUSTOS_ADD_REMOVE, many), CUSTOS_BY_OPTIMAL, "0.5")
                .reason,
            "100000"));
    }
    /* epsilon is so large that the bound is the plain sum */
    assert_string_equal(row_of(plan_one("laplace:epsilon=1e6:count=100000"),
                               CUSTOS_BY_OPTIMAL, "1e-6")
                            .value,
                        "100000000000");
    assert_string_equal(row_of(plan_one("laplace:epsilon=0.1:count=4"),
                               CUSTOS_BY_OPTIMAL, "0.9")
                            .value,
                        "0");
}

/* ---------------------------------------------------------- soundness -- */

/*
 * For k equal randomized responses CUSTOS_BY_OPTIMAL is exact; no other bound
 * is below it.
 */
static void
compose_rows_never_cross(void **state)
{
    static const custos_theorem others[] = {CUSTOS_BY_BASIC, CUSTOS_BY_ADVANCED,
                                            CUSTOS_BY_ZCDP, CUSTOS_BY_RDP};
    int tight = 0, plans = test_size(10, 60);

    (void)state;
    mp_seed = 31;
    for (int i = 0; i < plans; i++) {
        custos_plan *plan;
        char text[96], delta[32];
        double exact, best = INFINITY;

        snprintf(text, sizeof text,
                 "randomized-response:epsilon=%d/100:count=%d",
                 (int)(1 + mp_next() % 100), (int)(1 + mp_next() % 500));
        snprintf(delta, sizeof delta, "%de-%d", (int)(1 + mp_next() % 9),
                 (int)(2 + mp_next() % 12));
        plan = plan_one(text);
        exact = value(row(plan, CUSTOS_BY_OPTIMAL, delta));
        for (size_t j = 0; j < 4; j++) {
            double other = value(row(plan, others[j], delta));

            assert_true(other >= exact * (1 - 1e-13));
            best = other < best ? other : best;
        }
        tight += best < exact * 1.3 + 1e-9;
        custos_plan_free(plan);
    }
    assert_true(tight > plans / 2); /* some bound is close */
}

static void
compose_zcdp_and_gdp_of_gaussians(void **state)
{
    custos_plan *plan = plan_one("gaussian:sigma=50:count=1000");
    double gdp, zcdp, rdp;

    (void)state;
    gdp = value(row(plan, CUSTOS_BY_GDP, "1e-5"));
    zcdp = value(row(plan, CUSTOS_BY_ZCDP, "1e-5"));
    rdp = value(row(plan, CUSTOS_BY_RDP, "1e-5"));
    assert_true(fabs(gdp - 2.594383381) < 1e-9);
    assert_true(zcdp > gdp && zcdp < gdp * 1.1);
    assert_true(fabs(rdp - zcdp) < 1e-6 * zcdp && rdp >= zcdp * (1 - 1e-15));
    assert_true(value(row(plan, CUSTOS_BY_BASIC, "1e-5")) > gdp);
    assert_non_null(strstr(row(plan, CUSTOS_BY_GDP, "0").reason, "above 0"));
    assert_non_null(strstr(row(plan, CUSTOS_BY_RDP, "0").reason, "above 0"));
    custos_plan_free(plan);
}

/* ln sum_k C(n,k) (1-q)^(n-k) q^k e^(k(k-1)/2s^2), in doubles. */
static double
log_moment(double q, double s, int n)
{
    double most = -INFINITY, sum = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k <= n; k++) {
            double x = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
                       (n - k) * log1p(-q) + k * log(q) +
                       k * (k - 1) / (2 * s * s);

            if (pass == 0)
                most = x > most ? x : most;
            else
                sum += exp(x - most);
        }
    return most + log(sum);
}

static void
compose_rdp_finds_the_order(void **state)
{
    static const struct {
        double q, sigma, count, delta;
        const char *text, *delta_text;
    } cases[] = {
        {0.01, 1, 1e4, 1e-6, "gaussian:sigma=1:sample=0.01:count=10000",
         "1e-6"},
        {0.02, 2, 1e3, 1e-8, "gaussian:sigma=2:sample=0.02:count=1000", "1e-8"},
        {0.3, 5, 10, 1e-5, "discrete-gaussian:sigma=5:sample=0.3:count=10",
         "1e-5"},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double best = INFINITY, got;

        for (int n = 2; n < 200; n++) {
            double x = cases[i].count *
                           log_moment(cases[i].q, cases[i].sigma, n) / (n - 1) +
                       log1p(-1.0 / n) - log(cases[i].delta * n) / (n - 1);

            best = x < best ? x : best;
        }
        got = value(row_of(plan_one(cases[i].text), CUSTOS_BY_RDP,
                           cases[i].delta_text));
        if (!(got >= best * (1 - 1e-9) && got <= best * (1 + 1e-9)))
            fail_msg("case %zu: %.12g, not %.12g", i, got, best);
    }
}

/*
 * 300 separate Laplace mechanisms are summed in doubles; one with count=300 is
 * summed exactly. The first is not below the second, and above it by no more
 * than rounding.
 */
static void
compose_rdp_of_many_is_that_of_few(void **state)
{
    custos_plan *many = NULL, *few = NULL;
    double a, b;

    (void)state;
    for (int size = 0; size < 3; size++) {
        static const char *const epsilons[] = {"0.001", "0.3", "7"};
        char text[64];

        assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &many, NULL),
                         CUSTOS_OK);
        assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &few, NULL),
                         CUSTOS_OK);
        snprintf(text, sizeof text, "laplace:epsilon=%s", epsilons[size]);
        for (int i = 0; i < 300; i++)
            assert_int_equal(custos_plan_add(many, text, NULL), CUSTOS_OK);
        snprintf(text, sizeof text, "laplace:epsilon=%s:count=300",
                 epsilons[size]);
        assert_int_equal(custos_plan_add(few, text, NULL), CUSTOS_OK);
        a = value(row(many, CUSTOS_BY_RDP, "1e-6"));
        b = value(row(few, CUSTOS_BY_RDP, "1e-6"));
        assert_true(a >= b * (1 - 1e-15));
        assert_true(a <= b * (1 + 1e-8));
        custos_plan_free(many);
        custos_plan_free(few);
    }
}

/* Every bound that applies to a plan of many mechanisms is computed quickly. */
static void
compose_long_plans(void **state)
{
    custos_plan *plan = NULL;
    double zcdp, rdp, basic;

    (void)state;
    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    for (int i = 0; i < test_size(20, 2000); i++) {
        char text[64];

        snprintf(text, sizeof text,
                 i % 2 ? "laplace:epsilon=1/%d" : "gaussian:sigma=%d",
                 1000 + i);
        assert_int_equal(custos_plan_add(plan, text, NULL), CUSTOS_OK);
    }
    basic = value(row(plan, CUSTOS_BY_BASIC, "1e-6"));
    zcdp = value(row(plan, CUSTOS_BY_ZCDP, "1e-6"));
    rdp = value(row(plan, CUSTOS_BY_RDP, "1e-6"));
    assert_true(zcdp < basic && rdp <= zcdp * 1.001 && rdp > zcdp / 4);
    assert_true(value(row(plan, CUSTOS_BY_PARALLEL, "1e-6")) < basic);
    custos_plan_free(plan);
}

/* At the corners of all ranges no bound fails, and many have a value. */
static void
compose_corners(void **state)
{
    static const char *const kinds[] = {
        "laplace:epsilon=%s",
        "discrete-laplace:epsilon=%s:sensitivity=1000000000000",
        "exponential:epsilon=%s",
        "generic:epsilon=%s:delta=1e-9",
        "gaussian:sigma=%s",
    };
    static const char *const pure[] = {"6e-20", "1048575"};
    static const char *const sigma[] = {"1/1023", "4294967295"};
    static const char *const more[] = {"", ":sample=6e-20",
                                       ":count=9223372036854775808"};
    static const char *const deltas[] = {"0", "1e-400", "0.9999999999"};
    int values = 0, rows = 0;

    (void)state;
    /* Steps of 7 still visit every kind and both ends of epsilon's range. */
    for (int i = 0; i < 5 * 2 * 3; i += test_size(7, 1)) {
        char head[96], text[160];
        custos_plan *plan;

        snprintf(head, sizeof head, kinds[i % 5],
                 i % 5 == 4 ? sigma[i / 5 % 2] : pure[i / 5 % 2]);
        snprintf(text, sizeof text, "%s%s", head, more[i / 10]);
        plan = plan_one(text);
        for (int t = CUSTOS_BY_BASIC; t <= CUSTOS_BY_GDP; t++)
            for (size_t d = 0; d < 3; d++, rows++)
                values += !row(plan, (custos_theorem)t, deltas[d]).reason;
        custos_plan_free(plan);
    }
    assert_true(values > rows * 25 / 63);
}

static void
plan_refuses(void **state)
{
    custos_plan *plan = plan_one("laplace:epsilon=1"), *none = NULL;
    custos_bound b = {.size = sizeof b, .value = "unset"};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_plan_new(NULL, 0, &none, &err), CUSTOS_EINVAL);
    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, NULL, &err),
                     CUSTOS_EINVAL);
    assert_null(none);
    assert_int_equal(custos_plan_add(NULL, "laplace:epsilon=1", &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_plan_add(plan, NULL, &err), CUSTOS_EINVAL);
    assert_int_equal(custos_plan_add(plan, "laplace:epsilon=-1", &err),
                     CUSTOS_ERANGE);
    assert_string_equal(whole_said(&err),
                        "epsilon of laplace must be above 0, not \"-1\"");
    assert_int_equal(custos_plan_epsilon(NULL, CUSTOS_BY_BASIC, "0", &b, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(
        custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "0", NULL, &err),
        CUSTOS_EINVAL);
    assert_int_equal(custos_plan_epsilon(plan, 0, "0", &b, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_plan_epsilon(plan, 99, "0", &b, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "1", &b, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_plan_epsilon(plan, CUSTOS_BY_BASIC, NULL, &b, &err),
                     CUSTOS_EPARSE);
    custos_plan_free(plan);
    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "0", &b, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(b.value, "unset");
    custos_plan_free(plan);
    custos_plan_free(NULL);
}

static void
plan_survives_lack_of_memory(void **state)
{
    struct test_memory memory = {.fail_at = 1};
    custos_alloc alloc = test_alloc(&memory);
    custos_plan *plan = NULL;
    custos_bound b = CUSTOS_BOUND_INIT;

    (void)state;
    assert_int_equal(custos_plan_new(&alloc, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_ENOMEM);
    assert_null(plan);
    assert_int_equal(custos_plan_new(&alloc, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    for (int i = 0; i < 20; i++) {
        memory.fail_at = memory.takes + 1; /* the next allocation fails */
        if (custos_plan_add(plan, "laplace:epsilon=0.1", NULL)) {
            memory.fail_at = 0;
            assert_int_equal(custos_plan_add(plan, "laplace:epsilon=0.1", NULL),
                             CUSTOS_OK);
        }
    }
    assert_int_equal(custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "0", &b, NULL),
                     CUSTOS_OK);
    assert_string_equal(b.value, "2");
    custos_plan_free(plan);
    assert_int_equal(memory.live, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compose_worked_examples),
        cmocka_unit_test(compose_basic_shares_delta),
        cmocka_unit_test(compose_parallel_largest),
        cmocka_unit_test(compose_parallel_change_of_sums),
        cmocka_unit_test(compose_parallel_change_by_hand),
        cmocka_unit_test(compose_advanced_is_a_root),
        cmocka_unit_test(compose_optimal_against_brute_force),
        cmocka_unit_test(compose_optimal_is_the_formula),
        cmocka_unit_test(compose_optimal_where_it_applies),
        cmocka_unit_test(compose_rows_never_cross),
        cmocka_unit_test(compose_zcdp_and_gdp_of_gaussians),
        cmocka_unit_test(compose_rdp_finds_the_order),
        cmocka_unit_test(compose_rdp_of_many_is_that_of_few),
        cmocka_unit_test(compose_long_plans),
        cmocka_unit_test(compose_corners),
        cmocka_unit_test(plan_refuses),
        cmocka_unit_test(plan_survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
