/*
 * Random queries: most of them valid, many nearly so, some hostile. They come
 * from a grammar of typed expressions, with errors mixed in.
 */
#ifndef TEST_CURATOR_QUERY_MAKER_H
#define TEST_CURATOR_QUERY_MAKER_H

#include "curator/query_expr.h"
#include "curator/query_gadget.h"

/* ------------------------------------------------------------- statements -- */

static void
put_aggregate(struct maker *m)
{
    static const char *const names[] = {"sum(",      "avg(",      "sum(",
                                        "var_pop(",  "variance(", "stddev(",
                                        "var_samp(", "count("};
    static const char *const named[] = {
        ", epsilon => 0.01",
        ", contribution_bounds_per_group => (0, 50)",
        ", contribution_bounds_per_row => (-5, 5)",
        ", epsilon => 'NaN'",
        ", epsilon => -1",
        ", epsilon => 1e999",
        ", contribution_bounds_per_group => (50, 0)",
        ", contribution_bounds_per_group => (0, 1e300)",
        ", contribution_bounds_per_group => 3",
        ", nonsense => 1"};

    if (chance(m, 25)) {
        put(m, "count(*)");
        return;
    }
    if (m->table[0] != 'f' && chance(m, 8)) {
        put(m, is_visits(m) ? "count(DISTINCT patient)" : "count(DISTINCT id)");
        return;
    }
    if (chance(m, 8))
        put(m, "count(DISTINCT ");
    else
        PUT_ONE(m, names);
    put_number(m, chance(m, 50) ? 0 : MAKER_DEPTH - 1);
    if (chance(m, 12))
        PUT_GOOD(m, named, 3);
    put(m, ")");
}

static void
put_output(struct maker *m)
{
    static const char *const around[][2] = {{"round(", ", 2)"},
                                            {"2 * ", " + 1"},
                                            {"abs(", ")"},
                                            {"1 / ", ""},
                                            {"-", ""},
                                            {"coalesce(", ", 0)"},
                                            {"CAST(", " AS integer)"}};
    unsigned i = below(m, COUNT_OF(around));
    bool wrap = chance(m, 25);

    put(m, wrap ? around[i][0] : "");
    put_aggregate(m);
    put(m, wrap ? around[i][1] : "");
    if (chance(m, 10)) {
        put(m, " / ");
        put_aggregate(m);
    }
}

static void
put_key(struct maker *m)
{
    static const char *const patients[] = {
        "city",
        "smoker",
        "age",
        "floor(age / 10)",
        "extract(year FROM born)",
        "CASE WHEN age < 18 THEN 'child' ELSE 'grown' END",
        "upper(city)",
        "age > 50",
        "width_bucket(weight, 0, 200, 8)",
        "date_trunc('year', born)",
        "coalesce(city, 'nowhere')",
        "length(city)",
        "note",
        "weight"};
    static const char *const visits[] = {"level",
                                         "nights",
                                         "level % 2",
                                         "extract(month FROM seen)",
                                         "extract(dow FROM seen)",
                                         "patient",
                                         "cost > 10"};

    if (m->wrong && chance(m, 4))
        put_number(m, 2);
    else if (m->table[0] == 'p')
        PUT_GOOD(m, patients, 12);
    else if (is_visits(m))
        PUT_GOOD(m, visits, 5);
    else
        put(m, "name");
}

static void
put_options(struct maker *m)
{
    static const char *const options[] = {
        "epsilon = 0.5",
        "epsilon = 0.01, delta = 1e-12",
        "epsilon = 1, max_groups_contributed = 1",
        "max_rows_contributed = 2, max_groups_contributed = 1",
        "epsilon = NaN",
        "epsilon = Inf",
        "epsilon = -1",
        "epsilon = 0",
        "epsilon = 1e999",
        "epsilon = 'x'",
        "delta = NaN",
        "delta = 2",
        "epsilon = 1, epsilon = 2",
        "max_groups_contributed = 0",
        "max_groups_contributed = -1",
        "max_groups_contributed = NULL",
        "max_groups_contributed = 99999999999999999999",
        "max_rows_contributed = 1.5",
        "nonsense = 1",
        "epsilon",
        "epsilon = (1)",
        "epsilon = 1/3"};

    put(m, "WITH DIFFERENTIAL_PRIVACY OPTIONS(");
    PUT_GOOD(m, options, 4);
    m->priced = true;
    put(m, ") ");
}

static void
put_tail(struct maker *m, unsigned keys)
{
    static const char *const orders[] = {
        "1", "1 DESC NULLS FIRST", "2 DESC", "count(*)", "n", "sum(age)", "9"};

    if (chance(m, 55)) {
        put(m, " WHERE ");
        put_bool(m, 1 + (int)below(m, MAKER_DEPTH));
    }
    if (keys) {
        put(m, chance(m, 50) ? " GROUP BY 1" : " GROUP BY k0");
        put(m, keys > 1 ? ", 2" : "");
    }
    if (chance(m, 10)) {
        put(m, " HAVING ");
        put_aggregate(m);
        put(m, " > 3");
    }
    if (chance(m, 15)) {
        put(m, " ORDER BY ");
        PUT_GOOD(m, orders, 2);
    }
    if (chance(m, 8))
        put(m, chance(m, 80) ? " LIMIT 3 OFFSET 1" : " LIMIT 0");
}

static void
put_select(struct maker *m)
{
    static const char *const tables[] = {
        "patients",    "patients",   "patients",    "visits", "visits",
        "visits_fast", "visits_far", "visits_rows", "floors", "visitz"};
    unsigned keys = chance(m, 45) ? 1 + below(m, 2) : 0, n = 1 + below(m, 3);
    bool named = chance(m, 30);

    m->table = tables[below(m, m->wrong ? 10 : 9)];
    if (chance(m, 8))
        put(m, "EXPLAIN ");
    put(m, "SELECT ");
    if (chance(m, 12))
        put_options(m);
    for (unsigned i = 0; i < keys; i++) {
        put_key(m);
        put(m, i ? ", " : " AS k0, ");
    }
    for (unsigned i = 0; i < n; i++) {
        put(m, i ? ", " : "");
        put_output(m);
        put(m, i == 0 && named ? " AS n" : "");
    }
    if ((named || m->wrong) && chance(m, 15))
        put(m, ", DP_INTERVAL_LOW(n), DP_INTERVAL_HIGH(n)");
    put(m, " FROM ");
    put(m, m->table);
    put_tail(m, keys);
}

/* A question about the public table. */
static void
put_public(struct maker *m)
{
    m->table = "floors";
    put(m, "SELECT ");
    if (chance(m, 20))
        put(m, "* ");
    else
        put_number(m, MAKER_DEPTH);
    put(m, chance(m, 50) ? ", " : " AS x, ");
    put_text(m, MAKER_DEPTH);
    put(m, " FROM floors WHERE ");
    put_bool(m, MAKER_DEPTH);
    put(m, chance(m, 50) ? " ORDER BY 1" : "");
}

/* A query so deep or long that it is near the limits. */
static void
put_deep(struct maker *m)
{
    static const char *const ways[][3] = {{"(", "1", ")"},
                                          {"NOT ", "smoker", ""},
                                          {"1 + ", "age", ""},
                                          {"abs(", "age", ")"},
                                          {"-", "age", ""},
                                          {"CASE WHEN true THEN ", "1", " END"},
                                          {"coalesce(1, ", "age", ")"}};
    unsigned way = below(m, COUNT_OF(ways));
    unsigned n = chance(m, 50) ? 180 + below(m, 40) : 1 + below(m, 3000);

    m->table = "patients";
    put(m, "SELECT count(*) FROM patients WHERE ");
    for (unsigned i = 0; i < n; i++)
        put(m, ways[way][0]);
    put(m, ways[way][1]);
    for (unsigned i = 0; i < n; i++)
        put(m, ways[way][2]);
    put(m, way == 1 ? "" : " > 3");
}

/* ---------------------------------------------------------------- damage -- */

/* Removes, doubles or inserts bytes, including NUL, comments and quotes. */
static void
damage(struct maker *m)
{
    static const char *const pieces[] = {"'",  "\"",   "--", "/*",
                                         "*/", ";",    "(",  ")",
                                         ",",  "$$",   "%",  "\\",
                                         "@",  "::",   "=>", "\n",
                                         "\t", "\xc3", " ",  "0",
                                         "e",  ".",    "[",  "]",
                                         "{",  ":=",   "?",  "\xe2\x80\xae",
                                         "-",  "*"};
    struct buf from = m->b;
    size_t at = below(m, (unsigned)from.len + 1);
    size_t lost = below(m, 4), rest;

    buf_init(&m->b, NULL, QUERY_MAX);
    buf_add(&m->b, from.ptr, at);
    if (chance(m, 10))
        buf_add(&m->b, "\0", 1);
    else if (chance(m, 70))
        PUT_ONE(m, pieces);
    rest = from.len - at;
    lost = lost < rest ? lost : rest;
    buf_add(&m->b, from.ptr + at + lost, chance(m, 5) ? 0 : rest - lost);
    buf_clear(&from);
}

/* The next query, in m->b. */
static void
maker_query(struct maker *m)
{
    unsigned kind = below(m, 100);

    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    m->wrong = chance(m, 60) ? 0 : 40;
    m->priced = false;
    if (kind < 6)
        PUT_ONE(m, hostile_statements);
    else if (kind < 8)
        put_deep(m);
    else if (kind < 14)
        put_public(m);
    else if (kind < 50)
        put_gadget(m);
    else
        put_select(m);
    if (chance(m, 10))
        damage(m);
}

#endif
