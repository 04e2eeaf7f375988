/*
 * The list of functions that may be printed over private rows: the engine
 * computes each on the values where the like of it fails, and what is not
 * listed is not printed.
 */
#include "sql/total.h"

#include <stdio.h>

#include "base/base.h"
#include "engine/duck.h"
#include "support/support.h"

/* On a row, so that the engine computes it and does not fold it away. */
static void
printed_functions_are_total(void **state)
{
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err;

    (void)state;
    assert_false(duck_open(NULL, DUCK_WRITE, &d, &err));
    assert_false(duck_connect(d, &c, &err));
    assert_false(duck_own_add(c, &err));
    for (size_t i = 0; i < n_totals; i++) {
        char list[4096], *rest = list, *one;

        assert_true(strlen(totals[i].tried) < sizeof list);
        memcpy(list, totals[i].tried, strlen(totals[i].tried) + 1);
        while ((one = strtok_r(rest, ";", &rest))) {
            char sql[8192];

            snprintf(sql, sizeof sql,
                     "CREATE OR REPLACE TEMP TABLE made AS SELECT (SELECT %s) "
                     "AS x",
                     one);
            if (duck_do(c, sql, &err))
                fail_msg("%s: %s (%s)", totals[i].name, one, err.noted);
        }
    }
    duck_disconnect(c);
    duck_close(d);
}

static void
only_listed_functions_are_text(void **state)
{
    static const char *const good[] = {
        "(t.c1 IN (1, 2))",
        "CAST('strptime(x)' AS VARCHAR)",
        "CASE WHEN (NOT (t.c1)) THEN whole_add(a, b) END",
        "'it''s sqrt(2)'",
        "CAST('1' AS DECIMAL(38, 0))",
    };
    static const char *const bad[] = {
        "sqrt(t.c1)",
        "whole_add(ln(t.c1), 2)",
        "CAST('a' AS VARCHAR) || repeat('x', 9)",
        "'it''s' || chr(1)",
        "stddev_pop(t.c1)",
        "sum(t.c1) > 1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (!total_is_text(good[i], strlen(good[i])))
            fail_msg("%s", good[i]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (total_is_text(bad[i], strlen(bad[i])))
            fail_msg("%s", bad[i]);
    assert_true(total_is_public_text("sum(t.c1) > 1", 13));
    assert_false(total_is_public_text("sqrt(t.c1) > 1", 14));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_functions_are_total),
        cmocka_unit_test(only_listed_functions_are_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
