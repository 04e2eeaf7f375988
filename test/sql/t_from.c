/*
 * FROM as a tree: joins, subqueries, names of WITH, UNION ALL; and which of
 * these are rejected, with a hint what to write instead.
 */
#include "reading.h"
#include "support/said.h"

#include <pthread.h>

#define A "SELECT count(*) FROM "
#define B "SELECT count(*) AS \"count\" FROM "

static void
joins_are_read(void **state)
{
    (void)state;
    expect(A "a, b", B "\"a\" CROSS JOIN \"b\"");
    expect(A "a CROSS JOIN b", B "\"a\" CROSS JOIN \"b\"");
    expect(A "a JOIN b ON a.x = b.x",
           B "\"a\" JOIN \"b\" ON (\"a\".\"x\" = \"b\".\"x\")");
    expect(A "a x INNER JOIN b AS y (p, q) USING (k, l)",
           B "\"a\" AS \"x\" JOIN \"b\" AS \"y\" (\"p\", \"q\") USING (\"k\", "
             "\"l\")");
    expect(A "a LEFT OUTER JOIN b ON TRUE", B "\"a\" LEFT JOIN \"b\" ON TRUE");
    expect(A "a RIGHT JOIN b USING (k)",
           B "\"b\" LEFT JOIN \"a\" USING (\"k\")");
    expect(A "a, b JOIN c ON b.x = c.x, d",
           B "\"a\" CROSS JOIN (\"b\" JOIN \"c\" ON (\"b\".\"x\" = "
             "\"c\".\"x\")) CROSS JOIN \"d\"");
    expect(A "a JOIN (b JOIN c USING (x)) ON a.y = c.y",
           B "\"a\" JOIN (\"b\" JOIN \"c\" USING (\"x\")) ON (\"a\".\"y\" = "
             "\"c\".\"y\")");
    expect(A "(a JOIN b USING (x)) JOIN c USING (y)",
           B "\"a\" JOIN \"b\" USING (\"x\") JOIN \"c\" USING (\"y\")");
    expect("SELECT a.x FROM a, b ORDER BY b.x",
           "SELECT \"a\".\"x\" AS \"x\" FROM \"a\" CROSS JOIN \"b\" ORDER BY "
           "\"b\".\"x\" ASC NULLS LAST");
}

static void
joins_are_refused(void **state)
{
    (void)state;
    unsupported(A "a FULL JOIN b USING (x)", "JOIN b", "LEFT JOIN");
    unsupported(A "a NATURAL JOIN b", "NATURAL", "USING");
    unsupported(A "a, LATERAL (SELECT 1) x", "LATERAL", "LATERAL");
    unsupported(A "(a JOIN b USING (x)) AS j", "", "name for a join");
    unsupported(A "a JOIN b USING (x) AS j", "USING", "name for the columns");
    unsupported("SELECT * FROM a RIGHT JOIN b USING (x)", "*", "exchanged");
    unsupported(A "a JOIN f(1) ON TRUE", "FROM", "function in FROM");
    unsupported(A "a, ONLY b", "b", "ONLY");
    unsupported(A "a JOIN b ON pg_sleep(1)", "pg_sleep", "pg_sleep");
    unsupported(A "a, s.b", "s.b", "schema");
    not_sql(A "a JOIN b ON count(*) > 1", "count(*) >", "in ON");
    not_sql(A "a, b, a", "a", "called \"a\"");
    not_sql(A "a JOIN b AS a ON TRUE", "b AS", "called \"a\"");
    not_sql(A "a LEFT JOIN b", "", "end of input");
}

static void
subqueries_are_read(void **state)
{
    (void)state;
    expect(A "(SELECT x, y + 1 AS z FROM t WHERE x > 0 ORDER BY y) AS q (p)",
           B "(SELECT \"x\" AS \"x\", (\"y\" + 1) AS \"z\" FROM \"t\" WHERE "
             "(\"x\" > 0)) AS \"q\" (\"p\")");
    expect(A "(SELECT u, sum(x) FROM t GROUP BY u HAVING count(*) > 1) s",
           B "(SELECT \"u\" AS \"u\", sum(\"x\") AS \"sum\" FROM \"t\" GROUP "
             "BY \"u\" HAVING (count(*) > 1)) AS \"s\"");
    expect(A "(SELECT * FROM a UNION ALL (SELECT x FROM b UNION ALL SELECT "
             "DISTINCT y FROM c) ORDER BY 1) q",
           B "(SELECT * FROM \"a\" UNION ALL SELECT \"x\" AS \"x\" FROM \"b\" "
             "UNION ALL SELECT DISTINCT \"y\" AS \"y\" FROM \"c\") AS \"q\"");
    expect(A "t WHERE x IN (SELECT y FROM p) AND NOT (z IN (SELECT 1))",
           B "\"t\" WHERE ((\"x\" IN (SELECT \"y\" AS \"y\" FROM \"p\")) AND "
             "(\"z\" NOT IN (SELECT 1 AS \"?column?\")))");
    expect("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) count(*) "
           "FROM (SELECT x FROM t) q",
           "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) count(*) AS "
           "\"count\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") AS \"q\"");
}

static void
subqueries_are_refused(void **state)
{
    (void)state;
    not_sql(A "(SELECT 1)", "", "");
    unsupported(A "(SELECT x FROM t LIMIT 5) q", "5", "LIMIT");
    unsupported(A "(SELECT x FROM t OFFSET 5) q", "5", "OFFSET");
    unsupported(A "(SELECT x FROM t UNION ALL SELECT y FROM t LIMIT 5) q", "5",
                "LIMIT");
    unsupported(A "(SELECT DISTINCT ON (x) x FROM t) q", "x) x", "DISTINCT ON");
    unsupported(A "(VALUES (1)) q", "VALUES", "VALUES");
    unsupported(A "(SELECT WITH DIFFERENTIAL_PRIVACY x FROM t) q",
                "WITH DIFFERENTIAL_PRIVACY x", "outermost");
    unsupported(A "(SELECT sum(x, epsilon => 1) FROM t) q", "epsilon",
                "outermost");
    unsupported(A "(SELECT count(*) n, dp_interval_low(n) FROM t) q",
                "dp_interval_low", "outermost");
    unsupported(A "(SELECT x FROM t UNION SELECT y FROM t) q", "UNION",
                "UNION ALL");
    unsupported(A "(SELECT x FROM t UNION ALL SELECT y FROM t EXCEPT SELECT 1) "
                  "q",
                "EXCEPT", "EXCEPT");
    unsupported(A "(SELECT x FROM t INTERSECT ALL SELECT y FROM t) q",
                "INTERSECT", "INTERSECT");
    unsupported("SELECT 1 UNION ALL SELECT 2", "UNION", "one by one");
    unsupported("SELECT 1 UNION SELECT 2", "UNION", "one by one");
    unsupported("SELECT 1 EXCEPT SELECT 2", "EXCEPT", "EXCEPT");
    unsupported("(SELECT 1) UNION ALL (SELECT 2)", "UNION", "one by one");
    unsupported("SELECT (SELECT 1)", "(SELECT 1)", "write the value");
    unsupported(A "t WHERE EXISTS (SELECT 1)", "EXISTS", "join");
    unsupported(A "t WHERE NOT EXISTS (SELECT 1)", "EXISTS", "join");
    unsupported(A "t WHERE x = ANY (SELECT 1)", "=", "write IN");
    unsupported(A "t WHERE x > ALL (SELECT 1)", ">", "write IN");
    unsupported(A "t WHERE (x, y) IN (SELECT 1, 2)", "(x", "row");
    unsupported("SELECT ARRAY(SELECT 1)", "ARRAY", "subquery");
    unsupported(A "t WHERE x IN (SELECT foo(y) FROM p)", "foo", "foo");
}

/* ----------------------------------------------------------------- WITH -- */

static void
names_of_with_are_queries(void **state)
{
    (void)state;
    expect("WITH a AS (SELECT x FROM t) " A "a",
           B "(SELECT \"x\" AS \"x\" FROM \"t\") AS \"a\"");
    expect("EXPLAIN WITH a (p, q) AS MATERIALIZED (SELECT x, y FROM t) SELECT "
           "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) count(*) FROM a AS "
           "b (r)",
           "EXPLAIN SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) "
           "count(*) AS \"count\" FROM (SELECT \"x\" AS \"x\", \"y\" AS \"y\" "
           "FROM \"t\") AS \"b\" (\"r\", \"q\")");
    expect("WITH a AS (SELECT x FROM t), b AS (SELECT x FROM a) " A
           "b, a, a AS c",
           B "(SELECT \"x\" AS \"x\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") "
             "AS \"a\") AS \"b\" CROSS JOIN (SELECT \"x\" AS \"x\" FROM "
             "\"t\") AS \"a\" CROSS JOIN (SELECT \"x\" AS \"x\" FROM \"t\") AS "
             "\"c\"");
}

/* Names are resolved by PostgreSQL's scopes. */
static void
names_of_with_have_scopes(void **state)
{
    (void)state;
    /* A name hides a table of that name, which its own query still sees. */
    expect("WITH t AS (SELECT x FROM t) " A "t",
           B "(SELECT \"x\" AS \"x\" FROM \"t\") AS \"t\"");
    /* An earlier name does not see a later one. */
    expect("WITH a AS (SELECT x FROM b), b AS (SELECT y FROM t) " A "a",
           B "(SELECT \"x\" AS \"x\" FROM \"b\") AS \"a\"");
    /* Subqueries see the names around them, and hide them with their own. */
    expect("WITH a AS (SELECT x FROM t) " A
           "(SELECT x FROM a) p, (WITH a AS (SELECT y FROM u) SELECT y FROM "
           "a) q, a",
           B "(SELECT \"x\" AS \"x\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") "
             "AS \"a\") AS \"p\" CROSS JOIN (SELECT \"y\" AS \"y\" FROM "
             "(SELECT \"y\" AS \"y\" FROM \"u\") AS \"a\") AS \"q\" CROSS JOIN "
             "(SELECT \"x\" AS \"x\" FROM \"t\") AS \"a\"");
    /*
     * Names in a definition are resolved where it is defined, not where it is
     * used.
     */
    expect("WITH a AS (SELECT x FROM t), b AS (SELECT x FROM a) " A
           "b b1, (WITH a AS (SELECT y FROM u) SELECT x FROM b) q",
           B "(SELECT \"x\" AS \"x\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") "
             "AS \"a\") AS \"b1\" CROSS JOIN (SELECT \"x\" AS \"x\" FROM "
             "(SELECT \"x\" AS \"x\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") "
             "AS \"a\") AS \"b\") AS \"q\"");
    expect("WITH a AS (SELECT x FROM t) " A "t WHERE x IN (SELECT x FROM a)",
           B "\"t\" WHERE (\"x\" IN (SELECT \"x\" AS \"x\" FROM (SELECT \"x\" "
             "AS \"x\" FROM \"t\") AS \"a\"))");
    /* The WITH of one side of a union is not visible in the other. */
    expect(A "((WITH a AS (SELECT x FROM t) SELECT x FROM a) UNION ALL SELECT "
             "x FROM a) q",
           B "(SELECT \"x\" AS \"x\" FROM (SELECT \"x\" AS \"x\" FROM \"t\") "
             "AS \"a\" UNION ALL SELECT \"x\" AS \"x\" FROM \"a\") AS \"q\"");
}

static void
with_is_refused(void **state)
{
    (void)state;
    unsupported("WITH RECURSIVE a AS (SELECT 1) " A "a", "RECURSIVE",
                "RECURSIVE");
    not_sql("WITH a AS (SELECT 1), a AS (SELECT 2) " A "a", "a AS (SELECT 2)",
            "twice");
    unsupported("WITH a AS (INSERT INTO t VALUES (1) RETURNING x) " A "a", "",
                "InsertStmt");
    unsupported("WITH a AS (SELECT foo(x) FROM t) SELECT 1", "foo", "foo");
    unsupported("WITH a AS (SELECT 1 LIMIT 1) SELECT 1", "1) SELECT", "LIMIT");
    unsupported("WITH a AS (SELECT WITH DIFFERENTIAL_PRIVACY 1) SELECT 1",
                "WITH DIFF", "outermost");
}

/* The text of a view must be valid as a subquery in FROM. */
static void
texts_of_views_are_subqueries(void **state)
{
    static const struct {
        const char *sql, *said; /* NULL: accepted */
    } views[] = {
        {"SELECT x FROM t", NULL},
        {"WITH a AS (SELECT x FROM t) SELECT x FROM a ORDER BY x", NULL},
        {"SELECT x FROM t UNION ALL SELECT y FROM u", NULL},
        {"EXPLAIN SELECT x FROM t", "EXPLAIN"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY x FROM t", "DIFFERENTIAL_PRIVACY"},
        {"SELECT x FROM t LIMIT 1", "LIMIT"},
        {"SELECT x FROM t UNION SELECT y FROM u", "UNION ALL"},
        {"SELECT count(*, epsilon => 1) FROM t", "outermost"},
        {"SELECT 1; SELECT 2", "one statement"},
        {"DELETE FROM t", "DELETE"},
        {"", "no query"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(views); i++) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q = NULL;
        custos_err err = CUSTOS_ERR_INIT;
        custos_status st = sql_read_subquery(a, str_of(views[i].sql), &q, &err);

        if (!st != !views[i].said ||
            (st && (!strstr(whole_said(&err), views[i].said) || q)) ||
            (!st && (q->n_targets != 1 || !q->from)))
            fail_msg("%s: %s", views[i].sql, err.said);
        arena_free(a);
    }
}

/* ------------------------------------------------------------ how much -- */

/*
 * Writes `first`, which defines a0, then n names, each using the one before it.
 */
static void
write_with(struct buf *b, const char *first, const char *before,
           const char *after, int n)
{
    buf_add_text(b, first);
    for (int i = 1; i <= n; i++)
        buf_printf(b, ", a%d AS (%s a%d p%s)", i, before, i - 1, after);
    buf_printf(b, " SELECT count(*) FROM a%d", n);
}

/* Too many copies of copies are rejected, in little time and memory. */
static void
copies_are_counted(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    buf_add_text(&b, "WITH a0 AS (SELECT x FROM t)");
    for (int i = 1; i <= 200; i++)
        buf_printf(&b, ", a%d AS (SELECT x FROM a%d p, a%d q)", i, i - 1,
                   i - 1);
    buf_add_text(&b, " SELECT count(*) FROM a200");
    unsupported(buf_text(&b), "", "more than 20000 expressions and tables");
    buf_clear(&b);
    /* Copies in IN count too, even if the names are not used. */
    buf_add_text(&b, "WITH a0 AS (SELECT x FROM t)");
    for (int i = 1; i <= 200; i++)
        buf_printf(&b,
                   ", a%d AS (SELECT x FROM t WHERE x IN (SELECT x FROM a%d) "
                   "AND x IN (SELECT x FROM a%d))",
                   i, i - 1, i - 1);
    buf_add_text(&b, " SELECT 1");
    unsupported(buf_text(&b), "", "more than 20000 expressions and tables");
    buf_clear(&b);
}

/* A chain of names counts as depth. */
static void
chains_are_not_too_deep(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    write_with(&b, "WITH a0 AS (SELECT x FROM t)", "SELECT x FROM", "", 30);
    {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(sql_read(a, str_of(buf_text(&b)), &q, &err),
                         CUSTOS_OK);
        arena_free(a);
    }
    buf_clear(&b);
    write_with(&b, "WITH a0 AS (SELECT x FROM t)", "SELECT x FROM", "", 1000);
    unsupported(buf_text(&b), "", "deeper than 300 levels");
    buf_clear(&b);
    buf_add_text(&b, "SELECT count(*) FROM t t0");
    for (int i = 1; i < 5000; i++)
        buf_printf(&b, ", t t%d", i);
    unsupported(buf_text(&b), "t t0", "deeper than 300 levels");
    buf_clear(&b);
}

/*
 * A stack of 1 MiB is enough to read and print the deepest tree that is
 * accepted, with expressions within queries within WITH.
 */
static void *
read_chain(void *ctx)
{
    bool *taken = ctx;

    for (int n = 1; n < 40; n++) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf b, out;

        buf_init(&b, NULL, TEXT_MAX);
        buf_init(&out, NULL, TEXT_MAX);
        write_with(&b, "WITH a0 AS (SELECT x FROM t)",
                   "SELECT x FROM t WHERE 1+(1+(1+(1+(1+(1+(1+(x IN (SELECT "
                   "x FROM",
                   "))))))))", n);
        if (a && !sql_read(a, str_of(buf_text(&b)), &q, &err)) {
            sql_print(q, &out);
            taken[n] = true;
        }
        buf_clear(&b);
        buf_clear(&out);
        arena_free(a);
    }
    return NULL;
}

static void
a_small_stack_is_enough(void **state)
{
    bool taken[40] = {false};
    pthread_attr_t attr;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, 1 << 20), 0);
    assert_int_equal(pthread_create(&thread, &attr, read_chain, taken), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    assert_true(taken[1] && taken[10] && !taken[39]);
}

/* What the engine computes twice counts twice, including queries inside it. */
static void
doubled_queries_are_counted(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    buf_add_text(&b, "SELECT 1");
    for (int i = 0; i < 9; i++)
        buf_add_text(&b, "/(1");
    buf_add_text(&b, "/CASE WHEN x IN (SELECT y FROM p WHERE y IN (0");
    for (int i = 1; i < 100; i++)
        buf_printf(&b, ", %d", i);
    buf_add_text(&b, ")) THEN 1 END");
    for (int i = 0; i < 9; i++)
        buf_add_text(&b, ")");
    buf_add_text(&b, " FROM t");
    unsupported(buf_text(&b), "/(1", "nested");
    buf_clear(&b);
}

static void
memory_may_end_anywhere(void **state)
{
    const char *sql = "WITH a (p) AS (SELECT x FROM t) SELECT count(*) FROM a "
                      "JOIN a AS b ON a.p = b.p LEFT JOIN (SELECT 1 UNION ALL "
                      "SELECT 2) AS c (q) USING (q) WHERE q IN (SELECT p FROM "
                      "a)";

    (void)state;
    read_in_every_memory(sql);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_are_read),
        cmocka_unit_test(joins_are_refused),
        cmocka_unit_test(subqueries_are_read),
        cmocka_unit_test(subqueries_are_refused),
        cmocka_unit_test(names_of_with_are_queries),
        cmocka_unit_test(names_of_with_have_scopes),
        cmocka_unit_test(with_is_refused),
        cmocka_unit_test(texts_of_views_are_subqueries),
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(chains_are_not_too_deep),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(doubled_queries_are_counted),
        cmocka_unit_test(memory_may_end_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
