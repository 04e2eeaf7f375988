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

#include "base/base.h"

#define SQL "SELECT k, count(*) FROM t GROUP BY k"

/* An answer whose row i has the key order(i), and 100 times it in all other
   columns. */
static struct reply
answer(int n, int (*order)(int i, int n), int columns)
{
    PGresAttDesc column[4] = {
        {.name = "k"}, {.name = "a"}, {.name = "b"}, {.name = "c"}};
    PGresult *r = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);

    assert_true(PQsetResultAttrs(r, columns, column));
    for (int i = 0; i < n; i++) {
        char key[16], value[16];
        int k = order(i, n);

        snprintf(key, sizeof key, "%d", k);
        snprintf(value, sizeof value, "%d", 100 * k);
        assert_true(PQsetvalue(r, i, 0, key, (int)strlen(key)));
        for (int c = 1; c < columns; c++)
            assert_true(PQsetvalue(r, i, c, value, (int)strlen(value)));
    }
    return (struct reply){.result = r,
                          .rows = (size_t)n,
                          .columns = (size_t)columns,
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
        compared(answer(MANY, upwards, 2), answer(MANY, downwards, 2)).verdict,
        VERDICT_SAME);
}

static void
a_missing_group_is_seen(void **state)
{
    (void)state;
    assert_int_equal(
        compared(answer(9, upwards, 2), answer(9, one_missing, 2)).verdict,
        VERDICT_DIFFERS);
    assert_int_equal(
        compared(answer(9, one_missing, 2), answer(9, downwards, 2)).verdict,
        VERDICT_DIFFERS);
    assert_int_equal(
        compared(answer(9, upwards, 2), answer(8, upwards, 2)).verdict,
        VERDICT_DIFFERS);
}

static void
a_number_that_moved_too_far_is_seen(void **state)
{
    struct reply far = answer(9, downwards, 2);

    (void)state;
    PQsetvalue(far.result, 5, 1, "310", 3); /* 300 on the other side */
    assert_int_equal(compared(answer(9, upwards, 2), far).verdict,
                     VERDICT_MOVED);
}

/* count(*) and count(0) share a part here, so columns and parts cannot be told
   apart: the sum must not be held against the claim for the rows. */
static void
columns_that_share_a_part_are_not_compared(void **state)
{
    static const char *const lines[] = {
        "protects   each unit",
        "groups     of the data, at most 9: by k (9)",
        "noise on   rows",
        "           Laplace, scale 0.08; sensitivity l1 8, l2 squared 64",
        "           epsilon 100",
        "noise on   sum of x, each clamped to 0 .. 900",
        ("           Laplace, scale 72; sensitivity l1 7200, l2 squared "
         "51840000"),
        "           epsilon 100",
    };
    struct reply pair[N_SIDES] = {answer(9, upwards, 4), answer(9, upwards, 4)};
    custos_err err = CUSTOS_ERR_INIT;
    struct outcome out = {.verdict = VERDICT_SAME};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        claims_read(&out.claims, lines[i]);
    PQsetvalue(pair[SIDE_WITH].result, 5, 2, "6000", 4);
    assert_int_equal(
        pair_check("SELECT k, count(*), sum(x), count(0) FROM t GROUP BY k",
                   "'p'", pair, &out, &err),
        CUSTOS_OK);
    assert_int_equal(out.verdict, VERDICT_SAME);
    /* Without count(0), what is beyond the claim of the sum is seen. */
    PQsetvalue(pair[SIDE_WITH].result, 5, 2, "10000", 5);
    pair[SIDE_WITH].columns = pair[SIDE_WITHOUT].columns = 3;
    assert_int_equal(pair_check("SELECT k, count(*), sum(x) FROM t GROUP BY k",
                                "'p'", pair, &out, &err),
                     CUSTOS_OK);
    assert_int_equal(out.verdict, VERDICT_MOVED);
    for (int i = 0; i < N_SIDES; i++)
        PQclear(pair[i].result);
}

static void
explain_may_be_slow_but_must_not_break(void **state)
{
    const struct reply slow = {.sqlstate = "57014", .message = "too slow"};
    const struct reply broken = {.sqlstate = "XX000", .message = "broken"};
    const struct reply rejected = {.sqlstate = "42703", .message = "column"};

    (void)state;
    assert_false(explain_failed(&slow));
    assert_true(explain_failed(&broken));
    assert_false(explain_failed(&rejected));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_another_order_are_the_same),
        cmocka_unit_test(a_missing_group_is_seen),
        cmocka_unit_test(a_number_that_moved_too_far_is_seen),
        cmocka_unit_test(columns_that_share_a_part_are_not_compared),
        cmocka_unit_test(explain_may_be_slow_but_must_not_break),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
