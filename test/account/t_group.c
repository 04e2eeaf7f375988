/*
 * Group privacy: a worked example, a comparison of the two bounds, and the
 * better one against the worst mechanism that the promise allows.
 */
#include "account/group.h"

#include "account/mp.h"

/* epsilon 0.5, delta 10^-6, three units: (1.5, 3 e 10^-6) or better. */
static void
group_worked_example(void **state)
{
    custos_group g = CUSTOS_GROUP_INIT;

    (void)state;
    assert_int_equal(custos_group_approx("0.5", "1e-6", 3, &g, NULL),
                     CUSTOS_OK);
    assert_string_equal(g.epsilon, "1.5");
    assert_true(strtod(g.delta_textbook, NULL) >= 3 * exp(1) * 1e-6);
    assert_true(strtod(g.delta_textbook, NULL) < 3 * exp(1) * 1.000001e-6);
    assert_true(strtod(g.delta, NULL) < 3 * exp(1) * 1e-6);
    assert_true(fabs(strtod(g.delta, NULL) - (1 + exp(0.5) + exp(1)) * 1e-6) <
                1e-20);
    assert_string_equal(g.theorem, "group-approx");
    assert_non_null(strstr(g.source, "geometric"));
    assert_int_equal(custos_group_approx("0.5", NULL, 3, &g, NULL), CUSTOS_OK);
    assert_string_equal(g.delta, "0");
    assert_int_equal(custos_group_approx("1/3", "1e-3", 1, &g, NULL),
                     CUSTOS_OK);
    assert_string_equal(g.delta, "0.001");
    assert_string_equal(g.delta_textbook, "0.001");
}

static void
group_series_beats_textbook(void **state)
{
    mpfr_t e, d, sum, power;
    rat epsilon, delta, a, b;

    (void)state;
    mpfr_inits2(MP_BITS, e, d, sum, power, (mpfr_ptr)0);
    rat_init(&epsilon);
    rat_init(&delta);
    rat_init(&a);
    rat_init(&b);
    mp_seed = 21;
    for (int i = 0; i < 300; i++) {
        uint64_t k = 2 + mp_next() % 30;

        mp_random(&epsilon, -20, 0);
        mp_random(&delta, -120, -80);
        group_delta_up(&epsilon, &delta, k, &a);
        group_delta_textbook_up(&epsilon, &delta, k, &b);
        assert_true(rat_cmp(&a, &b) < 0);
        /* the series, term by term */
        mp_set(e, &epsilon);
        mp_set(d, &delta);
        mpfr_exp(e, e, MPFR_RNDN);
        mpfr_set_zero(sum, 1);
        for (uint64_t j = 0; j < k; j++) {
            mpfr_mul(sum, sum, e, MPFR_RNDN);
            mpfr_add_ui(sum, sum, 1, MPFR_RNDN);
        }
        mpfr_mul(sum, sum, d, MPFR_RNDN);
        mp_check_up(&a, sum, 1e-15);
        mpfr_pow_ui(power, e, k - 1, MPFR_RNDN);
        mpfr_mul_ui(power, power, k, MPFR_RNDN);
        mpfr_mul(power, power, d, MPFR_RNDN);
        mp_check_up(&b, power, 1e-15);
    }
    mpfr_clears(e, d, sum, power, (mpfr_ptr)0);
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&a);
    rat_clear(&b);
}

/*
 * With each further unit the probability of the bad event goes from p to e^eps
 * p + delta, the most that (eps, delta)-DP allows. The bound is attained.
 */
static void
group_bounds_randomized_response(void **state)
{
    rat epsilon = mp_rat("0.3"), delta = mp_rat("0.001"), got;

    (void)state;
    rat_init(&got);
    for (uint64_t k = 1; k <= 10; k++) {
        double p = 0.0001, last = p;

        for (uint64_t i = 0; i < k; i++)
            last = exp(0.3) * last + 0.001;
        group_delta_up(&epsilon, &delta, k, &got);
        assert_true(fabs(last - exp(0.3 * (double)k) * p - mpq_get_d(got.q)) <
                    1e-14);
    }
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&got);
}

static void
group_zcdp_is_quadratic(void **state)
{
    custos_group g = CUSTOS_GROUP_INIT;

    (void)state;
    assert_int_equal(custos_group_rho("0.02", 5, &g, NULL), CUSTOS_OK);
    assert_string_equal(g.rho, "0.5");
    assert_string_equal(g.theorem, "group-zcdp");
}

static void
group_ends(void **state)
{
    custos_group g = CUSTOS_GROUP_INIT;
    rat zero = mp_rat("0"), third = mp_rat("1/3"), x;

    (void)state;
    rat_init(&x);
    group_delta_up(&zero, &third, 2, &x);
    assert_true(fabs(mpq_get_d(x.q) - 2.0 / 3) < 1e-15);
    group_delta_up(&zero, &third, 9, &x);
    assert_int_equal(rat_cmp_i64(&x, 1), 0);
    rat_clear(&zero);
    rat_clear(&third);
    rat_clear(&x);
    assert_int_equal(custos_group_approx("1e9", "1e-300", UINT64_MAX, &g, NULL),
                     CUSTOS_OK);
    assert_string_equal(g.delta, "1");
    assert_string_equal(g.delta_textbook, "1");
    assert_int_equal(custos_group_approx("0.5", "1e-6", 0, &g, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_group_approx("-1", "1e-6", 3, &g, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_group_approx("1", "1", 3, &g, NULL), CUSTOS_ERANGE);
    assert_int_equal(custos_group_approx("1e30", NULL, 3, &g, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_group_approx(NULL, NULL, 3, &g, NULL),
                     CUSTOS_EPARSE);
    assert_int_equal(custos_group_approx("1", NULL, 3, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_group_rho("0", 3, &g, NULL), CUSTOS_ERANGE);
    assert_int_equal(custos_group_rho("1", 0, &g, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_group_rho("1", 1, NULL, NULL), CUSTOS_EINVAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_worked_example),
        cmocka_unit_test(group_series_beats_textbook),
        cmocka_unit_test(group_bounds_randomized_response),
        cmocka_unit_test(group_zcdp_is_quadratic),
        cmocka_unit_test(group_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
