/*
 * Exact rationals: arithmetic, conversions at the limits of the types, digits.
 */
#include "num/rat.h"

#include "base/ck.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

static void
arithmetic_is_exact(void **state)
{
    rat a = ref_rat("1/3"), b = ref_rat("-1/6"), r, expected;

    (void)state;
    rat_init(&r);
    rat_init(&expected);
    rat_add(&r, &a, &b);
    rat_set_i64(&expected, 1, 6);
    assert_int_equal(rat_cmp(&r, &expected), 0);
    rat_sub(&r, &a, &b);
    rat_set_i64(&expected, 1, 2);
    assert_int_equal(rat_cmp(&r, &expected), 0);
    rat_mul(&r, &a, &b);
    rat_set_i64(&expected, -1, 18);
    assert_int_equal(rat_cmp(&r, &expected), 0);
    rat_div(&r, &a, &b);
    assert_int_equal(rat_cmp_i64(&r, -2), 0);
    rat_abs(&r, &r);
    assert_int_equal(rat_cmp_i64(&r, 2), 0);
    assert_true(rat_is_whole(&r));
    assert_false(rat_is_whole(&a));
    rat_sub(&a, &a, &a); /* aliased */
    assert_int_equal(rat_sign(&a), 0);
    assert_int_equal(rat_sign(&b), -1);
    assert_true(rat_cmp(&b, &a) < 0 && rat_cmp_i64(&b, -1) > 0);
    rat_set(&a, &b);
    assert_int_equal(rat_cmp(&a, &b), 0);
    rat_set_i64(&r, INT64_MIN, 2);
    rat_set_pow2(&expected, 62);
    rat_add(&r, &r, &expected);
    assert_int_equal(rat_sign(&r), 0);
    rat_clear(&expected);
    rat_clear(&r);
    rat_clear(&b);
    rat_clear(&a);
}

static const i128 wholes[] = {
    0,
    1,
    -1,
    INT64_MAX,
    INT64_MIN,
    UINT64_MAX,
    (i128)UINT64_MAX + 1,
    I128_MAX,
    I128_MAX - 1,
    I128_MIN + 1,
    (i128)1 << 126,
    -((i128)1 << 64),
};

/* Conversion to rationals and back; floor and ceiling of values just beside. */
static void
wholes_come_back(void **state)
{
    rat r, bit, third;

    (void)state;
    rat_init(&r);
    rat_init(&bit);
    rat_init(&third);
    rat_set_i64(&third, 1, 3);
    rat_set_pow2(&bit, -200);
    for (size_t i = 0; i < COUNT_OF(wholes); i++) {
        i128 x = wholes[i], got;
        uint64_t word;

        rat_set_i128(&r, x);
        assert_true(rat_is_whole(&r));
        assert_int_equal(rat_sign(&r), (x > 0) - (x < 0));
        assert_true(rat_floor_i128(&r, &got) && got == x);
        assert_true(rat_ceil_i128(&r, &got) && got == x);
        assert_true(rat_floor_times(&third, x, &got));
        assert_true(got == x / 3 - (x % 3 < 0));
        assert_int_equal(rat_floor_u64(&r, &word), x >= 0 && x <= UINT64_MAX);
        if (x >= 0 && x <= UINT64_MAX)
            assert_true(word == (uint64_t)x);
        rat_add(&r, &r, &bit);
        assert_true(rat_floor_i128(&r, &got) && got == x);
        if (x < I128_MAX)
            assert_true(rat_ceil_i128(&r, &got) && got == x + 1);
        else
            assert_false(rat_ceil_i128(&r, &got));
        rat_sub(&r, &r, &bit);
        rat_sub(&r, &r, &bit);
        assert_true(rat_ceil_i128(&r, &got) && got == x);
        if (x > I128_MIN + 1)
            assert_true(rat_floor_i128(&r, &got) && got == x - 1);
    }
    rat_set_pow2(&r, 127);
    assert_false(rat_floor_i128(&r, &(i128){0}));
    assert_false(rat_floor_u64(&r, &(uint64_t){0}));
    rat_clear(&bit);
    rat_clear(&third);
    rat_clear(&r);
}

/* 2^e <= a < 2^(e+1), for powers and their neighbours. */
static void
log2_is_the_floor(void **state)
{
    rat a, two;

    (void)state;
    rat_init(&a);
    rat_init(&two);
    for (long e = -300; e <= 300; e += 7)
        for (int k = -1; k <= 1; k++) {
            rat step;

            rat_init(&step);
            rat_set_pow2(&a, e);
            rat_set_pow2(&step, e - 80);
            if (k < 0)
                rat_sub(&a, &a, &step);
            if (k > 0)
                rat_add(&a, &a, &step);
            assert_int_equal(rat_log2_floor(&a), k < 0 ? e - 1 : e);
            rat_clear(&step);
        }
    for (int64_t n = 1; n < 40; n++)
        for (uint64_t d = 1; d < 40; d++) {
            long e;

            rat_set_i64(&a, n, d);
            e = rat_log2_floor(&a);
            rat_set_pow2(&two, e);
            assert_true(rat_cmp(&two, &a) <= 0);
            rat_set_pow2(&two, e + 1);
            assert_true(rat_cmp(&two, &a) > 0);
        }
    rat_clear(&two);
    rat_clear(&a);
}

/* The words of a, combined, equal a up to one unit of the last word. */
static void
words_are_the_expansion(void **state)
{
    static const unsigned sizes[] = {1, 5, 16, 63, 64};
    static const char *const numbers[] = {
        "0", "1/3", "1/2", "0.1", "2/7", "0.9999999999999999999999999"};

    (void)state;
    for (size_t n = 0; n < COUNT_OF(numbers); n++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            rat a = ref_rat(numbers[n]), sum, unit, part;

            rat_init(&sum);
            rat_init(&unit);
            rat_init(&part);
            rat_set_pow2(&unit, 0);
            for (size_t k = 0; k < 5; k++) {
                uint64_t w = rat_word(&a, sizes[s], k);
                rat by;

                assert_true(sizes[s] == 64 || w >> sizes[s] == 0);
                rat_init(&by);
                rat_set_pow2(&by, -(long)sizes[s]);
                rat_mul(&unit, &unit, &by);
                rat_set_i128(&part, (i128)w);
                rat_mul(&part, &part, &unit);
                rat_add(&sum, &sum, &part);
                rat_sub(&part, &a, &sum); /* 0 <= rest < unit */
                assert_true(rat_sign(&part) >= 0);
                assert_true(rat_cmp(&part, &unit) < 0);
                rat_clear(&by);
            }
            rat_clear(&part);
            rat_clear(&unit);
            rat_clear(&sum);
            rat_clear(&a);
        }
}

static void
clamps_to_the_nearer_end(void **state)
{
    static const int64_t cases[][2] = {{-8, -2}, {-2, -2}, {-1, -1},
                                       {0, 0},   {5, 5},   {6, 5}};
    rat x, low, high;

    (void)state;
    rat_init(&x);
    rat_init(&low);
    rat_init(&high);
    rat_set_i64(&low, -2, 3);
    rat_set_i64(&high, 5, 3);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        rat want;

        rat_init(&want);
        rat_set_i64(&want, cases[i][1], 3);
        rat_set_i64(&x, cases[i][0], 3);
        rat_clamp(&x, &low, &high);
        assert_int_equal(rat_cmp(&x, &want), 0);
        rat_clear(&want);
    }
    rat_clear(&x);
    rat_clear(&low);
    rat_clear(&high);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_exact),
        cmocka_unit_test(wholes_come_back),
        cmocka_unit_test(log2_is_the_floor),
        cmocka_unit_test(words_are_the_expansion),
        cmocka_unit_test(clamps_to_the_nearer_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
