/* Rationals are rounded in the direction that the function's name says. */
#include <stdio.h>

#include "num/ival_more.h"
#include "num/rat_round.h"
#include "support/support.h"

static void
decimal(const char *text, enum rat_direction direction, const char *expected)
{
    char got[RAT_DECIMAL_MAX];
    rat a, back;
    size_t len;
    int order;

    rat_init(&a);
    rat_init(&back);
    assert_int_equal(rat_read(text, "a", &a, NULL), CUSTOS_OK);
    len = rat_decimal(&a, direction, got);
    assert_int_equal(len, strlen(got));
    if (expected)
        assert_string_equal(got, expected);
    assert_int_equal(rat_read(got, "back", &back, NULL), CUSTOS_OK);
    order = rat_cmp(&back, &a);
    assert_true(direction == RAT_UP ? order >= 0 : order <= 0);
    rat_sub(&back, &back, &a);
    rat_abs(&back, &back);
    if (rat_sign(&back) > 0) { /* within 1e-16 of it */
        rat_div(&back, &back, &a);
        assert_true(rat_log2_floor(&back) < -52);
    }
    rat_clear(&a);
    rat_clear(&back);
}

static void
decimal_rounds_as_said(void **state)
{
    static const char *shapes[] = {
        "1/3",  "2/3",   "1/7",  "99999999999999999",
        "1e17", "1e-17", "3/17", "123456789012345678"};

    (void)state;
    decimal("0", RAT_UP, "0");
    decimal("1", RAT_UP, "1");
    decimal("0.1", RAT_UP, "0.1");
    decimal("0.1", RAT_DOWN, "0.1");
    decimal("1e-6", RAT_UP, "0.000001");
    decimal("1e-7", RAT_UP, "1e-7");
    decimal("12.5e-30", RAT_UP, "1.25e-29");
    decimal("1e19", RAT_UP, "10000000000000000000");
    decimal("1e20", RAT_UP, "1e20");
    decimal("1/3", RAT_UP, "0.33333333333333334");
    decimal("1/3", RAT_DOWN, "0.33333333333333333");
    decimal("2/3", RAT_UP, "0.66666666666666667");
    decimal("2/3", RAT_DOWN, "0.66666666666666666");
    decimal("999999999999999999", RAT_UP, "1000000000000000000");
    decimal("999999999999999999", RAT_DOWN, "999999999999999990");
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int e = -370; e <= 370; e += 7) {
            char text[64];

            if (strchr(shapes[i], '/') || strchr(shapes[i], 'e'))
                snprintf(text, sizeof text, "%s", shapes[i]);
            else
                snprintf(text, sizeof text, "%se%d", shapes[i], e);
            decimal(text, RAT_UP, NULL);
            decimal(text, RAT_DOWN, NULL);
        }
}

static void
rounding_up_keeps_the_bits(void **state)
{
    static const char *numbers[] = {
        "1/3", "1", "3", "1e-300", "1e300", "7/8", "123456789123456789/1000"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        for (unsigned bits = 1; bits <= 70; bits++) {
            rat a, r, ulp;

            rat_init(&a);
            rat_init(&r);
            rat_init(&ulp);
            assert_int_equal(rat_read(numbers[i], "a", &a, NULL), CUSTOS_OK);
            rat_round_up(&r, &a, bits);
            assert_true(rat_cmp(&r, &a) >= 0);
            rat_set_pow2(&ulp, rat_log2_floor(&a) - (long)bits + 1);
            rat_sub(&a, &r, &a);
            assert_true(rat_cmp(&a, &ulp) < 0);
            rat_div(&r, &r, &ulp);
            assert_true(rat_is_whole(&r));
            rat_clear(&a);
            rat_clear(&r);
            rat_clear(&ulp);
        }
}

/* Beyond what rat_read can read, only the direction of rounding is right. */
static void
decimal_of_next_to_nothing(void **state)
{
    char text[RAT_DECIMAL_MAX];
    rat a;

    (void)state;
    rat_init(&a);
    rat_set_pow2(&a, -1329); /* 0.85e-400 */
    assert_int_equal(rat_decimal(&a, RAT_UP, text), 6);
    assert_string_equal(text, "1e-400");
    assert_int_equal(rat_decimal(&a, RAT_DOWN, text), 1);
    assert_string_equal(text, "0");
    assert_int_equal(rat_read("1.5e-400", "a", &a, NULL), CUSTOS_OK);
    assert_int_equal(rat_decimal(&a, RAT_UP, text), 6);
    assert_string_equal(text, "2e-400");
    assert_int_equal(rat_decimal(&a, RAT_DOWN, text), 6);
    assert_string_equal(text, "1e-400");
    rat_clear(&a);
}

static void
floor_and_powers(void **state)
{
    rat a;
    long e = 77;

    (void)state;
    rat_init(&a);
    rat_set_i64(&a, -7, 2);
    rat_floor(&a, &a);
    assert_int_equal(rat_cmp_i64(&a, -4), 0);
    assert_false(rat_is_pow2(&a, &e));
    rat_set_i64(&a, 3, 4);
    assert_false(rat_is_pow2(&a, &e));
    rat_set_i64(&a, 1, 3);
    assert_false(rat_is_pow2(&a, &e));
    assert_int_equal(e, 77);
    rat_set_i64(&a, 1, 1024);
    assert_true(rat_is_pow2(&a, &e));
    assert_int_equal(e, -10);
    assert_int_equal(rat_size(&a), 12);
    rat_set_i64(&a, 64, 1);
    assert_true(rat_is_pow2(&a, &e));
    assert_int_equal(e, 6);
    rat_clear(&a);
}

/* Intervals: which are narrow or small, and their ceilings. */
static void
intervals_tell_no_more_than_they_know(void **state)
{
    bool certain = true;
    i128 c = 5;
    ival x, y;
    rat q;

    (void)state;
    ival_init(&x, 64);
    ival_init(&y, 64);
    rat_init(&q);
    ival_set_i64(&x, 1);
    ival_set_i64(&y, 0);
    ival_div(&y, &x, &y); /* everything */
    assert_false(ival_is_finite(&y));
    assert_false(ival_is_narrow(&y, 1));
    assert_false(ival_ceil_up(&y, &c, &certain));
    ival_from_zero(&y, &x);
    assert_false(ival_is_positive(&y));
    assert_false(ival_is_narrow(&y, 1));
    assert_true(ival_ceil_up(&y, &c, &certain));
    assert_true(c == 1 && !certain);
    ival_plus_minus(&y, &x);
    assert_false(ival_is_positive(&y));
    assert_true(ival_ceil_up(&y, &c, &certain));
    assert_true(c == 1 && !certain);
    rat_set_i64(&q, 5, 2);
    ival_set_rat(&x, &q);
    assert_true(ival_ceil_up(&x, &c, &certain));
    assert_true(c == 3 && certain);
    assert_true(ival_is_below_pow2(&x, 2));
    assert_false(ival_is_below_pow2(&x, 1));
    ival_mul_pow2(&x, &x, 200);
    assert_false(ival_ceil_up(&x, &c, &certain));
    ival_clear(&x);
    ival_clear(&y);
    rat_clear(&q);
}

/* 0 <= up - a < unit, 0 <= a - down < unit, both multiples of the unit. */
static void
rounding_is_directed(void **state)
{
    (void)state;
    for (int64_t num = -50; num <= 50; num++)
        for (uint64_t den = 1; den <= 30; den++)
            for (unsigned places = 0; places <= 2; places++) {
                int64_t ten = places == 0 ? 1 : places == 1 ? 10 : 100;
                rat a, up, down, gap, unit;

                rat_init(&a);
                rat_init(&up);
                rat_init(&down);
                rat_init(&gap);
                rat_init(&unit);
                rat_set_i64(&a, num, den);
                rat_set_i64(&unit, ten, 1);
                rat_places_up(&up, &a, places);
                rat_places_down(&down, &a, places);
                rat_sub(&gap, &up, &a);
                rat_mul(&gap, &gap, &unit);
                assert_true(rat_sign(&gap) >= 0 && rat_cmp_i64(&gap, 1) < 0);
                rat_sub(&gap, &a, &down);
                rat_mul(&gap, &gap, &unit);
                assert_true(rat_sign(&gap) >= 0 && rat_cmp_i64(&gap, 1) < 0);
                rat_mul(&gap, &up, &unit);
                assert_true(rat_is_whole(&gap));
                rat_mul(&gap, &down, &unit);
                assert_true(rat_is_whole(&gap));
                if (places == 0) {
                    rat_trunc(&gap, &a);
                    assert_int_equal(rat_cmp(&gap, num < 0 ? &up : &down), 0);
                    rat_ceil(&a, &a); /* in place */
                    assert_int_equal(rat_cmp(&a, &up), 0);
                }
                rat_clear(&unit);
                rat_clear(&gap);
                rat_clear(&down);
                rat_clear(&up);
                rat_clear(&a);
            }
}

static void
parts_are_lowest_terms(void **state)
{
    i128 num = 7, den = 7;
    rat a, big;

    (void)state;
    rat_init(&a);
    rat_init(&big);
    rat_set_i64(&a, -6, 4);
    assert_true(rat_parts_i128(&a, &num, &den));
    assert_true(num == -3 && den == 2);
    rat_set_pow2(&big, 127);
    assert_false(rat_parts_i128(&big, &num, &den));
    rat_set_pow2(&big, -127);
    assert_false(rat_parts_i128(&big, &num, &den));
    assert_true(num == -3 && den == 2); /* untouched */
    rat_set_pow2(&big, -126);
    assert_true(rat_parts_i128(&big, &num, &den));
    assert_true(num == 1 && den == (i128)1 << 126);
    rat_clear(&big);
    rat_clear(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_rounds_as_said),
        cmocka_unit_test(rounding_up_keeps_the_bits),
        cmocka_unit_test(decimal_of_next_to_nothing),
        cmocka_unit_test(floor_and_powers),
        cmocka_unit_test(rounding_is_directed),
        cmocka_unit_test(parts_are_lowest_terms),
        cmocka_unit_test(intervals_tell_no_more_than_they_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
