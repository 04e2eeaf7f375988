/*
 * Averaging removes fresh noise. The cached answer of custos stays what it is, and
 * the budget ends what is charged, in the library and in a real store.
 */
#include "audit/attack/averaging.h"
#include "audit/attacks.h"

enum { RUNS = 100, LAST = AVERAGING_SIZES - 1 };

static struct averages
averages(enum averaging_server server)
{
    struct averages t;
    struct coins coins;

    coins_seed(&coins, 3, 1);
    assert_int_equal(averages_of(server, "1", RUNS, &coins, &t, NULL),
                     CUSTOS_OK);
    return t;
}

static void
fresh_noise_is_averaged_away(void **state)
{
    struct averages t = averages(AVERAGING_FRESH);

    (void)state;
    assert_true(t.error[0] > 5);
    assert_true(t.error[LAST] < 0.3);
    assert_true(t.found[LAST] >= 95);
}

static void
cached_answer_stays(void **state)
{
    struct averages t = averages(AVERAGING_CACHED);

    (void)state;
    for (size_t i = 1; i < AVERAGING_SIZES; i++)
        assert_true(t.error[i] == t.error[0]);
    /* Noise of scale 10 is 0 with probability 0.05. */
    assert_true(bound_p_low(t.found[LAST], RUNS, FALSE_ALARM) <= 0.05);
}

static void
budget_ends(void **state)
{
    struct averages t = averages(AVERAGING_CHARGED);

    (void)state;
    assert_int_equal(t.answers, 10);
    assert_true(t.error[LAST] == t.error[4]); /* of 16 questions */
    /*
     * The mean of ten has a standard deviation of 4.5 and a mean error of 3.5; that
     * of 100 such means is below 2 with probability below 1e-8.
     */
    assert_true(t.error[LAST] > 2);
}

static void
store_caches_and_refuses(void **state)
{
    static struct attack_report r;

    (void)state;
    run_attack(&attack_averaging, getenv("CUSTOS"), &r);
    assert_int_equal(r.n_rows, 5);
    assert_true(r.rows[0].value > 0.95);
    assert_true(r.rows[3].value == 1);
    assert_true(r.rows[4].value >= 2 && r.rows[4].value <= 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_noise_is_averaged_away),
        cmocka_unit_test(cached_answer_stays),
        cmocka_unit_test(budget_ends),
        cmocka_unit_test(store_caches_and_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
