/*
 * Random queries of a few fixed forms over the tables of stability_data.h: short
 * ones, whole tables, several tables at once, and ranges that are found. Those
 * of stability_query.h come from a grammar.
 */
#ifndef TEST_CURATOR_STABILITY_FORMS_H
#define TEST_CURATOR_STABILITY_FORMS_H

#include <string.h>

#include "curator/maker.h"

/* Short queries that let many rows reach many groups. */
static void
put_plain(struct maker *m)
{
    static const char *const keys[] = {"level",
                                       "nights",
                                       "level % 2",
                                       "extract(month FROM seen)",
                                       "CASE WHEN nights > 5 THEN level END",
                                       "cost",
                                       "date_trunc('hour', seen)",
                                       "CAST(seen AS text)",
                                       "patient % 3"};
    static const char *const values[] = {
        "count(*)",
        "count(cost)",
        "count(DISTINCT patient)",
        "count(DISTINCT nights)",
        "count(DISTINCT cost)",
        "count(DISTINCT seen)",
        "sum(cost)",
        "sum(-cost)",
        "sum(-nights)",
        "sum(level - 5)",
        "sum(cost * cost)",
        "sum(cost, contribution_bounds_per_row => (-90, -10))",
        "sum(nights, contribution_bounds_per_row => (3, 7))",
        "avg(level)",
        "median(nights)",
        "max(cost)",
        "avg(-cost / 3)",
        "variance(nights)",
        "sum(ln(cost))",
        "avg(sqrt(nights))",
        "sum(power(nights, 2) + exp(-nights))",
        "corr(cost, nights)",
        "covar_pop(level, cost)",
        "regr_slope(cost, -nights)",
        "stddev(cost, contribution_bounds_per_row => (0, 10))"};
    static const char *const tests[] = {
        "true",       "nights > 0",      "cost IS NOT NULL",
        "level <> 3", "patient % 2 = 0", "seen >= date '2020-02-01'"};
    static const char *const options[] = {
        "", "WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) "};
    static const char *const tables[] = {
        "visits",      "visits",      "visits_fast", "visits_rows",
        "visits_fast", "visits_rows", "visits_far"};
    unsigned n = below(m, 3);
    bool rows;

    m->table = tables[below(m, COUNT_OF(tables))];
    rows = !strcmp(m->table, "visits_rows");
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put(m, "SELECT ");
    PUT_ONE(m, options);
    for (unsigned i = 0; i < 2; i++) {
        unsigned k = below(m, COUNT_OF(values));

        put(m, i ? ", " : "");
        put(m, rows && k == 2 ? "count(*)" : values[k]);
    }
    put(m, " FROM ");
    put(m, m->table);
    put(m, " WHERE ");
    PUT_ONE(m, tests);
    for (unsigned i = 0; i < n; i++) {
        put(m, i ? ", " : " GROUP BY ");
        PUT_ONE(m, keys);
    }
}

/* Queries of a whole table, whose number of rows is known under change-one. */
static void
put_whole(struct maker *m)
{
    static const char *const values[] = {
        "sum(nights, contribution_bounds_per_row => (3, 7))",
        "avg(nights, contribution_bounds_per_row => (4, 9))",
        "sum(nights + 7)",
        "avg(-nights - 7)",
        "avg(cost)",
        "sum(level)",
        "avg(CASE WHEN nights > 2 THEN 1 ELSE 0 END)",
        "avg(nights > 2)",
        "stddev(nights)",
        "covar_pop(nights, nights + 3)",
        "count(cost)"};
    static const char *const from[] = {
        "visits_rows", "visits_rows",
        "(SELECT nights, cost, level FROM visits_rows) AS t",
        "(SELECT * FROM visits_rows WHERE nights > 0) AS t"};

    m->table = "visits_rows";
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put(m, "SELECT count(*), ");
    PUT_ONE(m, values);
    put(m, ", ");
    PUT_ONE(m, values);
    put(m, " FROM ");
    PUT_ONE(m, from);
}

/* GROUPING SETS, ROLLUP and CUBE. */
static void
put_tables(struct maker *m)
{
    static const char *const forms[] = {
        "ROLLUP (a, b)",     "CUBE (a, b)",
        "CUBE (a, b, c)",    "GROUPING SETS (a, b)",
        "a, ROLLUP (b, c)",  "GROUPING SETS ((a, b), (b, c), (a, c))",
        "ROLLUP (a, (b, c))"};
    static const char *const keys[] = {"level",
                                       "nights",
                                       "level % 2",
                                       "extract(month FROM seen)",
                                       "CASE WHEN nights > 5 THEN level END",
                                       "CASE WHEN cost > 5 THEN 1 ELSE 2 END",
                                       "1 + 0 * level"};
    static const char *const froms[] = {
        "visits", "visits_fast", "visits_rows", "visits_far",
        "visits v JOIN patients p ON v.patient = p.id"};
    static const char *const tests[] = {"true", "nights > 0", "level <> 3"};
    static const char *const options[] = {
        "", "WITH DIFFERENTIAL_PRIVACY OPTIONS(rho = 0.5) ",
        "WITH DIFFERENTIAL_PRIVACY OPTIONS(rho = 0.5, table_error = largest) ",
        "WITH DIFFERENTIAL_PRIVACY OPTIONS(rho = 1, max_rows_contributed = 2) ",
        "WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 1) "};

    static const char *const aggregates[] = {
        "count(*)",
        "count(*)",
        "sum(nights)",
        "sum(level - 3)",
        "sum(CASE WHEN nights > 3 THEN -nights ELSE level END)",
        "avg(cost CLAMPED BETWEEN 0 AND 20)",
        "avg(nights), count(*)",
        "sum(nights), count(nights), avg(nights)",
        "avg(nights > 3)"};
    const char *abc[3];

    m->table = "visits";
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put(m, "SELECT ");
    PUT_ONE(m, options);
    PUT_ONE(m, aggregates);
    put(m, " FROM ");
    PUT_ONE(m, froms);
    put(m, " WHERE ");
    PUT_ONE(m, tests);
    put(m, " GROUP BY ");
    for (int i = 0; i < 3; i++)
        abc[i] = keys[below(m, COUNT_OF(keys))];
    for (const char *s = forms[below(m, COUNT_OF(forms))]; *s; s++) {
        char one[] = {*s, '\0'};

        put(m, *s >= 'a' && *s <= 'c' ? abc[*s - 'a'] : one);
    }
}

/* Queries that find the range of a value. */
static void
put_ranges(struct maker *m)
{
    static const char *const values[] = {"spent",
                                         "spent",
                                         "spent * 2 - nights",
                                         "-spent",
                                         "CASE WHEN nights > 5 THEN spent END",
                                         "income",
                                         "debt",
                                         "spent + income"};
    static const char *const aggregates[] = {"sum", "avg", "variance",
                                             "median"};
    static const char *const froms[] = {
        "visits", "visits_fast", "visits_rows", "visits_far",
        ("(SELECT patient, spent, nights, level FROM visits WHERE nights > 0 "
         "UNION ALL SELECT patient, spent, nights, level FROM visits_fast) v")};
    static const char *const tests[] = {"true", "nights > 0", "level <> 3"};
    static const char *const keys[] = {"", " GROUP BY level",
                                       " GROUP BY nights"};
    unsigned value = below(m, COUNT_OF(values));

    m->table = "visits";
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put(m, "SELECT count(*), ");
    PUT_ONE(m, aggregates);
    put(m, "(");
    put(m, values[value]);
    put(m, ") FROM ");
    if (value < 5)
        PUT_ONE(m, froms);
    else
        put(m, "visits v JOIN patients p ON v.patient = p.id");
    put(m, " WHERE ");
    PUT_ONE(m, tests);
    PUT_ONE(m, keys);
}

#endif
