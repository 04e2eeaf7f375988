/*
 * The time of a loop until the first failure shows its noise; that of libcustos
 * does not. False alarms: if time and noise are independent, the AUC of 20,000 draws
 * has a standard deviation of 0.0041, whatever the machine does; 0.5 +- 0.025 is
 * left with probability below 2e-9.
 */
#include "audit/attack/timing.h"
#include "audit/attacks.h"

#include <math.h>

static void
auc_of_known_orders(void **state)
{
    struct timed_draw up[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
    struct timed_draw down[] = {{4, 1}, {3, 2}, {2, 3}, {1, 4}};
    struct timed_draw same[] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}};
    struct timed_draw none[] = {{1, 5}, {2, 5}};
    double sd;

    (void)state;
    assert_true(auc_of(up, 4, &sd) == 1);
    assert_true(auc_of(down, 4, &sd) == 0);
    assert_true(auc_of(same, 4, &sd) == 0.5);
    assert_true(auc_of(none, 2, &sd) == 0.5);
}

static void
loop_draws_laplace_noise(void **state)
{
    struct coins coins;
    double sum = 0, zero = 0;

    (void)state;
    coins_seed(&coins, 5, 1);
    for (int i = 0; i < 20000; i++) {
        int64_t x = loop_laplace(&coins, 10);

        sum += fabs((double)x);
        zero += x == 0;
    }
    /* E|x| = 2a/(1-a^2) with a = e^-0.1; P[0] = (1-a)/(1+a). The seed is fixed. */
    assert_true(fabs(sum / 20000 - 9.98) < 0.3);
    assert_true(fabs(zero / 20000 - 0.05) < 0.01);
}

static void
time_shows_the_noise_of_the_loop_only(void **state)
{
    static struct attack_report r;

    (void)state;
    run_attack(&attack_timing, NULL, &r);
    assert_true(r.rows[0].value > 0.8);
    assert_true(fabs(r.rows[1].value - 0.5) < 0.025);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auc_of_known_orders),
        cmocka_unit_test(loop_draws_laplace_noise),
        cmocka_unit_test(time_shows_the_noise_of_the_loop_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
