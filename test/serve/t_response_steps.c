/*
 * Response steps with a simulated clock.
 */
#include "../support/support.h"

#include "serve/response_steps.h"
#include "serve/workers.h"

enum { MS = 1000 };

static void
steps_are_those_of_the_promise(void **state)
{
    static const int64_t rows[][2] = {
        {0, 10},
        {1, 10},
        {9999, 10},
        {10000, 10},
        {10001, 20},
        {20000, 20},
        {95000, 100},
        {100000, 100},
        {100001, 200},
        {200000, 200},
        {200001, 400},
        {400001, 800},
        {3600000000, 6553600},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(response_step_after(rows[i][0]), rows[i][1] * MS);
    for (int64_t d = 0; d < 2000 * MS; d += 137) {
        assert_true(response_step_after(d) >= d);
        assert_true(response_step_after(d) >=
                    response_step_after(d > 137 ? d - 137 : 0));
    }
    assert_true(response_step_after(INT64_MAX / 2) > 0);
    for (int64_t d = 0; d < 5000 * MS; d += 977) {
        int64_t at = moment_after(d);

        assert_true(at >= d && at < d + 10 * MS + (d == 0) && at > 0);
        assert_int_equal(at % (10 * MS), 0);
    }
    assert_true(moment_after(INT64_MAX) == INT64_MAX);
}

static void
nothing_leaves_before_its_step(void **state)
{
    enum { N = 500 };
    static struct job jobs[N];
    struct reply_heap s = {0};
    int64_t now = 0;
    size_t left = 0;
    uint32_t x = 1;

    (void)state;
    assert_true(reply_heap_reserve(&s, N));
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525 + 1013904223;
        jobs[i].asked_us = x >> 12;
        x = x * 1664525 + 1013904223;
        reply_heap_put(&s, &jobs[i], jobs[i].asked_us + (x >> 13));
    }
    while (left < N) {
        int64_t next = reply_heap_next(&s);
        struct job *j;

        assert_true(next >= now);
        assert_null(reply_heap_take(&s, next - 1));
        now = next;
        j = reply_heap_take(&s, now);
        assert_non_null(j);
        assert_int_equal(j->due_us, now);
        left++;
    }
    assert_int_equal(reply_heap_next(&s), INT64_MAX);
    assert_null(reply_heap_take(&s, INT64_MAX));
    reply_heap_clear(&s);
}

/* A job with a due time leaves at that time, whenever its work ended. */
static void
a_time_that_is_said_is_kept(void **state)
{
    struct job sooner = {.asked_us = 5, .due_us = 1000};
    struct job later = {.asked_us = 5, .due_us = 123456789};
    struct reply_heap s = {0};

    (void)state;
    assert_true(reply_heap_reserve(&s, 2));
    reply_heap_put(&s, &later, 6);
    reply_heap_put(&s, &sooner, 90000);
    assert_null(reply_heap_take(&s, 999));
    assert_ptr_equal(reply_heap_take(&s, 1000), &sooner);
    assert_null(reply_heap_take(&s, 123456788));
    assert_ptr_equal(reply_heap_take(&s, 123456789), &later);
    reply_heap_clear(&s);
}

/* Work that ends at different times within one step leaves at one moment. */
static void
times_within_a_step_look_alike(void **state)
{
    static const int64_t alike[][2] = {
        {1, 9999},        {10001, 19999},   {90001, 99999},
        {100001, 199999}, {400001, 800000},
    };
    struct reply_heap s = {0};

    (void)state;
    assert_true(reply_heap_reserve(&s, 2));
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
        struct job fast = {.asked_us = 777}, slow = {.asked_us = 777};

        reply_heap_put(&s, &fast, 777 + alike[i][0]);
        reply_heap_put(&s, &slow, 777 + alike[i][1]);
        assert_int_equal(fast.due_us, slow.due_us);
        assert_null(reply_heap_take(&s, fast.due_us - 1));
        assert_non_null(reply_heap_take(&s, fast.due_us));
        assert_non_null(reply_heap_take(&s, fast.due_us));
    }
    reply_heap_clear(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_promise),
        cmocka_unit_test(nothing_leaves_before_its_step),
        cmocka_unit_test(a_time_that_is_said_is_kept),
        cmocka_unit_test(times_within_a_step_look_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
