/*
 * Random queries: most of them valid, many nearly so, some hostile. A grammar
 * of typed expressions; what is wrong is sown into it.
 */
#ifndef TEST_CURATOR_QUERY_MAKER_H
#define TEST_CURATOR_QUERY_MAKER_H

#include "base/base.h"
#include "base/str.h"
#include "curator/query_hostile.h"

enum { QUERY_MAX = 1 << 17, MAKER_DEPTH = 4 };

struct maker {
    uint64_t state;
    unsigned wrong; /* of a thousand expressions, so many are */
    const char *table;
    bool priced; /* it names its epsilon itself */
    struct buf b;
};

static uint64_t
maker_next(struct maker *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static unsigned
below(struct maker *m, unsigned n)
{
    return (unsigned)(maker_next(m) % n);
}

static bool
chance(struct maker *m, unsigned percent)
{
    return below(m, 100) < percent;
}

static void
put(struct maker *m, const char *text)
{
    buf_add_text(&m->b, text);
}

#define PUT_ONE(m, list) put(m, (list)[below(m, COUNT_OF(list))])

/* Of the first so many alone, unless something may be wrong. */
#define PUT_GOOD(m, list, good)                                                \
    put(m, (list)[below(m, (m)->wrong ? COUNT_OF(list) : (good))])

/* ----------------------------------------------------------- expressions -- */

static void put_number(struct maker *m, int depth);
static void put_text(struct maker *m, int depth);
static void put_bool(struct maker *m, int depth);
static void put_date(struct maker *m, int depth);

/* Something else in this place, now and then. True: it is done. */
static bool
put_wrong(struct maker *m, int depth)
{
    if (below(m, 1000) >= m->wrong)
        return false;
    if (chance(m, 60)) {
        PUT_ONE(m, hostile_values);
        return true;
    }
    switch (below(m, 4)) {
    case 0: put_number(m, depth - 1); break;
    case 1: put_text(m, depth - 1); break;
    case 2: put_bool(m, depth - 1); break;
    default: put_date(m, depth - 1); break;
    }
    return true;
}

static bool
is_visits(const struct maker *m)
{
    return m->table[0] == 'v';
}

static void
put_number_leaf(struct maker *m)
{
    static const char *const patients[] = {"age", "weight", "patients.age"};
    static const char *const unbounded[] = {"income", "debt"};
    static const char *const visits[] = {"nights", "cost", "level", "cost"};
    static const char *const floors[] = {"floor", "area"};
    static const char *const literals[] = {
        "0",          "1",   "2",    "-1",   "10",   "100",
        "0.5",        "1e2", "3.0",  "0.01", "1e-9", "1000000",
        "2147483648", "7",   "1e15", "-7.",  ".5",   "12345678901234567890"};

    if (chance(m, 35))
        PUT_ONE(m, literals);
    else if (m->table[0] == 'p' && chance(m, 8))
        PUT_ONE(m, unbounded);
    else if (m->table[0] == 'p')
        PUT_ONE(m, patients);
    else if (is_visits(m))
        PUT_ONE(m, visits);
    else
        PUT_ONE(m, floors);
}

static void
put_pair(struct maker *m, const char *before, const char *between, int depth,
         void (*one)(struct maker *, int))
{
    put(m, before);
    one(m, depth - 1);
    put(m, between);
    one(m, depth - 1);
    put(m, ")");
}

static void
put_case(struct maker *m, int depth, void (*one)(struct maker *, int))
{
    put(m, "CASE");
    for (unsigned i = 0; i <= below(m, 2); i++) {
        put(m, " WHEN ");
        put_bool(m, depth - 1);
        put(m, " THEN ");
        one(m, depth - 1);
    }
    if (chance(m, 70)) {
        put(m, " ELSE ");
        one(m, depth - 1);
    }
    put(m, " END");
}

static void
put_cast(struct maker *m, int depth)
{
    static const char *const types[] = {
        " AS integer)",         " AS bigint)",           " AS numeric(10, 2))",
        " AS numeric(38, 18))", " AS double precision)", " AS real)",
        " AS smallint)"};

    put(m, "CAST(");
    if (chance(m, 40))
        put_text(m, depth - 1);
    else
        put_number(m, depth - 1);
    PUT_ONE(m, types);
}

static void
put_call(struct maker *m, int depth)
{
    static const char *const names[] = {"abs(", "floor(", "ceil(", "sign(",
                                        "round("};

    PUT_ONE(m, names);
    put_number(m, depth - 1);
    put(m, ")");
}

static void
put_extract(struct maker *m, int depth)
{
    static const char *const fields[] = {"year",   "quarter", "month", "week",
                                         "day",    "dow",     "doy",   "hour",
                                         "minute", "second"};

    put(m, "extract(");
    PUT_ONE(m, fields);
    put(m, " FROM ");
    put_date(m, depth - 1);
    put(m, ")");
}

static void
put_number(struct maker *m, int depth)
{
    static const char *const signs[] = {" + ", " - ", " * ", " / ", " % "};

    if (put_wrong(m, depth))
        return;
    if (depth <= 0 || chance(m, 25)) {
        put_number_leaf(m);
        return;
    }
    switch (below(m, 12)) {
    case 0:
    case 1:
    case 2:
        put_pair(m, "(", signs[below(m, chance(m, 97) ? 4 : 5)], depth,
                 put_number);
        break;
    case 3: put_call(m, depth); break;
    case 4: put_case(m, depth, put_number); break;
    case 5: put_pair(m, "coalesce(", ", ", depth, put_number); break;
    case 6: put_pair(m, "nullif(", ", ", depth, put_number); break;
    case 7: put_pair(m, "least(", ", ", depth, put_number); break;
    case 8: put_cast(m, depth); break;
    case 9: put_extract(m, depth); break;
    case 10:
        put(m, "length(");
        put_text(m, depth - 1);
        put(m, ")");
        break;
    default:
        put(m, "width_bucket(");
        put_number(m, depth - 1);
        put(m, ", 0, 100, 10)");
        break;
    }
}

static void
put_text(struct maker *m, int depth)
{
    static const char *const patients[] = {"city", "note", "city"};
    static const char *const literals[] = {"'Rome'", "'x'",       "''",
                                           "'%'",    "'O''Hara'", "'\xc3\xa9'"};
    static const char *const calls[] = {"lower(", "upper(", "trim("};

    if (put_wrong(m, depth))
        return;
    if (depth <= 0 || chance(m, 40)) {
        if (m->table[0] == 'p' && chance(m, 70))
            PUT_ONE(m, patients);
        else if (m->table[0] == 'f' && chance(m, 70))
            put(m, "name");
        else
            PUT_ONE(m, literals);
        return;
    }
    switch (below(m, 6)) {
    case 0: put_pair(m, "(", " || ", depth, put_text); break;
    case 1: put_pair(m, "concat(", ", ", depth, put_text); break;
    case 2: put_pair(m, "coalesce(", ", ", depth, put_text); break;
    case 3: put_case(m, depth, put_text); break;
    case 4:
        put(m, "substring(");
        put_text(m, depth - 1);
        put(m, chance(m, 50) ? ", 1" : ", -3");
        put(m, chance(m, 50) ? ", 2)" : ")");
        break;
    default:
        PUT_ONE(m, calls);
        put_text(m, depth - 1);
        put(m, ")");
        break;
    }
}

static void
put_date(struct maker *m, int depth)
{
    static const char *const steps[] = {
        "date_trunc('year', ", "date_trunc('month', ", "date_trunc('week', ",
        "date_trunc('day', ", "date_trunc('hour', "};
    static const char *const literals[] = {"date '2000-02-29'",
                                           "timestamp '2020-01-01 12:00:00'",
                                           "date '1970-01-01'"};

    if (put_wrong(m, depth))
        return;
    if (depth > 0 && chance(m, 25)) {
        PUT_ONE(m, steps);
        put_date(m, depth - 1);
        put(m, ")");
    } else if (depth > 0 && m->table[0] != 'f' && chance(m, 20)) {
        put(m, is_visits(m) ? "(date '2020-01-01' + " : "(born + ");
        put_number(m, depth - 2);
        put(m, ")");
    } else if (chance(m, 25) || m->table[0] == 'f') {
        PUT_ONE(m, literals);
    } else {
        put(m, is_visits(m) ? "seen" : "born");
    }
}

static void
put_comparison(struct maker *m, int depth)
{
    static const char *const signs[] = {
        " = ",  " <> ", " < ",
        " <= ", " > ",  " IS DISTINCT FROM ",
        " >= ", " != ", " IS NOT DISTINCT FROM "};
    const char *sign = signs[below(m, COUNT_OF(signs))];

    switch (below(m, 4)) {
    case 0: put_pair(m, "(", sign, depth, put_text); break;
    case 1: put_pair(m, "(", sign, depth, put_date); break;
    default: put_pair(m, "(", sign, depth, put_number); break;
    }
}

static void
put_bool(struct maker *m, int depth)
{
    static const char *const likes[] = {" LIKE 'R%'", " NOT LIKE '%_x%'",
                                        " ILIKE '%ro%'", " LIKE ''",
                                        " LIKE '\\'"};
    static const char *const tests[] = {" IS NULL", " IS NOT NULL"};

    if (put_wrong(m, depth))
        return;
    if (depth <= 0) {
        put(m, m->table[0] == 'p' ? "smoker" : "true");
        return;
    }
    switch (below(m, 10)) {
    case 0: put_pair(m, "(", " AND ", depth, put_bool); break;
    case 1: put_pair(m, "(", " OR ", depth, put_bool); break;
    case 2:
        put(m, "NOT (");
        put_bool(m, depth - 1);
        put(m, ")");
        break;
    case 3:
        put_number(m, depth - 1);
        put(m, " BETWEEN ");
        put_number(m, 0);
        put(m, " AND ");
        put_number(m, 0);
        break;
    case 4:
        put_number(m, depth - 1);
        put(m, chance(m, 30) ? " NOT IN (1, 2, 3.5)" : " IN (10, 20, NULL)");
        break;
    case 5:
        put_text(m, depth - 1);
        PUT_GOOD(m, likes, 4);
        break;
    case 6:
        put_number(m, depth - 1);
        PUT_ONE(m, tests);
        break;
    default: put_comparison(m, depth); break;
    }
}

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

/* A question to the public table. */
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

/* So deep or long that the limits are near. */
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

/* Bytes lost, doubled, put in; NUL, comments, quotes among them. */
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
    else
        put_select(m);
    if (chance(m, 10))
        damage(m);
}

#endif
