/*
 * Parameters: a value is a literal in every position, and nothing else; a
 * parameter without a value stands for its type.
 */
#include "reading.h"
#include "support/said.h"

static struct datum
whole(int n)
{
    return (struct datum){.type = TYPE_INT, .n = n};
}

static struct datum
text(const char *t)
{
    return (struct datum){.type = TYPE_TEXT, .text = str_of(t)};
}

/*
 * Reads sql with values; its canonical text, or the error, must contain `want`.
 */
static void
with(const char *sql, const struct datum *values, size_t n, const char *want)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct sql_params params;
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = sql_params_find(a, str_of(sql), 0, &params, &err);
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    if (!st)
        st = sql_params_give(&params, values, n, &err);
    if (!st)
        st = sql_read_with(a, str_of(sql), &params, &q, &err);
    if (st)
        buf_add_text(&b, whole_said(&err));
    else
        sql_print(q, &b);
    if (!strstr(buf_text(&b), want))
        fail_msg("%s\n  %s", sql, buf_text(&b));
    buf_clear(&b);
    arena_free(a);
}

/* The types of parameters that follow from the text alone. */
static void
expects(const char *sql, const char *want)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct sql_params params;
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    if (sql_params_find(a, str_of(sql), 0, &params, &err) ||
        sql_read_with(a, str_of(sql), &params, &q, &err))
        fail_msg("%s\n  %s", sql, err.said);
    for (size_t i = 0; i < params.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "",
                   data_type_name(params.list[i].type));
    assert_string_equal(buf_text(&b), want);
    buf_clear(&b);
    arena_free(a);
}

#define Q "SELECT count(*) FROM t WHERE "

static void
a_value_is_a_literal(void **state)
{
    struct datum d[3] = {whole(5), text("it's \\ $1"), {.type = TYPE_NULL}};

    (void)state;
    with(Q "a = $1", d, 1, "(\"a\" = 5)");
    with(Q "a = $2 AND b = $1", d, 2,
         "((\"a\" = 'it''s \\ $1') AND (\"b\" = 5))");
    with(Q "a = $3", d, 3, "(\"a\" = NULL)");
    with(Q "a IN ($1, $1, 7)", d, 1, "IN (5, 5, 7)");
    with(Q "a BETWEEN $1 AND - $1", d, 1, "BETWEEN 5 AND -5");
    with(Q "a LIKE $1", d + 1, 1, "LIKE 'it''s \\ $1'");
    with(Q "true LIMIT $1 OFFSET $1", d, 1, "LIMIT 5 OFFSET 5");
    with(Q "a = $1::int", d, 1, "(\"a\" = 5)");
    with(Q "a = $1::float8", d, 1, "CAST(5 AS float8)");
    with(Q "substr(a, $1) = 'x'", d, 1, "substr(\"a\", 5)");
    d[1] = text("2026-01-31");
    with(Q "a = $2::date", d, 2, "DATE '2026-01-31'");
    d[1] = text("Month");
    with(Q "date_trunc($2, a) = b", d, 2, "date_trunc('month'");
    with(Q "extract($2 from a) = 1", d, 2, "date_part('month'");
    d[1] = text("12");
    with(Q "true LIMIT $2", d, 2, "LIMIT 12");
}

/* A value is never a name, a column number or syntax, whatever it contains. */
static void
a_value_is_never_more(void **state)
{
    struct datum d[2] = {whole(1), text("t; DROP TABLE t --")};

    (void)state;
    with("SELECT count(*) FROM $2", d, 2, "syntax error");
    with("SELECT count(*) FROM t ORDER BY $1", d, 1, "a constant does nothing");
    with("SELECT count(*) FROM t GROUP BY $1", d, 1, "a constant does nothing");
    with(Q "a = $2", d, 2, "(\"a\" = 't; DROP TABLE t --')");
    with(Q "true LIMIT $2", d, 2, "LIMIT and OFFSET take a whole number");
    with(Q "a LIKE $1", d, 1, "LIKE takes a literal pattern");
    with("SELECT sum(a, epsilon => $1) FROM t", d, 1, "epsilon => takes");
}

static void
too_few_and_too_much_are_refused(void **state)
{
    char *long_text = malloc(70000);
    struct datum d[2] = {whole(1), text("\xff")};

    (void)state;
    with(Q "a = $2", d, 1, "2 parameters, but 1 values");
    with(Q "a = $1 AND b = $2", d, 2, "the value of $2 is not UTF-8");
    assert_non_null(long_text);
    memset(long_text, 'x', 69999);
    long_text[69999] = 0;
    d[1] = text(long_text);
    with(Q "a = $2", d, 2, "the value of $2 is too long");
    d[0] = d[1] = (struct datum){.type = TYPE_TEXT, .text = {long_text, 40000}};
    with(Q "a = $2 AND a = $1", d, 2, "more than 65536 bytes in total");
    with(Q "a = $10001", d, 2, "at most 10000 parameters");
    with(Q "a = $99999999999999999999", d, 2, "");
    unsupported(Q "a = $1", "$1", "a parameter; write the value");
    free(long_text);
}

static void
places_give_types(void **state)
{
    (void)state;
    expects(Q "true LIMIT $1 OFFSET $2", "integer integer");
    expects(Q "a LIKE $1", "text");
    expects(Q "a = $1::date AND b = cast($2 as numeric(9, 2))", "date decimal");
    expects("SELECT percentile_cont($1) WITHIN GROUP (ORDER BY a) FROM t",
            "real");
    expects(Q "width_bucket(a, $1, $2, $3) = 2", "real real integer");
    expects("SELECT sum(a, contribution_bounds_per_group => ($1, $2)) FROM t",
            "real real");
    expects(Q "date_trunc($1, a) = $2", "text null");
    expects(Q "substr(a, $2, $1) = 'a'", "integer integer");
}

/* = ANY and <> ALL are IN and NOT IN. */
static void
lists_are_in_lists(void **state)
{
    struct datum d[4] = {
        text("{1,NULL,\"a b\"}"), text("{}"), {.type = TYPE_NULL}, whole(3)};

    (void)state;
    with(Q "a = ANY($1)", d, 1, "(\"a\" IN ('1', NULL, 'a b'))");
    with(Q "a <> ALL($1)", d, 1, "(\"a\" NOT IN ('1', NULL, 'a b'))");
    with(Q "a != ALL($1::text[])", d, 1, "NOT IN ('1', NULL, 'a b'))");
    with(Q "a = SOME($1)", d, 1, "IN ('1', NULL, 'a b')");
    with(Q "a = ANY($2)", d, 2, "WHERE FALSE");
    with(Q "a <> ALL($2)", d, 2, "WHERE TRUE");
    with(Q "a = ANY($3)", d, 3, "(\"a\" IN (NULL))");
    with(Q "a <> ALL($3)", d, 3, "(\"a\" NOT IN (NULL))");
    with(Q "a = ANY(NULL)", d, 0, "(\"a\" IN (NULL))");
    with(Q "a = ANY('{x,y}')", d, 0, "IN ('x', 'y')");
    with(Q "a = ANY('{1, 2}'::int[])", d, 0, "IN (1, 2)");
    with(Q "a = ANY('{2026-01-31}'::date[])", d, 0, "IN (DATE '2026-01-31')");
    with(Q "a = ANY(ARRAY[1, $4, NULL])", d, 4, "IN (1, 3, NULL)");
    with(Q "a = ANY(ARRAY['1','2']::int[])", d, 0, "IN (1, 2)");
    with(Q "a = ANY(ARRAY[]::int[])", d, 0, "WHERE FALSE");
    with(Q "a = ANY('{1}') AND b <> ALL('{2}')", d, 0,
         "((\"a\" IN ('1')) AND (\"b\" NOT IN ('2')))");
    with(Q "a = ANY($4)", d, 4, "$4 is a single value");
    with(Q "a = ANY('1,2')", d, 0, "'1,2' is not a one-dimensional list");
    with(Q "a = ANY('{{1}}')", d, 0, "is not a one-dimensional list");
    with(Q "a = ANY('{x}'::int[])", d, 0, "'x' is not a valid integer");
    with(Q "a = ANY($1::int[])", d, 1, "'a b' is not a valid integer");
    with(Q "a = ANY($1) AND b = $1", d, 1, "it cannot be both");
    with(Q "b = $1 AND a = ANY($1)", d, 1, "it cannot be both");
    expects(Q "a = ANY($1::int[]) AND b <> ALL($2)", "integer null");
    expects(Q "a = ANY(ARRAY[$1, $2]::date[])", "date date");
}

static void
fills(const char *sql, const struct datum *values, size_t n, const char *want)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct sql_params params;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    if (sql_params_find(a, str_of(sql), 0, &params, &err) ||
        sql_params_give(&params, values, n, &err) ||
        sql_fill(a, str_of(sql), &params, &b, &err))
        fail_msg("%s\n  %s", sql, err.said);
    assert_string_equal(buf_text(&b), want);
    buf_clear(&b);
    arena_free(a);
}

static void
a_text_is_filled_with_its_values(void **state)
{
    struct datum d[3] = {whole(-5), text("it's"), {.type = TYPE_DATE, .n = 0}};

    (void)state;
    fills("SELECT 1", d, 0, "SELECT 1");
    fills(Q "a=$2 AND b = '$2' /* $1 */ AND c = $1 AND d = $3::date", d, 3,
          Q "a='it''s' AND b = '$2' /* $1 */ AND c = -5 AND d = DATE "
            "'1970-01-01'::date");
}

/* A parameter without a value is printed as its number. */
static void
an_open_parameter_is_shown(void **state)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct sql_params params;
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    assert_int_equal(sql_params_find(a, str_of(Q "a = $2"), 0, &params, &err),
                     CUSTOS_OK);
    assert_int_equal(params.n, 2);
    assert_int_equal(sql_read_with(a, str_of(Q "a = $2"), &params, &q, &err),
                     CUSTOS_OK);
    sql_print(q, &b);
    assert_non_null(strstr(buf_text(&b), "(\"a\" = $2)"));
    buf_clear(&b);
    arena_free(a);
}

/* Clients write the schema before names. */
static void
the_schema_is_public(void **state)
{
    (void)state;
    expect("SELECT count(public.t.a) FROM public.t WHERE \"public\".t.b = 1",
           "SELECT count(\"t\".\"a\") AS \"count\" FROM \"t\" WHERE "
           "(\"t\".\"b\" = 1)");
    expect("WITH t AS (SELECT a FROM u) SELECT count(*) FROM public.t",
           "SELECT count(*) AS \"count\" FROM \"t\"");
    unsupported("SELECT count(*) FROM private.t", "private.t", "a schema");
    unsupported("SELECT count(s.t.a) FROM t", "s.t.a", "more than two parts");
    unsupported("SELECT count(*) FROM d.public.t", "d.public.t", "a database");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_a_literal),
        cmocka_unit_test(a_value_is_never_more),
        cmocka_unit_test(too_few_and_too_much_are_refused),
        cmocka_unit_test(places_give_types),
        cmocka_unit_test(lists_are_in_lists),
        cmocka_unit_test(a_text_is_filled_with_its_values),
        cmocka_unit_test(an_open_parameter_is_shown),
        cmocka_unit_test(the_schema_is_public),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
