/*
 * A DuckDB with our functions, a table t, and a policy under which expressions
 * over it are typed and printed. Table p is t with private rows.
 */
#ifndef TEST_SQL_BENCH_H
#define TEST_SQL_BENCH_H

#include <duckdb.h>

#include "engine/duckdb/duck_inside.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "sql/duckdb.h"
#include "support/support.h"

enum { ARENA_MAX = 1 << 26, TEXT_MAX = 1 << 22 };

static const char policy_text[] =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1, delta: 0}\n"
    "tables:\n"
    "  t:\n"
    "    public: true\n"
    "    source: t.csv\n"
    "    columns:\n"
    "      i: {type: integer}\n"
    "      j: {type: integer}\n"
    "      z: {type: integer}\n"
    "      n: {type: integer}\n"
    "      d: {type: decimal, scale: 2}\n"
    "      r: {type: real}\n"
    "      s: {type: text}\n"
    "      day: {type: date}\n"
    "      ts: {type: timestamp}\n"
    "      b: {type: boolean}\n"
    "  p:\n"
    "    source: p.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      i: {type: integer}\n"
    "      j: {type: integer, range: [-1000, 1000]}\n"
    "      z: {type: integer}\n"
    "      n: {type: integer, range: [-9000000000, 9000000000]}\n"
    "      d: {type: decimal, scale: 2, range: [-1000, 1000]}\n"
    "      r: {type: real}\n"
    "      s: {type: text}\n"
    "      day: {type: date, range: [1900-01-01, 2100-12-31]}\n"
    "      ts: {type: timestamp}\n"
    "      b: {type: boolean}\n";

static const char create[] =
    "CREATE TABLE t (column_0 BIGINT, column_1 BIGINT, column_2 BIGINT, "
    "column_3 BIGINT, column_4 DECIMAL(18, 2), column_5 DOUBLE, column_6 "
    "VARCHAR, column_7 DATE, column_8 TIMESTAMP, column_9 BOOLEAN, steps_4 "
    "HUGEINT GENERATED ALWAYS AS (CAST(column_4 * 100 AS HUGEINT)))";

struct bench {
    duckdb_database db;
    duckdb_connection con;
    arena *a;
    struct policy *policy;
    const bool *stepped; /* NULL: decimals are compared as decimals */
};

static void
must_run(struct bench *b, const char *sql)
{
    duckdb_result r;

    if (duckdb_query(b->con, sql, &r) != DuckDBSuccess)
        fail_msg("%s\n  %s", sql, duckdb_result_error(&r));
    duckdb_destroy_result(&r);
}

static void
bench_open(struct bench *b)
{
    struct duck_connection own = {.keeps = false};
    custos_err err = CUSTOS_ERR_INIT;

    b->stepped = NULL;
    assert_int_equal(duckdb_open(NULL, &b->db), DuckDBSuccess);
    assert_int_equal(duckdb_connect(b->db, &b->con), DuckDBSuccess);
    must_run(b, "SET threads = 1");
    must_run(b, create);
    own.c = b->con;
    if (duck_own_add(&own, &err))
        fail_msg("%s", err.noted);
    b->a = arena_new(NULL, ARENA_MAX);
    if (policy_read(b->a, str_of(policy_text), "test", &b->policy, &err))
        fail_msg("%s", err.said);
}

static void
bench_close(struct bench *b)
{
    arena_free(b->a);
    duckdb_disconnect(&b->con);
    duckdb_close(&b->db);
}

/* Plans a query under the bench's policy, in a; NULL: it is rejected. */
static struct plan *
bench_plan(struct bench *b, arena *a, const char *sql, custos_err *err)
{
    struct plan_options options = {0};
    struct plan *plan = NULL;
    struct query *q;

    if (sql_read(a, str_of(sql), &q, err) ||
        plan_make(a, q, b->policy, &options, &plan, err)) {
        plan_free(plan);
        return NULL;
    }
    return plan;
}

#endif
