/*
 * Gaussian noise is certified for exactly the parameter it is drawn with,
 * because a larger sigma can have a larger delta.
 */
#include <stdio.h>
#include <string.h>

#include "mech/additive_plan.h"
#include "mech/gauss_delta.h"
#include "noise/noise.h"
#include "num/rat_round.h"
#include "support/support.h"

/* Sigmas of 90 digits: their squares have more than 512 bits. */
static const char *const long_sigmas[] = {
    "0.520000000000000000000000000000000000000000000000000000000000000000000000"
    "000000000000000001",
    "0.533333333333333333333333333333333333333333333333333333333333333333333333"
    "333333333333333337",
    "7.777777777777777777777777777777777777777777777777777777777777777777777777"
    "777777777777777773",
};

static void
point_of(const struct additive_plan *p, struct gauss_point *point)
{
    gauss_point_init(point);
    rat_set(&point->variance, &p->parameter);
    rat_set(&point->sensitivity_squared, &p->steps);
    rat_set(&point->epsilon, &p->epsilon);
}

/* At epsilon 2, the exact delta is larger for sigma 0.55 than for 0.5. */
static void
delta_may_rise_with_sigma(void **state)
{
    char low[CUSTOS_NUMBER_MAX], high[CUSTOS_NUMBER_MAX];

    (void)state;
    assert_int_equal(
        custos_gauss_delta(CUSTOS_EXACT, "0.5", "2", "1", low, NULL),
        CUSTOS_OK);
    assert_int_equal(
        custos_gauss_delta(CUSTOS_EXACT, "0.55", "2", "1", high, NULL),
        CUSTOS_OK);
    assert_true(strtod(low, NULL) < 0.1048 && strtod(high, NULL) > 0.1319);
}

static void
long_sigma_is_certified_as_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(long_sigmas); i++) {
        custos_mech_options o = {.size = sizeof o,
                                 .kind = CUSTOS_GAUSSIAN,
                                 .domain = CUSTOS_INTS,
                                 .sensitivity = "1",
                                 .epsilon = "2",
                                 .scale = long_sigmas[i]};
        struct additive_plan p;
        struct gauss_point point;
        rat delta, exact;

        rat_init(&delta);
        rat_init(&exact);
        additive_plan_init(&p);
        assert_int_equal(additive_plan_make(&p, &o, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(long_sigmas[i], "sigma", &exact, NULL),
                         CUSTOS_OK);
        rat_mul(&exact, &exact, &exact);
        assert_true(rat_size(&exact) > 512);
        assert_true(rat_size(&p.parameter) <= 512);
        assert_true(rat_cmp(&p.parameter, &exact) > 0);
        point_of(&p, &point);
        gauss_delta_up(GAUSS_DISCRETE, &point, &delta);
        assert_true(rat_cmp(&delta, &p.delta) == 0);
        /* A twin that certifies before it rounds would report a wrong delta. */
        rat_set(&point.variance, &exact);
        gauss_delta_up(GAUSS_DISCRETE, &point, &exact);
        assert_true(i == 2 ? rat_cmp(&exact, &delta) > 0
                           : rat_cmp(&exact, &delta) < 0);
        gauss_point_clear(&point);
        additive_plan_clear(&p);
        rat_clear(&delta);
        rat_clear(&exact);
    }
}

/*
 * Epsilon is computed from sigma and delta, by the exact law and by zCDP, and
 * from the scale of Laplace noise.
 */
static void
long_scales_have_certified_epsilons(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(long_sigmas); i++)
        for (int law = 0; law < 3; law++) {
            custos_mech_options o = {.size = sizeof o,
                                     .kind = law < 2 ? CUSTOS_GAUSSIAN
                                                     : CUSTOS_LAPLACE,
                                     .domain = CUSTOS_INTS,
                                     .sensitivity = "1",
                                     .calibration = law == 1 ? CUSTOS_ZCDP : 0,
                                     .delta = law < 2 ? "1/10" : NULL,
                                     .scale = long_sigmas[i]};
            struct additive_plan p;
            struct gauss_point point;
            rat x;

            rat_init(&x);
            additive_plan_init(&p);
            assert_int_equal(additive_plan_make(&p, &o, NULL), CUSTOS_OK);
            assert_true(rat_size(&p.parameter) <= 512);
            point_of(&p, &point);
            rat_div(&x, &p.steps, &p.parameter);
            if (law < 2)
                assert_true(gauss_delta_at_most(
                    law == 0 ? GAUSS_DISCRETE : GAUSS_ZCDP, &point, &p.delta));
            else
                assert_true(rat_cmp(&x, &p.epsilon) == 0);
            gauss_point_clear(&point);
            additive_plan_clear(&p);
            rat_clear(&x);
        }
}

/* A sigma printed as text keeps its promise when it is read back. */
static void
sigma_is_certified_as_it_reads(void **state)
{
    static const char *const epsilons[] = {"1/100", "1/2", "1", "2", "4", "8"};
    static const char *const deltas[] = {"1/8", "1e-3", "1e-9"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(epsilons) * COUNT_OF(deltas) * 3; i++) {
        custos_calibration c = (custos_calibration)(CUSTOS_ANALYTIC + i % 3);
        const char *epsilon = epsilons[i / 3 % COUNT_OF(epsilons)];
        const char *delta = deltas[i / 3 / COUNT_OF(epsilons)];
        char sigma[CUSTOS_NUMBER_MAX];
        struct gauss_point p;
        rat d, x;

        rat_init(&d);
        rat_init(&x);
        gauss_point_init(&p);
        assert_int_equal(
            custos_gauss_sigma(c, epsilon, delta, "1", sigma, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(sigma, "sigma", &x, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(delta, "delta", &d, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(epsilon, "epsilon", &p.epsilon, NULL),
                         CUSTOS_OK);
        rat_set_i64(&p.sensitivity_squared, 1, 1);
        rat_mul(&p.variance, &x, &x);
        assert_true(gauss_delta_at_most(c == CUSTOS_ANALYTIC ? GAUSS_ANALYTIC
                                        : c == CUSTOS_EXACT  ? GAUSS_DISCRETE
                                                             : GAUSS_ZCDP,
                                        &p, &d));
        gauss_point_clear(&p);
        rat_clear(&d);
        rat_clear(&x);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_may_rise_with_sigma),
        cmocka_unit_test(long_sigma_is_certified_as_drawn),
        cmocka_unit_test(long_scales_have_certified_epsilons),
        cmocka_unit_test(sigma_is_certified_as_it_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
