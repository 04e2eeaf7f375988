/*
 * Our own functions in the engine: their results at the ends of their types,
 * for NULL, and for invalid values.
 */
#include <stdio.h>

#include "base/base.h"
#include "base/period.h"
#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_own.h"
#include "printed.h"
#include "sql/text_limits.h"
#include "support/support.h"

static struct duck *db;
static struct duck_connection *c;

static int
open_engine(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    return duck_open(NULL, DUCK_WRITE, &db, &err) ||
           duck_connect(db, &c, &err) || duck_own_add(c, &err);
}

static int
close_engine(void **state)
{
    (void)state;
    duck_disconnect(c);
    duck_close(db);
    return 0;
}

/* The value of an expression as text; "NULL" for NULL. */
static void
gives(const char *expression, const char *want)
{
    struct column column;
    struct result *rows = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char sql[4096];
    size_t n = 0;
    str got;

    snprintf(sql, sizeof sql, "SELECT coalesce(CAST(%s AS VARCHAR), 'NULL')",
             expression);
    if (duck_ask(c, sql, &rows, &err) || result_next(rows, &n, &column, &err))
        fail_msg("%s: %s", expression, err.noted);
    assert_int_equal(n, 1);
    got = column_text(&column, 0);
    if (!str_equal(got, str_of(want)))
        fail_msg("%s: %.*s, not %s", expression, (int)got.len, got.ptr, want);
    result_free(rows);
}

#define BIG "9223372036854775807"
#define SMALL "-9223372036854775808"

static void
own_functions_stop_at_the_ends(void **state)
{
    static const char *const cases[][2] = {
        {"whole_add(" BIG "::BIGINT, 1::BIGINT)", BIG},
        {"whole_sub('" SMALL "'::BIGINT, 1::BIGINT)", SMALL},
        {"whole_mul('" SMALL "'::BIGINT, (-1)::BIGINT)", BIG},
        {"whole_div('" SMALL "'::BIGINT, (-1)::BIGINT)", BIG},
        {"whole_div((-7)::BIGINT, 2::BIGINT)", "-3"},
        {"whole_div(7::BIGINT, 0::BIGINT)", "NULL"},
        {"whole_mod((-7)::BIGINT, 2::BIGINT)", "-1"},
        {"whole_mod(7::BIGINT, 0::BIGINT)", "NULL"},
        {"whole_abs('" SMALL "'::BIGINT)", BIG},
        {"whole_neg('" SMALL "'::BIGINT)", BIG},
        {"real_ln(0::DOUBLE)", "NULL"},
        {"real_ln(-1::DOUBLE)", "NULL"},
        {"real_ln('nan'::DOUBLE)", "NULL"},
        {"real_ln(1::DOUBLE)", "0.0"},
        {"real_sqrt(-1::DOUBLE)", "NULL"},
        {"real_sqrt(9::DOUBLE)", "3.0"},
        {"real_exp(710::DOUBLE)", "NULL"},
        {"real_exp(-1e300::DOUBLE)", "0.0"},
        {"real_power(-8::DOUBLE, 0.5::DOUBLE)", "NULL"},
        {"real_power(0::DOUBLE, -1::DOUBLE)", "NULL"},
        {"real_power(2::DOUBLE, 0.5::DOUBLE) = real_sqrt(2::DOUBLE)", "true"},
        {"whole_add('170141183460469231731687303715884105727'::HUGEINT, "
         "1::HUGEINT)",
         "170141183460469231731687303715884105727"},
        {"whole_mul((-5)::HUGEINT, 7::HUGEINT)", "-35"},
        {"whole_narrow('-99999999999999999999'::HUGEINT)", SMALL},
        {"whole_clamp(5::BIGINT, 7::BIGINT, 9::BIGINT)", "7"},
        {"whole_of('inf'::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "5"},
        {"whole_of('-inf'::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "-5"},
        {"whole_of('nan'::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "NULL"},
        {"whole_of(9.0::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "5"},
        {"whole_of(-9.0::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "-5"},
        {"whole_of(2.5::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "3"},
        {"whole_of(-2.5::DOUBLE, (-5)::BIGINT, 5::BIGINT)", "-3"},
        {"whole_of(1e300::DOUBLE, 0::HUGEINT, 7::HUGEINT)", "7"},
        {"whole_of(9223372036854775808::DOUBLE, '" SMALL "'::BIGINT, " BIG
         "::BIGINT)",
         BIG},
        {"whole_index(12::BIGINT, 10::BIGINT, 3::BIGINT)", "2"},
        {"whole_index(13::BIGINT, 10::BIGINT, 3::BIGINT)", "NULL"},
        {"whole_index(9::BIGINT, 10::BIGINT, 3::BIGINT)", "NULL"},
        {"whole_index('" SMALL "'::BIGINT, " BIG "::BIGINT, 3::BIGINT)",
         "NULL"},
        {"date_shift(DATE '9999-12-31', 0::BIGINT)", "9999-12-31"},
        {"date_shift(DATE '9999-12-31', 1::BIGINT)", "NULL"},
        {"date_shift(DATE '0001-01-01', (-1)::BIGINT)", "NULL"},
        {"date_shift(DATE '2000-02-28', " BIG "::BIGINT)", "NULL"},
        {"period_number(DATE '0001-01-01', 2::BIGINT)", "0"},
        {"period_number(DATE '9999-12-31', 4::BIGINT)", "3652058"},
        {"period_number(DATE '10000-01-01', 4::BIGINT)", "NULL"},
        {"period_number(DATE '-infinity', 4::BIGINT)", "NULL"},
        {"period_number(DATE '2000-01-01', 6::BIGINT)", "NULL"},
        {"period_number(TIMESTAMP '0001-01-01', 5::BIGINT)", "0"},
        {"period_number(TIMESTAMP '9999-12-31 23:59:59.999999', 5::BIGINT)",
         "87649415"},
        {"period_number(TIMESTAMP 'infinity', 5::BIGINT)", "NULL"},
        {"period_number(make_timestamp((-9223372022400000000)::BIGINT), "
         "0::BIGINT)",
         "NULL"},
        {"calendar(DATE '10000-01-01')", "NULL"},
        {"calendar(DATE 'infinity')", "NULL"},
        {"calendar(DATE '0001-01-01')", "0001-01-01"},
        {"calendar(TIMESTAMP '9999-12-31 23:59:59.999999')",
         "9999-12-31 23:59:59.999999"},
        {"calendar(TIMESTAMP '10000-01-01')", "NULL"},
        {"calendar(TIMESTAMP '-infinity')", "NULL"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        gives(cases[i][0], cases[i][1]);
}

/*
 * Each period of date_trunc has its own number, in their order and without gaps:
 * tested with one moment of every day of 1,000 years and of every hour of three
 * years.
 */
static void
periods_are_those_of_the_calendar(void **state)
{
    static const char *const names[] = {
        [PERIOD_YEAR] = "year",   [PERIOD_QUARTER] = "quarter",
        [PERIOD_MONTH] = "month", [PERIOD_WEEK] = "week",
        [PERIOD_DAY] = "day",     [PERIOD_HOUR] = "hour"};
    static const char *const times[] = {
        "TIMESTAMP '1401-01-01 00:30:00' + INTERVAL (i) DAY FROM range(365242)",
        "TIMESTAMP '1969-01-01 00:59:59' + INTERVAL (i) HOUR FROM range(26280)",
    };
    static const char *const types[] = {"TIMESTAMP", "DATE"};
    char sql[1024];

    (void)state;
    for (size_t p = 0; p < COUNT_OF(names); p++)
        for (size_t i = 0; i < COUNT_OF(times); i++)
            for (size_t k = 0; k < COUNT_OF(types); k++) {
                if (p == PERIOD_HOUR && (i == 0 || k == 1))
                    continue; /* not every hour has a moment */
                snprintf(
                    sql, sizeof sql,
                    "(SELECT (count(*), count(DISTINCT n), count(DISTINCT p)) "
                    "= (max(n) - min(n) + 1, max(n) - min(n) + 1, "
                    "max(n) - min(n) + 1) AND bool_and(by_n = by_p) FROM "
                    "(SELECT n, p, row_number() OVER (ORDER BY n) AS by_n, "
                    "row_number() OVER (ORDER BY p) AS by_p FROM "
                    "(SELECT DISTINCT period_number(t, %zu::BIGINT) AS n, "
                    "date_trunc('%s', t) AS p FROM (SELECT CAST(t AS %s) "
                    "AS t FROM (SELECT %s AS r(i)) AS a(t)))))",
                    p, names[p], types[k], times[i]);
                gives(sql, "true");
            }
}

static void
text_is_read_as_custos_reads_it(void **state)
{
    static const char *const cases[][2] = {
        {"read_whole('-12')", "-12"},
        {"read_whole('1e3')", "1000"},
        {"read_whole('1_000')", "NULL"},
        {"read_whole(' 100 ')", "NULL"},
        {"read_whole('99.5')", "NULL"},
        {"read_whole('9223372036854775808')", "NULL"},
        {"read_real('0.1')", "0.1"},
        {"read_real('nan')", "NULL"},
        {"read_bool('yes')", "true"},
        {"read_bool('2')", "NULL"},
        {"read_date('2024-02-29')", "2024-02-29"},
        {"read_date('20000-01-01')", "NULL"},
        {"read_timestamp('2024-02-29 01:02:03.5')", "2024-02-29 01:02:03.5"},
        {"read_decimal('1.005', 9, 2)", "1.01"},
        {"read_decimal('-0.004', 9, 2)", "0.00"},
        {"read_decimal('9.95', 2, 1)", "NULL"},
        {"read_decimal('9.94', 2, 1)", "9.9"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        gives(cases[i][0], cases[i][1]);
}

static void
texts_have_a_maximum(void **state)
{
    char sql[256];

    (void)state;
    gives("text_concat('a', 'é')", "aé");
    gives("text_short('a', 1)", "a");
    gives("text_like('abc', 'a_c')", "true");
    gives("text_like('abc', 'a\\_c')", "false");
    gives("text_like('abc', 'a\\')", "NULL");
    snprintf(sql, sizeof sql,
             "length(text_concat(repeat('a', %d), repeat('b', %d)))",
             TEXT_COMPUTED_MAX - 1, 1);
    gives(sql, "4096");
    snprintf(sql, sizeof sql,
             "length(text_concat(repeat('a', %d), repeat('b', %d)))",
             TEXT_COMPUTED_MAX, 1);
    gives(sql, "NULL");
    snprintf(sql, sizeof sql, "length(text_short(repeat('a', %d), %d))",
             TEXT_COMPUTED_MAX + 1, TEXT_COMPUTED_MAX);
    gives(sql, "NULL");
}

/*
 * A computed column is in its declared type and range, whatever its expression
 * gives.
 */
static void
computed_columns_are_clamped(void **state)
{
    static const char *const cases[][2] = {
        {"9::BIGINT", "5"}, {"(-9)::BIGINT", "1"},
        {"3::BIGINT", "3"}, {"'9e30'::DOUBLE", "NULL"},
        {"'x'", "NULL"},    {"'99999999999999999999'::HUGEINT", "NULL"},
    };
    struct policy_column column = {.type = TYPE_INT,
                                   .has_range = true,
                                   .lower = {.type = TYPE_INT, .n = 1},
                                   .upper = {.type = TYPE_INT, .n = 5}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct builder t;
        struct buf b;

        builder_init(&t, NULL);
        buf_init(&b, NULL, 1 << 12);
        print_term(
            &t,
            relation_typed(&t, &column, term_name(&t, NULL, "%s", cases[i][0])),
            &b);
        assert_false(t.failed);
        gives(buf_text(&b), cases[i][1]);
        buf_clear(&b);
        builder_clear(&t);
    }
}

/*
 * A row whose value is outside a list of whole keys has no index, however far
 * outside it is.
 */
static void
keys_have_a_place_or_none(void **state)
{
    static const char *const cases[][2] = {
        {"5", "0"},    {"7", "2"},      {"8", "NULL"},
        {"4", "NULL"}, {SMALL, "NULL"}, {BIG, "NULL"},
    };
    struct expr x = {.kind = EXPR_COLUMN, .type = TYPE_INT};
    struct key k = {
        .kind = KEY_WHOLE, .column = -1, .expr = &x, .from = 5, .n = 3};
    struct plan plan = {.space = {.keys = &k, .n_keys = 1}};
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 1 << 12);
    print_key(&plan, 0, &b);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char sql[1024];

        snprintf(
            sql, sizeof sql,
            "(SELECT %s FROM (SELECT CAST('%s' AS BIGINT) AS column_0) AS t)",
            buf_text(&b), cases[i][0]);
        gives(sql, cases[i][1]);
    }
    buf_clear(&b);
}

static const char *
engine_type(duckdb_type type)
{
    switch (type) {
    case DUCKDB_TYPE_BIGINT: return "BIGINT";
    case DUCKDB_TYPE_HUGEINT: return "HUGEINT";
    case DUCKDB_TYPE_DOUBLE: return "DOUBLE";
    case DUCKDB_TYPE_DATE: return "DATE";
    case DUCKDB_TYPE_TIMESTAMP: return "TIMESTAMP";
    case DUCKDB_TYPE_INTEGER: return "INTEGER";
    case DUCKDB_TYPE_VARCHAR: return "VARCHAR";
    default: fail_msg("no values of type %d", (int)type); return "";
    }
}

/*
 * The ends of types, their neighbours, and NULL: the same list as text for
 * every type.
 */
static const char extremes[] =
    "(NULL), ('0'), ('1'), ('-1'), ('2'), ('38'), ('2147483647'), "
    "('-2147483648'), ('9223372036854775807'), ('-9223372036854775808'), "
    "('170141183460469231731687303715884105727'), "
    "('-170141183460469231731687303715884105728'), ('nan'), ('inf'), ('-inf'), "
    "('1e308'), ('-0.0'), ('5e-324'), ('9223372036854775808'), ('0.5'), "
    "('infinity'), ('-infinity'), ('0001-01-01'), ('9999-12-31'), "
    "('5881580-07-10'), ('5877642-06-25 (BC)'), ('294247-01-10'), "
    "('290309-12-22 (BC)'), ('%_%\\'), ('\\'), ('aé\U0001F600'), ('')";

/* No combination of such values as arguments causes an error. */
static void
own_functions_are_total(void **state)
{
    const struct own_function *lists[] = {own_whole, own_real, own_read,
                                          own_text_functions, own_bound};
    char sql[8192];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t l = 0; l < COUNT_OF(lists); l++)
        for (const struct own_function *f = lists[l]; f->name; f++) {
            size_t n = 0, len = 0, from;

            len += (size_t)snprintf(sql, sizeof sql,
                                    "CREATE OR REPLACE TEMP TABLE made AS "
                                    "SELECT %s(",
                                    f->name);
            for (; n < OWN_ARGS_MAX && f->args[n] != DUCKDB_TYPE_INVALID; n++)
                len += (size_t)snprintf(
                    sql + len, sizeof sql - len, "%sTRY_CAST(x%zu.v AS %s)",
                    n ? ", " : "", n, engine_type(f->args[n]));
            len += (size_t)snprintf(sql + len, sizeof sql - len,
                                    ") AS made FROM ");
            for (from = 0; from < n; from++)
                len += (size_t)snprintf(sql + len, sizeof sql - len,
                                        "%s(VALUES %s) AS x%zu(v)",
                                        from ? ", " : "", extremes, from);
            assert_true(len < sizeof sql);
            if (duck_do(c, sql, &err))
                fail_msg("%s: %s", f->name, err.noted);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_functions_stop_at_the_ends),
        cmocka_unit_test(periods_are_those_of_the_calendar),
        cmocka_unit_test(text_is_read_as_custos_reads_it),
        cmocka_unit_test(texts_have_a_maximum),
        cmocka_unit_test(computed_columns_are_clamped),
        cmocka_unit_test(keys_have_a_place_or_none),
        cmocka_unit_test(own_functions_are_total),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
