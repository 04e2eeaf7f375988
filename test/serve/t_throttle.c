/*
 * Failed logins cause a delay for their name and for their address, and for no
 * others.
 */
#include "../support/support.h"

#include <stdio.h>

#include "serve/throttle.h"

enum { SECOND = 1000000 };

static void
a_few_failures_are_free_then_one_waits(void **state)
{
    struct throttle *g = throttle_new(NULL);
    str here = str_of("192.0.2.1"), ana = str_of("ana");
    int64_t now = 1000 * (int64_t)SECOND, before = 0;

    (void)state;
    assert_non_null(g);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(throttle_wait(g, here, ana, now), 0);
        throttle_failed(g, here, ana, now);
    }
    for (int i = 0; i < 12; i++) {
        int64_t wait = throttle_wait(g, here, ana, now);

        assert_true(wait >= before && wait > 0 && wait <= 60 * SECOND);
        assert_int_equal(throttle_wait(g, here, str_of("bob"), now), 0);
        assert_int_equal(throttle_wait(g, str_of("192.0.2.2"), ana, now), 0);
        before = wait;
        now += wait;
        assert_int_equal(throttle_wait(g, here, ana, now), 0);
        throttle_failed(g, here, ana, now);
    }
    assert_int_equal(before, 60 * SECOND);
    throttle_passed(g, here, ana, now);
    assert_int_equal(throttle_wait(g, here, ana, now), 0);
    throttle_free(g);
}

/* Trying many names from one address is throttled too. */
static void
an_address_waits_for_all_its_names(void **state)
{
    struct throttle *g = throttle_new(NULL);
    str here = str_of("192.0.2.1");
    char name[16];

    (void)state;
    assert_non_null(g);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "n%d", i);
        throttle_failed(g, here, str_of(name), 5);
    }
    assert_true(throttle_wait(g, here, str_of("another"), 6) > 0);
    assert_int_equal(throttle_wait(g, str_of("192.0.2.9"), str_of("n1"), 6), 0);
    throttle_free(g);
}

/*
 * A name that has logged in from an address before is not blocked by others
 * there.
 */
static void
neighbours_do_not_shut_out_who_is_known(void **state)
{
    struct throttle *g = throttle_new(NULL);
    str here = str_of("192.0.2.1"), ana = str_of("ana");
    char name[16];

    (void)state;
    assert_non_null(g);
    throttle_passed(g, here, ana, 4);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "n%d", i);
        throttle_failed(g, here, str_of(name), 5);
    }
    assert_int_equal(throttle_wait(g, here, ana, 6), 0);
    assert_true(throttle_wait(g, here, str_of("n1"), 6) > 0);
    for (int i = 0; i < 6; i++) /* guesses at her own name still count */
        throttle_failed(g, here, ana, 7);
    assert_true(throttle_wait(g, here, ana, 8) > 0);
    throttle_free(g);
}

/* With more names than the table has places, it does not grow. */
static void
the_table_is_bounded(void **state)
{
    struct throttle *g = throttle_new(NULL);
    char name[16], address[16];

    (void)state;
    assert_non_null(g);
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        snprintf(address, sizeof address, "a%d", i);
        throttle_failed(g, str_of(address), str_of(name), i);
        (void)throttle_wait(g, str_of(address), str_of(name), i);
    }
    throttle_free(g);
}

/*
 * Unknown clients may try at a limited rate, per address and in all. A name
 * that has logged in from an address is not unknown there.
 */
static void
strangers_try_so_often(void **state)
{
    const struct throttle_limits limits = {.per_address = 60, .all = 100};
    struct throttle *g = throttle_new(&limits);
    str here = str_of("2001:db8:1:2::1"), near = str_of("2001:db8:1:2:3::9");
    str far = str_of("2001:db8:1:3::1"), ana = str_of("ana");
    int64_t now = 1000 * (int64_t)SECOND, wait;
    int n = 0;

    (void)state;
    assert_non_null(g);
    throttle_passed(g, here, ana, now);
    for (int i = 0; i < 60; i++) /* a /64 counts as one address */
        assert_int_equal(throttle_try(g, i % 2 ? here : near, str_of("x"), now),
                         0);
    wait = throttle_try(g, near, str_of("y"), now);
    assert_in_range(wait, 1, SECOND);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(throttle_try(g, here, ana, now), 0);
    while (n < 1000 && !throttle_try(g, far, str_of("x"), now))
        n++;
    assert_int_equal(n, 40); /* the rest of the total */
    assert_true(throttle_try(g, str_of("192.0.2.1"), str_of("x"), now) > 0);
    assert_int_equal(throttle_try(g, near, str_of("y"), now + wait), 0);
    throttle_free(g);
}

/* A flood of addresses displaces unknown clients first. */
static void
who_came_in_is_forgotten_last(void **state)
{
    const struct throttle_limits limits = {.per_address = 1};
    struct throttle *g = throttle_new(&limits);
    str here = str_of("192.0.2.1"), ana = str_of("ana");
    char address[32];

    (void)state;
    assert_non_null(g);
    throttle_passed(g, here, ana, 1);
    for (int i = 0; i < 100000; i++) {
        snprintf(address, sizeof address, "10.%d.%d.%d", i >> 16 & 255,
                 i >> 8 & 255, i & 255);
        (void)throttle_try(g, str_of(address), str_of("x"), 1000 + i);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(throttle_try(g, here, ana, 200000), 0);
    throttle_free(g);
}

static void
cancels_end_after_a_few_wrong_keys(void **state)
{
    struct throttle *g = throttle_new(NULL);
    str here = str_of("192.0.2.1"), there = str_of("192.0.2.2");
    const int64_t second = 1000000;

    (void)state;
    for (int i = 0; i < GATE_CANCELS; i++) {
        assert_false(throttle_cancels_end(g, here, i * second));
        throttle_cancel_failed(g, here, i * second);
    }
    assert_true(throttle_cancels_end(g, here, GATE_CANCELS * second));
    assert_false(throttle_cancels_end(g, there, GATE_CANCELS * second));
    assert_int_equal(
        throttle_wait(g, here, str_of("ana"), GATE_CANCELS * second),
        0); /* logins are separate */
    assert_true(throttle_cancels_end(g, here, 59 * second));
    assert_false(throttle_cancels_end(g, here, 60 * second));
    throttle_cancel_failed(g, here, 60 * second);
    assert_false(throttle_cancels_end(g, here, 60 * second));
    throttle_free(g);
}

/* The 2^64 addresses of an IPv6 network count as one. */
static void
addresses_of_one_network_count_together(void **state)
{
    struct throttle *g = throttle_new(NULL);
    char address[64];

    (void)state;
    for (int i = 0; i < 30; i++) {
        snprintf(address, sizeof address, "2001:db8:1:2::%x", i + 1);
        throttle_failed(g, str_of(address), str_of(address), 0);
        throttle_cancel_failed(g, str_of(address), 0);
    }
    assert_true(
        throttle_wait(g, str_of("2001:db8:1:2:ffff::1"), str_of("x"), 1) > 0);
    assert_true(throttle_cancels_end(g, str_of("2001:db8:1:2:ffff::1"), 1));
    assert_int_equal(
        throttle_wait(g, str_of("2001:db8:1:3::1"), str_of("x"), 1), 0);
    assert_false(throttle_cancels_end(g, str_of("2001:db8:1:3::1"), 1));
    throttle_free(g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_failures_are_free_then_one_waits),
        cmocka_unit_test(an_address_waits_for_all_its_names),
        cmocka_unit_test(neighbours_do_not_shut_out_who_is_known),
        cmocka_unit_test(cancels_end_after_a_few_wrong_keys),
        cmocka_unit_test(addresses_of_one_network_count_together),
        cmocka_unit_test(the_table_is_bounded),
        cmocka_unit_test(strangers_try_so_often),
        cmocka_unit_test(who_came_in_is_forgotten_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
