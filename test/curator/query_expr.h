/*
 * Random expressions of a given type, and now and then of a wrong one.
 */
#ifndef TEST_CURATOR_QUERY_EXPR_H
#define TEST_CURATOR_QUERY_EXPR_H

#include "curator/maker.h"
#include "curator/query_hostile.h"

/* ----------------------------------------------------------- expressions -- */

static void put_number(struct maker *m, int depth);
static void put_text(struct maker *m, int depth);
static void put_bool(struct maker *m, int depth);
static void put_date(struct maker *m, int depth);

/* Now and then puts something wrong instead. True if it did. */
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
    put_number_function(m);
    put(m, "(");
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

#endif
