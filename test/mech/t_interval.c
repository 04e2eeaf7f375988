/*
 * Error bars: the width m is the least possible, by the exact tails at m and
 * m - 1, and draws are within it as often as they should.
 */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "base/ck.h"
#include "mech/i128.h"
#include "mech/interval.h"
#include "num/gauss_sum.h"
#include "num/ival_more.h"
#include "support/said.h"
#include "support/support.h"

static custos_noise *
noise_make(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     CUSTOS_OK);
    return noise;
}

/* ln of P[|Y| > m], or of P[Y > m] when one-sided, at 256 bits. */
static void
log_tail(mpfr_t r, const char *scale, i128 m, bool one_sided)
{
    mpfr_t t, q;
    rat x;

    mpfr_inits2(256, t, q, (mpfr_ptr)0);
    rat_init(&x);
    assert_int_equal(rat_read(scale, "scale", &x, NULL), CUSTOS_OK);
    mpfr_set_q(t, x.q, MPFR_RNDN);
    rat_set_i128(&x, m + 1);
    mpfr_set_q(r, x.q, MPFR_RNDN);
    mpfr_div(r, r, t, MPFR_RNDN);
    mpfr_neg(r, r, MPFR_RNDN);
    if (!one_sided) {
        mpfr_ui_div(q, 1, t, MPFR_RNDN);
        mpfr_neg(q, q, MPFR_RNDN);
        mpfr_exp(q, q, MPFR_RNDN);
        mpfr_add_ui(q, q, 1, MPFR_RNDN);
        mpfr_ui_div(q, 2, q, MPFR_RNDN);
        mpfr_log(q, q, MPFR_RNDN);
        mpfr_add(r, r, q, MPFR_RNDN);
    }
    rat_clear(&x);
    mpfr_clears(t, q, (mpfr_ptr)0);
}

/* (1 - tail)^n >= 1 - beta, at 256 bits. */
static bool
covers(const mpfr_t log_of_tail, double beta, size_t n)
{
    mpfr_t x, y;
    bool enough;

    mpfr_inits2(256, x, y, (mpfr_ptr)0);
    mpfr_exp(x, log_of_tail, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_log1p(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, n, MPFR_RNDN);
    mpfr_set_d(y, -beta, MPFR_RNDN);
    mpfr_log1p(y, y, MPFR_RNDN);
    enough = mpfr_greaterequal_p(x, y) != 0;
    mpfr_clears(x, y, (mpfr_ptr)0);
    return enough;
}

static void
interval_laplace_is_least(void **state)
{
    static const char *scales[] = {"1/1000000", "0.3",  "1",
                                   "10",        "1000", "1152921504606846976"};
    static const char *betas[] = {"0.96875", "0.5", "0.0625",
                                  "9.5367431640625e-7"}; /* exact doubles */
    static const size_t counts[] = {1, 2, 1000, SIZE_MAX};
    mpfr_t tail;

    (void)state;
    mpfr_init2(tail, 256);
    for (size_t i = 0; i < COUNT_OF(scales) * 2; i++)
        for (size_t j = 0; j < COUNT_OF(betas); j++)
            for (size_t k = j * (size_t)test_size(1, 0); k < COUNT_OF(counts);
                 k += (size_t)test_size(4, 1)) {
                bool one = i >= COUNT_OF(scales);
                const char *scale = scales[i % COUNT_OF(scales)];
                double beta = strtod(betas[j], NULL);
                custos_noise *noise = noise_make(
                    one ? CUSTOS_GEOMETRIC : CUSTOS_DISCRETE_LAPLACE, scale);
                i128 m = -7;

                assert_int_equal(
                    noise_error_i128(noise, betas[j], counts[k], &m, NULL),
                    CUSTOS_OK);
                assert_true(m >= 0);
                log_tail(tail, scale, m, one);
                assert_true(covers(tail, beta, counts[k]));
                if (m > 0) {
                    log_tail(tail, scale, m - 1, one);
                    assert_false(covers(tail, beta, counts[k]));
                }
                custos_noise_free(noise);
            }
    mpfr_clear(tail);
}

static void
interval_gauss_is_least(void **state)
{
    static const char *sigmas[] = {"0.001", "0.7", "5", "1000", "1e12", "1e18"};
    static const char *betas[] = {"0.96875", "0.0625", "9.5367431640625e-7"};
    static const size_t counts[] = {1, 30, 1u << 30};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sigmas); i++)
        for (size_t j = i % 3 * (size_t)test_size(1, 0); j < COUNT_OF(betas);
             j += (size_t)test_size(3, 1)) {
            custos_noise *noise =
                noise_make(CUSTOS_DISCRETE_GAUSSIAN, sigmas[i]);
            double beta = strtod(betas[j], NULL);
            size_t n = counts[(i + j) % 3];
            i128 m = -7;
            bool good[2];

            assert_int_equal(noise_error_i128(noise, betas[j], n, &m, NULL),
                             CUSTOS_OK);
            assert_true(m >= 0);
            for (int less = 0; less < 2; less++) {
                ival tail, all;
                rat from;

                ival_init(&tail, 256);
                ival_init(&all, 256);
                rat_init(&from);
                rat_set_i128(&from, m + 1 - less);
                gauss_sum(&tail, noise_parameter(noise), &from);
                gauss_sum_all(&all, noise_parameter(noise));
                ival_div(&tail, &tail, &all);
                ival_mul_pow2(&tail, &tail, 1);
                mpfr_log(tail.lo, tail.lo, MPFR_RNDN);
                good[less] = covers(tail.lo, beta, n);
                ival_clear(&tail);
                ival_clear(&all);
                rat_clear(&from);
            }
            assert_true(good[0]);
            if (m > 0)
                assert_false(good[1]);
            custos_noise_free(noise);
        }
}

/*
 * k draws are all within the simultaneous band with probability at least
 * 1 - beta; if the band is narrower by 1, the probability is less. 4000 trials
 * of k = 8 with a fixed seed; the number of misses may be off by 5 standard
 * deviations of its binomial law. With a fresh seed the probability of a false
 * alarm would be below 1e-6 for each law.
 */
static void
interval_covers(void **state)
{
    static const struct {
        custos_law law;
        const char *parameter;
    } rows[] = {{CUSTOS_DISCRETE_LAPLACE, "1"},
                {CUSTOS_TWO_SIDED_GEOMETRIC, "100"},
                {CUSTOS_GEOMETRIC, "20"},
                {CUSTOS_DISCRETE_GAUSSIAN, "2.5"},
                {CUSTOS_DISCRETE_GAUSSIAN, "1000"}};
    enum { TRIALS = 4000, K = 8 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_noise *noise = noise_make(rows[i].law, rows[i].parameter);
        custos_rng *rng = test_rng_seeded(1000 + i);
        int missed = 0, missed_less = 0;
        i128 m;

        assert_int_equal(noise_error_i128(noise, "0.1", K, &m, NULL), 0);
        for (int t = 0; t < TRIALS; t++) {
            i128 y[K];
            bool out = false, out_less = false;

            assert_int_equal(noise_draw(noise, rng, y, K), 0);
            for (int k = 0; k < K; k++) {
                i128 size = y[k] < 0 ? -y[k] : y[k];

                out |= size > m;
                out_less |= size > m - 1;
            }
            missed += out;
            missed_less += out_less;
        }
        /* 5 standard deviations of binomial(4000, 0.1): 95. */
        assert_true(missed <= 400 + 95);
        assert_true(missed_less >= 400 - 95);
        test_rng_free(rng);
        custos_noise_free(noise);
    }
}

/* The discrete tail 2q^m/(1+q) is above the continuous one, e^(-m/t). */
static void
discrete_tail_is_above_the_continuous_one(void **state)
{
    custos_noise *noise = noise_make(CUSTOS_DISCRETE_LAPLACE, "1");
    i128 m;

    (void)state;
    /* P[|Y| >= 3] = 2 e^-3/(1+e^-1) = 0.0728 > 0.0702 > e^-3 = 0.0498. */
    assert_int_equal(noise_error_i128(noise, "0.0702", 1, &m, NULL), 0);
    assert_true(m == 3);
    assert_int_equal(noise_error_i128(noise, "0.073", 1, &m, NULL), 0);
    assert_true(m == 2);
    custos_noise_free(noise);
}

static void
interval_refuses(void **state)
{
    custos_noise *noise = noise_make(CUSTOS_DISCRETE_LAPLACE, "1");
    custos_noise *coin = noise_make(CUSTOS_BERNOULLI, "1/2");
    i128 m = 42;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(noise_error_i128(NULL, "0.1", 1, &m, &err), 1);
    assert_int_equal(noise_error_i128(noise, "0.1", 0, &m, &err), 3);
    assert_int_equal(noise_error_i128(noise, "0", 1, &m, &err), 3);
    assert_int_equal(noise_error_i128(noise, "1", 1, &m, &err), 3);
    assert_int_equal(noise_error_i128(noise, "nan", 1, &m, &err), 2);
    assert_int_equal(noise_error_i128(noise, NULL, 1, &m, &err), 2);
    assert_int_equal(noise_error_i128(coin, "0.1", 1, &m, &err), 1);
    assert_string_equal(whole_said(&err), "this noise law has no error bar");
    assert_true(m == 42);
    custos_noise_free(noise);
    custos_noise_free(coin);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_laplace_is_least),
        cmocka_unit_test(interval_gauss_is_least),
        cmocka_unit_test(interval_covers),
        cmocka_unit_test(discrete_tail_is_above_the_continuous_one),
        cmocka_unit_test(interval_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
