/*
 * Queries that aim at failure: expressions at the edges of their types
 * (edge_expr.h) wherever the engine evaluates an expression for each row.
 */
#ifndef TEST_CURATOR_QUERY_GADGET_H
#define TEST_CURATOR_QUERY_GADGET_H

#include "curator/edge_expr.h"

static const char *const patient_wholes[] = {"age", "income", "id", NULL};
static const char *const patient_decimals[] = {
    "CAST(weight AS numeric(9, 2))", "CAST(note AS numeric(38, 0))", NULL};
static const char *const patient_reals[] = {"weight", "debt", NULL};
static const char *const patient_texts[] = {"note", "city", NULL};
static const char *const patient_dates[] = {"born", "died", NULL};
static const char *const patient_times[] = {"called", NULL};
static const char *const patient_truths[] = {"smoker", "(id = 1)", "(id = 7)",
                                             NULL};
static const char *const patient_smalls[] = {"age", NULL};

static const struct edge_table patient_edges = {
    .whole = patient_wholes,
    .decimal = patient_decimals,
    .real = patient_reals,
    .text = patient_texts,
    .date = patient_dates,
    .timestamp = patient_times,
    .truth = patient_truths,
    .small = patient_smalls,
};

static const char *const visit_wholes[] = {"nights", "level", "patient", NULL};
static const char *const visit_decimals[] = {"cost", NULL};
static const char *const visit_reals[] = {"CAST(cost AS double precision)",
                                          NULL};
static const char *const visit_texts[] = {"CAST(cost AS text)", NULL};
static const char *const visit_dates[] = {"CAST(seen AS date)", NULL};
static const char *const visit_times[] = {"seen", NULL};
static const char *const visit_truths[] = {"(patient = 1)", "(level > 2)",
                                           NULL};
static const char *const visit_smalls[] = {"nights", "level", NULL};

static const struct edge_table visit_edges = {
    .whole = visit_wholes,
    .decimal = visit_decimals,
    .real = visit_reals,
    .text = visit_texts,
    .date = visit_dates,
    .timestamp = visit_times,
    .truth = visit_truths,
    .small = visit_smalls,
};

static const char *const patient_forms[] = {
    "SELECT count(*) FROM patients WHERE $b",
    "SELECT count(*) FROM patients WHERE $i > $k",
    "SELECT count(*) FROM patients WHERE $n * $x <= $n",
    "SELECT count(*) FROM patients WHERE $b AND $i <> 0",
    "SELECT count($n), count($t), count($D) FROM patients",
    "SELECT sum($n, contribution_bounds_per_row => (-5, 5)) FROM patients",
    "SELECT avg(least(greatest($n, 0), 9)) FROM patients WHERE $b",
    "SELECT var_pop(coalesce($w, 0)) FROM patients",
    "SELECT sum(extract(year FROM $T)) FROM patients",
    "SELECT count(DISTINCT $n) FROM patients",
    "SELECT $i % 7 AS x, count(*) FROM patients GROUP BY 1",
    "SELECT extract(year FROM $D) % 5 AS x, count(*) FROM patients GROUP BY 1",
    "SELECT extract(month FROM $T) AS x, count(*) FROM patients GROUP BY 1",
    "SELECT $b AS x, sum(age) FROM patients GROUP BY 1",
    "SELECT substring($t, 1, 1) AS x, count(*) FROM patients GROUP BY 1",
    "SELECT CAST($b AS integer) AS x, count(*) FROM patients GROUP BY 1",
    "SELECT city, count(*) FROM patients WHERE $b GROUP BY city",
    "SELECT count(*) FROM (SELECT $i AS x FROM patients) AS v WHERE x * $k > 5",
    "SELECT count(*) FROM (SELECT $r AS x FROM patients) AS v WHERE ceil(x) * "
    "$k > 5",
    "SELECT count(*) FROM (SELECT $D AS x FROM patients) AS v WHERE "
    "extract(year FROM x) * $k > 5",
    "SELECT count(*) FROM (SELECT $t AS x FROM patients) AS v WHERE length(x) "
    "* $k > 5",
    "SELECT count(*) FROM (SELECT CAST(y AS bigint) AS x FROM (SELECT CASE "
    "WHEN $b THEN $q ELSE $q END AS y FROM patients) AS u) AS v WHERE x * $k > "
    "5",
    "SELECT count(*) FROM (SELECT CAST(y AS date) AS x FROM (SELECT CASE WHEN "
    "$b THEN $q ELSE $q END AS y FROM patients) AS u) AS v WHERE extract(year "
    "FROM x) * $k > 5",
    "SELECT count(*) FROM patients JOIN visits ON patients.id = visits.patient "
    "AND nights * $k > $k",
    "SELECT count(*) FROM patients LEFT JOIN floors ON patients.city = "
    "floors.name WHERE $b",
};

static const char *const visit_forms[] = {
    "SELECT count(*) FROM visits WHERE $b",
    "SELECT count(*) FROM visits_fast WHERE $i > $k",
    "SELECT count(*) FROM visits_far WHERE $n > $x",
    "SELECT count(*) FROM visits_rows WHERE $b",
    "SELECT level, sum(least(greatest($n, 0), 9)) FROM visits GROUP BY level",
    "SELECT count(DISTINCT patient) FROM visits WHERE $b",
    "SELECT $i % 3 AS x, count(*) FROM visits GROUP BY 1",
    "SELECT count(*) FROM (SELECT patient, sum($i) AS x FROM visits GROUP BY "
    "patient) AS v WHERE x * $k > 5",
    "SELECT count(*) FROM (SELECT patient, avg($n) AS x FROM visits GROUP BY "
    "patient) AS v WHERE ceil(x * 10) * $k > 5",
    "SELECT count(*) FROM (SELECT patient, max($n) AS x FROM visits GROUP BY "
    "patient) AS v WHERE floor(x) * $k > 5",
    "SELECT count(*) FROM (SELECT patient, min($D) AS x FROM visits GROUP BY "
    "patient) AS v WHERE extract(year FROM x) * $k > 5",
    "SELECT count(*) FROM (SELECT $n AS x FROM visits UNION ALL SELECT $n FROM "
    "visits) AS v WHERE x > $x",
};

static void
put_gadget(struct maker *m)
{
    bool visits = chance(m, 35);
    int depth = 1 + (int)below(m, MAKER_DEPTH);

    m->table = visits ? "visits" : "patients";
    if (visits)
        edge_form(m, &visit_edges, visit_forms[below(m, COUNT_OF(visit_forms))],
                  depth);
    else
        edge_form(m, &patient_edges,
                  patient_forms[below(m, COUNT_OF(patient_forms))], depth);
}

#endif
