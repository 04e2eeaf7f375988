/*
 * Whole numbers as callers without i128 see them: two words, or an int64_t.
 * The public functions give what the functions on i128 give.
 */
#include "base/ck.h"
#include "base/wide.h"
#include "mech/i128.h"
#include "support/support.h"

enum { N = 70 };

static custos_mech *
make_mech(custos_domain domain, size_t values, const char *epsilon)
{
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = domain,
                             .values = values,
                             .epsilon = epsilon,
                             .sensitivity = "1"};
    custos_mech *m = NULL;

    assert_int_equal(custos_mech_new(NULL, &o, &m, NULL), CUSTOS_OK);
    return m;
}

static void
wide_release_is_the_release(void **state)
{
    custos_mech *m = make_mech(CUSTOS_WIDE, N, "0.5");
    custos_rng *rng = test_rng_seeded(3), *same = test_rng_seeded(3);
    custos_sealed *a = NULL, *b = NULL;
    custos_wide in[N], out[N];
    i128 values[N], inside[N];

    (void)state;
    for (int i = 0; i < N; i++) {
        values[i] = (i - 35) * ((i128)1 << 110) + i;
        in[i] = wide_of(values[i]);
    }
    assert_int_equal(custos_seal_wide(NULL, in, N, &a, NULL), CUSTOS_OK);
    assert_int_equal(seal_i128(NULL, values, N, &b, NULL), CUSTOS_OK);
    assert_int_equal(custos_release_wide(m, rng, a, out, N, NULL), CUSTOS_OK);
    assert_int_equal(release_i128(m, same, b, inside, N, NULL), CUSTOS_OK);
    for (int i = 0; i < N; i++)
        assert_true(wide_value(out[i]) == inside[i]);
    out[0] = (custos_wide){7, 7};
    assert_int_equal(custos_release_wide(m, rng, a, out, N, NULL),
                     CUSTOS_ETAKEN);
    assert_true(out[0].low == 7 && out[0].high == 7);
    custos_sealed_free(a);
    custos_sealed_free(b);
    custos_mech_free(m);
    test_rng_free(rng);
    test_rng_free(same);
}

static void
wide_values_need_their_arguments(void **state)
{
    custos_mech *m = make_mech(CUSTOS_WIDE, 1, "1");
    custos_rng *rng = test_rng_seeded(4);
    custos_wide x = {1, 0};
    custos_sealed *s = NULL;

    (void)state;
    assert_int_equal(custos_seal_wide(NULL, &x, 0, &s, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_seal_wide(NULL, NULL, 1, &s, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_seal_wide(NULL, &x, 1, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_seal_wide(NULL, &x, 1, &s, NULL), CUSTOS_OK);
    assert_int_equal(custos_release_wide(m, rng, s, NULL, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_release_wide(m, rng, s, &x, 1, NULL), CUSTOS_OK);
    custos_sealed_free(s);
    custos_mech_free(m);
    test_rng_free(rng);
}

/* The error bar of each kind of handle, by all three functions. */
static void
error_bars_agree(void **state)
{
    custos_sums_options o = {.size = sizeof o,
                             .method = CUSTOS_BINARY_TREE,
                             .elements = 100,
                             .epsilon = "0.1"};
    custos_mech *m = make_mech(CUSTOS_INTS, 1, "0.01");
    custos_noise *noise = NULL;
    custos_sums *sums = NULL;
    custos_wide wide;
    int64_t narrow;
    i128 inside;

    (void)state;
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, "50", &noise, NULL),
        CUSTOS_OK);
    assert_int_equal(custos_sums_new(NULL, &o, &sums, NULL), CUSTOS_OK);

    assert_int_equal(noise_error_i128(noise, "0.05", 3, &inside, NULL), 0);
    assert_int_equal(custos_noise_error_wide(noise, "0.05", 3, &wide, NULL), 0);
    assert_int_equal(custos_noise_error_i64(noise, "0.05", 3, &narrow, NULL),
                     0);
    assert_true(inside > 0 && wide_value(wide) == inside && narrow == inside);

    assert_int_equal(mech_error_i128(m, "0.05", 1, &inside, NULL), 0);
    assert_int_equal(custos_mech_error_wide(m, "0.05", 1, &wide, NULL), 0);
    assert_int_equal(custos_mech_error_i64(m, "0.05", 1, &narrow, NULL), 0);
    assert_true(inside > 0 && wide_value(wide) == inside && narrow == inside);

    assert_int_equal(sums_error_i128(sums, 99, "0.05", &inside, NULL), 0);
    assert_int_equal(custos_sums_error_wide(sums, 99, "0.05", &wide, NULL), 0);
    assert_int_equal(custos_sums_error_i64(sums, 99, "0.05", &narrow, NULL), 0);
    assert_true(inside > 0 && wide_value(wide) == inside && narrow == inside);

    custos_noise_free(noise);
    custos_sums_free(sums);
    custos_mech_free(m);
}

/* At a scale of 2^60 and beta e^-9, the bar is past 2^63. */
static void
error_bars_past_64_bits_are_wide(void **state)
{
    custos_noise *noise = NULL;
    custos_wide wide = {0, 0};
    int64_t narrow = 7;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_noise_new(NULL, CUSTOS_DISCRETE_LAPLACE,
                                      "1152921504606846976", &noise, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_noise_error_i64(noise, "0.0001", 1, &narrow, &err),
                     CUSTOS_EOVERFLOW);
    assert_string_equal(err.said, "the error bar needs more than 64 bits");
    assert_int_equal(narrow, 7);
    assert_int_equal(custos_noise_error_wide(noise, "0.0001", 1, &wide, NULL),
                     CUSTOS_OK);
    assert_true(wide_value(wide) > INT64_MAX);
    custos_noise_free(noise);
}

static void
error_bars_need_their_arguments(void **state)
{
    custos_mech *reals = make_mech(CUSTOS_REALS, 1, "1");
    custos_mech *ints = make_mech(CUSTOS_INTS, 1, "1");
    custos_wide wide = {7, 7};
    int64_t narrow = 7;

    (void)state;
    assert_int_equal(custos_mech_error_wide(ints, "0.05", 1, NULL, NULL), 1);
    assert_int_equal(custos_mech_error_i64(ints, "0.05", 1, NULL, NULL), 1);
    assert_int_equal(custos_mech_error_wide(reals, "0.05", 1, &wide, NULL), 1);
    assert_int_equal(custos_mech_error_i64(reals, "0.05", 1, &narrow, NULL), 1);
    assert_int_equal(custos_noise_error_wide(NULL, "0.05", 1, &wide, NULL), 1);
    assert_int_equal(custos_noise_error_wide(NULL, "0.05", 1, NULL, NULL), 1);
    assert_int_equal(custos_noise_error_i64(NULL, "0.05", 1, &narrow, NULL), 1);
    assert_int_equal(custos_noise_error_i64(NULL, "0.05", 1, NULL, NULL), 1);
    assert_int_equal(custos_sums_error_wide(NULL, 1, "0.05", &wide, NULL), 1);
    assert_int_equal(custos_sums_error_wide(NULL, 1, "0.05", NULL, NULL), 1);
    assert_int_equal(custos_sums_error_i64(NULL, 1, "0.05", &narrow, NULL), 1);
    assert_int_equal(custos_sums_error_i64(NULL, 1, "0.05", NULL, NULL), 1);
    assert_true(wide.low == 7 && wide.high == 7 && narrow == 7);
    custos_mech_free(ints);
    custos_mech_free(reals);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_release_is_the_release),
        cmocka_unit_test(wide_values_need_their_arguments),
        cmocka_unit_test(error_bars_agree),
        cmocka_unit_test(error_bars_past_64_bits_are_wide),
        cmocka_unit_test(error_bars_need_their_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
