/*
 * exp_fixed against MPFR, its tables computed again, and the comparison of a
 * coin.
 */
#include "noise/expfix.h"

#include <stdlib.h>

#include "noise/coin.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

/* The error bound of the proof; the theorem allows 512. */
static const double proved_units = 296.5;

/* exp_fixed(z) - 2^63 exp(-z 2^-58) */
static double
error_at(uint64_t z)
{
    mpfr_t x;
    double off;

    mpfr_init2(x, 256);
    mpfr_set_ui(x, z, MPFR_RNDN);
    mpfr_div_2ui(x, x, EXP_Z_BITS, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 63, MPFR_RNDN);
    mpfr_ui_sub(x, exp_fixed(z), x, MPFR_RNDN);
    off = mpfr_get_d(x, MPFR_RNDA);
    mpfr_clear(x);
    return off;
}

static void
check_at(uint64_t z)
{
    double off = error_at(z);

    assert_true(off > -proved_units && off < proved_units);
    assert_true(exp_fixed(z) < UINT64_C(1) << 63);
}

static void
exp_fixed_is_within_its_error(void **state)
{
    const size_t points = getenv("CUSTOS_QUICK") ? 2000 : 200000;
    custos_rng *rng = test_rng_seeded(1);

    (void)state;
    /* Around the multiples of 1/16: from 0 to all ones. */
    for (uint64_t n = 0; n < 1024; n++)
        for (int64_t off = -2; off <= 2; off++)
            check_at((n << 54) + (uint64_t)off);
    for (unsigned bit = 0; bit < 64; bit++)
        for (int64_t off = -1; off <= 1; off++)
            check_at((UINT64_C(1) << bit) + (uint64_t)off);
    for (size_t i = 0; i < points; i++) {
        uint64_t z;

        assert_int_equal(rng_words(rng, &z, 1), CUSTOS_OK);
        check_at(z >> i % 12); /* exp varies most near 0 */
    }
    assert_int_equal(exp_fixed(0), (UINT64_C(1) << 63) - 1);
    test_rng_free(rng);
}

/* The constants, recomputed. */
static void
exp_tables_are_right(void **state)
{
    mpfr_t x;

    (void)state;
    mpfr_init2(x, 256);
    for (int k = 0; k < EXP_PAIRS; k++)
        for (int i = 0; i < 4; i++) {
            mpfr_set_si(x, -i, MPFR_RNDN);
            mpfr_mul_2si(x, x, 4 - 2 * k, MPFR_RNDN);
            mpfr_exp(x, x, MPFR_RNDN);
            mpfr_mul_2ui(x, x, 63, MPFR_RNDN);
            assert_true(mpfr_get_ui(x, MPFR_RNDD) == exp_factor[k][i]);
        }
    mpfr_set_ui_2exp(x, 1, 63, MPFR_RNDN);
    for (unsigned k = 0; k <= EXP_TERMS; k++) {
        if (k > 0)
            mpfr_div_ui(x, x, k, MPFR_RNDN);
        assert_true(mpfr_get_ui(x, MPFR_RNDN) == exp_taylor[k]);
    }
    mpfr_clear(x);
}

/* Both ends of the window in which a coin is undecided. */
static void
compare_leaves_a_narrow_window(void **state)
{
    static const uint64_t ps[] = {0,
                                  1,
                                  EXP_ERROR - 1,
                                  EXP_ERROR,
                                  EXP_ERROR + 1,
                                  10000,
                                  1 << 20,
                                  UINT64_C(1) << 62,
                                  (UINT64_C(1) << 63) - 1};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(ps); i++)
        for (int64_t off = -EXP_ERROR - 99; off <= EXP_ERROR + 99; off++) {
            i128 unit = (i128)ps[i] + off;

            if (unit < 0 || unit >> 63 != 0)
                continue;
            for (uint64_t half = 0; half < 2; half++) {
                struct exp_verdict v =
                    exp_compare(ps[i], (uint64_t)unit << 1 | half);

                assert_int_equal(v.below, off < -EXP_ERROR);
                assert_int_equal(v.undecided,
                                 off >= -EXP_ERROR && off < EXP_ERROR);
            }
        }
}

/* choose_of_four returns the value that the bits select. */
static void
chosen_is_the_one_named(void **state)
{
    static const uint64_t of[4] = {11, UINT64_MAX, 0, UINT64_C(1) << 63};

    (void)state;
    for (uint64_t bits = 0; bits < 64; bits++)
        assert_true(choose_of_four(of, bits) == of[bits & 3]);
}

/* ------------------------------------------------------------- slopes -- */

/* Checks |slope_exp - 2^63 exp(-rate gap)|, in units of 2^-63. */
static void
check_slope(const rat *rate, const struct slope *s, uint64_t gap)
{
    mpfr_t x;

    mpfr_init2(x, 512);
    mpfr_set_q(x, rate->q, MPFR_RNDN);
    mpfr_mul_ui(x, x, gap, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(x, x, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 63, MPFR_RNDN);
    mpfr_ui_sub(x, slope_exp(s, gap), x, MPFR_RNDN);
    /* 32 for truncating z, 0.4 for the mantissa, and the error of exp_fixed */
    assert_true(mpfr_cmp_d(x, 32.5 + proved_units) < 0);
    assert_true(mpfr_cmp_d(x, -32.5 - proved_units) > 0);
    mpfr_clear(x);
}

static void
slope_exp_is_within_its_error(void **state)
{
    static const char *const rates[] = {
        "1",
        "1/2",
        "1/3",
        "0.001",
        "63.999",
        "64",
        "1e-18",
        "1e-19",
        "1e-20",
        "1e-38",
        "1e-57",
        "1e-58",
        "1e-400",
        "1e9",
        "18446744073709551615",
        "0.6931471805599453",
    };
    custos_rng *rng = test_rng_seeded(2);

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        rat rate = ref_rat(rates[r]);
        struct slope s;

        assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
        for (uint64_t gap = 0; gap < 70; gap++)
            check_slope(&rate, &s, gap);
        for (unsigned bit = 0; bit < 64; bit++)
            for (int k = 0; k < 8; k++) {
                uint64_t gap;

                assert_int_equal(rng_words(rng, &gap, 1), CUSTOS_OK);
                check_slope(&rate, &s, gap >> bit);
            }
        check_slope(&rate, &s, UINT64_MAX);
        slope_clear(&s);
        rat_clear(&rate);
    }
    test_rng_free(rng);
}

static void
slopes_out_of_range_are_refused(void **state)
{
    struct slope s;
    rat rate;

    (void)state;
    rat_init(&rate);
    rat_set_pow2(&rate, 64);
    assert_int_equal(slope_init(&s, &rate), CUSTOS_ERANGE);
    rat_set_pow2(&rate, SLOPE_LOG2_MIN - 1);
    assert_int_equal(slope_init(&s, &rate), CUSTOS_ERANGE);
    rat_set_pow2(&rate, SLOPE_LOG2_MIN);
    assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
    assert_true(slope_exp(&s, UINT64_MAX) == (UINT64_C(1) << 63) - 1);
    slope_clear(&s);
    rat_set_pow2(&rate, 63);
    assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
    assert_true(slope_exp(&s, 1) < EXP_ERROR);
    slope_clear(&s);
    rat_clear(&rate);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_fixed_is_within_its_error),
        cmocka_unit_test(exp_tables_are_right),
        cmocka_unit_test(compare_leaves_a_narrow_window),
        cmocka_unit_test(chosen_is_the_one_named),
        cmocka_unit_test(slope_exp_is_within_its_error),
        cmocka_unit_test(slopes_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
