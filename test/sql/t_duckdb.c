/*
 * Typed expressions printed for DuckDB: they give PostgreSQL's answers, or NULL
 * where PostgreSQL fails; no row makes any of them fail. The planner types the
 * trees; DuckDB runs them.
 */
#include "base/base.h"
#include "sql/aggregates.h"
#include "sql/bench.h"

/* Of the columns of t only d is a decimal. */
static const bool stepped[10] = {[4] = true};

/* The engine's text of an output or of WHERE; false if it is rejected. */
static bool
print_typed(struct bench *b, const char *sql, struct buf *out, custos_err *err)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct plan *plan = bench_plan(b, a, sql, err);
    bool fine = plan != NULL;

    if (fine) {
        duckdb_print_condition(plan->where ? plan->where
                                           : plan->outputs[0].expr,
                               "t", b->stepped, out);
        assert_false(out->failed);
    }
    plan_free(plan);
    arena_free(a);
    return fine;
}

/* The value of an expression over table t, as text. */
static void
expect(struct bench *b, const char *expression, const char *answer)
{
    struct buf sql, run;
    duckdb_result r;
    custos_err err = CUSTOS_ERR_INIT;
    char *value;

    buf_init(&sql, NULL, TEXT_MAX);
    buf_init(&run, NULL, TEXT_MAX);
    buf_printf(&sql, "SELECT %s FROM t", expression);
    buf_add_text(&run, "SELECT CAST(");
    if (!print_typed(b, buf_text(&sql), &run, &err))
        fail_msg("%s: %s", expression, err.said);
    buf_add_text(&run, " AS VARCHAR) FROM t");
    if (duckdb_query(b->con, buf_text(&run), &r) != DuckDBSuccess)
        fail_msg("%s\n  %s", buf_text(&run), duckdb_result_error(&r));
    value = duckdb_value_varchar(&r, 0, 0);
    if (answer ? !value || strcmp(value, answer) : value != NULL)
        fail_msg("%s is %s, not %s\n  %s", expression, value ? value : "NULL",
                 answer ? answer : "NULL", buf_text(&run));
    duckdb_free(value);
    duckdb_destroy_result(&r);
    buf_clear(&sql);
    buf_clear(&run);
}

/* ------------------------------------------------ PostgreSQL's answers -- */

static const struct {
    const char *expression, *answer;
} answers[] = {
    /* whole numbers */
    {"i / j", "-3"}, /* towards zero */
    {"-i / j", "3"},
    {"i % j", "1"}, /* the sign of the dividend */
    {"-i % 2", "-1"},
    {"mod(i, j)", "1"},
    {"i / z", NULL},
    {"i % z", NULL},
    {"-i", "-7"},
    {"abs(j)", "2"},
    {"i * 9000000000000000000", "63000000000000000000"},
    {"i + n", NULL},
    {"sign(j)", "-1"},
    {"round(i)", "7"},
    {"i::smallint + 1", "8"},
    /* decimals and reals */
    {"round(d)", "3.0"}, /* away from zero */
    {"round(r)", "2.0"}, /* to even */
    {"d::int", "3"},
    {"r::int", "2"},
    {"floor(-d)", "-3.0"},
    {"ceil(-d)", "-2.0"},
    {"i / 2.0", "3.5"},
    {"d / z", NULL},
    {"r / 0", NULL},
    {"i / (r - 2.5)", NULL},
    {"d + 1", "3.5"},
    {"CAST(d AS numeric(10,1))", "2.5"},
    {"CAST(12345 AS numeric(4,1))", NULL},
    {"round(2.675, 2)", "2.68"},
    {"width_bucket(i, 0, 10, 5)", "4"},
    {"width_bucket(i, 10, 0, 5)", "2"},
    {"width_bucket(-1, 0, 10, 5)", "0"},
    {"width_bucket(i, 0, 7, 5)", "6"},
    {"width_bucket(n, 0, 7, 5)", NULL},
    /* three-valued logic */
    {"n = 1", NULL},
    {"n IS NULL", "true"},
    {"(n = 1) IS TRUE", "false"},
    {"(n = 1) IS NOT FALSE", "true"},
    {"n IS DISTINCT FROM 1", "true"},
    {"n IS NOT DISTINCT FROM NULL", "true"},
    {"b AND n = 1", NULL},
    {"NOT b AND n = 1", "false"},
    {"b OR n = 1", "true"},
    {"i IN (1, NULL)", NULL},
    {"i IN (7, NULL)", "true"},
    {"i NOT IN (1, NULL)", NULL},
    {"i IN (7.0, 8)", "true"},
    {"i BETWEEN 7 AND 6.5", "false"},
    {"i NOT BETWEEN 8 AND n", "true"},
    {"nullif(i, 7)", NULL},
    {"nullif(i, 8)", "7"},
    {"coalesce(n, j, i)", "-2"},
    {"least(n, i, j)", "-2"},
    {"greatest(n, i, 7.5)", "7.5"},
    {"CASE WHEN n = 1 THEN 1 WHEN b THEN 2 END", "2"},
    {"CASE i WHEN 1 THEN 'a' END", NULL},
    {"CASE WHEN b THEN i ELSE d END", "7.0"},
    /* text */
    {"length(s)", "7"},
    {"upper('ab') || lower('CD')", "ABcd"},
    {"s || NULL", NULL},
    {"concat(s, NULL, 'x')", "Ünïcodex"},
    {"trim('  a b ')", "a b"},
    {"substring(s, 1, 3)", "Ünï"},
    {"substring(s, 0, 3)", "Ün"},
    {"substring(s, -1, 3)", "Ü"},
    {"substring(s, -5, 3)", ""},
    {"substring(s, 6)", "de"},
    {"substring(s, 3, 2147483648)", "ïcode"},
    {"substr(s, 99)", ""},
    {"s LIKE 'Ü_ï%'", "true"},
    {"s NOT LIKE '%z%'", "true"},
    {"s ILIKE 'üNÏ%'", "true"},
    {"'a%b' LIKE 'a\\%b'", "true"},
    {"'axb' LIKE 'a\\%b'", "false"},
    {"'a\\b' LIKE 'a\\\\b'", "true"},
    {"'a' = 'A'", "false"},
    {"'it''s'", "it's"},
    {"'12'::text::int + 1", "13"},
    {"s::int", NULL},
    {"s::date", NULL},
    {"s::float8", NULL},
    {"i::text || '!'", "7!"},
    {"b::int", "1"},
    /* dates */
    {"extract(dow from day)", "0"}, /* a Sunday */
    {"extract(doy from day)", "4"},
    {"extract(week from day)", "1"},
    {"extract(quarter from day)", "1"},
    {"extract(year from ts)", "2026"},
    {"extract(hour from ts)", "13"},
    {"extract(minute from ts)", "45"},
    {"extract(second from ts)", "30"}, /* whole seconds, unlike PostgreSQL */
    {"date_part('hour', day)", "0"},
    {"date_trunc('week', day)", "2025-12-29"},
    {"date_trunc('quarter', ts)", "2026-01-01 00:00:00"},
    {"date_trunc('hour', ts)", "2026-01-04 13:00:00"},
    {"day + 30", "2026-02-03"},
    {"day - 4", "2025-12-31"},
    {"day - date '2025-12-25'", "10"},
    {"date '2024-03-01' - date '2024-02-28'", "2"},
    {"ts::date", "2026-01-04"},
    {"day < ts", "true"},
    {"day = '2026-01-04'", "true"},
};

/*
 * Conditions that are true on the same row in table p, whose declared ranges
 * let expressions of decimals stay decimals.
 */
static const char *const truths[] = {
    "round(-d) = -3",
    "(d * 1)::int = 3",
    "(d + 0)::int = 3",
    "round(d * 1.01, 1) = 2.5",
    "d = 2.50",
    "d BETWEEN 2.5 AND 3",
    "d NOT BETWEEN 2.51 AND 1000000000000000000000000",
    "d IN (1, 2.5, 7.25)",
    "d <> 2.499",
    "d > -9999999999999999.99 AND d < 99999999999999999999.99",
    "2.5 <= d AND d <= d",
    "d * j = -5",
    "i / j = -3",
    "i / (j + 2) IS NULL",
    "floor(-d) = -3",
    "ceil(-d) = -2",
    "-round(d) / 2 = -1",
    "least(d, j) = -2",
    "CASE WHEN b THEN d ELSE j END = 2.5",
    "day - date '2025-12-25' = 10",
    "day + j = date '2026-01-02'",
    "date_trunc('month', day) = date '2026-01-01'",
};

static void
expect_true(struct bench *b, const char *condition)
{
    struct buf sql, run;
    duckdb_result r;
    custos_err err = CUSTOS_ERR_INIT;

    buf_init(&sql, NULL, TEXT_MAX);
    buf_init(&run, NULL, TEXT_MAX);
    buf_printf(&sql, "SELECT count(*) FROM p WHERE %s", condition);
    buf_add_text(&run, "SELECT count(*) FROM t WHERE ");
    if (!print_typed(b, buf_text(&sql), &run, &err))
        fail_msg("%s: %s", condition, err.said);
    if (duckdb_query(b->con, buf_text(&run), &r) != DuckDBSuccess ||
        duckdb_value_int64(&r, 0, 0) != 1)
        fail_msg("not so: %s\n  %s", condition, buf_text(&run));
    duckdb_destroy_result(&r);
    buf_clear(&sql);
    buf_clear(&run);
}

static void
answers_are_postgresqls(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b);
    must_run(&b, "INSERT INTO t VALUES (7, -2, 0, NULL, 2.5, 2.5, 'Ünïcode', "
                 "'2026-01-04', '2026-01-04 13:45:30.75', true)");
    for (size_t i = 0; i < COUNT_OF(answers); i++)
        expect(&b, answers[i].expression, answers[i].answer);
    for (size_t i = 0; i < COUNT_OF(truths); i++) {
        b.stepped = NULL;
        expect_true(&b, truths[i]);
        b.stepped = stepped;
        expect_true(&b, truths[i]);
    }
    bench_close(&b);
}

/* --------------------------------------------------------------- total -- */

/* Rows with extreme values of the stored columns of table p, and NULLs. */
static const char *const rows[] = {
    "9223372036854775807, 1000, 0, 9000000000, 1000, 'inf', '', '2100-12-31', "
    "'9999-12-31 23:59:59.999999', true",
    "-9223372036854775808, -1000, -1, -9000000000, -1000, '-inf', '%\\', "
    "'1900-01-01', '0001-01-01 00:00:00', false",
    "0, 0, 1, 0, 0, 'nan', 'é€\U0001F600', '2000-02-29', '1999-12-31 "
    "23:59:59.5', NULL",
    "-1, -1, -9223372036854775808, 1, 0.01, '1e308', '9223372036854775808', "
    "'2026-01-04', '0001-01-07', true",
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    "1, 1, 9223372036854775807, -1, -0.01, '-5e-324', 'infinity', "
    "'1970-01-01', '1970-01-01', false",
};

static const char *const numbers[] =
    {
        "i",
        "j",
        "z",
        "n",
        "d",
        "r",
        "0",
        "-1",
        "2.5",
        "9223372036854775807",
        "(@ + @)",
        "(@ - @)",
        "(@ * @)",
        "(@ / @)",
        "(@ % @)",
        "(- @)",
        "abs(@)",
        "round(@)",
        "round(@, 2)",
        "floor(@)",
        "ceil(@)",
        "sign(@)",
        "sqrt(@)",
        "ln(@)",
        "exp(@)",
        "power(@, 2)",
        "CAST(@ AS int)",
        "CAST(@ AS numeric(9, 3))",
        "CAST(@ AS float8)",
        "CAST(~ AS int)",
        "CAST(~ AS float8)",
        "CAST(~ AS numeric(38, 10))",
        "least(@, @)",
        "greatest(@, @)",
        "coalesce(@, @)",
        "nullif(@, @)",
        "CASE WHEN & THEN @ ELSE @ END",
        "length(~)",
        "width_bucket(@, 0, 10, 3)",
        "(^ - ^)",
        "extract(week from ^)",
        "extract(second from ts)",
        "extract(hour from ^)",
        "CAST(b AS int)",
},
                         *const texts[] =
                             {
                                 "s",
                                 "'x'",
                                 "s",
                                 "''",
                                 "lower(~)",
                                 "upper(~)",
                                 "trim(~)",
                                 "(~ || ~)",
                                 "substring(~, -3, 5)",
                                 "substring(~, 2)",
                                 "CAST(@ AS text)",
                                 "CAST(^ AS text)",
                                 "concat(~, ~)",
                                 "CAST(& AS text)",
},
                         *const days[] =
                             {
                                 "day",
                                 "ts",
                                 "date '2026-01-31'",
                                 "day",
                                 "(day + 10000000)",
                                 "date_trunc('year', ^)",
                                 "date_trunc('week', ^)",
                                 "CAST(^ AS date)",
                                 "CAST(ts AS date)",
                                 "CAST(^ AS timestamp)",
                                 "CAST(~ AS date)",
                                 "CAST(~ AS timestamp)",
                                 "(day - j)",
},
                         *const conditions[] = {
                             "b",
                             "(@ < @)",
                             "(@ = @)",
                             "(~ = ~)",
                             "(^ >= ^)",
                             "(& AND &)",
                             "(& OR &)",
                             "(NOT &)",
                             "(@ IS NULL)",
                             "(& IS NOT TRUE)",
                             "(@ IS DISTINCT FROM @)",
                             "(@ IN (1, 2.5, NULL))",
                             "(~ IN ('x', 'y'))",
                             "(~ LIKE '%\\\\%')",
                             "(~ NOT ILIKE 'É_')",
                             "(@ BETWEEN @ AND @)",
                             "CAST(@ AS bool)",
                             "CAST(~ AS bool)",
                             "(^ = '2026-01-04')",
};

static size_t
below(uint64_t *s, size_t n)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (size_t)(*s >> 8) % n;
}

static void
write_kind(uint64_t *s, char kind, int depth, struct buf *out)
{
    const char *const *all = kind == '@'   ? numbers
                             : kind == '~' ? texts
                             : kind == '^' ? days
                                           : conditions;
    size_t n = kind == '@'   ? COUNT_OF(numbers)
               : kind == '~' ? COUNT_OF(texts)
               : kind == '^' ? COUNT_OF(days)
                             : COUNT_OF(conditions);
    size_t plain = kind == '@' ? 10 : kind == '&' ? 1 : 4;

    for (const char *p = all[below(s, depth > 0 ? n : plain)]; *p; p++)
        if (strchr("@~^&", *p))
            write_kind(s, *p, depth - 1, out);
        else
            buf_add(out, p, 1);
}

static void
no_row_makes_an_expression_fail(void **state)
{
    int tries = test_size(300, 6000), run = 0;
    uint64_t seed = 7;
    struct bench b;

    (void)state;
    bench_open(&b);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf sql;

        buf_init(&sql, NULL, TEXT_MAX);
        buf_printf(&sql, "INSERT INTO t VALUES (%s)", rows[i]);
        must_run(&b, buf_text(&sql));
        buf_clear(&sql);
    }
    for (int i = 0; i < tries; i++) {
        struct buf sql, text;
        custos_err err = CUSTOS_ERR_INIT;

        buf_init(&sql, NULL, TEXT_MAX);
        buf_init(&text, NULL, TEXT_MAX);
        buf_add_text(&sql, "SELECT count(*) FROM p WHERE ");
        write_kind(&seed, '&', 4, &sql);
        buf_add_text(&text, "SELECT count(*) FROM t WHERE ");
        b.stepped = i % 2 ? stepped : NULL;
        if (print_typed(&b, buf_text(&sql), &text, &err)) {
            must_run(&b, buf_text(&text));
            run++;
        }
        buf_clear(&sql);
        buf_clear(&text);
    }
    assert_true(run > tries / 4);
    bench_close(&b);
}

/* The printer also rejects what an engine must never see. */
static void
texts_cannot_escape(void **state)
{
    struct expr e = {.kind = EXPR_LITERAL, .type = TYPE_TEXT};
    struct buf out;

    (void)state;
    buf_init(&out, NULL, TEXT_MAX);
    e.value = (struct datum){.type = TYPE_TEXT, .text = str_of("a'); DROP--")};
    duckdb_print_expr(&e, "t", &out);
    assert_string_equal(buf_text(&out), "'a''); DROP--'");
    assert_int_equal(duckdb_check_expr(&e), CUSTOS_OK);
    e.value.text = (str){"a\0b", 3};
    assert_int_equal(duckdb_check_expr(&e), CUSTOS_EUNSUPPORTED);
    duckdb_print_expr(&e, "t", &out);
    assert_true(out.failed);
    buf_clear(&out);
}

/*
 * The engine's sums and variances may fail, so its aggregates are printed for
 * public rows only.
 */
static void
aggregates_are_of_public_rows(void **state)
{
    struct expr x = {.kind = EXPR_COLUMN, .type = TYPE_REAL};
    struct expr *args[] = {&x};
    struct expr e = {
        .kind = EXPR_AGGREGATE, .type = TYPE_REAL, .args = args, .n_args = 1};

    (void)state;
    for (enum aggregate i = AGG_COUNT; i <= AGG_STDDEV_POP; i++) {
        struct buf out;

        e.aggregate = i;
        if (aggregate_is_quantile(i))
            continue;
        buf_init(&out, NULL, TEXT_MAX);
        duckdb_print_public(&e, "t", &out);
        assert_false(out.failed);
        duckdb_print_expr(&e, "t", &out);
        assert_true(out.failed);
        assert_int_equal(duckdb_check_expr(&e), CUSTOS_EUNSUPPORTED);
        buf_clear(&out);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_postgresqls),
        cmocka_unit_test(no_row_makes_an_expression_fail),
        cmocka_unit_test(texts_cannot_escape),
        cmocka_unit_test(aggregates_are_of_public_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
