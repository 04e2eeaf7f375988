/*
 * The handle: what it rejects and how, and that nothing leaks or is half done
 * if memory or randomness fails.
 */
#include "noise/noise.h"

#include <stdlib.h>

#include "noise/draw.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

static void
refuses(custos_law law, const char *parameter, custos_status status)
{
    custos_noise *noise = (custos_noise *)&refuses, *before = noise;
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, &err),
                     status);
    assert_int_equal(err.code, status);
    assert_true(err.said[0] != '\0');
    assert_ptr_equal(noise, before); /* unset */
    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     status);
}

static void
accepts(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;
    custos_err err = {.size = sizeof err, .code = CUSTOS_ETAKEN};

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, &err),
                     CUSTOS_OK);
    assert_int_equal(err.code, CUSTOS_ETAKEN); /* untouched */
    assert_int_equal(noise_law(noise), law);
    custos_noise_free(noise);
}

static void
parameters_have_limits(void **state)
{
    static const custos_law scaled[] = {
        CUSTOS_DISCRETE_LAPLACE, CUSTOS_TWO_SIDED_GEOMETRIC, CUSTOS_GEOMETRIC,
        CUSTOS_DISCRETE_GAUSSIAN};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(scaled); i++) {
        accepts(scaled[i], "1/1048576");
        accepts(scaled[i], "1152921504606846976");
        refuses(scaled[i], "1/1048577", CUSTOS_ERANGE);
        refuses(scaled[i], "1152921504606846976.0000001", CUSTOS_ERANGE);
        refuses(scaled[i], "0", CUSTOS_ERANGE);
        refuses(scaled[i], "-1", CUSTOS_ERANGE);
        refuses(scaled[i], "nan", CUSTOS_EPARSE);
        refuses(scaled[i], "inf", CUSTOS_EPARSE);
        refuses(scaled[i], "", CUSTOS_EPARSE);
        refuses(scaled[i], NULL, CUSTOS_EPARSE);
    }
    accepts(CUSTOS_BERNOULLI, "0");
    accepts(CUSTOS_BERNOULLI, "1");
    refuses(CUSTOS_BERNOULLI, "-0.001", CUSTOS_ERANGE);
    refuses(CUSTOS_BERNOULLI, "1.001", CUSTOS_ERANGE);
    accepts(CUSTOS_BERNOULLI_EXP, "0");
    accepts(CUSTOS_BERNOULLI_EXP, "1048576");
    refuses(CUSTOS_BERNOULLI_EXP, "1048577", CUSTOS_ERANGE);
    refuses(CUSTOS_BERNOULLI_EXP, "-1e-9", CUSTOS_ERANGE);
    accepts(CUSTOS_UNIFORM, "1");
    accepts(CUSTOS_UNIFORM, "18446744073709551616");
    refuses(CUSTOS_UNIFORM, "0", CUSTOS_ERANGE);
    refuses(CUSTOS_UNIFORM, "2.5", CUSTOS_ERANGE);
    refuses(CUSTOS_UNIFORM, "18446744073709551617", CUSTOS_ERANGE);
    refuses((custos_law)0, "1", CUSTOS_EINVAL);
    refuses((custos_law)99, "1", CUSTOS_EINVAL);
    assert_int_equal(custos_noise_new(NULL, CUSTOS_GEOMETRIC, "1", NULL, NULL),
                     CUSTOS_EINVAL);
    custos_noise_free(NULL);
}

/*
 * A rate smaller than any text can express, so that the slope's own limit is
 * reached.
 */
static void
slopes_limit_is_passed_on(void **state)
{
    struct test_memory memory = {0};
    custos_alloc alloc = test_alloc(&memory);
    custos_noise *noise = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    rat x;

    (void)state;
    rat_init(&x);
    rat_set_pow2(&x, -9000);
    assert_int_equal(noise_new(&alloc, CUSTOS_BERNOULLI_EXP, &x, &noise, &err),
                     CUSTOS_ERANGE);
    assert_null(noise);
    assert_int_equal(memory.live, 0);
    rat_clear(&x);
}

static const struct {
    custos_law law;
    const char *parameter;
} all[] = {
    {CUSTOS_DISCRETE_LAPLACE, "1000"},
    {CUSTOS_TWO_SIDED_GEOMETRIC, "0.01"},
    {CUSTOS_GEOMETRIC, "1e15"},
    {CUSTOS_DISCRETE_GAUSSIAN, "0.5"},
    {CUSTOS_DISCRETE_GAUSSIAN, "1e9"},
    {CUSTOS_BERNOULLI, "1/3"},
    {CUSTOS_BERNOULLI_EXP, "0.7"},
    {CUSTOS_BERNOULLI_EXP, "0"},
    {CUSTOS_UNIFORM, "6"},
    {CUSTOS_UNIFORM, "18446744073709551616"},
};

/* Every allocation fails once; nothing leaks. */
static void
memory_failure_is_a_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        size_t takes = 0;

        for (size_t fail_at = 1; takes == 0; fail_at++) {
            struct test_memory memory = {.fail_at = fail_at};
            custos_alloc alloc = test_alloc(&memory);
            custos_noise *noise = NULL;
            custos_err err = CUSTOS_ERR_INIT;
            custos_status st = custos_noise_new(&alloc, all[i].law,
                                                all[i].parameter, &noise, &err);

            if (st) {
                assert_int_equal(st, CUSTOS_ENOMEM);
                assert_null(noise);
            } else {
                takes = memory.takes;
                assert_int_equal(memory.live, memory.takes);
                custos_noise_free(noise);
            }
            assert_int_equal(memory.live, 0);
        }
        assert_int_equal(takes, 1);
    }
}

/*
 * For many n, a source that fails at word n: no draw and no partial block is
 * returned.
 */
static void
entropy_failure_leaves_zeros(void **state)
{
    enum { DRAWS = 130 };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        custos_rng *rng = test_rng_seeded(9);
        custos_noise *noise = NULL;
        i128 out[DRAWS];
        size_t words, step;

        assert_int_equal(
            custos_noise_new(NULL, all[i].law, all[i].parameter, &noise, NULL),
            CUSTOS_OK);
        assert_int_equal(noise_draw(noise, rng, out, DRAWS), CUSTOS_OK);
        words = test_rng_used(rng);
        step = words > 500 ? 37 : 1;
        test_rng_free(rng);
        for (size_t n = 0; n < words; n += step) {
            rng = test_rng_failing(9, n);
            memset(out, 0x55, sizeof out);
            assert_int_equal(noise_draw(noise, rng, out, DRAWS),
                             CUSTOS_EENTROPY);
            for (size_t k = 0; k < DRAWS; k++)
                assert_true(out[k] == 0);
            test_rng_free(rng);
        }
        custos_noise_free(noise);
    }
}

/* The parameter of the Gaussian is stored as the variance, others as given. */
static void
parameters_are_kept(void **state)
{
    custos_noise *noise = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(custos_noise_new(NULL,
                                          i ? CUSTOS_DISCRETE_GAUSSIAN
                                            : CUSTOS_DISCRETE_LAPLACE,
                                          "7/3", &noise, NULL),
                         CUSTOS_OK);
        rat expected = ref_rat(i ? "49/9" : "7/3");
        assert_int_equal(rat_cmp(noise_parameter(noise), &expected), 0);
        rat_clear(&expected);
        custos_noise_free(noise);
    }
}

/* Coins and dice of 64-bit words: certainties, ties, rejection. */
static void
coins_and_dice_are_exact(void **state)
{
    static const struct {
        custos_law law;
        const char *parameter;
        uint64_t tape[3];
        size_t words;
        uint64_t expected;
    } rows[] = {
        {CUSTOS_BERNOULLI, "0", {0, 1}, 2, 0}, /* a tie: the next decides */
        {CUSTOS_BERNOULLI, "0", {1}, 1, 0},
        {CUSTOS_BERNOULLI, "1", {UINT64_MAX}, 1, 1},
        {CUSTOS_BERNOULLI, "1", {0}, 1, 1},
        {CUSTOS_BERNOULLI, "1/2", {(UINT64_C(1) << 63) - 1}, 1, 1},
        {CUSTOS_BERNOULLI, "1/2", {UINT64_C(1) << 63, 1}, 2, 0},
        {CUSTOS_BERNOULLI, "1/3", {UINT64_C(0x5555555555555555), 0}, 2, 1},
        {CUSTOS_BERNOULLI,
         "1/3",
         {UINT64_C(0x5555555555555555), UINT64_C(0x5555555555555556)},
         2,
         0},
        {CUSTOS_BERNOULLI_EXP, "0", {0}, 0, 1},
        {CUSTOS_UNIFORM, "1", {0}, 1, 0},
        {CUSTOS_UNIFORM, "1", {UINT64_MAX}, 1, 0},
        /* one word is rejected (2^64 mod 3 = 1): the word 0 */
        {CUSTOS_UNIFORM, "3", {1}, 1, 0},
        {CUSTOS_UNIFORM, "3", {0, 0, UINT64_MAX}, 3, 2},
        {CUSTOS_UNIFORM, "3", {UINT64_C(0x5555555555555556)}, 1, 1},
        {CUSTOS_UNIFORM, "9223372036854775809", {0, 3}, 2, 1},
        {CUSTOS_UNIFORM, "18446744073709551616", {12345}, 1, 12345},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_rng *rng = test_rng_taped(rows[i].tape, rows[i].words);
        custos_noise *noise = NULL;
        i128 x = -1;

        assert_int_equal(custos_noise_new(NULL, rows[i].law, rows[i].parameter,
                                          &noise, NULL),
                         CUSTOS_OK);
        assert_int_equal(noise_draw(noise, rng, &x, 1), CUSTOS_OK);
        assert_true(x == (i128)rows[i].expected);
        assert_int_equal(test_rng_used(rng), rows[i].words);
        custos_noise_free(noise);
        test_rng_free(rng);
    }
}

/* The words of draw k of a batch of n: one from each row of its block. */
static void
pick_words(const uint64_t *words, size_t count, size_t n, size_t k,
           uint64_t *of)
{
    size_t first = k - k % BLOCK, now = n - first < BLOCK ? n - first : BLOCK;

    for (size_t j = 0; j < count; j++)
        of[j] = words[first * count + j * now + k % BLOCK];
}

/*
 * One call for n values and n calls for one value have the same law. Laws that
 * use a fixed number of words give the same values from the same words.
 */
static void
batches_and_single_draws_agree(void **state)
{
    enum { DRAWS = 200 };
    static uint64_t words[DRAWS * DIALS_MAX];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        custos_rng *source = test_rng_seeded(11), *rng;
        custos_noise *noise = NULL;
        i128 batch[DRAWS], single;
        size_t count;

        assert_int_equal(
            custos_noise_new(NULL, all[i].law, all[i].parameter, &noise, NULL),
            CUSTOS_OK);
        count = noise->dials.count;
        assert_int_equal(rng_words(source, words, DRAWS * count), CUSTOS_OK);
        test_rng_free(source);
        rng = test_rng_taped(words, DRAWS * count);
        assert_int_equal(noise_draw(noise, rng, batch, DRAWS), CUSTOS_OK);
        assert_int_equal(test_rng_used(rng), DRAWS * count);
        test_rng_free(rng);
        for (size_t k = 0; k < DRAWS; k++) {
            uint64_t tape[DIALS_MAX];

            pick_words(words, count, DRAWS, k, tape);
            rng = test_rng_taped(tape, count);
            assert_int_equal(noise_draw(noise, rng, &single, 1), CUSTOS_OK);
            assert_true(single == batch[k]);
            test_rng_free(rng);
        }
        custos_noise_free(noise);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_limits),
        cmocka_unit_test(slopes_limit_is_passed_on),
        cmocka_unit_test(memory_failure_is_a_status),
        cmocka_unit_test(entropy_failure_leaves_zeros),
        cmocka_unit_test(parameters_are_kept),
        cmocka_unit_test(coins_and_dice_are_exact),
        cmocka_unit_test(batches_and_single_draws_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
