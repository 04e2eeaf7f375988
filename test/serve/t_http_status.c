/*
 * Computations for unauthenticated clients are limited in rate.
 */
#include "../support/support.h"

#include "base/base.h"
#include "http/http_status.h"

static int
learn_at(struct http_status *s, int64_t now_us)
{
    const struct http_request r = {.path = str_of("/v1/learn")};
    struct http_reply reply;
    int status;

    http_reply_init(&reply);
    assert_true(http_status_answer(s, TASK_LEARN, &r, NULL, now_us, &reply));
    status = reply.status;
    assert_true(status == 200 || reply.n_headers == 1);
    http_reply_clear(&reply);
    return status;
}

static void
toys_are_given_only_so_often(void **state)
{
    const int once = TOYS_AHEAD_US / TOYS_EVERY_US + 1;
    struct http_status s = {0};
    int64_t now = 1000000;
    int given = 0;

    (void)state;
    for (int i = 0; i < 3 * once; i++)
        given += learn_at(&s, now) == 200;
    assert_int_equal(given, once);
    /* rejected requests do not count */
    now += 10 * TOYS_EVERY_US;
    for (given = 0; learn_at(&s, now) == 200;)
        given++;
    assert_int_equal(given, 10);
    /* a long pause allows no more requests than a new server does */
    now += 1000 * (int64_t)TOYS_AHEAD_US;
    for (given = 0; learn_at(&s, now) == 200;)
        given++;
    assert_int_equal(given, once);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_are_given_only_so_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
