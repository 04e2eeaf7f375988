/*
 * Directed rounding of rationals, against the definition.
 */
#include "num/round.h"
#include "support/support.h"

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
    custos_int num = 7, den = 7;
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
    assert_true(num == 1 && den == (custos_int)1 << 126);
    rat_clear(&big);
    rat_clear(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_is_directed),
        cmocka_unit_test(parts_are_lowest_terms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
