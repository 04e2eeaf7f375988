/*
 * Compares the time of private queries with that of plain ones, on one store in
 * one run. The two take turns; the result is the median of the ratios of each
 * pair. The time of a private query includes everything: parse, plan, charge
 * (on the disk), engine, noise, answer.
 *
 *     build/bench/query [MILLIONS] [FOLDER]
 *
 * The table has MILLIONS (default 20) million rows, 20 per unit; it is made
 * below FOLDER (default /tmp) and removed. With a number other than 20 the
 * program shows how time and memory grow, and leaves out plain
 * count(distinct), which would take minutes and most of the memory.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "curator/curator.h"
#include "engine/duckdb/duck.h"
#include "made.h"
#include "measure.h"
#include "store/file.h"

enum { RUNS = 9, TINY_RUNS = 200, PATH_ROOM = 512 };

static const char *const policy =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 100000, delta: 1e-4, n: 1000}\n"
    "query: {epsilon: 1, max_epsilon: 10, delta: 1e-9, min_epsilon: 0, "
    "min_rho: 0}\n"
    "tables:\n"
    "  sales:\n"
    "    source: sales.parquet\n"
    "    unit: person\n"
    "    rows_per_unit: 60\n"
    "    columns:\n"
    "      person: {type: integer, nullable: false}\n"
    "      shop: {type: integer, range: [0, 49], nullable: false}\n"
    "      amount: {type: real, range: [0, 1000], nullable: false}\n"
    "      product: {type: integer, nullable: false}\n"
    "      brand: {type: text, nullable: false}\n"
    "  tiny:\n"
    "    source: tiny.parquet\n"
    "    unit: person\n"
    "    rows_per_unit: 5\n"
    "    columns:\n"
    "      person: {type: integer, nullable: false}\n"
    "      shop: {type: integer, range: [0, 49], nullable: false}\n"
    "      amount: {type: real, range: [0, 1000], nullable: false}\n";

static struct curator *curator;
static struct duck_connection *plain;
static int asked; /* makes every question a new one */

/* Seconds of a private query; `options` sets the contribution bound. */
static double
ask(const char *sql, const char *options)
{
    char text[512], epsilon[32];
    struct answer *answer = NULL;
    struct ask a = {.now = 1};
    custos_err err = CUSTOS_ERR_INIT;
    double t;

    snprintf(text, sizeof text, "SELECT %s %s", options, sql);
    snprintf(epsilon, sizeof epsilon, "1.%06d", ++asked);
    a.sql = str_of(text);
    a.epsilon = str_of(epsilon);
    t = measure_seconds();
    if (curator_answer(curator, &a, &answer, &err))
        made_stop(text, &err);
    t = measure_seconds() - t;
    if (answer->stored)
        made_stop("a stored answer", &err);
    answer_free(answer);
    return t;
}

static double
ask_plain(const char *sql)
{
    double t = measure_seconds();
    custos_err err = CUSTOS_ERR_INIT;

    if (duck_do(plain, sql, &err))
        made_stop(sql, &err);
    return measure_seconds() - t;
}

struct pair {
    double ratio, seconds, plain;
};

static struct pair
compare(const char *what, const char *sql, const char *options,
        const char *plain_sql)
{
    double ratio[RUNS], private[RUNS], open[RUNS];
    struct pair p;

    (void)ask(sql, options);
    (void)ask_plain(plain_sql);
    for (int i = 0; i < RUNS; i++) {
        private[i] = ask(sql, options);
        open[i] = ask_plain(plain_sql);
        ratio[i] = private[i] / open[i];
    }
    p.ratio = measure_median(ratio, RUNS);
    p.seconds = measure_median(private, RUNS);
    p.plain = measure_median(open, RUNS);
    printf("%-34s %8.3f s  plain %8.3f s  ratio %5.2f\n", what, p.seconds,
           p.plain, p.ratio);
    return p;
}

/* Seconds that one small append takes until it is on the disk. */
static double
sync_seconds(const char *folder)
{
    char path[PATH_ROOM + 16], bytes[4096] = {0};
    double t[TINY_RUNS];
    int fd;

    snprintf(path, sizeof path, "%s/sync", folder);
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    for (int i = 0; i < TINY_RUNS; i++) {
        t[i] = measure_seconds();
        if (write(fd, bytes, sizeof bytes) < 0 || fdatasync(fd) < 0)
            exit(1);
        t[i] = measure_seconds() - t[i];
    }
    close(fd);
    return measure_median(t, TINY_RUNS);
}

/* Milliseconds of a private query beyond the plain one and two syncs: the
   charge and the stored answer are two commits. */
static double
tiny_overhead(const char *folder)
{
    double private[TINY_RUNS], open[TINY_RUNS];
    double sync = sync_seconds(folder), t, p;

    for (int i = 0; i < TINY_RUNS; i++) {
        private[i] =
            ask("shop, count(*), sum(amount) FROM tiny GROUP BY shop", "");
        open[i] = ask_plain(
            "SELECT c1, count(*), sum(c2) FROM t1 GROUP BY c1 ORDER BY c1");
    }
    t = measure_median(private, TINY_RUNS);
    p = measure_median(open, TINY_RUNS);
    printf("%-34s %8.3f ms plain %8.3f ms, a sync %.3f ms\n", "tiny table",
           1e3 * t, 1e3 * p, 1e3 * sync);
    return 1e3 * (t - p - 2 * sync);
}

/* ----------------------------------------------------------------- data -- */

static void
make_files(const char *folder, double rows)
{
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char sql[1024];

    if (duck_open(NULL, DUCK_WRITE, &d, &err) || duck_connect(d, &c, &err))
        made_stop("an engine", &err);
    snprintf(sql, sizeof sql,
             "COPY (SELECT hash(i) %% %.0f AS person, hash(i + 1) %% 50 AS "
             "shop, (hash(i + 2) %% 100000) / 100.0 AS amount, hash(i + 3) %% "
             "5000 AS product, 'brand ' || hash(i + 4) %% 1000 AS brand FROM "
             "range(%.0f) t(i)) TO '%s/sales.parquet'",
             rows / 20, rows, folder);
    if (duck_do(c, sql, &err))
        made_stop("sales", &err);
    made_tiny(c, folder);
    duck_disconnect(c);
    duck_close(d);
}

static void
open_both(const char *folder, struct duck **d)
{
    char path[PATH_ROOM + 64];
    custos_err err = CUSTOS_ERR_INIT;

    snprintf(path, sizeof path, "%s/store", folder);
    if (curator_open(path, &curator, &err))
        made_stop("open", &err);
    snprintf(path, sizeof path, "%s/store/data/1.duckdb", folder);
    if (duck_open(path, DUCK_READ, d, &err) || duck_connect(*d, &plain, &err))
        made_stop("plain", &err);
}

#define FIVE "WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed=5)"

#define GROUP "shop, count(*), sum(amount) FROM sales GROUP BY shop"
#define PLAIN_GROUP                                                            \
    "SELECT c1, count(*), sum(c2) FROM t0 GROUP BY c1 ORDER BY c1"
#define DISTINCT "shop, count(distinct person) FROM sales GROUP BY shop"

static double
ask_median(const char *sql, const char *options)
{
    double t[RUNS];

    for (int i = 0; i < RUNS; i++)
        t[i] = ask(sql, options);
    return measure_median(t, RUNS);
}

/* Prints seconds per 20 M rows, to compare with a run over 20 M rows. */
static void
measure_growth(double rows)
{
    double millions = rows / 1e6, per = 20 / millions;
    struct pair sixty =
        compare("count, sum by 50 groups, 60 rows", GROUP, "", PLAIN_GROUP);
    double people = ask_median(DISTINCT, "");

    printf("%-34s %8.3f s\n", "count(distinct), 60 rows", people);
    printf("bench: query_%.0fm_seconds_per_20m %.3f s\n", millions,
           sixty.seconds * per);
    printf("bench: query_%.0fm_distinct_seconds_per_20m %.3f s\n", millions,
           people * per);
}

static void
measure_ratios(void)
{
    static const char *const plain_distinct =
        "SELECT c1, count(DISTINCT c0) FROM t0 GROUP BY c1 ORDER BY c1";
    struct pair five =
        compare("count, sum by 50 groups, 5 rows", GROUP, FIVE, PLAIN_GROUP);
    struct pair sixty =
        compare("count, sum by 50 groups, 60 rows", GROUP, "", PLAIN_GROUP);
    struct pair people5 =
        compare("count(distinct), 5 rows", DISTINCT, FIVE, plain_distinct);
    struct pair people60 =
        compare("count(distinct), 60 rows", DISTINCT, "", plain_distinct);
    struct pair product =
        compare("unknown groups, whole numbers",
                "product, count(*), sum(amount) FROM sales GROUP BY product",
                "", "SELECT c3, count(*), sum(c2) FROM t0 GROUP BY c3");
    struct pair brand =
        compare("unknown groups, text",
                "brand, count(*), sum(amount) FROM sales GROUP BY brand", "",
                "SELECT c4, count(*), sum(c2) FROM t0 GROUP BY c4");
    struct pair where =
        compare("with WHERE, 5 rows",
                "shop, count(*), sum(amount) FROM sales WHERE amount < 500 "
                "GROUP BY shop",
                FIVE,
                "SELECT c1, count(*), sum(c2) FROM t0 WHERE c2 < 500 GROUP BY "
                "c1 ORDER BY c1");

    printf("bench: query_group_ratio %.3f of plain\n",
           fmax(five.ratio, sixty.ratio));
    printf("bench: query_distinct_ratio %.3f of plain at 5 rows\n",
           people5.ratio);
    printf("bench: query_distinct60_ratio %.3f of plain at 60 rows\n",
           people60.ratio);
    printf("bench: unknown_groups_ratio %.3f of plain\n",
           fmax(product.ratio, brand.ratio));
    printf("bench: query_where_ratio %.3f of plain\n", where.ratio);
    printf("bench: query_20m_seconds %.3f s\n", sixty.seconds);
}

int
main(int argc, char **argv)
{
    double rows = 1e6 * (argc > 1 ? strtod(argv[1], NULL) : 20);
    char folder[PATH_ROOM];
    struct rusage usage;
    struct duck *d;

    snprintf(folder, sizeof folder, "%.400s/custos-bench.XXXXXX",
             argc > 2 ? argv[2] : "/tmp");
    if (!(rows >= 20) || !mkdtemp(folder))
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_files(folder, rows);
    made_store(folder, policy);
    open_both(folder, &d);
    if (rows == 20e6)
        measure_ratios();
    else
        measure_growth(rows);
    printf("bench: query_tiny_overhead_ms %.3f ms\n", tiny_overhead(folder));
    getrusage(RUSAGE_SELF, &usage);
    printf("bench: query_memory_mb %.0f MB\n", (double)usage.ru_maxrss / 1024);
    curator_close(curator);
    duck_disconnect(plain);
    duck_close(d);
    tree_remove(folder);
    return 0;
}
