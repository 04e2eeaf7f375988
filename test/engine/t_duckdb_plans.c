/*
 * Behaviour of the pinned DuckDB's optimizer and binder on which printed
 * queries depend. No guard keeps a throwing expression from being evaluated.
 * Sums and products are regrouped. Column statistics can answer in place of
 * values, and functions are evaluated on the statistics. The types of results
 * are tested too. See t_duckdb_facts.c.
 */
#include "facts.h"

/* v + v overflows in the first row, which conditions on k exclude. */
#define GUARDED                                                                \
    "CREATE TABLE g AS SELECT unnest([9223372036854775807, 1]) AS v, "         \
    "unnest([1, -1]) AS k"

struct asked {
    const char *sql;
    const char *want;
};

static void
all_give(struct facts *f, const struct asked *list, size_t n)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        if (!strcmp(facts_ask(f, list[i].sql, &err), list[i].want) &&
            facts_understood(err.noted))
            continue;
        print_message("%s gives %s, not %s (%s)\n", list[i].sql, f->outcome,
                      list[i].want, err.noted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define TEXT(e) "CAST(" e " AS VARCHAR)"
#define TWICE(e, rest)                                                         \
    "SELECT " TEXT(e "(v + v) * 2" rest) ", " TEXT(                            \
        e "(v + v) * 3" rest) " FROM g"

/* Common-subexpression elimination moves (v + v) out of its guard. */
static void
no_guard_keeps_a_common_subexpression_from_running(void **state)
{
    static const struct asked hoisted[] = {
        {TWICE("try(", ")"), THROWS},
        {TWICE("coalesce(k, ", ")"), THROWS},
        {TWICE("(k < 0 AND ", " > 3)"), THROWS},
    };
    static const struct asked alone[] = {
        {"SELECT " TEXT("try(v + v)") " FROM g", "(null); 2"},
        {"SELECT " TEXT("coalesce(k, v + v)") " FROM g", "1; -1"},
        {"SELECT " TEXT("CASE WHEN k < 0 THEN v + v END") " FROM g",
         "(null); 2"},
        {TWICE("try(", ")"), "(null) (null); 4 6"},
        {TWICE("coalesce(k, ", ")"), "1 1; -1 -1"},
    };
    struct facts f;

    (void)state;
    facts_open(&f);
    facts_do(&f, GUARDED);
    all_give(&f, hoisted, COUNT_OF(hoisted));
    facts_do(&f, "SET disabled_optimizers = 'common_subexpressions'");
    all_give(&f, alone, COUNT_OF(alone));
    facts_close(&f);
}

static void
and_does_not_stop_in_a_projection(void **state)
{
    static const struct asked projected[] = {
        {"SELECT " TEXT("k < 0 AND v + v > 3") " FROM g", THROWS},
        {"SELECT " TEXT("k > 0 OR v + v > 3") " FROM g", THROWS},
    };
    struct facts f;

    (void)state;
    facts_open(&f);
    facts_do(&f, GUARDED);
    all_give(&f, projected, COUNT_OF(projected));
    facts_do(&f, "SET disabled_optimizers = 'common_subexpressions'");
    all_give(&f, projected, COUNT_OF(projected));
    facts_close(&f);
}

/* Therefore a test that needs e evaluated must read e itself. */
static void
is_null_is_answered_by_statistics(void **state)
{
    static const struct asked folded[] = {
        {"SELECT " TEXT("v + v") " FROM g", THROWS},
        {"SELECT " TEXT("(v + v) IS NULL") " FROM g", "false; false"},
        {"SELECT " TEXT("(v + v) IS NOT NULL") " FROM g", "true; true"},
        {"SELECT " TEXT("count(v + v)") " FROM g", "2"},
    };
    struct facts f;

    (void)state;
    facts_open(&f);
    facts_do(&f, GUARDED);
    all_give(&f, folded, COUNT_OF(folded));
    facts_close(&f);
}

#define C "CAST('4000000000000000000' AS BIGINT)"
#define UP "(CASE WHEN k < 0 THEN -" C " ELSE 1 - " C " END + " C ")"
#define ZERO "(v * CAST('0' AS BIGINT))"
#define HUGE "CAST('1e16' AS DOUBLE)"

/*
 * Sums and products of whole numbers are regrouped with their literals first,
 * so that the literals can overflow although each node as written fits; but
 * only if there is a row. Differences, doubles and arguments of calls stay as
 * written.
 */
static void
literals_of_sums_and_products_are_computed_first(void **state)
{
    static const struct asked list[] = {
        {"SELECT " TEXT(C " * (" C " * " ZERO ")") " FROM g", THROWS},
        {"SELECT " TEXT(UP " + (" UP " + " UP ")") " FROM g", THROWS},
        {"SELECT " TEXT(C " * (" C " * " ZERO ")") " FROM g WHERE k > 1", ""},
        {"SELECT " TEXT(UP " - (" UP " - " UP ")") " FROM g", "1; 0"},
        {"SELECT " TEXT(C " * abs(" C " * " ZERO ")") " FROM g", "0; 0"},
        {"SELECT " TEXT("CAST(k AS DOUBLE) / 2 + " HUGE " + (- " HUGE
                        ")") " FROM g",
         "0.0; 0.0"},
    };
    struct facts f;

    (void)state;
    facts_open(&f);
    facts_do(&f, GUARDED);
    all_give(&f, list, COUNT_OF(list));
    facts_close(&f);
}

#define FIRST_TIME "TIMESTAMP '290309-12-22 (BC) 00:00:00'"
#define LAST_TIME "TIMESTAMP '294247-01-10 04:00:54.775806'"

/*
 * While planning, the optimizer computes functions of dates on a column's least
 * and greatest value. One row can thus make every query with the function on
 * that column fail, even if the row is filtered out.
 */
static void
statistics_throw_while_planning(void **state)
{
    static const struct {
        const char *bad, *call;
    } list[] = {
        {"DATE '294248-01-01'", "date_trunc('month', a)"},
        {"DATE '294248-01-01'", "date_trunc('day', a)"},
        {"DATE '294248-01-01'", "epoch_us(a)"},
        {"DATE '294248-01-01'", "epoch_ns(a)"},
        {"DATE '5877642-06-25 (BC)'", "isoyear(a)"},
        {"DATE '5877642-06-25 (BC)'", "yearweek(a)"},
        {FIRST_TIME, "date_trunc('month', a)"},
        {FIRST_TIME, "date_trunc('quarter', a)"},
        {FIRST_TIME, "date_trunc('year', a)"},
        {"TIMESTAMP '2300-01-01'", "epoch_ns(a)"},
    };
    struct result *shape;
    char sql[512];
    struct facts f;

    (void)state;
    facts_open(&f);
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        custos_err err = CUSTOS_ERR_INIT;

        snprintf(sql, sizeof sql,
                 "CREATE OR REPLACE TABLE d AS SELECT unnest([%s, DATE "
                 "'2000-05-07']) AS a",
                 list[i].bad);
        facts_do(&f, sql);
        snprintf(sql, sizeof sql,
                 "EXPLAIN SELECT %s FROM d WHERE a = DATE '2000-05-07'",
                 list[i].call);
        shape = NULL;
        if (duck_describe(f.c, sql, &shape, &err) != CUSTOS_EENGINE ||
            !strstr(err.noted, "Conversion Error"))
            fail_msg("%s %s (%s)", list[i].bad, sql, err.noted);
        result_free(shape);
    }
    facts_close(&f);
}

/* TRY_CAST to a timestamp makes a date outside its range NULL. */
static void
date_trunc_of_a_try_cast_is_null(void **state)
{
    static const struct fact facts[] = {
        {"unnest([DATE '2000-05-07', DATE '294248-01-01'])",
         "date_trunc('month', TRY_CAST(a AS TIMESTAMP))",
         "2000-05-01 00:00:00; (null)"},
        {"unnest([DATE '2000-05-07', DATE '290309-12-21 (BC)'])",
         "date_trunc('year', TRY_CAST(a AS TIMESTAMP))",
         "2000-01-01 00:00:00; (null)"},
        /* but date_trunc fails in the first year of the type */
        {"unnest([DATE '2000-05-07', DATE '290309-12-23 (BC)'])",
         "date_trunc('year', TRY_CAST(a AS TIMESTAMP))", THROWS},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/* On timestamps date_trunc throws only in the first year and on -infinity. */
static void
date_trunc_throws(void **state)
{
    static const struct fact facts[] = {
        {FIRST_TIME, "date_trunc('month', a)", THROWS},
        {FIRST_TIME, "date_trunc('quarter', a)", THROWS},
        {FIRST_TIME, "date_trunc('year', a)", THROWS},
        {FIRST_TIME, "date_trunc('week', a)", "290309-12-22 (BC) 00:00:00"},
        {FIRST_TIME, "date_trunc('day', a)", "290309-12-22 (BC) 00:00:00"},
        {FIRST_TIME, "date_trunc('hour', a)", "290309-12-22 (BC) 00:00:00"},
        {"TIMESTAMP '290308-01-01 (BC) 00:00:00'", "date_trunc('year', a)",
         "290308-01-01 (BC) 00:00:00"},
        {LAST_TIME, "date_trunc('year', a)", "294247-01-01 00:00:00"},
        {LAST_TIME, "date_trunc('week', a)", "294247-01-04 00:00:00"},
        {"TIMESTAMP 'infinity'", "date_trunc('month', a)", "infinity"},
        /* alone in its column it is computed on statistics, and throws */
        {"TIMESTAMP '-infinity'", "date_trunc('month', a)", THROWS},
        {"unnest([TIMESTAMP '-infinity', TIMESTAMP '2000-05-07'])",
         "date_trunc('month', a)", "-infinity; 2000-05-01 00:00:00"},
        {"DATE 'infinity'", "date_trunc('month', a)", THROWS},
        {"DATE '-infinity'", "date_trunc('month', a)", THROWS},
        {"DATE '-infinity'", "date_trunc('year', a)", THROWS},
        {"DATE '294247-01-11'", "date_trunc('day', a)", THROWS},
        {"DATE '294247-01-11'", "date_trunc('week', a)", THROWS},
        {"DATE '290309-12-21 (BC)'", "date_trunc('day', a)", THROWS},
        {"DATE '-infinity'", "date_trunc('month', TRY_CAST(a AS TIMESTAMP))",
         "-infinity"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/* LIKE gives the right answers; its time is not tested here. */
static void
like_matches(void **state)
{
    static const struct fact facts[] = {
        {"'abcabc'", "a LIKE '%b%c'", "true"},
        {"'abcabc'", "a LIKE '%b%d%'", "false"},
        {"'a\nc'", "a LIKE 'a_c'", "true"},
        {"'a\u00e4c'", "a LIKE 'a_c'", "true"},
        {"'a%c'", "a LIKE 'a!%c' ESCAPE '!'", "true"},
        {"'abc'", "a LIKE 'a!%c' ESCAPE '!'", "false"},
        {"'\u00c4BC'", "a ILIKE '\u00e4%'", "true"},
        /* an escape at the end throws only on texts that reach it */
        {"'abcd'", "a LIKE 'abc!' ESCAPE '!'", THROWS},
        {"'abcd'", "a ILIKE 'abc!' ESCAPE '!'", THROWS},
        {"'ab'", "a LIKE 'abc!' ESCAPE '!'", "false"},
        {"''", "a LIKE '%'", "true"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

#define TYPE(value, expr, type)                                                \
    {                                                                          \
        value, "typeof(" expr ")", type                                        \
    }

static void
types_are(void **state)
{
    static const struct fact facts[] = {
        TYPE("1::BIGINT", "a + 1", "BIGINT"),
        TYPE("1::BIGINT", "a * 1::HUGEINT", "HUGEINT"),
        TYPE("1::BIGINT", "a / 2", "DOUBLE"),
        TYPE("1::BIGINT", "a // 2", "BIGINT"),
        TYPE("1::BIGINT", "a % 2", "BIGINT"),
        TYPE("1::BIGINT", "round(a)", "BIGINT"),
        TYPE("1::BIGINT", "floor(a)", "DOUBLE"),
        TYPE("1::BIGINT", "sign(a)", "TINYINT"),
        TYPE("1::BIGINT", "sum(a)", "HUGEINT"),
        TYPE("1::INTEGER", "sum(a)", "HUGEINT"),
        TYPE("true", "sum(a)", "HUGEINT"),
        TYPE("1::BIGINT", "avg(a)", "DOUBLE"),
        TYPE("1::BIGINT", "count(a)", "BIGINT"),
        TYPE("1::BIGINT", "quantile_cont(a, 0.5)", "DOUBLE"),
        TYPE("1::BIGINT", "a + 1.5::DECIMAL(18, 2)", "DECIMAL(22,2)"),
        TYPE("1::BIGINT", "coalesce(a, 1.5)", "DECIMAL(20,1)"),
        TYPE("1::BIGINT", "greatest(a, 1.5::DOUBLE)", "DOUBLE"),
        TYPE("1::DECIMAL(18, 2)", "a * a", "DECIMAL(18,4)"),
        TYPE("1::DECIMAL(18, 2)", "a + 1::DECIMAL(18, 4)", "DECIMAL(18,4)"),
        TYPE("1::DECIMAL(38, 0)", "a + 1::DECIMAL(18, 2)", "DECIMAL(38,2)"),
        TYPE("1::DECIMAL(18, 2)", "a / 2", "DOUBLE"),
        TYPE("1::DECIMAL(18, 2)", "a + 1::DOUBLE", "DOUBLE"),
        TYPE("1::DECIMAL(18, 2)", "round(a, 1)", "DECIMAL(18,1)"),
        TYPE("1::DECIMAL(18, 2)", "floor(a)", "DECIMAL(18,0)"),
        TYPE("1::DECIMAL(18, 2)", "sum(a)", "DECIMAL(38,2)"),
        TYPE("1::DECIMAL(18, 2)", "avg(a)", "DOUBLE"),
        TYPE("1", "a", "INTEGER"),
        TYPE("1.5", "a", "DECIMAL(2,1)"),
        TYPE("1e0", "a", "DOUBLE"),
        TYPE("3000000000", "a", "BIGINT"),
        TYPE("9223372036854775808", "a", "HUGEINT"),
        TYPE("DATE '2000-01-01'", "a + 1", "DATE"),
        TYPE("DATE '2000-01-01'", "a - a", "BIGINT"),
        TYPE("DATE '2000-01-01'", "a + INTERVAL 1 DAY", "TIMESTAMP"),
        TYPE("DATE '2000-01-01'", "year(a)", "BIGINT"),
        TYPE("DATE '2000-01-01'", "epoch(a)", "DOUBLE"),
        TYPE("DATE '2000-01-01'", "date_trunc('month', a)", "TIMESTAMP"),
        TYPE("TIMESTAMP '2000-01-01'", "date_trunc('month', a)", "TIMESTAMP"),
        TYPE("DATE '2000-01-01'", "quantile_cont(a, 0.5)", "TIMESTAMP"),
        TYPE("TIMESTAMP '2000-01-01'", "a - a", "INTERVAL"),
        TYPE("'x'", "length(a)", "BIGINT"),
        TYPE("'x'", "a || a", "VARCHAR"),
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/* Texts that are surprisingly read as numbers, and numbers as text. */
static void
texts_and_numbers_become_each_other(void **state)
{
    static const struct fact facts[] = {
        {"'1_000_000'", "TRY_CAST(a AS BIGINT)", "1000000"},
        {"' 100 '", "TRY_CAST(a AS BIGINT)", "100"},
        {"'99.5'", "TRY_CAST(a AS BIGINT)", "100"},
        {"'1e3'", "TRY_CAST(a AS BIGINT)", "1000"},
        {"'0x10'", "TRY_CAST(a AS BIGINT)", "16"},
        {"''", "TRY_CAST(a AS BIGINT)", NONE},
        {"'nan'", "TRY_CAST(a AS DOUBLE)", "nan"},
        {"'20000-01-01'", "TRY_CAST(a AS DATE)", "20000-01-01"},
        {"' 2000-1-1 '", "TRY_CAST(a AS DATE)", "2000-01-01"},
        {"'infinity'", "TRY_CAST(a AS DATE)", "infinity"},
        {"'epoch'", "TRY_CAST(a AS DATE)", "1970-01-01"},
        {"true", "TRY_CAST(a AS BIGINT)", "1"},
        {"true", "TRY_CAST(a AS DOUBLE)", "1.0"},
        /* halves: a real rounds to even, a decimal away from zero */
        {"2.5::DOUBLE", "CAST(a AS BIGINT)", "2"},
        {"3.5::DOUBLE", "CAST(a AS BIGINT)", "4"},
        {"2.5::DECIMAL(3, 1)", "CAST(a AS BIGINT)", "3"},
        {"(-2.5)::DECIMAL(3, 1)", "CAST(a AS BIGINT)", "-3"},
        {"100::DOUBLE", "a", "100.0"},
        {"1e15", "a", "1000000000000000.0"},
        {"1e16", "a", "1e+16"},
        {"1e-7", "a", "1e-07"},
        {"1.50::DECIMAL(5, 2)", "a", "1.50"},
        {"-5::BIGINT", "a // 2", "-2"},
        {"-5::BIGINT", "a % 3", "-2"},
        {"1::BIGINT", "a / 0", "inf"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/* A loop over rows must not use its connection for anything else. */
static void
a_statement_ends_the_open_result(void **state)
{
    struct column column;
    struct result *rows = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct facts f;
    size_t n = 0;

    (void)state;
    facts_open(&f);
    assert_int_equal(
        duck_ask(f.c, "SELECT range FROM range(100000)", &rows, &err),
        CUSTOS_OK);
    assert_int_equal(result_next(rows, &n, &column, &err), CUSTOS_OK);
    assert_true(n > 0);
    facts_do(&f, "SELECT 1");
    assert_int_equal(result_next(rows, &n, &column, &err), CUSTOS_EENGINE);
    result_free(rows);
    facts_close(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_guard_keeps_a_common_subexpression_from_running),
        cmocka_unit_test(and_does_not_stop_in_a_projection),
        cmocka_unit_test(is_null_is_answered_by_statistics),
        cmocka_unit_test(literals_of_sums_and_products_are_computed_first),
        cmocka_unit_test(statistics_throw_while_planning),
        cmocka_unit_test(date_trunc_of_a_try_cast_is_null),
        cmocka_unit_test(date_trunc_throws),
        cmocka_unit_test(like_matches),
        cmocka_unit_test(types_are),
        cmocka_unit_test(texts_and_numbers_become_each_other),
        cmocka_unit_test(a_statement_ends_the_open_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
