/*
 * Saturating whole numbers: 64-bit results against the same computed in 128
 * bits, and 128-bit results at the ends of the type.
 */
#include "base/whole.h"

#include "support/support.h"

static const int64_t edges[] = {
    INT64_MIN,
    INT64_MIN + 1,
    -((int64_t)1 << 62),
    -4294967296,
    -3037000500,
    -2,
    -1,
    0,
    1,
    2,
    3037000499,
    3037000500,
    4294967296,
    (int64_t)1 << 62,
    INT64_MAX - 1,
    INT64_MAX,
};

static void
narrow_ones_stop_where_wide_ones_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(edges); i++)
        for (size_t k = 0; k < COUNT_OF(edges); k++) {
            int64_t a = edges[i], b = edges[k];

            assert_true(whole_add_i64(a, b) == whole_narrow((i128)a + b));
            assert_true(whole_sub_i64(a, b) == whole_narrow((i128)a - b));
            assert_true(whole_mul_i64(a, b) == whole_narrow((i128)a * b));
            assert_true(whole_neg_i64(a) == whole_narrow(-(i128)a));
            assert_true(whole_abs_i64(a) == whole_narrow(a < 0 ? -(i128)a : a));
            if (b != 0) {
                assert_true(whole_div_i64(a, b) == whole_narrow((i128)a / b));
                assert_true(whole_mod_i64(a, b) == (i128)a % b);
            }
            if (a <= b)
                for (size_t j = 0; j < COUNT_OF(edges); j++) {
                    int64_t x = whole_clamp_i64(edges[j], a, b);

                    assert_true(x >= a && x <= b);
                    assert_true(x == edges[j] || edges[j] < a || edges[j] > b);
                }
        }
}

static void
wide_ones_stop_at_their_ends(void **state)
{
    (void)state;
    assert_true(whole_add_i128(I128_MAX, 1) == I128_MAX);
    assert_true(whole_add_i128(I128_MIN, -1) == I128_MIN);
    assert_true(whole_sub_i128(I128_MIN, 1) == I128_MIN);
    assert_true(whole_sub_i128(0, I128_MIN) == I128_MAX);
    assert_true(whole_mul_i128(I128_MIN, -1) == I128_MAX);
    assert_true(whole_mul_i128(I128_MAX, -2) == I128_MIN);
    assert_true(whole_mul_i128(I128_MIN, 2) == I128_MIN);
    assert_true(whole_neg_i128(I128_MIN) == I128_MAX);
    assert_true(whole_abs_i128(I128_MIN) == I128_MAX);
    assert_true(whole_div_i128(I128_MIN, -1) == I128_MAX);
    assert_true(whole_mod_i128(I128_MIN, -1) == 0);
    assert_true(whole_narrow(I128_MAX) == INT64_MAX);
    assert_true(whole_narrow(I128_MIN) == INT64_MIN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_ones_stop_where_wide_ones_pass),
        cmocka_unit_test(wide_ones_stop_at_their_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
