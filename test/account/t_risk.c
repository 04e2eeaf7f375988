/*
 * What promises mean as risks: against closed forms, and against randomized
 * response, which attains every bound.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/mp.h"
#include "support/support.h"

static custos_risk *
risk_of(const char *epsilon, const char *delta)
{
    custos_risk *risk = NULL;

    assert_int_equal(custos_risk_new(NULL, epsilon, delta, &risk, NULL),
                     CUSTOS_OK);
    return risk;
}

static double
fnr_of(const custos_risk *risk, const char *fpr)
{
    char fnr[CUSTOS_NUMBER_MAX];

    assert_int_equal(custos_risk_fnr(risk, &fpr, 1, &fnr, NULL), CUSTOS_OK);
    return strtod(fnr, NULL);
}

/* Equal to about 14 digits. */
static void
assert_near(double got, double want)
{
    assert_true(fabs(got - want) <= 4e-16 + 1e-14 * fabs(want));
}

static void
risk_tradeoff_of_known_promises(void **state)
{
    static const double epsilons[] = {0, 0.1, 1, 4};
    static const double deltas[] = {0, 1e-6, 0.1};

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        double e = epsilons[i % 4], d = deltas[i / 4];
        char epsilon[32], delta[32], text[21][8];
        char fnr[21][CUSTOS_NUMBER_MAX];
        const char *fpr[21];
        custos_risk *risk;

        snprintf(epsilon, sizeof epsilon, "%g", e);
        snprintf(delta, sizeof delta, "%g", d);
        risk = risk_of(epsilon, delta);
        for (int k = 0; k <= 20; k++) {
            snprintf(text[k], sizeof text[k], "%d/20", k);
            fpr[k] = text[k];
        }
        assert_int_equal(custos_risk_fnr(risk, fpr, 21, fnr, NULL), CUSTOS_OK);
        for (int k = 0; k <= 20; k++) {
            double a = k / 20.0;

            assert_near(
                strtod(fnr[k], NULL),
                fmax(0, fmax(1 - d - exp(e) * a, exp(-e) * (1 - d - a))));
        }
        custos_risk_free(risk);
    }
}

/*
 * For randomized response that is true with probability w, the test "it said
 * yes" has errors 1 - w and 1 - w: a point on the curve of epsilon = ln(w / (1
 * - w)). At epsilon = ln 3 this is exactly (1/4, 1/4). The text of ln 3 is
 * rounded up, so the computed curve is lower by that rounding at most.
 */
static void
risk_tradeoff_is_attained(void **state)
{
    custos_risk *risk = risk_of("1.0986122886681098", NULL);
    double fnr = fnr_of(risk, "1/4");

    (void)state;
    assert_true(fnr <= 0.25);
    assert_true(fnr > 0.25 - 1e-15);
    custos_risk_free(risk);
}

/*
 * A further promise never lowers the curve, and raises it where it is better.
 */
static void
risk_takes_the_best_promise(void **state)
{
    custos_risk *risk = risk_of("1", "0");
    double before = fnr_of(risk, "0.5"), at_0 = fnr_of(risk, "0");

    (void)state;
    assert_int_equal(custos_risk_add(risk, "0", "0.2", NULL), CUSTOS_OK);
    assert_true(fnr_of(risk, "0.5") > before);
    assert_near(fnr_of(risk, "0.5"), 0.3);
    assert_true(fnr_of(risk, "0") >= at_0);
    custos_risk_free(risk);
}

/*
 * Approximate promises of one Gaussian of mu = 1, and two that are never best.
 */
static const char *const promises[][2] = {
    {"0", "0.383"},    {"0.3", "0.287"}, {"0.7", "0.184"}, {"1", "0.127"},
    {"1.5", "0.0638"}, {"2", "0.0288"},  {"3", "0.0044"},  {"5", "0.00003"},
    {"9", "1e-13"},    {"4", "0.3"},     {"1", "0.2"},
};

enum { PROMISES = sizeof promises / sizeof *promises, CORNERS = 32 };

/* The maximum of all lines at fpr, with 400 bits. */
static void
exact_fnr(const rat *fpr, mpfr_t best)
{
    mpfr_t x, f;

    mpfr_inits2(400, x, f, (mpfr_ptr)0);
    mpfr_set_zero(best, 1);
    for (size_t i = 0; i < PROMISES; i++) {
        rat delta = mp_rat(promises[i][1]), one = mp_rat("1");

        rat_sub(&one, &one, &delta);
        mpfr_set_str(f, promises[i][0], 10, MPFR_RNDN);
        mpfr_exp(f, f, MPFR_RNDN);
        mpfr_mul_q(x, f, fpr->q, MPFR_RNDN);
        mpfr_neg(x, x, MPFR_RNDN);
        mpfr_add_q(x, x, one.q, MPFR_RNDN);
        mpfr_max(best, best, x, MPFR_RNDN);
        rat_sub(&one, &one, fpr);
        mpfr_ui_div(f, 1, f, MPFR_RNDN);
        mpfr_mul_q(x, f, one.q, MPFR_RNDN);
        mpfr_max(best, best, x, MPFR_RNDN);
        rat_clear(&delta);
        rat_clear(&one);
    }
    mpfr_clears(x, f, (mpfr_ptr)0);
}

/*
 * A point between two corners is not above the exact curve, and hardly below.
 */
static void
assert_on_curve(const custos_risk_corner *from, const custos_risk_corner *to,
                int64_t part)
{
    rat x = mp_rat(from->fpr), y = mp_rat(from->fnr), way = mp_rat(to->fpr);
    rat rise = mp_rat(to->fnr), share;
    mpfr_t true_fnr;

    mpfr_init2(true_fnr, 400);
    rat_init(&share);
    rat_set_i64(&share, part, 8);
    rat_sub(&way, &way, &x);
    rat_mul(&way, &way, &share);
    rat_add(&x, &x, &way);
    rat_sub(&rise, &rise, &y);
    rat_mul(&rise, &rise, &share);
    rat_add(&y, &y, &rise);
    exact_fnr(&x, true_fnr);
    assert_true(mpfr_cmp_q(true_fnr, y.q) >= 0);
    mpfr_sub_q(true_fnr, true_fnr, y.q, MPFR_RNDN);
    assert_true(mpfr_cmp_d(true_fnr, 1e-12) < 0); /* slopes are up to e^9 */
    mpfr_clear(true_fnr);
    rat_clear(&x);
    rat_clear(&y);
    rat_clear(&way);
    rat_clear(&rise);
    rat_clear(&share);
}

static void
risk_corners_lie_under_the_curve(void **state)
{
    custos_risk_corner corners[CORNERS];
    custos_risk *risk = risk_of(promises[0][0], promises[0][1]);
    size_t n = 0;

    (void)state;
    for (size_t i = 1; i < PROMISES; i++)
        assert_int_equal(
            custos_risk_add(risk, promises[i][0], promises[i][1], NULL),
            CUSTOS_OK);
    assert_int_equal(custos_risk_corners(risk, corners, CORNERS, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 2 * (PROMISES - 2) + 1); /* epsilon 0 gives one line */
    assert_string_equal(corners[0].fpr, "0");
    assert_string_equal(corners[n - 1].fpr, "1");
    assert_string_equal(corners[n - 1].fnr, "0");
    for (size_t i = 0; i + 1 < n; i++)
        for (int64_t part = 0; part <= 8; part++)
            assert_on_curve(&corners[i], &corners[i + 1], part);
    custos_risk_free(risk);
}

static void
risk_corners_of_one_promise(void **state)
{
    custos_risk_corner corners[CORNERS];
    custos_risk *risk = risk_of("0", "0.25");
    struct test_memory memory = {.fail_at = 0};
    size_t n = 7;

    (void)state;
    assert_int_equal(custos_risk_corners(risk, corners, CORNERS, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 3);
    assert_string_equal(corners[0].fnr, "0.75");
    assert_string_equal(corners[1].fpr, "0.75");
    assert_string_equal(corners[1].fnr, "0");
    assert_string_equal(corners[2].fpr, "1");
    corners[1].fpr[0] = 0;
    assert_int_equal(custos_risk_corners(risk, corners, 1, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 3);
    assert_string_equal(corners[1].fpr, "");
    assert_int_equal(custos_risk_corners(risk, NULL, 0, &n, NULL), CUSTOS_OK);
    assert_int_equal(custos_risk_corners(risk, NULL, 1, &n, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_risk_corners(risk, corners, 1, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_risk_corners(NULL, corners, 1, &n, NULL),
                     CUSTOS_EINVAL);
    custos_risk_free(risk);
    risk = risk_of("1", NULL); /* its last corner is at fpr 1 */
    assert_int_equal(custos_risk_corners(risk, corners, CORNERS, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 3);
    assert_string_equal(corners[0].fnr, "1");
    assert_near(strtod(corners[1].fpr, NULL), 1 / (1 + exp(1)));
    assert_near(strtod(corners[1].fnr, NULL), 1 / (1 + exp(1)));
    custos_risk_free(risk);
    for (size_t at = 3; at <= 4; at++) {
        custos_alloc alloc;

        memory = (struct test_memory){.fail_at = at};
        alloc = test_alloc(&memory);
        assert_int_equal(custos_risk_new(&alloc, "1", NULL, &risk, NULL),
                         CUSTOS_OK);
        assert_int_equal(custos_risk_corners(risk, corners, 1, &n, NULL),
                         CUSTOS_ENOMEM);
        custos_risk_free(risk);
        assert_int_equal(memory.live, 0);
    }
}

static void
risk_advantage_of_known_promises(void **state)
{
    custos_risk *risk = risk_of("1", "0.1");
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;

    (void)state;
    assert_int_equal(custos_risk_report(risk, NULL, NULL, &facts, NULL),
                     CUSTOS_OK);
    assert_near(strtod(facts.advantage, NULL),
                (exp(1) - 1 + 0.2) / (exp(1) + 1));
    assert_near(strtod(facts.guess, NULL),
                (1 + (exp(1) - 1 + 0.2) / (exp(1) + 1)) / 2);
    assert_int_equal(custos_risk_add(risk, "0", "0.25", NULL), CUSTOS_OK);
    assert_int_equal(custos_risk_report(risk, NULL, NULL, &facts, NULL),
                     CUSTOS_OK);
    assert_string_equal(facts.advantage, "0.25");
    assert_string_equal(facts.guess, "0.625");
    custos_risk_free(risk);
}

static void
risk_posterior_of_known_promises(void **state)
{
    custos_risk *risk = risk_of("0.25", "1e-9"), *none = risk_of("0", NULL);
    custos_risk *huge = risk_of("1000", NULL);
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;
    double f = exp(0.25);

    (void)state;
    assert_int_equal(custos_risk_report(risk, "1/10", NULL, &facts, NULL),
                     CUSTOS_OK);
    assert_near(strtod(facts.posterior_most, NULL), 0.1 * f / (0.9 + 0.1 * f));
    assert_near(strtod(facts.posterior_least, NULL), 0.1 / (0.1 + 0.9 * f));
    assert_string_equal(facts.posterior_shift, "0.5");
    assert_near(strtod(facts.utility_factor, NULL), f);
    assert_true(strtod(facts.utility_factor, NULL) >= f - 3e-16);
    assert_string_equal(facts.exposed, "");
    assert_int_equal(custos_risk_report(none, "1/10", NULL, &facts, NULL),
                     CUSTOS_OK);
    assert_string_equal(facts.posterior_shift, "0");
    assert_string_equal(facts.utility_factor, "1");
    assert_near(strtod(facts.posterior_most, NULL), 0.1);
    assert_int_equal(custos_risk_report(huge, NULL, NULL, &facts, NULL),
                     CUSTOS_OK);
    assert_string_equal(facts.posterior_most, "1");
    assert_string_equal(facts.posterior_shift, "1");
    assert_string_equal(facts.utility_factor, "infinity");
    custos_risk_free(risk);
    custos_risk_free(none);
    custos_risk_free(huge);
}

static void
risk_counts_the_exposed(void **state)
{
    custos_risk *risk = risk_of("1", "1e-6");
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;

    (void)state;
    assert_int_equal(custos_risk_report(risk, NULL, "100000", &facts, NULL),
                     CUSTOS_OK);
    assert_string_equal(facts.exposed, "0.1");
    assert_int_equal(facts.delta_too_large, 0);
    assert_int_equal(custos_risk_report(risk, NULL, "999999", &facts, NULL),
                     CUSTOS_OK);
    assert_int_equal(facts.delta_too_large, 0);
    assert_int_equal(custos_risk_report(risk, NULL, "1000000", &facts, NULL),
                     CUSTOS_OK);
    assert_int_equal(facts.delta_too_large, 1);
    assert_string_equal(facts.exposed, "1");
    custos_risk_free(risk);
}

static void
risk_refuses_what_is_no_promise(void **state)
{
    static const struct {
        const char *epsilon, *delta;
        custos_status st;
    } bad[] = {
        {"-1", NULL, CUSTOS_ERANGE}, {"nan", NULL, CUSTOS_EPARSE},
        {"1", "1", CUSTOS_ERANGE},   {"1", "-0.1", CUSTOS_ERANGE},
        {NULL, NULL, CUSTOS_EINVAL}, {"1025", NULL, CUSTOS_ERANGE},
        {"1", "x", CUSTOS_EPARSE},
    };
    static const struct {
        const char *fpr;
        custos_status st;
    } rates[] = {
        {"1.1", CUSTOS_ERANGE},
        {"-0.1", CUSTOS_ERANGE},
        {"x", CUSTOS_EPARSE},
        {NULL, CUSTOS_EPARSE},
    };
    custos_risk *risk = risk_of("1", NULL), *none = NULL;
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;
    char fnr[CUSTOS_NUMBER_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(
            custos_risk_new(NULL, bad[i].epsilon, bad[i].delta, &none, NULL),
            bad[i].st);
        assert_null(none);
        assert_int_equal(
            custos_risk_add(risk, bad[i].epsilon, bad[i].delta, NULL),
            bad[i].st);
    }
    assert_int_equal(custos_risk_new(NULL, "1", NULL, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_risk_add(NULL, "1", NULL, NULL), CUSTOS_EINVAL);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        assert_int_equal(custos_risk_fnr(risk, &rates[i].fpr, 1, &fnr, NULL),
                         rates[i].st);
    assert_int_equal(custos_risk_fnr(NULL, &rates[0].fpr, 1, &fnr, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_risk_fnr(risk, NULL, 1, &fnr, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_risk_fnr(risk, &rates[0].fpr, 1, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_risk_fnr(risk, NULL, 0, NULL, NULL), CUSTOS_OK);
    assert_int_equal(custos_risk_report(risk, "0", NULL, &facts, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_risk_report(risk, "1", NULL, &facts, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_risk_report(risk, NULL, "0", &facts, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_risk_report(risk, NULL, "1.5", &facts, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_risk_report(NULL, NULL, NULL, &facts, NULL),
                     CUSTOS_EINVAL);
    custos_risk_free(risk);
    custos_risk_free(NULL);
}

/* The largest number of promises is accepted, one more is not. */
static void
risk_has_an_end(void **state)
{
    custos_risk *risk = risk_of("1", "0.1");
    double before;
    int n = 1;

    (void)state;
    before = fnr_of(risk, "0.2");
    while (n < 5000 && !custos_risk_add(risk, "1", "0.1", NULL))
        n++;
    assert_int_equal(n, 4096);
    assert_true(fnr_of(risk, "0.2") == before);
    custos_risk_free(risk);
}

static void
risk_survives_want_of_memory(void **state)
{
    (void)state;
    for (size_t at = 1; at < 8; at++) {
        struct test_memory memory = {.fail_at = at};
        custos_alloc alloc = test_alloc(&memory);
        custos_risk *risk = NULL;
        custos_status st = custos_risk_new(&alloc, "1", NULL, &risk, NULL);

        for (int i = 0; i < 20 && !st; i++)
            st = custos_risk_add(risk, "1/2", "0.1", NULL);
        if (st)
            assert_int_equal(st, CUSTOS_ENOMEM);
        custos_risk_free(risk);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(risk_tradeoff_of_known_promises),
        cmocka_unit_test(risk_tradeoff_is_attained),
        cmocka_unit_test(risk_takes_the_best_promise),
        cmocka_unit_test(risk_corners_lie_under_the_curve),
        cmocka_unit_test(risk_corners_of_one_promise),
        cmocka_unit_test(risk_advantage_of_known_promises),
        cmocka_unit_test(risk_posterior_of_known_promises),
        cmocka_unit_test(risk_counts_the_exposed),
        cmocka_unit_test(risk_refuses_what_is_no_promise),
        cmocka_unit_test(risk_has_an_end),
        cmocka_unit_test(risk_survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
