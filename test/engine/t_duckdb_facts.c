/*
 * What the pinned DuckDB throws on, where it gives NULL, and what never fails.
 * The printer and the range analysis depend on these facts; if you change the
 * version, this test shows which of them changed
 * (doc/decisions/duckdb-version.md).
 *
 * If a fact is wrong, do not simply adjust the test: first check every
 * expression that src/sql prints with that function.
 */
#include "facts.h"

#define MAX64 "9223372036854775807::BIGINT"
#define MIN64 "(-9223372036854775807 - 1)::BIGINT"
#define MAX128 "170141183460469231731687303715884105727::HUGEINT"
#define MIN128 "(-170141183460469231731687303715884105727 - 1)::HUGEINT"
#define NINES38 "'99999999999999999999999999999999999999'::DECIMAL(38, 0)"
#define NINES18 "999999999999999999::DECIMAL(18, 0)"
#define FIRST_DATE "DATE '5877642-06-25 (BC)'"
#define LAST_DATE "DATE '5881580-07-10'"
#define FIRST_TIME "TIMESTAMP '290309-12-22 (BC) 00:00:00'"
#define LAST_TIME "TIMESTAMP '294247-01-10 04:00:54.775806'"

static void
whole_numbers_throw_at_the_ends(void **state)
{
    static const struct fact facts[] = {
        {MAX64, "a + 1", THROWS},
        {MIN64, "a - 1", THROWS},
        {MAX64, "a * 2", THROWS},
        {MIN64, "-a", THROWS},
        {MIN64, "abs(a)", THROWS},
        {MIN64, "a // -1", THROWS},
        {MIN64, "a % -1", THROWS},
        {MAX128, "a + 1", THROWS},
        {MIN128, "a - 1", THROWS},
        {MAX128, "a * 2", THROWS},
        {MIN128, "-a", THROWS},
        {MIN128, "abs(a)", THROWS},
        {MIN128, "a // -1", THROWS},
        {MIN128, "a % -1", THROWS},
        {MAX64, "a // 0", NONE},
        {MAX64, "a % 0", NONE},
        {"1::BIGINT", "a << 63", THROWS},
        {"1::BIGINT", "a << 64", THROWS},
        {"1::BIGINT", "a << -1", THROWS},
        {"-1::BIGINT", "a << 1", THROWS},
        {"1::BIGINT", "a >> 64", "0"},
        {MIN64, "gcd(a, 0)", THROWS},
        {MIN64, "gcd(a, a)", THROWS},
        {MIN64, "lcm(a, 3)", THROWS},
        {MAX64, "len(range(a))", THROWS},
        /* no error: it wraps */
        {MAX64, "round(a, -1)", "-9223372036854775800"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
decimals_throw(void **state)
{
    static const struct fact facts[] = {
        {NINES38, "a + a", THROWS},
        {NINES38, "a + 1", THROWS},
        {NINES38, "a * a", THROWS},
        {NINES38, "-a - 1", THROWS},
        {NINES18, "a + a", THROWS},
        {NINES18, "a * a", THROWS},
        /* With another scale it is cast to the wider type, and that throws. */
        {NINES38, "a = 1.5::DECIMAL(18, 2)", THROWS},
        {NINES38, "a < 1.5::DECIMAL(18, 2)", THROWS},
        {NINES38, "a IN (1.5::DECIMAL(18, 2), 2.25)", THROWS},
        {NINES38, "a BETWEEN 1.5::DECIMAL(18, 2) AND 2.25", THROWS},
        {NINES38, "a + 1.5::DECIMAL(18, 2)", THROWS},
        {NINES38, "a = 1.5::DOUBLE", "false"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
aggregates_throw(void **state)
{
    static const struct fact facts[] = {
        {"unnest([" MAX128 ", 1])", "sum(a)", THROWS},
        {"unnest([" MAX128 ", 1])", "avg(a)", THROWS},
        {"unnest([" NINES38 ", " NINES38 "])", "sum(a)", THROWS},
        {"unnest([" NINES38 ", " NINES38 "])", "avg(a)", THROWS},
        /* no error: adding two partial sums wraps */
        {MAX128, "sum(a) FROM (SELECT a FROM x UNION ALL SELECT a FROM x)",
         "-2"},
        {"unnest([" MAX64 ", " MAX64 "])", "sum(a)", "18446744073709551614"},
        {"unnest(['inf'::DOUBLE, 1])", "var_pop(a)", THROWS},
        {"unnest(['inf'::DOUBLE, 1])", "var_samp(a)", THROWS},
        {"unnest(['-inf'::DOUBLE, 1])", "stddev_pop(a)", THROWS},
        {"unnest(['inf'::DOUBLE, 1])", "stddev_samp(a)", THROWS},
        {"unnest(['nan'::DOUBLE, 1])", "var_pop(a)", THROWS},
        {"unnest([1e308, -1e308])", "var_pop(a)", THROWS},
        {"unnest([1e308, -1e308])", "stddev_samp(a)", THROWS},
        {"unnest([1e308, 1e308])", "sum(a)", "inf"},
        {"DATE '294247-01-11'", "CAST(quantile_cont(a, 0.5) AS DATE)", THROWS},
        {"DATE '294247-01-11'", "quantile_cont(a, 0.5)", THROWS},
        {"DATE '294247-01-10'", "CAST(quantile_cont(a, 0.5) AS DATE)",
         "294247-01-10"},
        {"unnest([" MAX64 ", " MIN64 "])", "quantile_cont(a, 0.5)", "0.0"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
casts_throw_and_try_casts_give_null(void **state)
{
    static const struct fact facts[] = {
        {"'nan'::DOUBLE", "CAST(a AS BIGINT)", THROWS},
        {"'inf'::DOUBLE", "CAST(a AS BIGINT)", THROWS},
        {"'-inf'::DOUBLE", "CAST(a AS BIGINT)", THROWS},
        {"9223372036854775808::DOUBLE", "CAST(a AS BIGINT)", THROWS},
        {"9223372036854774784::DOUBLE", "CAST(a AS BIGINT)",
         "9223372036854774784"},
        {"-9223372036854775808::DOUBLE", "CAST(a AS BIGINT)",
         "-9223372036854775808"},
        {"'nan'::DOUBLE", "TRY_CAST(a AS BIGINT)", NONE},
        {"'inf'::DOUBLE", "TRY_CAST(a AS BIGINT)", NONE},
        {"9223372036854775808::DOUBLE", "TRY_CAST(a AS BIGINT)", NONE},
        {"1e39", "CAST(a AS HUGEINT)", THROWS},
        {"1e39", "TRY_CAST(a AS HUGEINT)", NONE},
        {"3000000000", "CAST(a AS INTEGER)", THROWS},
        {"3000000000", "TRY_CAST(a AS INTEGER)", NONE},
        {"1000::BIGINT", "CAST(a AS DECIMAL(2, 0))", THROWS},
        {"10::BIGINT", "TRY_CAST(a AS DECIMAL(1, 0))", NONE},
        {"9.5::DOUBLE", "TRY_CAST(a AS DECIMAL(1, 0))", NONE},
        {"1::BIGINT", "TRY_CAST(a AS DECIMAL(38, 38))", NONE},
        {"'inf'::DOUBLE", "TRY_CAST(a AS DECIMAL(18, 2))", NONE},
        {"'x'", "CAST(a AS BIGINT)", THROWS},
        {"'x'", "TRY_CAST(a AS BIGINT)", NONE},
        {"'z'", "CAST(a AS ENUM('a', 'b'))", THROWS},
        {"'z'", "TRY_CAST(a AS ENUM('a', 'b'))", NONE},
        {"'\u00e4'", "CAST(a AS BLOB)", THROWS},
        {"DATE '294247-01-11'", "CAST(a AS TIMESTAMP)", THROWS},
        /* throws in spite of TRY */
        {"TIMESTAMP '2300-01-01'", "TRY_CAST(a AS TIMESTAMP_NS)", THROWS},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
dates_throw(void **state)
{
    static const struct fact facts[] = {
        {LAST_DATE, "a + 1", THROWS},
        {FIRST_DATE, "a - 1", THROWS},
        {"DATE '2000-01-01'", "a + 2147483647", THROWS},
        {"DATE '294247-01-10'", "a + INTERVAL 1 DAY", THROWS},
        {"DATE '294247-01-11'", "a + INTERVAL 0 DAY", THROWS},
        {"DATE '294247-01-09'", "a + INTERVAL 1 DAY", "294247-01-10 00:00:00"},
        {FIRST_DATE, "week(a)", THROWS},
        {FIRST_DATE, "isoyear(a)", THROWS},
        {FIRST_DATE, "yearweek(a)", THROWS},
        {FIRST_DATE, "year(a)", "-5877641"},
        {FIRST_DATE, "isodow(a)", "4"},
        {LAST_DATE, "last_day(a)", THROWS},
        {"DATE '294247-01-11'", "epoch_us(a)", THROWS},
        {"DATE '294247-01-10'", "epoch_us(a)", "9223372022400000000"},
        {"DATE '294247-01-11'", "epoch_ns(a)", THROWS},
        {LAST_DATE, "date_diff('microsecond', a, DATE '2000-01-01')", THROWS},
        {LAST_DATE, "date_diff('second', a, DATE '2000-01-01')",
         "-185541640329600"},
        {LAST_DATE, "a - " FIRST_DATE, "4294967292"},
        {"5881581", "make_date(a, 1, 1)", THROWS},
        {"13", "make_date(2000, a, 1)", THROWS},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
timestamps_throw(void **state)
{
    static const struct fact facts[] = {
        {LAST_TIME, "a + INTERVAL 1 DAY", THROWS},
        {FIRST_TIME, "a - INTERVAL 1 DAY", THROWS},
        {"TIMESTAMP 'infinity'", "a - TIMESTAMP '2000-01-01'", THROWS},
        {"TIMESTAMP 'infinity'", "a - a", THROWS},
        {"TIMESTAMP 'infinity'", "CAST(a AS TIME)", THROWS},
        {"TIMESTAMP 'infinity'", "a + INTERVAL 1 DAY", "infinity"},
        {"TIMESTAMP '2262-04-12'", "epoch_ns(a)", THROWS},
        {LAST_TIME, "a AT TIME ZONE 'America/New_York'", THROWS},
        {FIRST_TIME, "a AT TIME ZONE 'Asia/Tokyo'", THROWS},
        {"294248", "make_timestamp(a, 1, 1, 0, 0, 0)", THROWS},
        {MAX64, "make_timestamp(a)", THROWS},
        {"1e30", "to_timestamp(a)", THROWS},
        {"'nan'::DOUBLE", "to_timestamp(a)", THROWS},
        {MAX64, "epoch_ms(a)", THROWS},
        {MAX64, "to_hours(a)", THROWS},
        {"1e300", "to_seconds(a)", THROWS},
        {"'x'", "strptime(a, '%Y')", THROWS},
        {"'x'", "try_strptime(a, '%Y')", NONE},
        {"'999999'", "try_strptime(a, '%Y')", NONE},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/* The meaning of a timestamp without a zone depends on the session's zone. */
static void
time_zones_fail_at_the_ends(void **state)
{
    struct facts f;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    facts_open(&f);
    facts_do(&f, "CREATE TABLE x AS SELECT " LAST_TIME " AS a");
    facts_do(&f, "SET TimeZone = 'America/New_York'");
    assert_string_equal(
        facts_ask(&f, "SELECT CAST(CAST(a AS TIMESTAMPTZ) AS VARCHAR) FROM x",
                  &err),
        THROWS);
    assert_true(facts_understood(err.noted));
    facts_close(&f);
}

static void
texts_throw(void **state)
{
    static const struct fact facts[] = {
        {"4294967296", "substring('abc', a)", THROWS},
        {"4294967296", "substring('abc', a, 1)", THROWS},
        {"-4294967297", "substring('abc', a)", THROWS},
        {"4294967296", "substring('abc', 1, a)", THROWS},
        {"4294967295", "substring('abc', a, 1)", ""},
        {MAX64, "left('abc', a)", THROWS},
        {MAX64, "right('abc', a)", "abc"},
        {MIN64, "left('abc', a)", ""},
        {MAX64, "length(repeat('abc', a))", THROWS},
        {"42949674", "length(repeat(lpad('', 100, 'a'), a))", THROWS},
        {"1114112", "chr(a)", THROWS},
        {"-1", "chr(a)", THROWS},
        {"55296", "chr(a)", THROWS},
        {"5", "lpad('abc', a, '')", THROWS},
        {"-5", "lpad('abc', a, 'x')", ""},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
reals_throw_in_functions(void **state)
{
    static const struct fact facts[] = {
        {"-1::DOUBLE", "sqrt(a)", THROWS},
        {"0::DOUBLE", "ln(a)", THROWS},
        {"-1::DOUBLE", "ln(a)", THROWS},
        {"0::DOUBLE", "log10(a)", THROWS},
        {"0::DOUBLE", "log2(a)", THROWS},
        {"'inf'::DOUBLE", "sin(a)", THROWS},
        {"'inf'::DOUBLE", "cos(a)", THROWS},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
reals_are_total_in_arithmetic(void **state)
{
    static const struct fact facts[] = {
        {"1e308", "a + a", "inf"},
        {"1e308", "a - (-a)", "inf"},
        {"1e308", "a * a", "inf"},
        {"0::DOUBLE", "1 / a", "inf"},
        {"0::DOUBLE", "isnan(a / a)", "true"},
        {"0::DOUBLE", "isnan(1::DOUBLE % a)", "true"},
        {"'inf'::DOUBLE", "isnan(a - a)", "true"},
        {"'inf'::DOUBLE", "isnan(a % 2)", "true"},
        {"'inf'::DOUBLE", "floor(a)", "inf"},
        {"'nan'::DOUBLE", "ceil(a)", "nan"},
        {"1e308", "round(a, 2)", "1e+308"},
        {"1e308", "round(a, 400)", "1e+308"},
        {"1e308", "round(a, -400)", "0.0"},
        {"'inf'::DOUBLE", "round(a, 2)", "inf"},
        {"2.5::DOUBLE", "round(a)", "3.0"},
        {"2.5::DOUBLE", "round_even(a, 0)", "2.0"},
        {"'nan'::DOUBLE", "round_even(a, 0)", "nan"},
        {"-1::DOUBLE", "isnan(pow(a, 0.5))", "true"},
        {"0::DOUBLE", "pow(a, -1)", "inf"},
        {"1000::DOUBLE", "exp(a)", "inf"},
        {"'nan'::DOUBLE", "a = a", "true"},
        {"'nan'::DOUBLE", "a > 'inf'::DOUBLE", "true"},
        {"'nan'::DOUBLE", "least(a, 1)", "1.0"},
        {"'nan'::DOUBLE", "greatest(a, 1)", "nan"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

/*
 * These are NULL for arguments that are not NULL, so a plan must not call them
 * "never NULL".
 */
static void
infinite_dates_have_no_parts(void **state)
{
    static const char *const calls[] = {
        "year(a)",      "quarter(a)",   "month(a)",
        "week(a)",      "day(a)",       "dayofweek(a)",
        "dayofyear(a)", "isodow(a)",    "isoyear(a)",
        "hour(a)",      "minute(a)",    "second(a)",
        "epoch(a)",     "epoch_us(a)",  "julian(a)",
        "dayname(a)",   "monthname(a)", "date_diff('day', a, a)",
    };
    static const char *const values[] = {
        "DATE 'infinity'",
        "DATE '-infinity'",
        "TIMESTAMP 'infinity'",
        "TIMESTAMP '-infinity'",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls) * COUNT_OF(values); i++) {
        struct fact f = {values[i / COUNT_OF(calls)],
                         calls[i % COUNT_OF(calls)], NONE};

        facts_hold(&f, 1);
    }
}

/* This is why sql/duckdb.c prints coalesce around every TRY_CAST. */
static void
comparisons_look_into_a_try_cast_and_into_no_coalesce(void **state)
{
    static const struct fact facts[] = {
        {"170141183460469231731687303715884105727", "TRY_CAST(a AS BIGINT) > 3",
         "true"},
        {"170141183460469231731687303715884105727",
         "coalesce(TRY_CAST(a AS BIGINT), NULL) > 3", NONE},
        {"300::BIGINT", "coalesce(TRY_CAST(a AS DECIMAL(2, 0)), NULL) > 3",
         NONE},
        {"99999.5::DECIMAL(38, 9)",
         "coalesce(TRY_CAST(a AS DECIMAL(9, 9)), NULL) > 0.5", NONE},
        {"DATE '294247-01-11'",
         "coalesce(TRY_CAST(a AS TIMESTAMP), NULL) > TIMESTAMP '2000-01-01'",
         NONE},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

static void
dates_beyond_timestamps_are_null(void **state)
{
    static const struct fact facts[] = {
        {"DATE '294247-01-10'", "TRY_CAST(a AS TIMESTAMP)",
         "294247-01-10 00:00:00"},
        {"DATE '294247-01-11'", "TRY_CAST(a AS TIMESTAMP)", NONE},
        {"DATE '290309-12-22 (BC)'", "TRY_CAST(a AS TIMESTAMP)",
         "290309-12-22 (BC) 00:00:00"},
        {"DATE '290309-12-21 (BC)'", "TRY_CAST(a AS TIMESTAMP)", NONE},
        {"DATE 'infinity'", "TRY_CAST(a AS TIMESTAMP)", "infinity"},
        {"DATE 'infinity'", "last_day(a)", NONE},
        /* neither NULL nor an error: a plain number */
        {"DATE 'infinity'", "a - DATE '2000-01-01'", "2147472690"},
        {"DATE 'infinity'", "a + 1", "infinity"},
    };

    (void)state;
    facts_hold(facts, COUNT_OF(facts));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_throw_at_the_ends),
        cmocka_unit_test(decimals_throw),
        cmocka_unit_test(aggregates_throw),
        cmocka_unit_test(casts_throw_and_try_casts_give_null),
        cmocka_unit_test(dates_throw),
        cmocka_unit_test(timestamps_throw),
        cmocka_unit_test(time_zones_fail_at_the_ends),
        cmocka_unit_test(texts_throw),
        cmocka_unit_test(reals_throw_in_functions),
        cmocka_unit_test(reals_are_total_in_arithmetic),
        cmocka_unit_test(infinite_dates_have_no_parts),
        cmocka_unit_test(comparisons_look_into_a_try_cast_and_into_no_coalesce),
        cmocka_unit_test(dates_beyond_timestamps_are_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
