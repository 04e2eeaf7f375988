/*
 * The list of functions that may be printed over private rows: the engine
 * computes each on values at which similar functions fail, and a function that
 * is not listed is not printed.
 */
#include "sql/total_statement.h"

#include <stdio.h>

#include "base/base.h"
#include "base/str.h"
#include "engine/duckdb/duck.h"
#include "support/support.h"

/* The length of the literal that begins here, or 0. */
static size_t
literal_at(const char *begin, const char *at)
{
    static const char *const starts[] = {"CAST('", "DATE '", "TIMESTAMP '",
                                         "repeat('"};
    size_t depth = 0;
    bool quoted = false;

    if (at > begin && (at[-1] == '_' || at[-1] == '\''))
        return 0; /* TRY_CAST */
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        if (strncmp(at, starts[i], strlen(starts[i])) != 0)
            continue;
        for (const char *c = at; *c; c++) {
            quoted ^= *c == '\'';
            depth += !quoted && *c == '(';
            depth -= !quoted && *c == ')';
            if (i == 1 || i == 2 ? *c == '\'' && !quoted
                                 : *c == ')' && !quoted && !depth)
                return (size_t)(c - at) + 1;
        }
    }
    return 0;
}

/*
 * The expression with its literals replaced by columns of t, and the statement
 * that makes t.
 */
static void
store_literals(const char *expr, struct buf *out, struct buf *table)
{
    size_t n = 0;

    buf_add_text(table, "CREATE OR REPLACE TEMP TABLE vals AS SELECT 0 AS a");
    for (const char *at = expr; *at;) {
        size_t len = literal_at(expr, at);

        if (len) {
            buf_printf(table, ", %.*s AS a%zu", (int)len, at, n);
            buf_printf(out, "t.a%zu", n++);
        } else {
            buf_add(out, at, 1);
        }
        at += len ? len : 1;
    }
    buf_add_text(table, " FROM range(3)");
}

/* Computes an expression on stored rows, so that the engine cannot fold it. */
static void
compute(struct duck_connection *c, const char *name, const char *one)
{
    struct buf expr, table, sql;
    custos_err err = CUSTOS_ERR_INIT;

    buf_init(&expr, NULL, 8192);
    buf_init(&table, NULL, 8192);
    buf_init(&sql, NULL, 8192);
    if (strstr(one, "FROM (VALUES")) { /* it has rows of its own */
        buf_printf(&expr, "(SELECT %s)", one);
        buf_add_text(&table, "CREATE OR REPLACE TEMP TABLE vals AS SELECT 0");
    } else {
        store_literals(one, &expr, &table);
    }
    buf_printf(&sql,
               "CREATE OR REPLACE TEMP TABLE made AS SELECT %s AS x FROM vals "
               "AS t",
               buf_text(&expr));
    if (duck_do(c, buf_text(&table), &err) || duck_do(c, buf_text(&sql), &err))
        fail_msg("%s: %s (%s)", name, buf_text(&sql), err.noted);
    buf_clear(&expr);
    buf_clear(&table);
    buf_clear(&sql);
}

static void
printed_functions_are_total(void **state)
{
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_false(duck_open(NULL, DUCK_WRITE, &d, &err));
    assert_false(duck_connect(d, &c, &err));
    assert_false(duck_own_add(c, &err));
    assert_false(duck_hash_add(c, str_of("salt"), &err));
    for (size_t i = 0; i < n_totals + n_totals_around; i++) {
        const struct total *t =
            i < n_totals ? &totals[i] : &totals_around[i - n_totals];
        char list[4096], *rest = list, *one;

        assert_true(strlen(t->tried) < sizeof list);
        memcpy(list, t->tried, strlen(t->tried) + 1);
        while ((one = strtok_r(rest, ";", &rest)))
            compute(c, t->name, one);
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
        "pow(t.c1, 2)", /* listed only for text around expressions */
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
    assert_true(total_is_statement("SELECT sum(pow(a, 2))", 21));
    assert_false(total_is_statement("SELECT sum(sqrt(a))", 19));
    assert_true(total_is_statement("SELECT 'it''s sqrt(2)'", 22));
    assert_false(total_is_statement("SELECT 'it''s' || chr(1)", 24));
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
