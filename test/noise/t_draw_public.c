/*
 * Draws as callers without i128 get them: the same numbers as inside, in two
 * words or one, and nothing of a failed call.
 */
#include "base/ck.h"
#include "base/wide.h"
#include "noise/noise.h"
#include "support/support.h"

enum { DRAWS = 600, PART = 256 }; /* more than two buffers; one buffer */

static custos_noise *
make(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     CUSTOS_OK);
    return noise;
}

/* What custos_noise_draw_* of this seed should give. */
static void
draw_inside(const custos_noise *noise, uint64_t seed, i128 *out)
{
    custos_rng *rng = test_rng_seeded(seed);

    for (size_t from = 0; from < DRAWS; from += PART)
        assert_int_equal(noise_draw(noise, rng, out + from,
                                    DRAWS - from < PART ? DRAWS - from : PART),
                         CUSTOS_OK);
    test_rng_free(rng);
}

/* The uniform law's draws need the second word: half of them are above 2^63. */
static void
wide_draws_are_the_draws(void **state)
{
    static const struct {
        custos_law law;
        const char *parameter;
    } rows[] = {{CUSTOS_DISCRETE_LAPLACE, "3"},
                {CUSTOS_DISCRETE_LAPLACE, "1152921504606846976"},
                {CUSTOS_UNIFORM, "18446744073709551616"}};
    i128 inside[DRAWS];
    custos_wide out[DRAWS];

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        custos_noise *noise = make(rows[r].law, rows[r].parameter);
        custos_rng *rng = test_rng_seeded(5);

        draw_inside(noise, 5, inside);
        assert_int_equal(custos_noise_draw_wide(noise, rng, out, DRAWS, NULL),
                         CUSTOS_OK);
        for (size_t i = 0; i < DRAWS; i++)
            assert_true(wide_value(out[i]) == inside[i]);
        custos_noise_free(noise);
        test_rng_free(rng);
    }
}

static void
narrow_draws_are_the_draws(void **state)
{
    static const struct {
        custos_law law;
        const char *parameter;
    } rows[] = {{CUSTOS_DISCRETE_LAPLACE, "1125899906842624"},
                {CUSTOS_DISCRETE_GAUSSIAN, "1125899906842624"},
                {CUSTOS_GEOMETRIC, "7"},
                {CUSTOS_BERNOULLI, "1/3"},
                {CUSTOS_UNIFORM, "9223372036854775808"}};
    i128 inside[DRAWS];
    int64_t out[DRAWS];

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        custos_noise *noise = make(rows[r].law, rows[r].parameter);
        custos_rng *rng = test_rng_seeded(6);

        draw_inside(noise, 6, inside);
        assert_int_equal(custos_noise_draw_i64(noise, rng, out, DRAWS, NULL),
                         CUSTOS_OK);
        for (size_t i = 0; i < DRAWS; i++)
            assert_true(out[i] == inside[i]);
        custos_noise_free(noise);
        test_rng_free(rng);
    }
}

/* A law whose draws may need more bits is rejected before any is drawn. */
static void
laws_too_wide_are_rejected(void **state)
{
    static const struct {
        custos_law law;
        const char *parameter;
    } rows[] = {{CUSTOS_DISCRETE_LAPLACE, "1125899906842625"},
                {CUSTOS_DISCRETE_GAUSSIAN, "1125899906842625"},
                {CUSTOS_GEOMETRIC, "1125899906842625"},
                {CUSTOS_UNIFORM, "9223372036854775809"}};
    custos_rng *rng = test_rng_seeded(7);

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        custos_noise *noise = make(rows[r].law, rows[r].parameter);
        custos_err err = CUSTOS_ERR_INIT;
        int64_t out = 3;

        assert_int_equal(custos_noise_draw_i64(noise, rng, &out, 1, &err),
                         CUSTOS_ERANGE);
        assert_string_equal(err.hint, "call custos_noise_draw_wide");
        assert_int_equal(out, 3);
        custos_noise_free(noise);
    }
    assert_int_equal(test_rng_used(rng), 0);
    test_rng_free(rng);
}

/* A source that fails at word n, for many n, in the first buffer and later. */
static void
a_failure_leaves_zeros(void **state)
{
    custos_noise *noise = make(CUSTOS_DISCRETE_LAPLACE, "1000");
    custos_rng *rng = test_rng_seeded(8);
    custos_wide wide[DRAWS];
    int64_t narrow[DRAWS];
    size_t words;

    (void)state;
    assert_int_equal(custos_noise_draw_i64(noise, rng, narrow, DRAWS, NULL),
                     CUSTOS_OK);
    words = test_rng_used(rng);
    test_rng_free(rng);
    for (size_t n = 0; n < words; n += 1 + words / 20) {
        custos_err err = CUSTOS_ERR_INIT;

        memset(wide, 0x55, sizeof wide);
        memset(narrow, 0x55, sizeof narrow);
        rng = test_rng_failing(8, n);
        assert_int_equal(custos_noise_draw_wide(noise, rng, wide, DRAWS, &err),
                         CUSTOS_EENTROPY);
        assert_int_equal(err.code, CUSTOS_EENTROPY);
        test_rng_free(rng);
        rng = test_rng_failing(8, n);
        assert_int_equal(custos_noise_draw_i64(noise, rng, narrow, DRAWS, NULL),
                         CUSTOS_EENTROPY);
        test_rng_free(rng);
        for (size_t i = 0; i < DRAWS; i++)
            assert_true(wide_value(wide[i]) == 0 && narrow[i] == 0);
    }
    custos_noise_free(noise);
}

static void
draws_need_their_arguments(void **state)
{
    custos_noise *noise = make(CUSTOS_GEOMETRIC, "5");
    custos_rng *rng = test_rng_seeded(9);
    custos_wide wide = {3, 4};
    int64_t narrow = 3;

    (void)state;
    assert_int_equal(custos_noise_draw_wide(NULL, rng, &wide, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_wide(noise, NULL, &wide, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_wide(noise, rng, NULL, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_wide(noise, rng, NULL, 0, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_noise_draw_i64(NULL, rng, &narrow, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_i64(noise, NULL, &narrow, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_i64(noise, rng, NULL, 1, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_noise_draw_i64(noise, rng, NULL, 0, NULL),
                     CUSTOS_OK);
    assert_true(wide.low == 3 && wide.high == 4 && narrow == 3);
    assert_int_equal(test_rng_used(rng), 0);
    test_rng_free(rng);
    custos_noise_free(noise);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_draws_are_the_draws),
        cmocka_unit_test(narrow_draws_are_the_draws),
        cmocka_unit_test(laws_too_wide_are_rejected),
        cmocka_unit_test(a_failure_leaves_zeros),
        cmocka_unit_test(draws_need_their_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
