/*
 * Compares the time of our own functions with that of the engine's, over
 * generated rows: integer arithmetic in the sum of a product, in the shape of
 * TPC-H Q1 and in a WHERE; LIKE with _, and ILIKE, both on patterns for which
 * the engine's backtracking ends soon. The two take turns; the result is the
 * median of the ratios of all rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "engine/duckdb/duck.h"

enum { ROUNDS = 9 };

struct shape {
    const char *name, *bare, *own;
};

static const struct shape shapes[] = {
    {"sum_product", "SELECT sum(a * b) FROM t",
     "SELECT sum(whole_mul(a, b)) FROM t"},
    {"q1",
     "SELECT k, sum(a), sum(b), sum(a * (100 - c)), sum(a * (100 - c) * (100 "
     "+ d)), count(*) FROM t GROUP BY k",
     "SELECT k, sum(a), sum(b), sum(whole_mul(a, whole_sub(CAST(100 AS "
     "BIGINT), c))), sum(whole_mul(whole_mul(a, whole_sub(CAST(100 AS BIGINT), "
     "c)), whole_add(CAST(100 AS BIGINT), d))), count(*) FROM t GROUP BY k"},
    {"where", "SELECT count(*) FROM t WHERE a * 3 - b > 5000",
     "SELECT count(*) FROM t WHERE whole_sub(whole_mul(a, CAST(3 AS BIGINT)), "
     "b) > 5000"},
    {"like", "SELECT count(*) FROM t WHERE s LIKE '%a_c%'",
     "SELECT count(*) FROM t WHERE text_like(s, '%a_c%')"},
    {"ilike", "SELECT count(*) FROM t WHERE s ILIKE '%aB%'",
     "SELECT count(*) FROM t WHERE text_like(lower(s), lower('%aB%'))"},
};

static void
must(custos_status st, const custos_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "total: %s (%s)\n", err->said, err->noted);
    exit(1);
}

/* Seconds that a query takes, fetching its rows included. */
static double
seconds(struct duck_connection *c, const char *sql)
{
    struct column columns[8];
    struct result *rows = NULL;
    struct timespec from, to;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    clock_gettime(CLOCK_MONOTONIC, &from);
    must(duck_ask(c, sql, &rows, &err), &err);
    do
        must(result_next(rows, &n, columns, &err), &err);
    while (n > 0);
    result_free(rows);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) +
           1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    long millions = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char sql[512];

    must(duck_open(NULL, DUCK_WRITE, &d, &err), &err);
    must(duck_connect(d, &c, &err), &err);
    must(duck_own_add(c, &err), &err);
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE t AS SELECT CAST(hash(i) %% 10000 AS BIGINT) AS a, "
        "CAST(hash(i + 1) %% 10000 AS BIGINT) AS b, CAST(hash(i + 2) %% "
        "11 AS BIGINT) AS c, CAST(hash(i + 3) %% 9 AS BIGINT) AS d, "
        "CAST(hash(i + 4) %% 4 AS BIGINT) AS k, md5(CAST(i AS VARCHAR)) AS s "
        "FROM range(%ld) AS r(i)",
        millions * 1000000);
    must(duck_do(c, sql, &err), &err);
    printf("%-12s %9s %9s %7s\n", "shape", "bare", "own", "ratio");
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        double ratio[ROUNDS], bare = 0, own = 0;

        for (int k = 0; k < ROUNDS; k++) {
            bare = seconds(c, shapes[i].bare);
            own = seconds(c, shapes[i].own);
            ratio[k] = own / bare;
        }
        qsort(ratio, ROUNDS, sizeof *ratio, by_size);
        printf("%-12s %7.1f ms %6.1f ms %7.2f\n", shapes[i].name, 1e3 * bare,
               1e3 * own, ratio[ROUNDS / 2]);
        printf("bench: total_%s_ratio %.3f ratio\n", shapes[i].name,
               ratio[ROUNDS / 2]);
    }
    duck_disconnect(c);
    duck_close(d);
    return 0;
}
