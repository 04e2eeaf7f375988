/*
 * A6: parameters rounded the wrong way. With a sigma below the true one, even
 * by one unit in the last place, the promise does not hold.
 *
 * Ours, for random epsilon and delta: sigma is at least the true value and at
 * most 1 + 1e-12 times that, by an independent computation with 300 bits. The
 * twins compute in doubles, or round to the nearest.
 */
#include <stdio.h>

#include <mpfr.h>

#include "attack/attack.h"

enum { BITS = 300 };

struct asked {
    char epsilon[32], delta[32];
};

static struct asked
ask(custos_rng *rng)
{
    struct asked a;
    unsigned digits = (unsigned)(attack_word(rng) % 9999) + 1;

    snprintf(a.epsilon, sizeof a.epsilon, "0.%04u", digits);
    snprintf(a.delta, sizeof a.delta, "%ue-%u",
             (unsigned)(attack_word(rng) % 9) + 1,
             (unsigned)(attack_word(rng) % 12) + 3);
    return a;
}

/* sqrt(2 ln(1.25/delta)) / epsilon, within 2^-280 of it. */
static void
classical(const struct asked *a, mpfr_t sigma)
{
    mpfr_t x;

    mpfr_init2(x, BITS);
    mpfr_set_str(x, a->delta, 10, MPFR_RNDN);
    mpfr_d_div(x, 1.25, x, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, 2, MPFR_RNDN);
    mpfr_sqrt(sigma, x, MPFR_RNDN);
    mpfr_set_str(x, a->epsilon, 10, MPFR_RNDN);
    mpfr_div(sigma, sigma, x, MPFR_RNDN);
    mpfr_clear(x);
}

/* 2 Phi(x) = erfc(-x / sqrt 2). */
static void
two_phi(mpfr_t out, mpfr_t x)
{
    mpfr_t root;

    mpfr_init2(root, BITS);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(out, x, root, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_erfc(out, out, MPFR_RNDN);
    mpfr_clear(root);
}

/*
 * Balle and Wang 2018, theorem 8: delta = Phi(1/2s - es) - exp(e) Phi(-1/2s -
 * es) for the continuous Gaussian of sensitivity 1.
 */
static void
analytic_delta(mpfr_t delta, mpfr_t sigma, const char *epsilon)
{
    mpfr_t e, half, shift, a, b;

    mpfr_inits2(BITS, e, half, shift, a, b, (mpfr_ptr)0);
    mpfr_set_str(e, epsilon, 10, MPFR_RNDN);
    mpfr_d_div(half, 0.5, sigma, MPFR_RNDN);
    mpfr_mul(shift, e, sigma, MPFR_RNDN);
    mpfr_sub(a, half, shift, MPFR_RNDN);
    two_phi(a, a);
    mpfr_add(b, half, shift, MPFR_RNDN);
    mpfr_neg(b, b, MPFR_RNDN);
    two_phi(b, b);
    mpfr_exp(e, e, MPFR_RNDN);
    mpfr_mul(b, b, e, MPFR_RNDN);
    mpfr_sub(delta, a, b, MPFR_RNDN);
    mpfr_div_ui(delta, delta, 2, MPFR_RNDN);
    mpfr_clears(e, half, shift, a, b, (mpfr_ptr)0);
}

/* -1: sigma is too small; 1: above 1 + 1e-12 times the true one; 0: right. */
static int
judge_classical(const struct asked *a, const char *text)
{
    mpfr_t sigma, truth;
    int verdict;

    mpfr_inits2(BITS, sigma, truth, (mpfr_ptr)0);
    mpfr_set_str(sigma, text, 10, MPFR_RNDN);
    classical(a, truth);
    verdict = mpfr_less_p(sigma, truth) ? -1 : 0;
    mpfr_sub(sigma, sigma, truth, MPFR_RNDN);
    mpfr_div(sigma, sigma, truth, MPFR_RNDN);
    if (mpfr_cmp_d(sigma, 1e-12) > 0)
        verdict = 1;
    mpfr_clears(sigma, truth, (mpfr_ptr)0);
    return verdict;
}

static int
judge_analytic(const struct asked *a, const char *text)
{
    mpfr_t sigma, delta, found;
    int verdict = 0;

    mpfr_inits2(BITS, sigma, delta, found, (mpfr_ptr)0);
    mpfr_set_str(delta, a->delta, 10, MPFR_RNDN);
    mpfr_set_str(sigma, text, 10, MPFR_RNDN);
    analytic_delta(found, sigma, a->epsilon);
    if (mpfr_greater_p(found, delta))
        verdict = -1;
    mpfr_mul_d(found, sigma, 1e-12, MPFR_RNDN);
    mpfr_sub(sigma, sigma, found, MPFR_RNDN);
    analytic_delta(found, sigma, a->epsilon);
    if (mpfr_lessequal_p(found, delta))
        verdict = 1;
    mpfr_clears(sigma, delta, found, (mpfr_ptr)0);
    return verdict;
}

static void
sigma_is_never_too_small(void **state)
{
    const size_t n = audit_size(3, 80, 5000);
    custos_rng *rng = test_rng_seeded(601);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        struct asked a = ask(rng);
        char sigma[CUSTOS_NUMBER_MAX];

        assert_int_equal(custos_gauss_sigma(CUSTOS_CLASSICAL, a.epsilon,
                                            a.delta, "1", sigma, NULL),
                         CUSTOS_OK);
        assert_int_equal(judge_classical(&a, sigma), 0);
        assert_int_equal(custos_gauss_sigma(CUSTOS_ANALYTIC, a.epsilon, a.delta,
                                            "1", sigma, NULL),
                         CUSTOS_OK);
        assert_int_equal(judge_analytic(&a, sigma), 0);
    }
    test_rng_free(rng);
}

/* A twin: the formula in doubles, every operation correctly rounded. */
static void
twin_in_doubles_is_caught(void **state)
{
    custos_rng *rng = test_rng_seeded(602);
    size_t low = 0;

    (void)state;
    for (int i = 0; i < 200; i++) {
        struct asked a = ask(rng);
        double sigma = sqrt(2 * log(1.25 / strtod(a.delta, NULL))) /
                       strtod(a.epsilon, NULL);
        char text[64];

        snprintf(text, sizeof text, "%.25g", sigma);
        low += judge_classical(&a, text) < 0;
    }
    assert_true(low > 20);
    test_rng_free(rng);
}

/* A twin: the true value, rounded to the nearest 17 digits instead of up. */
static void
twin_to_the_nearest_is_caught(void **state)
{
    custos_rng *rng = test_rng_seeded(603);
    size_t low = 0;

    (void)state;
    for (int i = 0; i < 50; i++) {
        struct asked a = ask(rng);
        char text[64];
        mpfr_t sigma;

        mpfr_init2(sigma, BITS);
        classical(&a, sigma);
        mpfr_snprintf(text, sizeof text, "%.17RNg", sigma);
        low += judge_classical(&a, text) < 0;
        mpfr_clear(sigma);
    }
    assert_true(low > 5);
    test_rng_free(rng);
}

/*
 * The scale of Laplace noise is exactly sensitivity over epsilon, and the
 * reported epsilon is never below the true one. A third as a double would be
 * less than a third.
 */
static void
epsilon_is_never_told_too_small(void **state)
{
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_INTS,
        .sensitivity = "1",
        .scale = "3",
    };
    custos_mech *mech = attack_mech(&options);
    mpfr_t told;

    (void)state;
    mpfr_init2(told, BITS);
    mpfr_set_str(told, custos_mech_facts(mech)->epsilon, 10, MPFR_RNDN);
    mpfr_mul_ui(told, told, 3, MPFR_RNDN);
    assert_true(mpfr_cmp_ui(told, 1) >= 0);
    assert_true(mpfr_cmp_d(told, 1 + 1e-12) < 0);
    /* The twin: a third in doubles. */
    mpfr_set_d(told, 1 / 3.0, MPFR_RNDN);
    mpfr_mul_ui(told, told, 3, MPFR_RNDN);
    assert_true(mpfr_cmp_ui(told, 1) < 0);
    mpfr_clear(told);
    mpfr_free_cache();
    custos_mech_free(mech);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigma_is_never_too_small),
        cmocka_unit_test(twin_in_doubles_is_caught),
        cmocka_unit_test(twin_to_the_nearest_is_caught),
        cmocka_unit_test(epsilon_is_never_told_too_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
