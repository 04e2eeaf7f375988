/*
 * Every row of sql/functions.def: its example and the tests below have the same
 * value in the engine, by the printed text, and in our evaluator; the canonical
 * text of both reads back as the same call. Every row of sql/aggregates.def: its
 * value over a few public rows.
 */
#include "sql/functions.h"

#include <stdio.h>

#include "base/base.h"
#include "evaluate/evaluate.h"
#include "sql/aggregates.h"
#include "sql/bench.h"

/* At least one test for each call, with a value that its example does not have:
   a NULL, an edge. */
static const struct test {
    enum call call;
    const char *expression, *value; /* NULL: NULL */
} tests[] = {
    {CALL_AND, "false AND NULL", "false"},
    {CALL_OR, "false OR NULL", NULL},
    {CALL_NOT, "NOT (1 = NULL)", NULL},
    {CALL_NOT, "(NOT (1 = NULL)) IS NULL", "true"},
    {CALL_NOT, "(NOT (1 = NULL)) IS TRUE", "false"},
    {CALL_NOT, "(NOT false) < false", "false"},
    {CALL_NOT, "(NOT false) IN (false)", "false"},
    {CALL_NOT, "(NOT false) BETWEEN false AND false", "false"},
    {CALL_EQ, "'a' = 'A'", "false"},
    {CALL_NE, "1 <> NULL", NULL},
    {CALL_LT, "'b' < 'a'", "false"},
    {CALL_LE, "3 <= 2", "false"},
    {CALL_GT, "DATE '2024-01-02' > DATE '2024-01-01'", "true"},
    {CALL_GE, "2.5 >= 3", "false"},
    {CALL_IS_NULL, "'' IS NULL", "false"},
    {CALL_IS_NOT_NULL, "(1 / 0) IS NOT NULL", "false"},
    {CALL_IS_TRUE, "true IS TRUE", "true"},
    {CALL_IS_FALSE, "false IS FALSE", "true"},
    {CALL_IS_NOT_TRUE, "true IS NOT TRUE", "false"},
    {CALL_IS_NOT_FALSE, "false IS NOT FALSE", "false"},
    {CALL_IS_DISTINCT, "1 IS DISTINCT FROM 1", "false"},
    {CALL_IS_NOT_DISTINCT, "1 IS NOT DISTINCT FROM 1", "true"},
    {CALL_LIKE, "'a%b' LIKE 'a\\%b'", "true"},
    {CALL_NOT_LIKE, "'axb' NOT LIKE 'a\\%b'", "true"},
    {CALL_ILIKE, "'Ünï' ILIKE 'üNÏ'", "true"},
    {CALL_NOT_ILIKE, "'Ünï' NOT ILIKE '_n_'", "false"},
    {CALL_BETWEEN, "7 BETWEEN 7 AND 6.5", "false"},
    {CALL_NOT_BETWEEN, "7 NOT BETWEEN NULL AND 8", NULL},
    {CALL_NEG, "-(3.5 - 1)", "-2.5"},
    {CALL_ADD, "9223372036854775807 + 1", "9223372036854775808"},
    {CALL_ADD, "DATE '2024-12-30' + 3", "2025-01-02"},
    {CALL_SUB, "DATE '2024-03-01' - DATE '2024-02-28'", "2"},
    {CALL_MUL, "7 * 9000000000000000000", "63000000000000000000"},
    {CALL_DIV, "1 / 0", NULL},
    {CALL_DIV, "7 / 2.0", "3.5"},
    {CALL_MOD, "mod(7, 0)", NULL},
    {CALL_ABS, "abs(-9223372036854775808)", "9223372036854775808"},
    {CALL_ROUND, "round(-2.5)", "-3"},
    {CALL_FLOOR, "floor(7)", "7"},
    {CALL_CEIL, "ceiling(2.1)", "3"},
    {CALL_TRUNC, "trunc(2.999)", "2"},
    {CALL_SIGN, "sign(0.0)", "0"},
    {CALL_SQRT, "sqrt(-1)", NULL},
    {CALL_SQRT, "sqrt(2.25)", "1.5"},
    {CALL_LN, "ln(0)", NULL},
    {CALL_LN, "ln(-2.5)", NULL},
    {CALL_LN, "round(ln(2), 9)", "0.693147181"},
    {CALL_EXP, "exp(1000)", NULL},
    {CALL_EXP, "round(exp(1), 9)", "2.718281828"},
    {CALL_POWER, "power(2, 10)", "1024"},
    {CALL_POWER, "pow(-8, 0.5)", NULL},
    {CALL_POWER, "power(0, -1)", NULL},
    {CALL_POWER, "power(-2, 3)", "-8"},
    {CALL_LEAST, "least('b', 'a')", "a"},
    {CALL_GREATEST, "greatest(1, 7.5)", "7.5"},
    {CALL_COALESCE, "coalesce(NULL, 'x')", "x"},
    {CALL_NULLIF, "nullif(4, 5)", "4"},
    {CALL_LOWER, "lower('ÅB')", "åb"},
    {CALL_UPPER, "upper(CAST(NULL AS text))", NULL},
    {CALL_TRIM, "btrim(' ')", ""},
    {CALL_LENGTH, "character_length('Ünïcode')", "7"},
    {CALL_SUBSTRING, "substr('Ünïcode', -1, 3)", "Ü"},
    {CALL_CONCAT, "'a' || CAST(NULL AS text)", NULL},
    {CALL_YEAR, "date_part('year', TIMESTAMP '0001-01-01')", "1"},
    {CALL_QUARTER, "extract(quarter FROM DATE '2024-04-01')", "2"},
    {CALL_MONTH, "extract(MONTH FROM DATE '2024-02-29')", "2"},
    {CALL_WEEK, "extract(week FROM DATE '2026-01-04')", "1"},
    {CALL_DAY, "extract(day FROM DATE '2024-02-29')", "29"},
    {CALL_DOW, "extract(dow FROM DATE '2026-01-04')", "0"},
    {CALL_DOY, "extract(doy FROM DATE '2026-01-04')", "4"},
    {CALL_HOUR, "date_part('hour', DATE '2026-01-04')", "0"},
    {CALL_MINUTE, "extract(minute FROM TIMESTAMP '1969-12-31 23:59:58.5')",
     "59"},
    {CALL_SECOND, "extract(second FROM TIMESTAMP '1969-12-31 23:59:58.5')",
     "58"},
    {CALL_TRUNC_YEAR, "date_trunc('year', TIMESTAMP '1969-12-31 23:59:58')",
     "1969-01-01 00:00:00"},
    {CALL_TRUNC_QUARTER, "date_trunc('quarter', TIMESTAMP '2026-01-04 13:45')",
     "2026-01-01 00:00:00"},
    {CALL_TRUNC_MONTH, "date_trunc('month', CAST(NULL AS date))", NULL},
    {CALL_TRUNC_WEEK, "date_trunc('week', DATE '2026-01-04')", "2025-12-29"},
    {CALL_TRUNC_DAY, "date_trunc('day', DATE '2026-01-04')", "2026-01-04"},
    {CALL_TRUNC_HOUR, "date_trunc('hour', TIMESTAMP '1969-12-31 23:59:58.5')",
     "1969-12-31 23:00:00"},
    {CALL_WIDTH_BUCKET, "width_bucket(7, 0, 7, 5)", "6"},
};

static bool
has_call(const struct expr *e, enum call call)
{
    if (e && e->kind == EXPR_CALL && e->call == call)
        return true;
    for (size_t i = 0; e && i < e->n_args; i++)
        if (has_call(e->args[i], call))
            return true;
    return false;
}

/* Compares values as text; of a double in the engine, 3.0 is 3. */
static void
is_value(const char *expression, const char *where, const char *got,
         const char *wanted)
{
    char text[100] = "";
    size_t len;

    if (got)
        snprintf(text, sizeof text, "%s", got);
    len = strlen(text);
    if (len > 2 && !strcmp(text + len - 2, ".0"))
        text[len - 2] = '\0';
    if (wanted ? !got || strcmp(text, wanted) : got != NULL)
        fail_msg("%s is %s %s, not %s", expression, got ? text : "NULL", where,
                 wanted ? wanted : "NULL");
}

static void
in_engine(struct bench *b, const struct test *t, const struct expr *e)
{
    struct buf run;
    duckdb_result r;
    char *value;

    buf_init(&run, NULL, TEXT_MAX);
    buf_add_text(&run, "SELECT CAST(");
    duckdb_print_expr(e, "t", &run);
    buf_add_text(&run, " AS VARCHAR)");
    assert_false(run.failed);
    if (duckdb_query(b->con, buf_text(&run), &r) != DuckDBSuccess)
        fail_msg("%s\n  %s", buf_text(&run), duckdb_result_error(&r));
    value = duckdb_value_varchar(&r, 0, 0);
    is_value(t->expression, "in the engine", value, t->value);
    duckdb_free(value);
    duckdb_destroy_result(&r);
    buf_clear(&run);
}

static void
in_evaluator(arena *a, const struct test *t, const struct expr *e)
{
    struct scope s = {.a = a};
    struct value v;
    struct buf text;

    assert_true(evaluate(&s, e, &v));
    buf_init(&text, NULL, TEXT_MAX);
    datum_write(&v.datum, &text);
    is_value(t->expression, "in the evaluator",
             v.datum.type == TYPE_NULL ? NULL : buf_text(&text), t->value);
    buf_clear(&text);
}

/* The canonical text of the call, read again, has the same canonical text. */
static void
reads_back(arena *a, const struct test *t, const struct query *q)
{
    struct query *again;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf once, twice;

    buf_init(&once, NULL, TEXT_MAX);
    buf_init(&twice, NULL, TEXT_MAX);
    sql_print(q, &once);
    if (sql_read(a, str_of(buf_text(&once)), &again, &err))
        fail_msg("%s: %s", buf_text(&once), err.said);
    assert_true(has_call(again->targets[0].expr, t->call));
    sql_print(again, &twice);
    assert_string_equal(buf_text(&once), buf_text(&twice));
    buf_clear(&once);
    buf_clear(&twice);
}

static void
check(struct bench *b, const struct test *t)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    custos_err err = CUSTOS_ERR_INIT;
    struct plan *plan;
    struct query *q;
    char sql[400];

    snprintf(sql, sizeof sql, "SELECT %s FROM t", t->expression);
    plan = bench_plan(b, a, sql, &err);
    if (!plan)
        fail_msg("%s: %s", t->expression, err.said);
    assert_int_equal(sql_read(a, str_of(sql), &q, &err), CUSTOS_OK);
    if (!has_call(q->targets[0].expr, t->call))
        fail_msg("%s does not test its row", t->expression);
    in_engine(b, t, plan->outputs[0].expr);
    if (evaluate_knows(plan->outputs[0].expr))
        in_evaluator(a, t, plan->outputs[0].expr);
    reads_back(a, t, q);
    plan_free(plan);
    arena_free(a);
}

static void
every_example_holds(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b);
    for (size_t i = 0; i < N_CALLS; i++) {
        struct test t = {(enum call)i, functions[i].example,
                         functions[i].value};

        check(&b, &t);
    }
    bench_close(&b);
}

static void
every_function_is_tested(void **state)
{
    bool tested[N_CALLS] = {false};
    struct bench b;

    (void)state;
    bench_open(&b);
    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        check(&b, &tests[i]);
        tested[tests[i].call] = true;
    }
    bench_close(&b);
    for (size_t i = 0; i < N_CALLS; i++)
        if (!tested[i])
            fail_msg("%s has no test", functions[i].word);
}

/* ----------------------------------------------------------- aggregates -- */

/* i is 1, 2, 2, 7 and NULL; day, the first to the fifth. Running counts are
   rejected over public rows; t_curator.c has theirs. */
static const struct {
    enum aggregate kind;
    const char *expression, *value;
} aggregate_tests[] = {
    {AGG_COUNT_ROWS, "count(*)", "5"},
    {AGG_COUNT, "count(i)", "4"},
    {AGG_COUNT_DISTINCT, "count(DISTINCT i)", "3"},
    {AGG_SUM, "sum(i)", "12"},
    {AGG_AVG, "avg(i)", "3"},
    {AGG_VAR_SAMP, "round(variance(i), 9)", "7.333333333"},
    {AGG_VAR_POP, "var_pop(i)", "5.5"},
    {AGG_STDDEV_SAMP, "round(stddev(i), 9)", "2.708012802"},
    {AGG_STDDEV_POP, "round(stddev_pop(i), 9)", "2.34520788"},
    {AGG_COVAR_POP, "covar_pop(2 * i, i)", "11"},
    {AGG_COVAR_SAMP, "round(covar_samp(2 * i, i), 9)", "14.666666667"},
    {AGG_CORR, "round(corr(3 - 2 * i, i), 9)", "-1"},
    {AGG_REGR_R2, "round(regr_r2(3 - 2 * i, i), 9)", "1"},
    {AGG_REGR_SLOPE, "round(regr_slope(3 - 2 * i, i), 9)", "-2"},
    {AGG_REGR_INTERCEPT, "round(regr_intercept(3 - 2 * i, i), 9)", "3"},
    {AGG_MEDIAN, "median(i + 0.5)", "2.5"},
    {AGG_MEDIAN, "median(day)", "2026-01-03"},
    {AGG_PERCENTILE_CONT, "percentile_cont(0.75) WITHIN GROUP (ORDER BY i)",
     "3.25"},
    {AGG_PERCENTILE_DISC, "percentile_disc(0.9) WITHIN GROUP (ORDER BY i)",
     "7"},
    {AGG_MIN, "min(i)", "1"},
    {AGG_MAX, "max(day)", "2026-01-05"},
};

static bool
has_aggregate(const struct expr *e, enum aggregate kind)
{
    if (e && e->kind == EXPR_AGGREGATE && e->aggregate == kind)
        return true;
    for (size_t i = 0; e && i < e->n_args; i++)
        if (has_aggregate(e->args[i], kind))
            return true;
    return false;
}

static void
check_aggregate(struct bench *b, enum aggregate kind, const char *expression,
                const char *wanted)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    custos_err err = CUSTOS_ERR_INIT;
    duckdb_result r;
    struct plan *plan;
    struct buf run;
    char sql[400], *value;

    snprintf(sql, sizeof sql, "SELECT %s FROM t", expression);
    plan = bench_plan(b, a, sql, &err);
    if (!plan)
        fail_msg("%s: %s", expression, err.said);
    if (!has_aggregate(plan->outputs[0].expr, kind))
        fail_msg("%s does not test its row", expression);
    buf_init(&run, NULL, TEXT_MAX);
    buf_add_text(&run, "SELECT CAST(");
    duckdb_print_public(plan->outputs[0].expr, "t", &run);
    buf_add_text(&run, " AS VARCHAR) FROM t");
    if (duckdb_query(b->con, buf_text(&run), &r) != DuckDBSuccess)
        fail_msg("%s\n  %s", buf_text(&run), duckdb_result_error(&r));
    value = duckdb_value_varchar(&r, 0, 0);
    is_value(expression, "in the engine", value, wanted);
    duckdb_free(value);
    duckdb_destroy_result(&r);
    buf_clear(&run);
    plan_free(plan);
    arena_free(a);
}

static void
every_aggregate_is_tested(void **state)
{
    bool tested[N_AGGREGATES] = {false};
    struct bench b;

    (void)state;
    bench_open(&b);
    must_run(&b, "INSERT INTO t (column_0, column_7) VALUES (1, '2026-01-01'), "
                 "(2, '2026-01-02'), (2, '2026-01-03'), (7, '2026-01-04'), "
                 "(NULL, '2026-01-05')");
    for (size_t i = 0; i < COUNT_OF(aggregate_tests); i++) {
        check_aggregate(&b, aggregate_tests[i].kind,
                        aggregate_tests[i].expression,
                        aggregate_tests[i].value);
        tested[aggregate_tests[i].kind] = true;
    }
    bench_close(&b);
    for (size_t i = 0; i < N_AGGREGATES; i++)
        if (!tested[i] && aggregates[i].family != FAMILY_RUNNING)
            fail_msg("%s has no test", aggregates[i].opening);
}

/* Running counts are not computed over public rows: only read here. */
static const struct {
    enum aggregate kind;
    const char *text;
    size_t keys;
} running_tests[] = {
    {AGG_RUNNING_ROWS,
     "SELECT sum(count(*)) OVER (PARTITION BY a ORDER BY b) FROM t", 2},
    {AGG_RUNNING_ROWS,
     "SELECT sum(count(*)) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t",
     1},
    {AGG_TOTAL_ROWS, "SELECT sum(count(*)) OVER (PARTITION BY a) FROM t", 1},
    {AGG_TOTAL_ROWS, "SELECT sum(count(*)) OVER () FROM t", 0},
};

static void
running_counts_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(running_tests); i++) {
        arena *a = arena_new(NULL, (size_t)1 << 20);
        struct query *q = NULL;

        assert_int_equal(sql_read(a, str_of(running_tests[i].text), &q, NULL),
                         CUSTOS_OK);
        assert_int_equal(q->targets[0].expr->aggregate, running_tests[i].kind);
        assert_int_equal(q->targets[0].expr->n_args, running_tests[i].keys);
        assert_true(str_equal(q->targets[0].name, str_of("sum")));
        arena_free(a);
    }
}

/* A name stands for one call, or the first row would hide the second. */
static void
names_are_unique(void **state)
{
    enum aggregate kind;
    enum call call;

    (void)state;
    for (size_t i = 0; i < N_CALLS; i++) {
        for (const char *const *n = functions[i].names; *n; n++) {
            assert_true(function_find(*n, &call));
            assert_int_equal(call, i);
        }
        assert_true(function_written(functions[i].form, functions[i].word,
                                     functions[i].field, &call));
        assert_int_equal(call, i);
    }
    for (size_t i = 0; i < N_AGGREGATES; i++)
        for (const char *const *n = aggregates[i].names; *n; n++) {
            assert_true(aggregate_find(*n, &kind));
            assert_int_equal(kind, i);
            assert_false(function_find(*n, &call));
        }
    assert_false(function_find("sig", &call));
    assert_false(function_written(FORM_FIELD, "date_part", "eon", &call));
}

int
main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_example_holds),
        cmocka_unit_test(every_function_is_tested),
        cmocka_unit_test(every_aggregate_is_tested),
        cmocka_unit_test(running_counts_are_read),
        cmocka_unit_test(names_are_unique),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
