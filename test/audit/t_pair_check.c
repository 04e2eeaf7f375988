/*
 * Two replies that were made by hand: rows are compared by their keys, wherever
 * they are in the replies.
 */
#include "audit/curator/pair_check.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#define SQL "SELECT k, count(*) FROM t GROUP BY k"

/* An answer with two columns, whose row i has the key order(i) and its square. */
static struct reply
answer(int n, int (*order)(int i, int n))
{
    PGresAttDesc column[2] = {{.name = "k"}, {.name = "count"}};
    PGresult *r = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);

    assert_true(PQsetResultAttrs(r, 2, column));
    for (int i = 0; i < n; i++) {
        char key[16], value[16];
        int k = order(i, n);

        snprintf(key, sizeof key, "%d", k);
        snprintf(value, sizeof value, "%d", 100 * k);
        assert_true(PQsetvalue(r, i, 0, key, (int)strlen(key)));
        assert_true(PQsetvalue(r, i, 1, value, (int)strlen(value)));
    }
    return (struct reply){.result = r,
                          .rows = (size_t)n,
                          .columns = 2,
                          .sqlstate = "00000",
                          .message = "",
                          .detail = "",
                          .hint = "",
                          .notices = ""};
}

static int
upwards(int i, int n)
{
    (void)n;
    return i;
}

static int
downwards(int i, int n)
{
    return n - 1 - i;
}

static int
one_missing(int i, int n)
{
    return i == 3 ? n : i;
}

/* A count of public groups, with noise on a scale of 0.01. */
static struct outcome
compared(struct reply with, struct reply without)
{
    const struct reply pair[N_SIDES] = {with, without};
    custos_err err = CUSTOS_ERR_INIT;
    struct outcome out = {
        .claims = {.protects = true,
                   .groups_public = true,
                   .n_parts = 1,
                   .part = {{.l1 = 1, .epsilon = 100}}},
    };

    assert_int_equal(pair_check(SQL, "'p'", pair, &out, &err), CUSTOS_OK);
    PQclear(with.result);
    PQclear(without.result);
    return out;
}

/* Many enough that comparing each row with each other one would take minutes. */
static void
rows_in_another_order_are_the_same(void **state)
{
    enum { MANY = 200000 };

    (void)state;
    assert_int_equal(
        compared(answer(MANY, upwards), answer(MANY, downwards)).verdict,
        VERDICT_SAME);
}

static void
a_missing_group_is_seen(void **state)
{
    (void)state;
    assert_int_equal(
        compared(answer(9, upwards), answer(9, one_missing)).verdict,
        VERDICT_DIFFERS);
    assert_int_equal(
        compared(answer(9, one_missing), answer(9, downwards)).verdict,
        VERDICT_DIFFERS);
    assert_int_equal(compared(answer(9, upwards), answer(8, upwards)).verdict,
                     VERDICT_DIFFERS);
}

static void
a_number_that_moved_too_far_is_seen(void **state)
{
    struct reply far = answer(9, downwards);

    (void)state;
    PQsetvalue(far.result, 5, 1, "310", 3); /* 300 on the other side */
    assert_int_equal(compared(answer(9, upwards), far).verdict, VERDICT_MOVED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_another_order_are_the_same),
        cmocka_unit_test(a_missing_group_is_seen),
        cmocka_unit_test(a_number_that_moved_too_far_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
