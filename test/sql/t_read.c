/*
 * Text to tree: an accepted query is compared by its canonical text, a rejected
 * one by the error and its position.
 */
#include "reading.h"

#define T " FROM t"
#define Q " FROM \"t\""

static void
clauses_are_read(void **state)
{
    (void)state;
    expect("SELECT city, count(*) FROM patients WHERE age > 30 GROUP BY city",
           "SELECT \"city\" AS \"city\", count(*) AS \"count\" FROM "
           "\"patients\" WHERE (\"age\" > 30) GROUP BY \"city\"");
    expect("select p.City \"Town\", sum(x) s from Patients as p group by 1 "
           "having count(*) > 5 order by s desc, \"Town\" nulls first limit "
           "10 offset 2;",
           "SELECT \"p\".\"city\" AS \"Town\", sum(\"x\") AS \"s\" FROM "
           "\"patients\" AS \"p\" GROUP BY \"p\".\"city\" HAVING (count(*) "
           "> 5) ORDER BY 2 "
           "DESC NULLS FIRST, 1 ASC NULLS FIRST LIMIT 10 OFFSET 2");
    expect("SELECT * FROM t ORDER BY a LIMIT ALL",
           "SELECT *" Q " ORDER BY \"a\" ASC NULLS LAST");
    expect("SELECT a, t.*, * FROM t", "SELECT \"a\" AS \"a\", \"t\".*, *" Q);
    expect("SELECT DISTINCT a FROM t LIMIT 0",
           "SELECT DISTINCT \"a\" AS \"a\"" Q " LIMIT 0");
    expect("EXPLAIN SELECT 1", "EXPLAIN SELECT 1 AS \"?column?\"");
    expect("SELECT a -- why\n /* not */ FROM t", "SELECT \"a\" AS \"a\"" Q);
}

/*
 * GROUP BY prefers the table's column to the alias, so the name stays. ORDER BY
 * prefers the alias, so it becomes a number, unless the name is qualified by
 * its table.
 */
static void
names_are_found_as_in_postgresql(void **state)
{
    (void)state;
    expect("SELECT lower(city) AS c, count(*) FROM t GROUP BY c ORDER BY c",
           "SELECT lower(\"city\") AS \"c\", count(*) AS \"count\"" Q
           " GROUP BY \"c\" ORDER BY 1 ASC NULLS LAST");
    expect("SELECT lower(city) AS city FROM t ORDER BY t.city, city",
           "SELECT lower(\"city\") AS \"city\"" Q
           " ORDER BY \"t\".\"city\" ASC NULLS LAST, 1 ASC NULLS LAST");
    expect("SELECT lower(city) AS city FROM t GROUP BY city ORDER BY city",
           "SELECT lower(\"city\") AS \"city\"" Q
           " GROUP BY \"city\" ORDER BY 1 ASC NULLS LAST");
    expect("SELECT 1 AS a FROM t ORDER BY a + 1",
           "SELECT 1 AS \"a\"" Q " ORDER BY (\"a\" + 1) ASC NULLS LAST");
    expect("SELECT x AS a, sum(y) FROM t GROUP BY x, t.a",
           "SELECT \"x\" AS \"a\", sum(\"y\") AS \"sum\"" Q
           " GROUP BY \"x\", \"t\".\"a\"");
    unsupported("SELECT 5, count(*) FROM t GROUP BY 1", "5", "constant");
    unsupported("SELECT a FROM t ORDER BY CAST('1' AS int)", "'1'", "constant");
    not_sql("SELECT a, count(*) FROM t GROUP BY 3", "3", "no output column");
    not_sql("SELECT a FROM t ORDER BY 'x'", "'x'", "no output column");
    not_sql("SELECT a AS k, b AS k FROM t ORDER BY k", "k",
            "two output columns");
    not_sql("SELECT count(*) FROM t GROUP BY 1", "count", "GROUP BY");
}

static void
output_names_are_postgresqls(void **state)
{
    (void)state;
    expect("SELECT a::int, CAST(1 AS text), coalesce(a, b), nullif(a, b), "
           "least(a, b), CASE WHEN a THEN b END, CASE WHEN a THEN b ELSE c "
           "END, extract(year FROM d), a + 1, trim(s)" T,
           "SELECT CAST(\"a\" AS int8) AS \"a\", CAST(1 AS text) AS \"text\", "
           "COALESCE(\"a\", \"b\") AS \"coalesce\", NULLIF(\"a\", \"b\") AS "
           "\"nullif\", LEAST(\"a\", \"b\") AS \"least\", CASE WHEN \"a\" "
           "THEN \"b\" END AS \"case\", CASE WHEN \"a\" THEN \"b\" ELSE "
           "\"c\" END AS \"c\", date_part('year', \"d\") AS \"extract\", "
           "(\"a\" + 1) AS \"?column?\", btrim(\"s\") AS \"btrim\"" Q);
}

static void
grouping_sets_are_read(void **state)
{
    (void)state;
    expect("SELECT GROUPING(a, b)" T " GROUP BY a, ROLLUP (b, (a, c))",
           "SELECT GROUPING(\"a\", \"b\") AS \"grouping\"" Q
           " GROUP BY GROUPING SETS ((\"a\", \"b\", \"c\"), (\"a\", \"b\"), "
           "(\"a\"))");
    expect("SELECT a" T " GROUP BY CUBE (1, b)",
           "SELECT \"a\" AS \"a\"" Q
           " GROUP BY GROUPING SETS ((\"a\", \"b\"), (\"a\"), (\"b\"), ())");
    expect("SELECT 1" T
           " GROUP BY GROUPING SETS ((b), ROLLUP (a), GROUPING SETS "
           "((), (a, b)))",
           "SELECT 1 AS \"?column?\"" Q " GROUP BY GROUPING SETS ((\"b\"), "
           "(\"a\"), (), (), (\"b\", \"a\"))");
    expect("SELECT 1" T " GROUP BY GROUPING SETS ((a, b)), b",
           "SELECT 1 AS \"?column?\"" Q " GROUP BY \"a\", \"b\"");
}

#define WHERE(sql, text)                                                       \
    expect("SELECT 1 FROM t WHERE " sql,                                       \
           "SELECT 1 AS \"?column?\" FROM \"t\" WHERE " text)

static void
expressions_are_read(void **state)
{
    (void)state;
    WHERE("a AND b OR NOT c", "((\"a\" AND \"b\") OR (NOT \"c\"))");
    WHERE("a AND b AND (c AND d)", "((\"a\" AND \"b\") AND (\"c\" AND \"d\"))");
    WHERE("a != 1", "(\"a\" <> 1)");
    WHERE("a NOT IN (1, -2, NULL)", "(\"a\" NOT IN (1, -2, NULL))");
    WHERE("a BETWEEN 1 AND 2", "(\"a\" BETWEEN 1 AND 2)");
    WHERE("a NOT BETWEEN 1 AND 2", "(\"a\" NOT BETWEEN 1 AND 2)");
    WHERE("a LIKE 'x%'", "(\"a\" LIKE 'x%')");
    WHERE("a NOT ILIKE 'x\\\\'", "(\"a\" NOT ILIKE 'x\\\\')");
    WHERE("a IS NULL", "(\"a\" IS NULL)");
    WHERE("a IS NOT TRUE", "(\"a\" IS NOT TRUE)");
    WHERE("a IS NOT DISTINCT FROM b", "(\"a\" IS NOT DISTINCT FROM \"b\")");
    WHERE("CASE a WHEN 1 THEN b ELSE c END",
          "CASE WHEN (\"a\" = 1) THEN \"b\" ELSE \"c\" END");
    WHERE("a || b = concat(a, b)",
          "((\"a\" || \"b\") = (COALESCE(\"a\", '') || COALESCE(\"b\", '')))");
    WHERE("date_part('DOW', d) = 0", "(date_part('dow', \"d\") = 0)");
    WHERE("date_trunc('month', d) > date '2026-01-31'",
          "(date_trunc('month', \"d\") > DATE '2026-01-31')");
    WHERE("substring(s from 2 for 3) = substr(s, 2)",
          "(substr(\"s\", 2, 3) = substr(\"s\", 2))");
    WHERE("width_bucket(x, 0, 1.5, 4) = mod(a, 2)",
          "(width_bucket(\"x\", 0, 1.5, 4) = (\"a\" % 2))");
    WHERE("x::numeric(10,2) = y::double precision",
          "(CAST(\"x\" AS numeric(10, 2)) = CAST(\"y\" AS float8))");
}

static void
literals_are_exact(void **state)
{
    (void)state;
    WHERE("x = 0.1", "(\"x\" = 0.1)");
    WHERE("x = 1e3", "(\"x\" = 1000.)");
    WHERE("x = -9223372036854775808", "(\"x\" = -9223372036854775808)");
    WHERE("x = 9223372036854775808", "(\"x\" = 9223372036854775808.)");
    WHERE("x = - -5", "(\"x\" = 5)");
    WHERE("x = -y", "(\"x\" = (- \"y\"))");
    WHERE("x = 'O''Neill'", "(\"x\" = 'O''Neill')");
    WHERE("x = CAST('1.50' AS numeric)", "(\"x\" = 1.5)");
    WHERE("x = '1.5'::float8", "(\"x\" = CAST('1.5' AS float8))");
    WHERE("x = timestamp '2026-01-31 12:00'",
          "(\"x\" = TIMESTAMP '2026-01-31 12:00:00')");
    WHERE("x = bool 'yes'", "(\"x\" = TRUE)");
    not_sql("SELECT date '2026-02-30'", "'2026", "is not a valid date");
    not_sql("SELECT int '9223372036854775808'", "'9223", "64-bit");
    not_sql("SELECT 1234567890123456789012345678901234567890",
            "1234567890123456789012345678901234567890", "out of range");
}

static void
quantiles_are_read(void **state)
{
    static const char *const wrong[] = {
        "percentile_cont(0.5)",
        "percentile_cont(x)",
        "percentile_disc(0.5 ORDER BY x)",
        "percentile_cont() WITHIN GROUP (ORDER BY x)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY x DESC)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY x NULLS FIRST)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY x, y)",
        "percentile_cont(0.5, 0.9) WITHIN GROUP (ORDER BY x)",
        "percentile_cont(epsilon => 1) WITHIN GROUP (ORDER BY x)",
    };
    static const char *const ranks[] = {"1.5",  "-0.1",  "x",     "'0.5'",
                                        "NULL", "1e-10", "1 + 0", "true"};
    char sql[200];

    (void)state;
    expect("SELECT median(x), min(x), Max(y, epsilon => 0.5)" T,
           "SELECT median(\"x\") AS \"median\", min(\"x\") AS \"min\", "
           "max(\"y\", epsilon => 0.5) AS \"max\"" Q);
    expect("SELECT percentile_cont(0.250, epsilon => 1, "
           "contribution_bounds_per_row => (0, 9)) WITHIN GROUP (ORDER BY x + "
           "1 ASC) a, percentile_disc(1.0) WITHIN GROUP (ORDER BY x)" T,
           "SELECT percentile_cont(0.25, epsilon => 1, "
           "contribution_bounds_per_row => (0, 9)) WITHIN GROUP (ORDER BY "
           "(\"x\" + 1)) AS \"a\", percentile_disc(1) WITHIN GROUP (ORDER BY "
           "\"x\") AS \"percentile_disc\"" Q);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        snprintf(sql, sizeof sql, "SELECT %s FROM t", wrong[i]);
        unsupported(sql, "percentile", "is written percentile");
    }
    for (size_t i = 0; i < COUNT_OF(ranks); i++) {
        snprintf(sql, sizeof sql,
                 "SELECT percentile_disc(%s) WITHIN GROUP (ORDER BY y) FROM t",
                 ranks[i]);
        unsupported(sql, i == 6 ? "+" : ranks[i], "one number from 0 to 1");
    }
    unsupported("SELECT median(DISTINCT x) FROM t", "median", "DISTINCT");
    unsupported("SELECT min(*) FROM t", "min", "needs a value");
    unsupported("SELECT max(x, y) FROM t", "y", "takes one value");
}

/* An array of percentiles is one output for each; numbers of outputs count it once. */
static void
arrays_of_percentiles_are_read(void **state)
{
    static const char *const wrong[][3] = {
        {"percentile_cont(ARRAY[0.5, 2]) WITHIN GROUP (ORDER BY x)",
         "one number from 0 to 1", "2])"},
        {"percentile_cont(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY x)",
         "one number from 0 to 1", "NULL"},
        {"percentile_cont('{}'::float8[]) WITHIN GROUP (ORDER BY x)",
         "an array of 1 to 64 ranks", "percentile"},
        {"1 + percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x)",
         "an output by itself", "percentile"},
        {"percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x DESC)",
         "is written percentile_cont", "percentile"},
        {"x FROM (SELECT percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x) "
         "AS x FROM t) AS s GROUP BY x --",
         "in the outermost SELECT", "percentile"},
    };
    char sql[300];

    (void)state;
    expect("SELECT k, percentile_cont(ARRAY[0.75, 0.5]) WITHIN GROUP (ORDER BY "
           "x) AS q, count(*)" T " GROUP BY 1 ORDER BY 3, k",
           "SELECT \"k\" AS \"k\", percentile_cont(0.75) WITHIN GROUP (ORDER "
           "BY \"x\") AS \"q[1]\", percentile_cont(0.5) WITHIN GROUP (ORDER "
           "BY \"x\") AS \"q[2]\", count(*) AS \"count\"" Q
           " GROUP BY \"k\" ORDER BY 4 ASC NULLS LAST, 1 ASC NULLS LAST");
    expect("SELECT percentile_disc('{0.1}'::float8[]) WITHIN GROUP (ORDER BY "
           "x), median(x)" T,
           "SELECT percentile_disc(0.1) WITHIN GROUP (ORDER BY \"x\") AS "
           "\"percentile_disc[1]\", median(\"x\") AS \"median\"" Q);
    expect("SELECT percentile_cont(ARRAY[0.1, 0.2]) WITHIN GROUP (ORDER BY x) "
           "AS q, percentile_cont(ARRAY[0.3, 0.4]) WITHIN GROUP (ORDER BY x) "
           "AS p, k" T " GROUP BY 3 ORDER BY 3",
           "SELECT percentile_cont(0.1) WITHIN GROUP (ORDER BY \"x\") AS "
           "\"q[1]\", percentile_cont(0.2) WITHIN GROUP (ORDER BY \"x\") AS "
           "\"q[2]\", percentile_cont(0.3) WITHIN GROUP (ORDER BY \"x\") AS "
           "\"p[1]\", percentile_cont(0.4) WITHIN GROUP (ORDER BY \"x\") AS "
           "\"p[2]\", \"k\" AS \"k\"" Q
           " GROUP BY \"k\" ORDER BY 5 ASC NULLS LAST");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        snprintf(sql, sizeof sql, "SELECT %s FROM t", wrong[i][0]);
        unsupported(sql, wrong[i][2], wrong[i][1]);
    }
    unsupported("SELECT percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x) "
                "FROM t ORDER BY 1",
                "1", "is an array");
}

/* Numbers of outputs take constant time, and arrays memory that is linear in their
   number. As squares these would take minutes, and 100 MB. */
static void
many_outputs_and_arrays_are_read(void **state)
{
    enum { OUTPUTS = 12000, NUMBERS = 6000, ARRAYS = 100, MEMORY = 1 << 24 };
    static const char array[] =
        "percentile_cont(ARRAY[.5, .6]) WITHIN GROUP (ORDER BY x)";
    custos_err err = CUSTOS_ERR_INIT;
    struct query *q;
    arena *a;
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 1 << 17);
    buf_add_text(&b, "SELECT 1");
    for (int i = 1; i < OUTPUTS; i++)
        buf_add_text(&b, ",x");
    buf_add_text(&b, " FROM t ORDER BY 12000");
    for (int i = 1; i < NUMBERS; i++)
        buf_add_text(&b, ",12000");
    a = arena_new(NULL, MEMORY);
    if (sql_read(a, str_of(buf_text(&b)), &q, &err))
        fail_msg("%s", err.said);
    assert_true(q->order_by[NUMBERS - 1].expr->value.n == OUTPUTS);
    arena_free(a);
    b.len = 0;
    buf_add_text(&b, "SELECT x");
    for (int i = 1; i < OUTPUTS; i++)
        buf_add_text(&b, ",x");
    for (int i = 0; i < ARRAYS; i++)
        buf_printf(&b, ",%s", array);
    buf_add_text(&b, " FROM t");
    a = arena_new(NULL, MEMORY);
    if (sql_read(a, str_of(buf_text(&b)), &q, &err))
        fail_msg("%s", err.said);
    assert_int_equal(q->n_targets, OUTPUTS + 2 * ARRAYS);
    arena_free(a);
    buf_clear(&b);
}

static void
aggregates_are_read(void **state)
{
    (void)state;
    expect("SELECT count(x), count(DISTINCT x), variance(x), stddev(x), "
           "var_pop(x), stddev_pop(x)" T,
           "SELECT count(\"x\") AS \"count\", count(DISTINCT \"x\") AS "
           "\"count\", var_samp(\"x\") AS \"variance\", stddev_samp(\"x\") AS "
           "\"stddev\", var_pop(\"x\") AS \"var_pop\", stddev_pop(\"x\") AS "
           "\"stddev_pop\"" Q);
    expect("SELECT corr(x, y), REGR_SLOPE(x, y + 1)" T,
           "SELECT corr(\"x\", \"y\") AS \"corr\", regr_slope(\"x\", (\"y\" "
           "+ 1)) AS \"regr_slope\"" Q);
    expect("SELECT COUNT( * , epsilon => 0.3) n, AVG(x, "
           "contribution_bounds_per_group => (-1, 2.5), epsilon => 2), sum(x, "
           "contribution_bounds_per_row => (0, 1)), DP_INTERVAL_HIGH(n)" T,
           "SELECT count(*, epsilon => 0.3) AS \"n\", avg(\"x\", epsilon => "
           "2, contribution_bounds_per_group => (-1, 2.5)) AS \"avg\", "
           "sum(\"x\", contribution_bounds_per_row => (0, 1)) AS \"sum\", "
           "dp_interval_high(\"n\") AS \"dp_interval_high\"" Q);
    not_sql("SELECT 1 FROM t WHERE sum(x) > 1", "sum", "in WHERE");
    not_sql("SELECT 1 FROM t WHERE median(x) > 1", "median", "in WHERE");
    not_sql("SELECT sum(count(*)) FROM t", "count", "inside an aggregate");
    unsupported("SELECT sum(DISTINCT x) FROM t", "sum", "DISTINCT");
    unsupported("SELECT count(x, y) FROM t", "y", "one value");
    unsupported("SELECT count(x, epsilon => 1, 2) FROM t", "2", "one value");
    unsupported("SELECT count() FROM t", "count", "needs a value");
    unsupported("SELECT sum(*) FROM t", "sum", "needs a value");
    unsupported("SELECT count(x, contribution_bounds_per_row => (0, 1)) FROM t",
                "contribution", "no argument");
    unsupported("SELECT sum(x, foo => 1) FROM t", "foo", "no argument");
    not_sql("SELECT sum(x, epsilon => 1, epsilon => 2) FROM t", "epsilon => 2",
            "twice");
    not_sql("SELECT sum(x, epsilon => -1.5) FROM t", "epsilon", "above 0");
    not_sql("SELECT sum(x, epsilon => y) FROM t", "epsilon", "above 0");
    not_sql("SELECT sum(x, contribution_bounds_per_row => (2, 1)) FROM t", "2,",
            "above the upper");
    not_sql("SELECT sum(x, contribution_bounds_per_row => 2) FROM t",
            "contribution", "(lower, upper)");
    unsupported("SELECT dp_interval_low(n) FROM t", "n) FROM", "\"n\"");
    unsupported("SELECT dp_interval_low(1) FROM t", "dp_", "output column");
    not_sql("SELECT count(*, 3) FROM t", ", 3", "syntax error");
}

/* GoogleSQL's syntax is read, and positions after it stay correct. */
static void
google_clause_is_read(void **state)
{
    (void)state;
    expect("explain select with differential_privacy options(Epsilon = 0.1, "
           "delta=1e-6, max_groups_contributed=2,max_rows_contributed =3) 1",
           "EXPLAIN SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1, "
           "delta = 1e-6, max_groups_contributed = 2, max_rows_contributed = "
           "3) 1 AS \"?column?\"");
    expect("select with differential_privacy "
           "options(max_rows_contributed_per_group=2) 1",
           "SELECT WITH DIFFERENTIAL_PRIVACY "
           "OPTIONS(max_rows_contributed_per_group = 2) 1 AS \"?column?\"");
    expect("select with differential_privacy options(RHO = 5e-3) 1",
           "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(rho = 5e-3) 1 AS "
           "\"?column?\"");
    expect("select with differential_privacy options(table_error=LARGEST, "
           "quantile_bar = off) 1",
           "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(quantile_bar = off, "
           "table_error = largest) 1 AS \"?column?\"");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(table_error = 1) 1",
            "1) 1", "largest");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(rho=1,rho=2) 1", "rho=2",
            "twice");
    expect("SELECT WITH DIFFERENTIAL_PRIVACY count(*) FROM t",
           "SELECT WITH DIFFERENTIAL_PRIVACY count(*) AS \"count\"" Q);
    unsupported("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) "
                "count(*, epsilon => 1), foo(x) FROM t",
                "foo", "function foo");
    unsupported("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(seed=1) 1", "seed",
                "unknown option in OPTIONS(...): seed");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=-1) 1", "-1",
            "number");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon) 1", ") 1", "=");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS() 1", ") 1", "option");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta=1 1", "1",
            ", or )");
    not_sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta=1,delta=2) 1",
            "delta=2", "twice");
}

static void
statements_are_refused(void **state)
{
    (void)state;
    unsupported("INSERT INTO t VALUES (1)", "INSERT", "INSERT");
    unsupported("update t set a = 1", "update", "update");
    unsupported("COPY t TO '/tmp/x'", "COPY", "COPY");
    unsupported("SET custos.noise = off", "SET", "SET");
    unsupported("CREATE TABLE x AS SELECT 1", "CREATE", "CREATE");
    unsupported("EXPLAIN DELETE FROM t", "DELETE", "DELETE");
    unsupported("EXPLAIN ANALYZE SELECT 1", "EXPLAIN", "EXPLAIN");
    unsupported("EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN", "EXPLAIN");
    not_sql("SELECT 1;  SELECT 2", "SELECT 2", "one statement");
    unsupported("VALUES (1)", "VALUES", "VALUES");
    not_sql("", "", "no query");
    not_sql(" -- nothing", "", "no query");
    not_sql("SELECT FROM t", "", "");
    not_sql("SELECT \"a FROM t", "\"a", "unterminated");
    not_sql("SELECT 'é' FROM t WHERE é é", "é", "at or near");
}

static void
clauses_are_refused(void **state)
{
    (void)state;
    unsupported("SELECT a FROM t FOR UPDATE", "FOR", "FOR UPDATE");
    unsupported("SELECT sum(x) OVER () FROM t", "sum", "window");
    unsupported("SELECT sum(count(a)) OVER () FROM t", "sum", "window");
    unsupported("SELECT lower(a) OVER () FROM t", "lower", "window");
    unsupported("SELECT sum(count(*)) OVER w FROM t WINDOW w AS ()", "OVER",
                "name");
    unsupported("SELECT sum(count(*)) OVER (ORDER BY a, b) FROM t", "(ORDER",
                "PARTITION BY");
    unsupported("SELECT sum(count(*)) OVER (ORDER BY a DESC) FROM t", "(ORDER",
                "ascending");
    unsupported("SELECT sum(count(*)) OVER (ORDER BY 1) FROM t", "1",
                "constant");
    unsupported("SELECT sum(count(*)) OVER (ORDER BY a RANGE BETWEEN CURRENT "
                "ROW AND UNBOUNDED FOLLOWING) FROM t",
                "(ORDER", "frame");
    unsupported("SELECT x FROM (SELECT sum(count(*)) OVER (ORDER BY a) AS x "
                "FROM t GROUP BY a) AS s",
                "sum", "outermost");
    unsupported("SELECT count(*) FILTER (WHERE a) FROM t", "FILTER", "CASE");
    unsupported("SELECT DISTINCT ON (a) b FROM t", "a)", "DISTINCT ON");
    unsupported("SELECT a FROM t TABLESAMPLE system(1)", "system",
                "TABLESAMPLE");
    unsupported("SELECT x FROM (SELECT count(*) AS x FROM t GROUP BY ROLLUP "
                "(a)) AS s",
                "ROLLUP", "outermost");
    unsupported("SELECT 1 FROM t WHERE GROUPING(a) = 0", "GROUPING", "HAVING");
    unsupported("SELECT 1 FROM t GROUP BY CUBE (a, b, c, d, e, f, g, h, i)",
                "CUBE", "256");
    unsupported("SELECT 1 FROM t GROUP BY CUBE (a, b, c, d), CUBE (e, f, g, h),"
                " ROLLUP (i)",
                "ROLLUP", "256");
    not_sql("SELECT 1 FROM t GROUP BY ROLLUP (a, 7)", "7", "GROUP BY");
    unsupported("SELECT a FROM t GROUP BY DISTINCT a", "GROUP", "DISTINCT");
    unsupported("SELECT a INTO x FROM t", "INTO", "INTO");
    unsupported("SELECT a FROM f(1)", "FROM", "function in FROM");
    unsupported("SELECT a FROM ONLY t", "t", "ONLY");
    unsupported("SELECT a FROM private.t", "private", "schema");
    unsupported("SELECT a FROM t ORDER BY a USING <", "<", "USING");
    unsupported("SELECT a FROM t ORDER BY a FETCH FIRST 1 ROWS WITH TIES", "1",
                "TIES");
    unsupported("SELECT a FROM t LIMIT x", "x", "whole number");
    unsupported("SELECT a FROM t WINDOW w AS (ORDER BY a)", "WINDOW", "WINDOW");
    unsupported("SELECT mode() WITHIN GROUP (ORDER BY a) FROM t", "mode",
                "WITHIN GROUP, except with");
    unsupported("SELECT abs(a ORDER BY a) FROM t", "abs", "ORDER BY inside");
    unsupported("SELECT sum(a ORDER BY b) FROM t", "sum", "ORDER BY");
    unsupported("SELECT *, a FROM t ORDER BY 1", "1", "by number");
    unsupported("SELECT a, t.* FROM t GROUP BY 1", "1", "by number");
    unsupported("SELECT s.t.* FROM t", "s.t", "*");
}

static void
expressions_are_refused(void **state)
{
    (void)state;
    unsupported("SELECT pg_sleep(1)", "pg_sleep", "function pg_sleep is not");
    unsupported("SELECT s.abs(1)", "s.abs", "not part");
    unsupported("SELECT $1", "$1", "parameter");
    unsupported("SELECT a ~ 'x' FROM t", "~", "regular");
    unsupported("SELECT a ^ 2 FROM t", "^", "operator ^");
    unsupported("SELECT a OPERATOR(pg_catalog.+) 1 FROM t", "OPERATOR", "OPER");
    unsupported("SELECT a = ANY (b) FROM t", "b", "list of literals");
    unsupported("SELECT a = ANY (ARRAY[b]) FROM t", "b", "list of literals");
    unsupported("SELECT a = ANY (ARRAY[[1]]) FROM t", "[1]", "array");
    unsupported("SELECT a > ANY ('{1}') FROM t", ">", "> ANY; there are");
    unsupported("SELECT a = ALL ('{1}') FROM t", "=", "= ALL; there are");
    unsupported("SELECT a <> ANY ('{1}') FROM t", "<>", "<> ANY; there are");
    unsupported("SELECT a = ANY ('{1}'::int[][]) FROM t", "int", "dimension");
    unsupported("SELECT a = ANY ('{1}'::json[]) FROM t", "json", "type json");
    unsupported("SELECT a = ANY ('{1}'::int) FROM t", "int", "dimension");
    unsupported("SELECT a SIMILAR TO 'x' FROM t", "SIMILAR", "SIMILAR");
    unsupported("SELECT ARRAY[1]", "ARRAY", "array");
    unsupported("SELECT a[1] FROM t", "a", "index");
    unsupported("SELECT (a, b) = (1, 2) FROM t", "(a", "row");
    unsupported("SELECT '{}'::json", "json", "type json");
    unsupported("SELECT a::int[] FROM t", "int", "array");
    unsupported("SELECT a::numeric FROM t", "numeric", "numeric(18, 2)");
    unsupported("SELECT a::numeric(40,2) FROM t", "numeric", "38");
    unsupported("SELECT a::varchar(3) FROM t", "varchar", "size");
    unsupported("SELECT a::timestamptz FROM t", "timestamptz", "type");
    unsupported("SELECT a LIKE b FROM t", "b", "literal");
    unsupported("SELECT a LIKE 'x' ESCAPE 'y' FROM t", "LIKE", "ESCAPE");
    not_sql("SELECT a LIKE 'x\\' FROM t", "'x", "escape");
    unsupported("SELECT a IN (b) FROM t", "b", "literals");
    unsupported("SELECT a COLLATE \"C\" FROM t", "COLLATE", "COLLATE");
    unsupported("SELECT current_date", "current_date", "write the date");
    unsupported("SELECT extract(epoch FROM d) FROM t", "epoch", "epoch");
    unsupported("SELECT substring(a from 'x') FROM t", "substring", "literal");
    unsupported("SELECT substring(a, b) FROM t", "substring", "literal");
    unsupported("SELECT round(a, b) FROM t", "round", "literal");
    unsupported("SELECT abs(a, b) FROM t", "abs", "arguments");
    unsupported("SELECT abs(DISTINCT a) FROM t", "abs", "arguments");
    unsupported("SELECT abs(x => 1) FROM t", "x", "named");
    unsupported("SELECT repeat('x', 1000000)", "repeat", "repeat");
    unsupported("SELECT b.t.a FROM t", "b.t.a", "two parts");
    unsupported("SELECT count(t.*) FROM t", "t.*", "*");
    unsupported("SELECT b'101'", "b'101'", "bit string");
    unsupported("SELECT a IS UNKNOWN FROM t", "IS UNKNOWN", "IS NULL");
    unsupported("SELECT a BETWEEN SYMMETRIC 1 AND 2 FROM t", "BETWEEN",
                "SYMMETRIC");
}

/* Long texts, invalid bytes, and copies that multiply. */
static void
too_much_is_refused(void **state)
{
    static char big[70000];
    arena *a = arena_new(NULL, ARENA_MAX);
    struct query *q;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    memset(big, ' ', sizeof big);
    assert_int_equal(sql_read(a, (str){big, 65537}, &q, &err),
                     CUSTOS_EOVERFLOW);
    assert_int_equal(sql_read(a, (str){"SELECT 1\0", 9}, &q, &err),
                     CUSTOS_ESYNTAX);
    assert_int_equal(err.at, 8);
    not_sql("SELECT '\xff'", "\xff", "UTF-8");
    not_sql("SELECT '\xc0\x80'", "\xc0", "UTF-8");
    not_sql("SELECT '\xed\xa0\x80'", "\xed", "UTF-8");
    not_sql("SELECT '\xf4\x90\x80\x80'", "\xf4", "UTF-8");
    arena_free(a);

    /* Simple CASEs nested in each other's operand would be 3^20 copies. */
    buf_init(&b, NULL, TEXT_MAX);
    buf_add_text(&b, "SELECT ");
    for (int i = 0; i < 20; i++)
        buf_add_text(&b, "CASE ");
    buf_add_text(&b, "x");
    for (int i = 0; i < 20; i++)
        buf_add_text(&b, " WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END");
    buf_add_text(&b, " FROM t");
    unsupported(buf_text(&b), "", "expressions");
    buf_clear(&b);
    unsupported("SELECT 1/(2/(3/(4/(5/(6/(7/(8/(9/(1/(2/(3/(4/(5/(6/x"
                ")))))))))))))) FROM t",
                "/(2", "nested");
}

static void
memory_may_end_anywhere(void **state)
{
    const char *sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) a, "
                      "sum(x, epsilon => 0.5) FROM t WHERE a AND b AND 'x' = c "
                      "GROUP BY 1 ORDER BY 2";

    (void)state;
    read_in_every_memory(sql);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clauses_are_read),
        cmocka_unit_test(names_are_found_as_in_postgresql),
        cmocka_unit_test(output_names_are_postgresqls),
        cmocka_unit_test(grouping_sets_are_read),
        cmocka_unit_test(expressions_are_read),
        cmocka_unit_test(literals_are_exact),
        cmocka_unit_test(aggregates_are_read),
        cmocka_unit_test(quantiles_are_read),
        cmocka_unit_test(arrays_of_percentiles_are_read),
        cmocka_unit_test(many_outputs_and_arrays_are_read),
        cmocka_unit_test(google_clause_is_read),
        cmocka_unit_test(statements_are_refused),
        cmocka_unit_test(clauses_are_refused),
        cmocka_unit_test(expressions_are_refused),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(memory_may_end_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
