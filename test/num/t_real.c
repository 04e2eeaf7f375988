/*
 * Digits of real numbers that can be enclosed to any precision.
 */
#include "base/ck.h"
#include "num/ival.h"
#include "support/ref.h"
#include "support/support.h"

/* exp(-x) for a rational x. */
static void
eval_exp(const void *of, ival *out)
{
    ival_set_rat(out, of);
    ival_neg(out, out);
    ival_exp(out, out);
}

/* The rational itself; if it is dyadic, any precision is exact. */
static void
eval_rat(const void *of, ival *out)
{
    ival_set_rat(out, of);
}

/* Somewhere in [0, 1]: never decided. */
static void
eval_nothing(const void *of, ival *out)
{
    (void)of;
    ival_set_i64(out, 0);
    mpfr_set_ui(out->hi, 1, MPFR_RNDU);
}

/* Compares the bits of r after the first `skip` with those of p. */
static void
check_bits(struct real r, const mpfr_t p, size_t skip, unsigned bits)
{
    uint64_t got;
    mpfr_t x;
    mpz_t z;

    mpz_init(z);
    mpfr_init2(x, REF_BITS);
    mpfr_mul_2ui(x, p, skip + bits, MPFR_RNDN);
    mpfr_get_z(z, x, MPFR_RNDD);
    mpz_fdiv_r_2exp(z, z, bits);
    assert_int_equal(real_bits(r, skip, bits, &got), CUSTOS_OK);
    assert_true(got == mpz_get_ui(z));
    mpfr_clear(x);
    mpz_clear(z);
}

static void
words_are_the_expansion(void **state)
{
    static const char *const xs[] = {"1", "1/3", "1e-12", "30", "100"};
    static const unsigned sizes[] = {1, 15, 16, 63, 64};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(xs); i++)
        for (int minus = 0; minus < 2; minus++) {
            rat x = ref_rat(xs[i]);
            struct real r = {minus ? REAL_ONE_MINUS : REAL_ITSELF, eval_exp,
                             &x};
            mpfr_t p;

            mpfr_init2(p, REF_BITS);
            mpfr_set_q(p, x.q, MPFR_RNDN);
            mpfr_neg(p, p, MPFR_RNDN);
            mpfr_exp(p, p, MPFR_RNDN);
            if (minus)
                mpfr_ui_sub(p, 1, p, MPFR_RNDN);
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                for (size_t k = 0; k < 6; k++) /* words of one size */
                    check_bits(r, p, sizes[s] * k, sizes[s]);
                for (size_t skip = 0; skip < 200; skip += 7)
                    check_bits(r, p, skip, sizes[s]);
                for (size_t k = 0; k < 4; k++) /* after a word of 63 bits */
                    check_bits(r, p, 63 + 64 * k, sizes[s]);
            }
            mpfr_clear(p);
            rat_clear(&x);
        }
}

/* 1 - exp(-1000) begins with 22 words of ones, no more. */
static void
numbers_close_to_one_are_cheap(void **state)
{
    rat x = ref_rat("1000");
    struct real r = {REAL_ONE_MINUS, eval_exp, &x};
    uint64_t word;

    (void)state;
    for (size_t k = 0; k < 22; k++) {
        assert_int_equal(real_bits(r, 64 * k, 64, &word), CUSTOS_OK);
        assert_true(word == UINT64_MAX);
    }
    assert_int_equal(real_bits(r, 64 * 22, 64, &word), CUSTOS_OK);
    assert_true(word != UINT64_MAX);
    rat_clear(&x);
}

static void
undecidable_is_a_status(void **state)
{
    struct real r = {REAL_ITSELF, eval_nothing, NULL};
    uint64_t word = 7;

    (void)state;
    assert_int_equal(real_bits(r, 0, 64, &word), CUSTOS_EINTERNAL);
    assert_int_equal(real_bits(r, SIZE_MAX, 64, &word), CUSTOS_EINTERNAL);
    assert_int_equal(real_bits(r, IVAL_BITS_MAX / 2, 64, &word),
                     CUSTOS_EINTERNAL);
    assert_true(word == 7);
}

/*
 * 1 - 1/3 = 0.101010...: a narrow enclosure determines it, a wide one does not.
 */
static void
bits_of_an_enclosure(void **state)
{
    uint64_t word = 7;
    ival x;

    (void)state;
    ival_init(&x, 128);
    eval_nothing(NULL, &x);
    assert_false(ival_bits_one_minus(&x, 64, &word));
    mpfr_set_ui(x.lo, 0, MPFR_RNDD);
    mpfr_set_ui(x.hi, 1, MPFR_RNDU);
    assert_false(ival_bits_one_minus(&x, 1, &word));
    assert_true(word == 7);
    mpfr_set_ui(x.lo, 1, MPFR_RNDD);
    mpfr_div_ui(x.hi, x.lo, 3, MPFR_RNDU);
    mpfr_div_ui(x.lo, x.lo, 3, MPFR_RNDD);
    assert_true(ival_bits_one_minus(&x, 64, &word));
    assert_true(word == UINT64_C(0xaaaaaaaaaaaaaaaa));
    assert_true(ival_bits_one_minus(&x, 3, &word));
    assert_true(word == 5);
    mpfr_set_ui(x.hi, 1, MPFR_RNDU); /* 1 - 1 = 0 */
    mpfr_set_ui(x.lo, 1, MPFR_RNDD);
    assert_true(ival_bits_one_minus(&x, 64, &word));
    assert_true(word == 0);
    ival_clear(&x);
}

/*
 * Known numbers, some of them dyadic: all their bits, the first ones, and bits
 * beyond the end.
 */
static void
floors_are_exact(void **state)
{
    rat x = ref_rat("5/2"), y = ref_rat("5/8");
    struct real dyadic = {REAL_ITSELF, eval_rat, &y};
    struct real small = {REAL_ITSELF, eval_exp, &x};
    struct real rest = {REAL_ONE_MINUS, eval_exp, &x};
    uint64_t got;

    (void)state;
    assert_int_equal(real_bits(dyadic, 0, 1, &got), CUSTOS_OK);
    assert_true(got == 1);
    assert_int_equal(real_bits(dyadic, 0, 3, &got), CUSTOS_OK);
    assert_true(got == 5);
    assert_int_equal(real_bits(dyadic, 1, 2, &got), CUSTOS_OK);
    assert_true(got == 1);
    assert_int_equal(real_bits(dyadic, 3, 64, &got), CUSTOS_OK);
    assert_true(got == 0);
    assert_int_equal(real_bits(small, 0, 10, &got), CUSTOS_OK);
    assert_true(got == 84); /* 1024 exp(-2.5) = 84.05 */
    assert_int_equal(real_bits(rest, 0, 10, &got), CUSTOS_OK);
    assert_true(got == 939); /* 939.94 */
    rat_clear(&x);
    rat_clear(&y);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_the_expansion),
        cmocka_unit_test(numbers_close_to_one_are_cheap),
        cmocka_unit_test(undecidable_is_a_status),
        cmocka_unit_test(bits_of_an_enclosure),
        cmocka_unit_test(floors_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
