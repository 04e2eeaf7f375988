/*
 * One query for each way in which a claim was once wrong, on the tables of
 * fact_data.h. Random expressions would find these only by luck.
 */
#ifndef TEST_ENGINE_FACT_CAUSES_H
#define TEST_ENGINE_FACT_CAUSES_H

static const char *const fact_causes[] = {
    /* Reals: a claimed range was that of exact arithmetic. */
    "SELECT count(*) FROM edges WHERE ceil((CASE WHEN age = 7 THEN 0.1 "
    "ELSE 0.0 END + 0.2) * 10) * 3000000000000000000 > 5",
    "SELECT count(*) FROM edges WHERE floor((CASE WHEN age = 7 THEN -0.1 "
    "ELSE 0.0 END - 0.2) * 10) * 3000000000000000000 > 5",
    "SELECT count(*) FROM edges WHERE CAST(CAST(4611686018427387903 AS "
    "double precision) AS bigint) * 2 > 5",
    "SELECT count(*) FROM edges WHERE greatest(CAST(CASE WHEN age = 7 THEN "
    "9007199254740995.0 ELSE 0.0 END AS bigint) - 9007199254740995, 0) * "
    "9223372036854775807 > 5",
    "SELECT count(*) FROM (SELECT who, avg(CASE WHEN yes THEN 0.1 ELSE "
    "0.0 END + 0.2) AS x FROM people GROUP BY who) AS v WHERE ceil(x * 10) "
    "* 3000000000000000000 > 5",
    "SELECT count(*) FROM edges WHERE tenth > 0",
    "SELECT count(*) FROM edges WHERE tenth > '0.1'",
    "SELECT count(*) FROM edges WHERE CAST(100000 AS double precision) * 1.005 "
    "> 5",
    "SELECT count(*) FROM edges WHERE cost + 9007199254740993 > 5",
    "SELECT count(*) FROM edges WHERE 3000000000000000000 / 1.005 > 5",
    "SELECT count(*) FROM edges WHERE CAST(CAST(0.5 AS double precision) AS "
    "numeric(38, 37)) > 5",
    "SELECT count(*) FROM edges WHERE CAST(CAST(1e15 AS double precision) AS "
    "numeric(38, 10)) > 5",
    "SELECT count(x) FROM (SELECT who, max(CAST(exact AS numeric(18, 2))) AS "
    "x FROM people GROUP BY who) AS v",
    "SELECT count(floor(x)) FROM (SELECT who, avg(CASE WHEN age >= 0 THEN "
    "378122925553772.1 ELSE 0 END) AS x FROM (SELECT who, age FROM people "
    "UNION ALL SELECT who, age FROM people UNION ALL SELECT who, age FROM "
    "people) AS u GROUP BY who) AS v",
    "SELECT count(x) FROM (SELECT CASE WHEN age >= 0 THEN 9007199254740995 "
    "ELSE 1.005 END AS x FROM edges) AS v",
    "SELECT count(x) FROM (SELECT CASE WHEN age >= 0 THEN 74045134188093.39 "
    "ELSE 1 END * 7 AS x FROM edges) AS v",
    "SELECT count(x) FROM (SELECT CASE WHEN age >= 0 THEN 58192502454374.03 "
    "ELSE 1 END * 11 AS x FROM edges) AS v",
    "SELECT sum(r * 3, contribution_bounds_per_row => (0, 10)) FROM edges",
    "SELECT count(x) FROM (SELECT CAST(coalesce(CAST(upper('x') AS numeric(38, "
    "0)), 1.005) AS numeric(3, 2)) AS x FROM edges) AS v",
    "SELECT count(x) FROM (SELECT round(CASE WHEN yes THEN 1.005 ELSE 2.675 "
    "END, 2) AS x FROM edges) AS v",
    /* ... and keys computed from them. */
    "SELECT CAST(CAST(9007199254740992.5 AS double precision) AS bigint) % 7, "
    "count(*) FROM edges GROUP BY 1",
    "SELECT ceil((CASE WHEN b THEN 0.1 ELSE 0.0 END + 0.2) * 10) % 7, count(*) "
    "FROM edges GROUP BY 1",
    "SELECT (floor(9007199254740992.5) / 9007199254740991) % 7, count(*) FROM "
    "edges GROUP BY 1",
    /* ... and literals of more than 18 or 22 digits after the point. */
    "SELECT count(*) FROM edges WHERE CAST(0.1234567890123456789 AS double "
    "precision) > 5",
    "SELECT count(*) FROM edges WHERE CAST(0.1000000000000000000001 AS double "
    "precision) > 5",
    "SELECT count(*) FROM edges WHERE 0.1234567890123456789 + r > 5",
    "SELECT count(*) FROM edges WHERE floor(0.1000000000000000000001 * 10) > 5",
    "SELECT count(x) FROM (SELECT 0.1234567890123456789 AS x FROM edges) AS v",
    "SELECT count(*) FROM edges WHERE CAST(CAST(0.00000000000000000001001 AS "
    "numeric(38, 23)) AS double precision) > 5",
    "SELECT count(*) FROM edges WHERE CAST(CAST(0.00000000000000000001001 AS "
    "numeric(38, 23)) AS double precision) * 3 > 5",
    /* Dates outside the years 1 to 9999, and outside timestamps. */
    "SELECT count(*) FROM edges WHERE extract(year FROM born + 10000000) * "
    "922000000000000 > 5",
    "SELECT count(*) FROM edges WHERE extract(year FROM born - 10000000) > "
    "5",
    "SELECT count(*) FROM edges WHERE date_trunc('year', born + 10000000) "
    "> born",
    "SELECT count(*) FROM edges WHERE date_trunc('month', born - 10000000) "
    "> born",
    "SELECT count(*) FROM edges WHERE (date_trunc('year', born + 10000000) "
    "- born) * 2500000000000 > 5",
    "SELECT count(*) FROM edges WHERE date_trunc('year', at) > at",
    "SELECT count(*) FROM edges WHERE CAST(greatest(day, ever) AS "
    "timestamp) > seen",
    "SELECT count(*) FROM edges WHERE extract(week FROM greatest(day, "
    "ever)) > 5",
    "SELECT count(*) FROM edges WHERE extract(year FROM coalesce(born, "
    "timestamp '1970-01-01 00:00:00')) > 5",
    "SELECT date_trunc('year', date '0001-01-01' - age), count(*) FROM "
    "edges GROUP BY 1",
    /* NULL: the digits of numeric(p, s), and casts of conditions. */
    "SELECT count(*) FROM edges WHERE coalesce(CAST(10 AS numeric(1, 0)), "
    "9007199254740993.0) > 5",
    "SELECT count(*) FROM edges WHERE CAST(age AS numeric(2, 0)) > 5",
    "SELECT count(*) FROM edges WHERE CAST(cost AS numeric(3, 2)) > 5",
    "SELECT CAST(yes AS integer), count(*) FROM edges GROUP BY 1",
    "SELECT greatest(CAST(92233720368547758 * 9007199254740993 AS bigint), 0) "
    "% 7, count(*) FROM edges GROUP BY 1",
    "SELECT count(*) FROM edges WHERE (CAST(i AS text) || CAST(CAST(10 AS "
    "numeric(3, 2)) AS text)) IS NULL",
    "SELECT count(*) FROM edges WHERE CAST(wide * wide * wide AS bigint) > 5",
    "SELECT count(*) FROM edges WHERE 7 / age > 0",
    "SELECT count(*) FROM edges WHERE 7 % age > 0",
    "SELECT count(*) FROM edges WHERE tenth / age > 0",
    /* The planner's type differed from the engine's. */
    "SELECT count(*) FROM edges WHERE CAST(note AS numeric(38, 0)) > 5",
    "SELECT count(*) FROM edges WHERE CAST(note AS numeric(38, 0)) + "
    "CAST(cost AS numeric(18, 2)) > 5",
    "SELECT count(*) FROM edges WHERE CAST(s AS numeric(38, 0)) = 0.5",
    "SELECT count(*) FROM edges WHERE abs(CAST(s AS numeric(38, 0))) "
    "BETWEEN CAST(s AS numeric(38, 18)) AND 5",
    "SELECT count(*) FROM edges WHERE vast = fine",
    "SELECT count(*) FROM edges WHERE vast BETWEEN cost AND fine",
    /*
     * Computed columns: our evaluator read texts differently from the engine.
     */
    "SELECT count(*) FROM (SELECT CAST(y AS bigint) AS x FROM (SELECT CASE "
    "WHEN age = 7 THEN '1_000_000' ELSE '1' END AS y FROM edges) AS u) AS "
    "v WHERE x * 9223372036854775807 > 5",
    "SELECT count(*) FROM (SELECT CAST(y AS bigint) AS x FROM (SELECT CASE "
    "WHEN age = 7 THEN ' 100 ' ELSE '1' END AS y FROM edges) AS u) AS v "
    "WHERE x * 9223372036854775807 > 5",
    "SELECT count(*) FROM (SELECT CAST(y AS bigint) AS x FROM (SELECT CASE "
    "WHEN age = 7 THEN '99.5' ELSE '1' END AS y FROM edges) AS u) AS v "
    "WHERE x * 9223372036854775807 > 5",
    "SELECT count(*) FROM (SELECT CAST(y AS date) AS x FROM (SELECT CASE "
    "WHEN age = 7 THEN '20000-01-01' ELSE '2000-01-01' END AS y FROM "
    "edges) AS u) AS v WHERE extract(year FROM x) * 922000000000000 > 5",
    "SELECT count(*) FROM edges WHERE extract(year FROM coalesce(CAST(note AS "
    "date), date '9999-12-31')) > 5",
    "SELECT count(*) FROM (SELECT CAST(y AS numeric(9, 2)) AS x FROM (SELECT "
    "CASE WHEN age = 7 THEN ' 100 ' ELSE '1' END AS y FROM edges) AS u) AS v "
    "WHERE x * 3 > 5",
    "SELECT count(*) FROM (SELECT length(CAST(y AS text)) AS x FROM "
    "(SELECT CASE WHEN age = 7 THEN 0.1 ELSE 1.0 END + 0.2 AS y FROM "
    "edges) AS u) AS v WHERE x * 2305843009213693951 > 5",
    "SELECT count(length(CAST(x AS text))) FROM (SELECT CASE WHEN cost IS "
    "NULL THEN 9999999999999999999999999999999999.99 ELSE 9007199254740993 "
    "END AS x FROM edges) AS v",
    "SELECT count(*) FROM (SELECT length(CAST(y AS text)) AS x FROM "
    "(SELECT CASE WHEN age = 7 THEN CAST(5 AS numeric(38, 30)) ELSE 1 END "
    "AS y FROM edges) AS u) AS v WHERE x * 2305843009213693951 > 5",
    /* The engine's optimizer multiplies the literals first. */
    "SELECT count(*) FROM edges WHERE least(age, 0) * 9223372036854775807 "
    "* 2 > 5",
    "SELECT count(*) FROM edges WHERE floor(tenth * 0) * "
    "4611686018427387903 * 4 > 5",
    "SELECT count(*) FROM edges WHERE (floor(tenth - 4e18) + "
    "4000000000000000000) + (floor(weight - 4e18) + 4000000000000000000) + "
    "(floor(tenth + weight - 4e18) + 4000000000000000000) > 5",
    "SELECT sum(CASE WHEN age > 50 THEN 0 WHEN yes THEN 0 ELSE 0 END * "
    "4611686018427387903 * 4) FROM edges",
    "SELECT count(*) FROM (SELECT CAST(city || '_000' AS bigint) AS x FROM "
    "edges) AS v WHERE coalesce(x, 0) * 9223372036854775807 > 5",
};

#endif
