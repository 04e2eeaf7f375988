/*
 * The floating-point attacks succeed on textbook noise in doubles and find nothing
 * in libcustos.
 */
#include "audit/attack/floating_point.h"
#include "audit/attacks.h"

static void
doubles_prove_the_secret(void **state)
{
    const double scale = 10;
    uint64_t own = 0, other = 0;
    struct coins coins;

    (void)state;
    coins_seed(&coins, 1, 1);
    for (int i = 0; i < 2000; i++) {
        double y = float_release(&coins, 1, scale);

        own += !float_possible(y, 1, scale);
        other += !float_possible(y, 0, scale);
    }
    assert_int_equal(own, 0); /* the true value is never ruled out */
    assert_true(other > 1000);
}

static void
precision_is_recognised(void **state)
{
    (void)state;
    assert_false(float_is_fine(1.5));
    assert_false(float_is_fine(-0x1p-53));
    assert_true(float_is_fine(0x1p-54));
    assert_true(float_is_fine(0.1 + 0x1p-56));
}

static void
report_refutes_doubles_only(void **state)
{
    static struct attack_report r;

    (void)state;
    run_attack(&attack_floating_point, NULL, &r);
    assert_int_equal(r.n_rows, 4);
    assert_true(r.rows[0].low > 0.5);
    assert_int_equal(r.rows[1].hits, 0); /* a hit is impossible */
    assert_true(r.rows[2].value >= 4);
    assert_true(r.rows[3].value == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_prove_the_secret),
        cmocka_unit_test(precision_is_recognised),
        cmocka_unit_test(report_refutes_doubles_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
