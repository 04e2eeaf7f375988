/*
 * The minimizer against a server that is a function: what it returns still shows
 * the fault, and nothing more can be taken away.
 */
#include "audit/curator/minimize.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 14, TRIES = 5000 };

/* A fault that is there if all these texts occur and brackets are balanced. */
struct fault {
    const char *parts[4];
    size_t asked;
};

static bool
balanced(const char *s)
{
    int depth = 0;

    for (; *s && depth >= 0; s++)
        depth += (*s == '(') - (*s == ')');
    return depth == 0;
}

static bool
is_there(void *context, const char *sql)
{
    struct fault *f = context;

    f->asked++;
    for (size_t i = 0; i < 4 && f->parts[i]; i++)
        if (!strstr(sql, f->parts[i]))
            return false;
    return balanced(sql);
}

static void
shrinks_to(struct fault fault, const char *before, const char *after)
{
    char sql[ROOM];
    size_t asked = 0;

    snprintf(sql, sizeof sql, "%s", before);
    assert_true(is_there(&fault, sql));
    fault.asked = 0;
    assert_int_equal(minimize(sql, sizeof sql, TRIES, is_there, &fault, &asked),
                     CUSTOS_OK);
    assert_string_equal(sql, after);
    assert_int_equal(asked, fault.asked);
}

static void
only_the_fault_stays(void **state)
{
    (void)state;
    shrinks_to((struct fault){{"inc * inc"}, 0},
               "SELECT count(*), sum(least(inc * inc, 10)), avg(age) FROM "
               "patients AS t0 WHERE id = $P AND name LIKE 'a%' GROUP BY 1",
               "inc * inc");
    shrinks_to((struct fault){{"SELECT ", "FROM patients", "inc * inc"}, 0},
               "SELECT count(*), sum(least(inc * inc, 10)), avg(age) FROM "
               "patients AS t0 WHERE id = $P AND name LIKE 'a%' GROUP BY 1",
               "SELECT inc * inc FROM patients");
}

static void
brackets_and_cases_are_unwrapped(void **state)
{
    (void)state;
    shrinks_to((struct fault){{"SELECT ", "abs(x)"}, 0},
               "SELECT count(CASE WHEN (a OR (b AND c)) THEN abs(x) ELSE "
               "coalesce(y, 0) END), count(*)",
               "SELECT abs(x)");
    shrinks_to((struct fault){{"SELECT ", "CASE WHEN id = 7 THEN ", " END"}, 0},
               "SELECT greatest(CASE WHEN id = 7 THEN floor(x * 3) ELSE 1 END, "
               "0) FROM t",
               "SELECT CASE WHEN id = 7 THEN END");
}

static void
literals_become_short(void **state)
{
    (void)state;
    shrinks_to((struct fault){{"SELECT '"}, 0},
               "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "SELECT ''");
    shrinks_to((struct fault){{"SELECT x * "}, 0},
               "SELECT x * 9223372036854775807 FROM t", "SELECT x * 0");
}

static void
tries_are_bounded(void **state)
{
    struct fault fault = {{"x"}, 0};
    char sql[ROOM] = "SELECT a, b, c, d, e, f, g, h, x FROM t";
    size_t asked = 0;

    (void)state;
    assert_int_equal(minimize(sql, sizeof sql, 3, is_there, &fault, &asked),
                     CUSTOS_OK);
    assert_true(asked <= 3);
    assert_non_null(strstr(sql, "x"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_fault_stays),
        cmocka_unit_test(brackets_and_cases_are_unwrapped),
        cmocka_unit_test(literals_become_short),
        cmocka_unit_test(tries_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
