/*
 * What analysts use: sums, limits, and requests per minute.
 */
#include "../support/support.h"

#include <stdio.h>

#include "serve/shares.h"

static const struct share_limits limits = {
    .bytes = {[SHARE_MESSAGES] = 1000, [SHARE_PREPARED] = 100},
    .requests = 60,
};

static void
a_limit_is_one_analysts(void **state)
{
    struct shares *all = shares_new(&limits);
    struct share *ana = share_hold(all, str_of("ana"));
    struct share *again = share_hold(all, str_of("ana"));
    struct share *bob = share_hold(all, str_of("bob"));

    (void)state;
    assert_ptr_equal(ana, again); /* one for all connections */
    assert_true(share_take(ana, SHARE_PREPARED, 60));
    assert_false(share_take(again, SHARE_PREPARED, 41));
    assert_true(share_take(again, SHARE_PREPARED, 40));
    assert_true(share_is_full(ana, SHARE_PREPARED));
    assert_false(share_is_full(ana, SHARE_MESSAGES));
    assert_true(share_take(bob, SHARE_PREPARED, 100));
    assert_int_equal(shares_bytes(all, SHARE_PREPARED), 200);
    share_give(ana, SHARE_PREPARED, 60);
    assert_false(share_is_full(ana, SHARE_PREPARED));
    /* what is already charged may exceed the limit; then nothing more begins */
    share_force(ana, SHARE_PREPARED, 500);
    assert_false(share_take(ana, SHARE_PREPARED, 1));
    assert_false(share_take(ana, SHARE_PREPARED, SIZE_MAX));
    share_give(ana, SHARE_PREPARED, 540);
    share_give(bob, SHARE_PREPARED, 100);
    assert_int_equal(shares_bytes(all, SHARE_PREPARED), 0);
    share_drop(ana);
    share_drop(again);
    share_drop(bob);
    shares_free(all);
}

static void
what_is_there_is_counted_again(void **state)
{
    struct shares *all = shares_new(&limits);
    struct share *ana = share_hold(all, str_of("ana"));
    size_t here = 0, there = 0;

    (void)state;
    share_change(ana, SHARE_MESSAGES, &here, 700);
    share_change(ana, SHARE_MESSAGES, &there, 300);
    assert_true(share_is_full(ana, SHARE_MESSAGES));
    share_change(ana, SHARE_MESSAGES, &here, 699);
    assert_false(share_is_full(ana, SHARE_MESSAGES));
    share_change(ana, SHARE_MESSAGES, &here, 0);
    share_change(ana, SHARE_MESSAGES, &there, 0);
    assert_int_equal(shares_bytes(all, SHARE_MESSAGES), 0);
    share_drop(ana);
    shares_free(all);
    /* NULL in place of a share has no limit */
    assert_true(share_take(NULL, SHARE_MESSAGES, SIZE_MAX));
    assert_int_equal(share_request(NULL, 1), 0);
    share_change(NULL, SHARE_MESSAGES, &here, 5);
    assert_int_equal(here, 5);
}

static void
requests_of_a_minute(void **state)
{
    struct shares *all = shares_new(&limits);
    struct share *ana = share_hold(all, str_of("ana"));
    struct share *bob = share_hold(all, str_of("bob"));
    int64_t now = 5000000000, wait;
    int n = 0;

    (void)state;
    for (int i = 0; i < 60; i++)
        assert_int_equal(share_request(ana, now), 0);
    wait = share_request(ana, now);
    assert_in_range(wait, 1, 1000000);
    assert_int_equal(share_request(bob, now), 0);
    assert_int_equal(share_request(ana, now + wait), 0);
    /* an analyst who disconnects and returns finds the same state */
    share_drop(ana);
    ana = share_hold(all, str_of("ana"));
    assert_true(share_request(ana, now + wait) > 0);
    /* in the long run the rate per minute holds */
    for (int64_t t = 1; t <= 10 * 60; t++)
        while (!share_request(ana, now + 1000000 * t))
            n++;
    assert_in_range(n, 10 * 60 - 2, 10 * 60 + 2);
    share_drop(ana);
    share_drop(bob);
    shares_free(all);
}

/* A limit on what the loop reads in one turn for all sessions of an analyst. */
static void
the_loop_reads_so_much_a_turn(void **state)
{
    struct shares *all = shares_new(&limits);
    struct share *ana = share_hold(all, str_of("ana"));
    struct share *bob = share_hold(all, str_of("bob"));

    (void)state;
    assert_true(share_may_read(ana, 7, 200));
    assert_true(share_may_read(ana, 7, 200));
    assert_false(share_may_read(ana, 7, 1));
    assert_true(share_may_read(bob, 7, 200));
    assert_true(share_may_read(ana, 8, 1));
    share_drop(ana);
    share_drop(bob);
    shares_free(all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_one_analysts),
        cmocka_unit_test(what_is_there_is_counted_again),
        cmocka_unit_test(requests_of_a_minute),
        cmocka_unit_test(the_loop_reads_so_much_a_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
