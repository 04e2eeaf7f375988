/*
 * Half-line sums of the discrete Gaussian: against plain sums with 300 bits,
 * and the two methods (term by term, Euler-Maclaurin) against each other on
 * either side of the border between them.
 */
#include "num/gauss_sum.h"
#include "num/ival_more.h"
#include "support/support.h"

/* Sum of exp(-x^2/2v) for x >= m, by plain MPFR addition of every term. */
static void
plain_sum(mpfr_t sum, const rat *v, int64_t m)
{
    mpfr_t term;

    mpfr_init2(term, 300);
    mpfr_set_zero(sum, 1);
    for (int64_t x = m;; x++) {
        mpfr_set_si(term, x, MPFR_RNDN);
        mpfr_sqr(term, term, MPFR_RNDN);
        mpfr_div_q(term, term, v->q, MPFR_RNDN);
        mpfr_div_si(term, term, -2, MPFR_RNDN);
        mpfr_exp(term, term, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        if (x > 0 &&
            (mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(sum) - 330))
            break;
    }
    mpfr_clear(term);
}

static void
check_sum(const char *variance, int64_t from, long bits)
{
    rat v, m;
    ival sum;
    mpfr_t plain;

    rat_init(&v);
    rat_init(&m);
    ival_init(&sum, bits);
    mpfr_init2(plain, 300);
    assert_int_equal(rat_read(variance, "v", &v, NULL), CUSTOS_OK);
    rat_set_i64(&m, from, 1);
    gauss_sum(&sum, &v, &m);
    plain_sum(plain, &v, from);
    assert_true(mpfr_lessequal_p(sum.lo, plain));
    assert_true(mpfr_greaterequal_p(sum.hi, plain));
    /* exp(-z) loses as many bits as z has; gauss_sum adds 32 bits for that. */
    if (!mpfr_zero_p(plain) && mpfr_get_exp(plain) > -(1L << 30))
        assert_true(ival_is_narrow(&sum, bits - 4));
    rat_clear(&v);
    rat_clear(&m);
    ival_clear(&sum);
    mpfr_clear(plain);
}

static void
gauss_sum_agrees_with_plain_sums(void **state)
{
    static const char *variances[] = {"1e-12", "1/3", "1",      "7.5",  "255.5",
                                      "256",   "900", "4000.1", "40000"};
    static const int64_t from[] = {-300, -1, 0, 1, 2, 17, 100, 1000, 5000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(variances); i++)
        for (size_t j = 0; j < COUNT_OF(from); j += (size_t)test_size(2, 1))
            for (long bits = 64; bits <= 192; bits += test_size(128, 64))
                check_sum(variances[i], from[j], bits);
}

/*
 * Where plain sums are too long: with G(m) the sum over x >= m, G(m) - G(m+1)
 * is one weight, by whichever method each sum was computed, and G(m) + G(1-m)
 * is the sum over all integers.
 */
static void
gauss_sum_routes_agree(void **state)
{
    static const char *variances[] = {"300", "1e10", "1e24", "1e36"};
    static const int64_t times[] = {0, 1, 5, 16, 30, 200};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(variances); i++)
        for (size_t j = 0; j < COUNT_OF(times); j += (size_t)test_size(3, 1)) {
            long bits = 400;
            rat v, m, q;
            ival a, b, w;
            i128 whole;

            rat_init(&v);
            rat_init(&m);
            rat_init(&q);
            ival_init(&a, bits);
            ival_init(&b, bits);
            ival_init(&w, bits);
            assert_int_equal(rat_read(variances[i], "v", &v, NULL), CUSTOS_OK);
            ival_set_rat(&w, &v);
            ival_sqrt(&w, &w);
            ival_up(&w, &m);
            rat_set_i64(&q, times[j], 1);
            rat_mul(&m, &m, &q);
            assert_true(rat_ceil_i128(&m, &whole));
            rat_set_i128(&m, whole);
            gauss_sum(&a, &v, &m);
            rat_set_i128(&m, whole + 1);
            gauss_sum(&b, &v, &m);
            ival_sub(&a, &a, &b);
            rat_set_i128(&m, whole);
            rat_mul(&q, &m, &m);
            rat_div(&q, &q, &v);
            ival_set_rat(&w, &q);
            ival_mul_pow2(&w, &w, -1);
            ival_neg(&w, &w);
            ival_exp(&w, &w);
            assert_false(ival_certainly_less(&a, &w));
            assert_false(ival_certainly_less(&w, &a));
            assert_true(ival_is_narrow(&a, 200));
            gauss_sum(&a, &v, &m);
            rat_set_i128(&m, 1 - whole);
            gauss_sum(&b, &v, &m);
            ival_add(&a, &a, &b);
            gauss_sum_all(&w, &v);
            assert_false(ival_certainly_less(&a, &w));
            assert_false(ival_certainly_less(&w, &a));
            assert_true(ival_is_narrow(&w, 390));
            rat_clear(&v);
            rat_clear(&m);
            rat_clear(&q);
            ival_clear(&a);
            ival_clear(&b);
            ival_clear(&w);
        }
}

/*
 * A sum too small for MPFR is still above 0, and the truncated rest is
 * included.
 */
static void
gauss_sum_never_says_nothing(void **state)
{
    rat v, m;
    ival sum;

    (void)state;
    rat_init(&v);
    rat_init(&m);
    ival_init(&sum, 64);
    assert_int_equal(rat_read("1e-20", "v", &v, NULL), CUSTOS_OK);
    rat_set_i64(&m, 1, 1);
    gauss_sum(&sum, &v, &m);
    assert_true(mpfr_sgn(sum.hi) > 0);
    assert_false(ival_is_positive(&sum));
    rat_clear(&v);
    rat_clear(&m);
    ival_clear(&sum);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_sum_agrees_with_plain_sums),
        cmocka_unit_test(gauss_sum_routes_agree),
        cmocka_unit_test(gauss_sum_never_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
