/*
 * Differencing shows the bit in exact counts, mostly with little noise, and within
 * the ceiling with custos; somebody who knows all others reaches the ceiling and
 * does not exceed it.
 */
#include "audit/attack/differencing.h"
#include "audit/attack/guess_one.h"
#include "audit/attacks.h"

enum { TRIALS = 20000 };

static void
naive_servers_show_the_bit(void **state)
{
    struct coins coins;
    uint64_t right;

    (void)state;
    coins_seed(&coins, 1, 1);
    assert_int_equal(difference_guess(NULL, 0, TRIALS, &coins, &right, NULL),
                     CUSTOS_OK);
    assert_int_equal(right, TRIALS);
    assert_int_equal(difference_guess(NULL, 0.5, TRIALS, &coins, &right, NULL),
                     CUSTOS_OK);
    assert_true(right > TRIALS * 3 / 4);
}

static void
custos_stays_below_the_ceiling(void **state)
{
    struct attack_counts *counts = NULL;
    struct coins coins;
    uint64_t right;
    double ceiling;

    (void)state;
    coins_seed(&coins, 1, 2);
    assert_int_equal(attack_ceiling("1", NULL, &ceiling, NULL), CUSTOS_OK);
    assert_int_equal(attack_counts_new("1", 2, 2, &counts, NULL), CUSTOS_OK);
    assert_int_equal(difference_guess(counts, 0, TRIALS, &coins, &right, NULL),
                     CUSTOS_OK);
    attack_counts_free(counts);
    assert_true(bound_p_high(right, TRIALS, FALSE_ALARM) < ceiling);
}

/* Twice: epsilon 1 against the ceiling of 1 holds and is tight, and against the
   ceiling of 0.9 it does not hold: the comparison can fail. */
static void
ceiling_is_reached_exactly(void **state)
{
    struct coins coins;
    uint64_t right;
    double ceiling, lower;

    (void)state;
    coins_seed(&coins, 1, 3);
    assert_int_equal(attack_ceiling("1", NULL, &ceiling, NULL), CUSTOS_OK);
    assert_int_equal(attack_ceiling("0.8", NULL, &lower, NULL), CUSTOS_OK);
    assert_int_equal(guess_one("1", 4 * TRIALS, &coins, &right, NULL),
                     CUSTOS_OK);
    assert_true(bound_p_low(right, 4 * TRIALS, FALSE_ALARM) <= ceiling);
    assert_true(bound_p_high(right, 4 * TRIALS, FALSE_ALARM) >= ceiling);
    assert_true(bound_p_low(right, 4 * TRIALS, FALSE_ALARM) > lower);
}

static void
report_is_complete(void **state)
{
    static struct attack_report r;

    (void)state;
    run_attack(&attack_differencing, NULL, &r);
    assert_true(row_of(&r, SERVER_NAIVE)->value == 1);
    assert_true(row_of(&r, SERVER_WEAK)->value > 0.75);
    assert_true(row_of(&r, SERVER_CUSTOS)->value < 0.65);
}

/* A server of which custos' name is used in vain is blamed. */
static void
broken_promise_is_blamed(void **state)
{
    static struct attack_report r;
    struct attack_row *row;

    (void)state;
    row = attack_add_share(&r, SERVER_CUSTOS, "m", 8000, 10000);
    assert_false(attack_broken(row));
    row->ceiling = 0.732;
    assert_true(attack_broken(row));
    row->hits = 7400; /* within chance */
    assert_false(attack_broken(row));
    row->server = SERVER_NAIVE;
    row->hits = 8000;
    assert_false(attack_broken(row));
    row = attack_add_number(&r, SERVER_CUSTOS, "m", 2);
    row->ceiling = 1;
    assert_true(attack_broken(row));
    row->value = 1;
    assert_false(attack_broken(row));
}

static void
numbers_are_written(void **state)
{
    char text[ATTACK_GROUPED];

    (void)state;
    attack_grouped(0, text);
    assert_string_equal(text, "0");
    attack_grouped(1234567, text);
    assert_string_equal(text, "1,234,567");
    attack_grouped(UINT64_MAX, text);
    assert_string_equal(text, "18,446,744,073,709,551,615");
    assert_true(attack_percent_up(0.73106) == 73.2);
    assert_true(attack_percent_up(0.5) == 50);
    assert_true(attack_number("1/4") == 0.25);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_servers_show_the_bit),
        cmocka_unit_test(custos_stays_below_the_ceiling),
        cmocka_unit_test(ceiling_is_reached_exactly),
        cmocka_unit_test(report_is_complete),
        cmocka_unit_test(broken_promise_is_blamed),
        cmocka_unit_test(numbers_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
