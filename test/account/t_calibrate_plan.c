/*
 * Calibration of plans: the noise found is enough, checked by another
 * computation where there is one, and a little less noise is not enough.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/plan_scale.h"
#include "support/said.h"
#include "support/pld_of.h"
#include "support/support.h"

static custos_plan *
plan_of(const char *const *mechanisms, size_t n)
{
    custos_plan *plan = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, &err),
                     CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(custos_plan_add(plan, mechanisms[i], &err), CUSTOS_OK);
    return plan;
}

static custos_calibrated
noise_of(const char *mechanism, const char *epsilon, const char *delta)
{
    custos_plan *plan = plan_of(&mechanism, 1);
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(custos_calibrate_noise(plan, epsilon, delta, &got, &err),
                     CUSTOS_OK);
    custos_plan_free(plan);
    return got;
}

static void
calibrated_noise_is_exact_for_sums(void **state)
{
    (void)state;
    assert_string_equal(noise_of("laplace:epsilon=1:count=10", "1", "0").factor,
                        "10");
    assert_string_equal(
        noise_of("laplace:epsilon=1:count=10", "1", NULL).epsilon, "1");
    assert_string_equal(noise_of("laplace:epsilon=0.1", "1", NULL).factor,
                        "0.1");
}

/* A Gaussian composed with itself is a Gaussian: sigma has a closed form. */
static void
calibrated_noise_fits_and_less_does_not(void **state)
{
    static const struct {
        const char *epsilon, *delta;
    } known[] = {{"1", "1e-6"}, {"0.1", "1e-9"}, {"5", "1e-5"}};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        custos_calibrated got = noise_of("gaussian:sigma=1:count=50",
                                         known[i].epsilon, known[i].delta);
        char sigma[CUSTOS_NUMBER_MAX];
        double ratio;

        assert_int_equal(custos_gauss_sigma(CUSTOS_ANALYTIC, known[i].epsilon,
                                            known[i].delta, "50", sigma, NULL),
                         CUSTOS_OK);
        ratio = strtod(got.factor, NULL) / strtod(sigma, NULL);
        assert_true(ratio >= 1 - 1e-12);
        assert_true(ratio < 1.0003);
        assert_true(strtod(got.epsilon, NULL) <=
                    strtod(known[i].epsilon, NULL));
        assert_string_equal(got.theorem, "plan-pld");
    }
}

/*
 * A delta near 1 hardly changes with epsilon, and rounding widens its bounds.
 * The noise found must still be enough. bench/account measures how long the
 * search takes.
 */
static void
calibration_at_a_large_delta_fits(void **state)
{
    static const struct {
        const char *mechanism, *delta;
        double most; /* bound on the factor */
    } known[] = {
        {"gaussian:sigma=1:count=10", "0.9999", 0.39446},
        {"gaussian:sigma=1:count=10", "0.9999999999999", 0.2395},
        {"laplace:epsilon=1", "0.99999999999999999999", 0.019},
        {"randomized-response:epsilon=1:values=7:count=3",
         "0.99999999999999999999", 0.0725},
        {"exponential:epsilon=1:count=4", "0.9999999999999", 0.0584},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        custos_calibrated got =
            noise_of(known[i].mechanism, "1", known[i].delta);

        assert_true(strtod(got.factor, NULL) <= known[i].most);
        assert_true(strtod(got.epsilon, NULL) <= 1);
    }
    /* The exact curve gives 0.3944369. */
    assert_true(strtod(noise_of(known[0].mechanism, "1", "0.9999").factor,
                       NULL) > 0.394436);
}

static void
calibrated_count_fits_and_one_more_does_not(void **state)
{
    static const char *const plans[] = {
        "gaussian:sigma=100", "laplace:epsilon=0.01",
        "randomized-response:epsilon=0.02:values=4"};

    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        custos_plan *plan = plan_of(&plans[i], 1);
        custos_calibrated got = CUSTOS_CALIBRATED_INIT;
        custos_interval at = CUSTOS_INTERVAL_INIT;
        char text[100];
        const char *more = text;

        assert_int_equal(custos_calibrate_count(plan, "1", "1e-6", &got, NULL),
                         CUSTOS_OK);
        custos_plan_free(plan);
        assert_true(got.count > 100);
        for (uint64_t k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "%s:count=%llu", plans[i],
                     (unsigned long long)(got.count + k));
            plan = plan_of(&more, 1);
            assert_int_equal(pld_epsilon_of(plan, "1e-6", "1e-5", &at, NULL),
                             CUSTOS_OK);
            assert_true(k ? strtod(at.high, NULL) > 1
                          : strtod(at.low, NULL) <= 1);
            custos_plan_free(plan);
        }
    }
}

static void
calibrated_count_knows_nothing_and_sums(void **state)
{
    const char *ten = "laplace:epsilon=0.1", *dear = "laplace:epsilon=3";
    custos_plan *plan = plan_of(&ten, 1);
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;

    (void)state;
    assert_int_equal(custos_calibrate_count(plan, "1", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_int_equal(got.count, 10);
    assert_string_equal(got.epsilon, "1");
    custos_plan_free(plan);
    plan = plan_of(&dear, 1);
    assert_int_equal(custos_calibrate_count(plan, "1", "1e-6", &got, NULL),
                     CUSTOS_OK);
    assert_int_equal(got.count, 0);
    assert_string_equal(got.epsilon, "");
    custos_plan_free(plan);
}

/*
 * All scales differ; the plan's own bounds confirm that the noise found is
 * enough.
 */
static void
calibration_of_a_thousand_queries(void **state)
{
    custos_plan *plan = plan_of(NULL, 0), *fitted = plan_of(NULL, 0);
    custos_calibrated got = CUSTOS_CALIBRATED_INIT;
    custos_interval at = CUSTOS_INTERVAL_INIT;
    char text[CUSTOS_MECHANISM_MAX];

    (void)state;
    for (int i = 1; i <= 1000; i++) {
        snprintf(text, sizeof text,
                 i % 2 ? "laplace:epsilon=0.%04d" : "gaussian:sigma=1.%04d", i);
        assert_int_equal(custos_plan_add(plan, text, NULL), CUSTOS_OK);
    }
    assert_int_equal(custos_calibrate_noise(plan, "0.01", "1e-6", &got, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(custos_plan_write(plan, i, got.factor, text, NULL),
                         CUSTOS_OK);
        assert_int_equal(custos_plan_add(fitted, text, NULL), CUSTOS_OK);
    }
    assert_int_equal(pld_epsilon_of(fitted, "1e-6", "1e-4", &at, NULL),
                     CUSTOS_OK);
    assert_true(strtod(at.high, NULL) <= 0.01);
    assert_true(strtod(at.low, NULL) >= 0.0097);
    custos_plan_free(plan);
    custos_plan_free(fitted);
}

/* Without a privacy-loss distribution, calibration uses zCDP. */
static void
calibration_falls_back(void **state)
{
    custos_calibrated got = noise_of(
        "discrete-gaussian:sigma=1:sensitivity-squared=2:count=9", "1", "1e-6");

    (void)state;
    assert_string_equal(got.theorem, "compose-zcdp");
    assert_true(strtod(got.epsilon, NULL) <= 1);
    assert_true(strtod(got.epsilon, NULL) > 0.99);
}

/*
 * Two edges: a delta near 1, and losses so small that delta is small although
 * the losses are common. Closed forms give the expected factors.
 */
static void
calibrated_noise_at_the_edges(void **state)
{
    /* delta = 1 - exp((1 - e)/2), e = 1 / factor */
    const double laplace = 1 / (1 - 2 * log(1e-6));
    double factor =
        strtod(noise_of("laplace:epsilon=1", "1", "0.999999").factor, NULL);

    (void)state;
    assert_true(factor > laplace * (1 - 1e-9) && factor < laplace * 1.001);
    /* delta = (1 - exp((1e-6 - e)/2))^2 / (1 - exp(-e)) at e = 2.02126e-6 */
    factor = strtod(noise_of("exponential:epsilon=1", "1e-6", "1.29e-7").factor,
                    NULL);
    assert_true(factor > 494741 && factor < 494800);
}

static void
calibration_refuses_what_cannot_be(void **state)
{
    const char *one = "laplace:epsilon=1", *bad = "generic:epsilon=1:delta=0.1";
    const char *rare = "gaussian:sigma=1:sample=0.1"; /* always (0, 0.1)-DP */
    custos_plan *plan = plan_of(&one, 1), *empty = plan_of(&one, 0);
    custos_plan *never = plan_of(&bad, 1);
    custos_plan *always = plan_of(&rare, 1);
    custos_calibrated got = {.size = sizeof got, .factor = "unset"};
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_calibrate_noise(NULL, "1", NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_calibrate_noise(plan, NULL, NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_calibrate_noise(empty, "1", NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_calibrate_noise(plan, "0", NULL, &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_calibrate_noise(plan, "1e-300", NULL, &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_calibrate_noise(plan, "1", "1", &got, &err),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_calibrate_noise(plan, "1", "x", &got, &err),
                     CUSTOS_EPARSE);
    assert_int_equal(custos_calibrate_noise(never, "1", "1e-6", &got, &err),
                     CUSTOS_ERANGE);
    assert_non_null(strstr(whole_said(&err), "no amount of noise"));
    assert_int_equal(custos_calibrate_noise(always, "1", "0.5", &got, &err),
                     CUSTOS_ERANGE);
    assert_non_null(strstr(whole_said(&err), "next to no noise"));
    assert_int_equal(custos_calibrate_count(NULL, "1", NULL, &got, &err),
                     CUSTOS_EINVAL);
    assert_string_equal(got.factor, "unset");
    custos_plan_free(plan);
    custos_plan_free(empty);
    custos_plan_free(never);
    custos_plan_free(always);
}

static void
calibration_survives_want_of_memory(void **state)
{
    (void)state;
    for (size_t at = 1; at < 40; at++) {
        struct test_memory memory = {.fail_at = at};
        custos_alloc alloc = test_alloc(&memory);
        custos_calibrated got = {.size = sizeof got, .factor = "unset"};
        custos_plan *plan = NULL;
        custos_status st;

        st = custos_plan_new(&alloc, CUSTOS_ADD_REMOVE, &plan, NULL);
        if (!st)
            st = custos_plan_add(plan, "randomized-response:epsilon=1", NULL);
        if (!st)
            st = custos_calibrate_noise(plan, "1", "1e-6", &got, NULL);
        if (st) {
            assert_int_equal(st, CUSTOS_ENOMEM);
            assert_string_equal(got.factor, "unset");
        }
        custos_plan_free(plan);
        assert_int_equal(memory.live, 0);
    }
}

/* The scaled plan that calibration tries equals the one it writes out. */
static void
calibrated_noise_is_tried_as_written(void **state)
{
    static const char *const texts[] = {
        "discrete-gaussian:sigma=1/3", "gaussian:sigma=1/7",
        "laplace:epsilon=1/3", "generic:epsilon=1/7:delta=1/300"};
    custos_plan *plan = plan_of(texts, 4), *back = NULL;
    struct custos_plan copy;
    rat factor;

    (void)state;
    rat_init(&factor);
    rat_set_i64(&factor, 12345678, 10000000);
    assert_int_equal(plan_scale(plan, &factor, 1, &copy), CUSTOS_OK);
    plan_round(&copy);
    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &back, NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < 4; i++) {
        char text[CUSTOS_MECHANISM_MAX];

        assert_int_equal(custos_plan_write(plan, i, "1.2345678", text, NULL),
                         CUSTOS_OK);
        assert_int_equal(custos_plan_add(back, text, NULL), CUSTOS_OK);
        assert_true(rat_cmp(&back->items[i].sigma, &copy.items[i].sigma) == 0);
        assert_true(rat_cmp(&back->items[i].epsilon, &copy.items[i].epsilon) ==
                    0);
    }
    rat_clear(&factor);
    plan_scale_clear(&copy);
    custos_plan_free(plan);
    custos_plan_free(back);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibrated_noise_is_exact_for_sums),
        cmocka_unit_test(calibrated_noise_fits_and_less_does_not),
        cmocka_unit_test(calibration_at_a_large_delta_fits),
        cmocka_unit_test(calibrated_count_fits_and_one_more_does_not),
        cmocka_unit_test(calibrated_count_knows_nothing_and_sums),
        cmocka_unit_test(calibration_of_a_thousand_queries),
        cmocka_unit_test(calibration_falls_back),
        cmocka_unit_test(calibrated_noise_at_the_edges),
        cmocka_unit_test(calibration_refuses_what_cannot_be),
        cmocka_unit_test(calibration_survives_want_of_memory),
        cmocka_unit_test(calibrated_noise_is_tried_as_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
