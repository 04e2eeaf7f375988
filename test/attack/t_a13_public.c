/*
 * A13: what is public fails, and private rows decide whether the engine comes
 * to it. By plan-time statistics alone a query told the exact maximum of a
 * private column.
 *
 * Ours: public parts are computed before the charge, by statements that read
 * nothing else; a failure there is a refusal that costs nothing.
 */
#include "attack/pairs.h"
#include "curator/house.h"
#include "engine/open.h"

#define FAR "CAST(beds AS double precision) * 1e35 * 1e35 * 1e35 * 1e35 * 1e35"

static struct pairs pairs;

static int
begin(void **state)
{
    (void)state;
    test_rng_new_seeded(13);
    pairs_open(&pairs, "errors.txt");
    return 0;
}

static int
end(void **state)
{
    (void)state;
    pairs_close(&pairs);
    return 0;
}

static void
ask(const char *sql, struct pairs_outcome *out)
{
    static struct pairs_query q;

    snprintf(q.sql, sizeof q.sql, "%s", sql);
    snprintf(q.price, sizeof q.price, "0.01");
    pairs_ask(&pairs, &q, PAIRS_PRESENT, out);
}

static int
tables_left(void)
{
    i128 n = -1;

    assert_int_equal(duck_ask_whole(pairs.curator->engine->connections[0],
                                    "SELECT count(*) FROM duckdb_tables() "
                                    "WHERE database_name = 'temp'",
                                    &n, NULL),
                     CUSTOS_OK);
    return (int)n;
}

/* Beside any private rows: refused by one sentence, and free. */
static void
public_parts_fail_above_the_charge(void **state)
{
    static const char *const parts[] = {
        "JOIN (SELECT stddev_pop(" FAR " * 1e35) AS x FROM departments) AS q "
        "ON x > 0 WHERE cost > ",
        "JOIN (SELECT var_samp(" FAR ") AS x FROM departments) AS q ON x > 0 "
        "WHERE cost > ",
        "JOIN (SELECT sum(CAST('99999999999999999999999999999999999' AS "
        "numeric(38,3))) AS x FROM departments) AS q ON x > 0 WHERE cost > ",
        "WHERE nights IN (SELECT floor FROM (SELECT 1 AS floor, beds FROM "
        "departments) AS d GROUP BY floor HAVING stddev_samp(" FAR
        " * 1e35) > 0) AND cost > ",
    };
    /* The greatest cost is 17,119.19 or so: the last excludes all rows. */
    static const char *const costs[] = {"0", "17000", "19999.99"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        for (size_t k = 0; k < COUNT_OF(costs); k++) {
            struct pairs_outcome o;
            char sql[512];

            snprintf(sql, sizeof sql, "SELECT count(*) FROM visits %s%s",
                     parts[i], costs[k]);
            ask(sql, &o);
            if (o.status != CUSTOS_EINVAL || o.charges != 0 ||
                !strstr(o.err.said, "public tables cannot be computed"))
                fail_msg("%s: %d %s (%s)", sql, (int)o.status, o.err.said,
                         o.err.noted);
            assert_int_equal(tables_left(), 0);
        }
}

/* What can be computed is answered, and leaves nothing behind. */
static void
public_parts_are_read(void **state)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM visits JOIN (SELECT floor, sum(beds) AS x FROM "
        "departments GROUP BY floor) AS q ON q.floor = visits.nights",
        "SELECT department, count(*) FROM visits JOIN (SELECT max(beds) AS x "
        "FROM departments) AS q ON x > nights GROUP BY department",
        /* a bound that is chosen: several plans */
        "SELECT sum(cost) FROM bills JOIN (SELECT floor, avg(beds) AS x FROM "
        "departments GROUP BY floor) AS q ON q.floor = bills.nights",
        "SELECT max(cost) FROM bills WHERE nights IN (SELECT max(floor) FROM "
        "departments)",
        "SELECT count(*) FROM patients WHERE age IN (SELECT floor FROM "
        "departments GROUP BY floor HAVING sum(beds) > 20 AND floor IN (SELECT "
        "max(floor) FROM departments))",
        "SELECT count(*) FROM visits AS a JOIN (SELECT sum(beds) AS x FROM "
        "departments) AS q ON x > 0 JOIN (SELECT sum(beds) AS x FROM "
        "departments) AS r ON r.x = q.x",
        /* groups of the data, of a public value */
        "SELECT x, count(*) FROM visits JOIN (SELECT floor, sum(beds) AS x "
        "FROM departments GROUP BY floor) AS q ON q.floor = visits.nights "
        "GROUP BY x",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct pairs_outcome o;

        ask(queries[i], &o);
        if (o.status || o.charges != 1)
            fail_msg("%s: %s (%s)", queries[i], o.err.said, o.err.noted);
        assert_int_equal(tables_left(), 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_parts_fail_above_the_charge),
        cmocka_unit_test(public_parts_are_read),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
