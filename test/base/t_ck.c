/*
 * Checked and saturating integers.
 */
#include "base/ck.h"

#include "support/support.h"

static const i128 edges[] = {
    0,
    1,
    -1,
    2,
    -2,
    7,
    INT64_MAX,
    INT64_MIN,
    (i128)INT64_MAX + 1,
    UINT64_MAX,
    (i128)UINT64_MAX + 1,
    I128_MAX / 2,
    I128_MIN / 2,
    I128_MAX - 1,
    I128_MIN + 1,
    I128_MAX,
    I128_MIN,
};

/* Whether a + b is too large (1), too small (-1) or representable (0). */
static int
sum_overflows(i128 a, i128 b)
{
    if (b > 0 && a > I128_MAX - b)
        return 1;
    if (b < 0 && a < I128_MIN - b)
        return -1;
    return 0;
}

static void
sums_stop_at_the_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(edges); i++)
        for (size_t j = 0; j < COUNT_OF(edges); j++) {
            i128 a = edges[i], b = edges[j], r;
            int over = sum_overflows(a, b);
            i128 expected = over > 0 ? I128_MAX : over < 0 ? I128_MIN : a + b;

            assert_true(sat_add_i128(a, b) == expected);
            assert_int_equal(ck_add_i128(a, b, &r), over == 0);
            if (over == 0) {
                assert_true(r == expected);
                assert_true(ck_sub_i128(expected, b, &r) && r == a);
            }
        }
}

static void
clamping_keeps_the_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(edges); i++)
        for (size_t j = 0; j < COUNT_OF(edges); j++)
            for (size_t k = 0; k < COUNT_OF(edges); k++) {
                i128 x = edges[i], lo = edges[j], hi = edges[k];

                if (lo > hi)
                    continue;
                assert_true(clamp_i128(x, lo, hi) == (x < lo   ? lo
                                                      : x > hi ? hi
                                                               : x));
            }
}

static void
overflow_is_seen(void **state)
{
    int64_t s;
    uint64_t u;
    size_t z;
    i128 w;
    u128 v;

    (void)state;
    assert_true(ck_add_i64(INT64_MAX - 1, 1, &s) && s == INT64_MAX);
    assert_false(ck_add_i64(INT64_MAX, 1, &s));
    assert_true(ck_sub_i64(INT64_MIN + 1, 1, &s) && s == INT64_MIN);
    assert_false(ck_sub_i64(INT64_MIN, 1, &s));
    assert_true(ck_mul_i64(INT64_MIN / 2, 2, &s) && s == INT64_MIN);
    assert_false(ck_mul_i64(INT64_MIN, -1, &s));
    assert_true(ck_add_u64(UINT64_MAX - 1, 1, &u) && u == UINT64_MAX);
    assert_false(ck_add_u64(UINT64_MAX, 1, &u));
    assert_false(ck_sub_u64(0, 1, &u));
    assert_true(ck_sub_u64(1, 1, &u) && u == 0);
    assert_true(ck_mul_u64(UINT32_MAX, UINT32_MAX, &u));
    assert_false(ck_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &u));
    assert_false(ck_add_size(SIZE_MAX, 1, &z));
    assert_false(ck_sub_size(0, 1, &z));
    assert_false(ck_mul_size(SIZE_MAX, 2, &z));
    assert_true(ck_mul_size(SIZE_MAX, 1, &z) && z == SIZE_MAX);
    assert_false(ck_mul_i128(I128_MIN, -1, &w));
    assert_true(ck_mul_i128(I128_MIN, 1, &w) && w == I128_MIN);
    assert_false(ck_add_u128(~(u128)0, 1, &v));
    assert_false(ck_sub_u128(0, 1, &v));
    assert_false(ck_mul_u128((u128)1 << 64, (u128)1 << 64, &v));
    assert_true(ck_mul_u128((u128)1 << 64, (u128)1 << 63, &v));
    assert_true(v == (u128)1 << 127);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stop_at_the_limits),
        cmocka_unit_test(clamping_keeps_the_inside),
        cmocka_unit_test(overflow_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
