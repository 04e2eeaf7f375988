/*
 * Runs each kind of statement on made-up rows and takes the median of its
 * times. Times are of this thread's processor, with the engine on one thread:
 * so they are what a worker needs when all others are busy too, and do not
 * depend on what else the machine does while they are taken.
 */
#include "engine/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/duck.h"
#include "store/file.h"

enum {
    ROWS = 500000,
    VALUES = 100000, /* of quantiles */
    RUNS = 3,
    TINY_RUNS = 31,
    FIXED_TIMES = 3,
    FASTER = 16, /* than the default: no machine is, the clock is wrong */
    SLOWER = 64,
    FILE_MOST = 512,
};

/* ------------------------------------------------------------- the file -- */

static bool
is_sane(int64_t speed, int64_t usual)
{
    return speed >= usual / FASTER && speed <= usual * SLOWER;
}

void
speed_print(const struct speed_machine *machine, const struct reply_speeds *s,
            struct buf *out)
{
    buf_printf(out,
               "custos speed 2\nengine %s\nprocessors %ld\nscan %lld\n"
               "computed %lld\ntext %lld\nsort %lld\nquantile %lld\n"
               "fixed %lld\n",
               machine->engine, machine->processors, (long long)s->scan_ps,
               (long long)s->computed_ps, (long long)s->text_ps,
               (long long)s->sort_ps, (long long)s->quantile_ps,
               (long long)s->fixed_us);
}

/* Whole exactly when it is what speed_print writes of what was read. */
bool
speed_parse(str text, const struct speed_machine *machine,
            struct reply_speeds *out)
{
    const struct reply_speeds usual = REPLY_SPEEDS_DEFAULT;
    struct speed_machine of = {.processors = 0};
    long long n[6] = {0};
    char line[FILE_MOST];
    struct reply_speeds s;
    struct buf again;
    bool same;

    if (text.len >= sizeof line)
        return false;
    memcpy(line, text.ptr, text.len);
    line[text.len] = '\0';
    /* NOLINTNEXTLINE(cert-err34-c): the widths bound them */
    if (sscanf(line,
               "custos speed 2\nengine %31s\nprocessors %9ld\nscan %18lld\n"
               "computed %18lld\ntext %18lld\nsort %18lld\nquantile %18lld\n"
               "fixed %18lld",
               of.engine, &of.processors, &n[0], &n[1], &n[2], &n[3], &n[4],
               &n[5]) != 8)
        return false;
    s = (struct reply_speeds){.scan_ps = n[0],
                              .computed_ps = n[1],
                              .text_ps = n[2],
                              .sort_ps = n[3],
                              .quantile_ps = n[4],
                              .fixed_us = n[5]};
    buf_init(&again, NULL, FILE_MOST);
    speed_print(machine, &s, &again);
    same = !again.failed && str_equal(text, (str){again.ptr, again.len});
    buf_clear(&again);
    if (!same || !is_sane(s.scan_ps, usual.scan_ps) ||
        !is_sane(s.computed_ps, usual.computed_ps) ||
        !is_sane(s.text_ps, usual.text_ps) ||
        !is_sane(s.sort_ps, usual.sort_ps) ||
        !is_sane(s.quantile_ps, usual.quantile_ps) ||
        !is_sane(s.fixed_us, usual.fixed_us))
        return false;
    s.rows = out->rows;
    s.known = out->known;
    *out = s;
    return true;
}

/* ------------------------------------------------------------ measuring -- */

/* A table with columns as they are stored, compressed as on disk, with units
   of two rows; the units by themselves; and a small public one. */
static const char *const made =
    "SET threads = 1; ATTACH ':memory:' AS m (COMPRESS); USE m; "
    "CREATE TABLE made AS SELECT i // 2 AS u, 1 + i % 2 AS r, "
    "CAST(hash(i) % 5 AS SMALLINT) AS k, "
    "CAST(hash(i + 1) % 2000000 AS BIGINT) AS g, "
    "CAST(CAST(hash(i + 1) % 2000000 AS DECIMAL(18, 2)) / 100 "
    "AS DECIMAL(18, 2)) AS c, "
    "DATE '2024-01-01' + CAST(hash(i + 2) % 731 AS INTEGER) AS d, "
    "'value ' || hash(i + 3) % 100 AS t "
    "FROM range(1, 500001) AS x(i); "
    "CREATE TABLE units AS SELECT DISTINCT u, u AS c, "
    "CAST(u % 6 AS SMALLINT) AS k FROM made ORDER BY u; "
    "CREATE TABLE names AS SELECT t, min(u) % 7 AS k FROM made GROUP BY t; "
    "CREATE TYPE label AS ENUM (SELECT DISTINCT CAST(d AS VARCHAR) FROM made); "
    "CHECKPOINT";

struct kind {
    const char *sql;
    unsigned units; /* so many times the speed is what a row takes */
};

static const struct kind scans[] = {
    {"SELECT k, sum(g), count(g), count(*), sum(r), count(r) FROM made WHERE "
     "r <= 8 GROUP BY k",
     1},
    {"SELECT sum(u) FROM made WHERE u BETWEEN 1 AND 9223372036854775807 AND "
     "t = 'value 3' AND d >= CAST('2025-01-01' AS DATE)",
     1},
};

/* A computed key is printed twice: as the key, and as the condition that there
   is one. */
#define KEYED(key)                                                             \
    "SELECT i, count(*) FROM (SELECT " key " AS i FROM made WHERE r <= 8 "     \
    "AND " key " IS NOT NULL) GROUP BY i"
#define INDEX(x, from, n)                                                      \
    "whole_index(" x ", CAST('" from "' AS BIGINT), CAST('" n "' AS BIGINT))"

static const struct kind reals[] = {
    {KEYED(INDEX("whole_of(floor(CAST(c AS DOUBLE) / CAST(CAST('1000' AS "
                 "BIGINT) AS DOUBLE)), CAST('0' AS BIGINT), CAST('20' AS "
                 "BIGINT))",
                 "0", "21")),
     1},
};

static const struct kind dates[] = {
    {KEYED(INDEX("quarter(TRY_CAST(d AS TIMESTAMP))", "1", "4")), 1},
};

static const struct kind joins[] = {
    {"SELECT k1, count(*) FROM (SELECT u AS u0, r AS r0, u AS c0 FROM made) "
     "JOIN (SELECT u AS u1, c AS c1, k AS k1 FROM units) ON u0 = u1 AND "
     "c0 = c1 WHERE r0 <= 8 GROUP BY k1",
     1},
    {"SELECT u, count(*), sum(g) FROM made WHERE r <= 8 GROUP BY u", 1},
};

static const struct kind labels[] = {
    {KEYED("enum_code(TRY_CAST(CAST(d AS VARCHAR) AS label))"), 2},
};

static const struct kind sorts[] = {
    {"SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY u ORDER BY "
     "hash(r, made.t, names.k), r, names.k) AS n FROM made JOIN names ON "
     "made.t = names.t) WHERE n <= 8",
     1},
};

static int64_t
processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static custos_status
run_all(struct duck_connection *c, const char *sql, custos_err *err)
{
    struct duck_column columns[DUCK_COLUMNS_MAX];
    struct duck_rows *rows = NULL;
    size_t n = 1;
    custos_status st = duck_ask(c, sql, &rows, err);

    while (!st && n > 0)
        st = duck_next(rows, &n, columns, err);
    duck_rows_free(rows);
    return st;
}

/* Picoseconds a row: the slowest of some statements, each by its median. */
static custos_status
measure(struct duck_connection *c, const struct kind *kinds, size_t n,
        int64_t *ps, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n && !st; i++) {
        int64_t took[RUNS], one;

        for (size_t k = 0; k < RUNS && !st; k++) {
            took[k] = processor_ns();
            st = run_all(c, kinds[i].sql, err);
            took[k] = processor_ns() - took[k];
        }
        qsort(took, RUNS, sizeof took[0], compare);
        one = st ? 0 : took[RUNS / 2] * 1000 / ROWS / kinds[i].units;
        if (one > *ps)
            *ps = one;
    }
    return st;
}

/* A median of values that are sorted already, as it is released: at its place
   and at both ends of its bar. */
static custos_status
release_median(custos_rng *rng, const custos_int *cells, custos_err *err)
{
    static const char *const half[] = {"0.5"};
    custos_quantile_options o = {
        .size = sizeof o,
        .adjacency = CUSTOS_ADD_REMOVE,
        .upper = 2000000,
        .ranks = 1,
        .rank = half,
        .epsilon = "1",
    };
    custos_quantile *q = NULL;
    custos_status st = custos_quantile_new(NULL, &o, &q, err);

    for (int i = 0; i < 3 && !st; i++) {
        custos_sealed *sealed = NULL;
        int64_t out;

        st = custos_seal_wide(NULL, cells, VALUES + 1, &sealed, err);
        if (!st)
            st = custos_quantile_release(q, rng, sealed, VALUES + 1, &out, err);
        custos_sealed_free(sealed);
    }
    custos_quantile_free(q);
    return st;
}

static custos_status
measure_quantile(struct duck_connection *c, int64_t *ps, custos_err *err)
{
    custos_int *cells = calloc(VALUES + 1, sizeof *cells);
    int64_t took[RUNS], sorted = 0;
    custos_rng *rng = NULL;
    custos_status st = CUSTOS_OK;
    const struct kind sort = {
        "SELECT g, count(*) FROM made WHERE r <= 8 GROUP BY g ORDER BY g", 1};

    if (!cells)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    cells[0] = VALUES;
    for (custos_int i = 1; i <= VALUES; i++)
        cells[i] = 20 * i;
    st = custos_rng_new(&rng, err);
    for (size_t k = 0; k < RUNS && !st; k++) {
        took[k] = processor_ns();
        st = release_median(rng, cells, err);
        took[k] = processor_ns() - took[k];
    }
    if (!st)
        st = measure(c, &sort, 1, &sorted, err);
    if (!st) {
        qsort(took, RUNS, sizeof took[0], compare);
        *ps = sorted + took[RUNS / 2] * 1000 / VALUES;
    }
    custos_rng_free(rng);
    free(cells);
    return st;
}

/* The engine's part of a question that reads next to nothing, in microseconds;
   reading and planning it, twice, the ledger and messages take some more. */
static custos_status
measure_fixed(struct duck_connection *c, int64_t *us, custos_err *err)
{
    int64_t took[TINY_RUNS];
    custos_status st = CUSTOS_OK;

    for (size_t k = 0; k < TINY_RUNS && !st; k++) {
        took[k] = processor_ns();
        st = run_all(c,
                     "SELECT sum(n), count(*) FROM (SELECT u, count(*) AS n "
                     "FROM (SELECT k AS u FROM names WHERE t <> 'value 3') "
                     "GROUP BY u) WHERE n <= 8",
                     err);
        took[k] = processor_ns() - took[k];
    }
    if (st)
        return st;
    qsort(took, TINY_RUNS, sizeof took[0], compare);
    *us = FIXED_TIMES * took[TINY_RUNS / 2] / 1000;
    return CUSTOS_OK;
}

static bool
has_type(const struct policy *p, enum data_type a, enum data_type b)
{
    for (size_t i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_columns; k++) {
            enum data_type type = p->tables[i].columns[k].type;

            if (!p->tables[i].is_public && (type == a || type == b))
                return true;
        }
    return false;
}

/* What was measured, no further from the usual than is sane. */
static int64_t
settle(int64_t speed, int64_t usual)
{
    if (speed < usual / FASTER)
        return usual / FASTER;
    return speed > usual * SLOWER ? usual * SLOWER : speed;
}

static custos_status
measure_kinds(struct duck_connection *c, const struct policy *p,
              struct reply_speeds *out, custos_err *err)
{
    const struct reply_speeds usual = REPLY_SPEEDS_DEFAULT;
    struct reply_speeds s = {.rows = out->rows, .known = out->known};
    custos_status st = measure(c, scans, COUNT_OF(scans), &s.scan_ps, err);

    s.computed_ps = s.scan_ps;
    if (!st && has_type(p, TYPE_REAL, TYPE_DECIMAL))
        st = measure(c, reals, COUNT_OF(reals), &s.computed_ps, err);
    if (!st && has_type(p, TYPE_DATE, TYPE_TIMESTAMP))
        st = measure(c, dates, COUNT_OF(dates), &s.computed_ps, err);
    if (!st)
        st = measure(c, joins, COUNT_OF(joins), &s.text_ps, err);
    if (!st && has_type(p, TYPE_TEXT, TYPE_DATE))
        st = measure(c, labels, COUNT_OF(labels), &s.text_ps, err);
    if (!st)
        st = measure_quantile(c, &s.quantile_ps, err);
    if (!st)
        st = measure(c, sorts, COUNT_OF(sorts), &s.sort_ps, err);
    if (!st)
        st = measure_fixed(c, &s.fixed_us, err);
    if (st)
        return st;
    s.scan_ps = settle(s.scan_ps, usual.scan_ps);
    s.computed_ps = settle(s.computed_ps, usual.computed_ps);
    s.text_ps = settle(s.text_ps, usual.text_ps);
    s.sort_ps = settle(s.sort_ps, usual.sort_ps);
    s.quantile_ps = settle(s.quantile_ps, usual.quantile_ps);
    s.fixed_us = settle(s.fixed_us, usual.fixed_us);
    *out = s;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------ the machine -- */

static struct speed_machine
this_machine(void)
{
    struct speed_machine m = {.processors = sysconf(_SC_NPROCESSORS_ONLN)};

    snprintf(m.engine, sizeof m.engine, "%s", duck_version());
    return m;
}

static custos_status
speed_write(const struct store *s, const struct reply_speeds *speeds,
            custos_err *err)
{
    struct speed_machine machine = this_machine();
    char path[STORE_PATH_MAX];
    custos_status st;
    struct buf b;

    store_path(s, "speed", path);
    buf_init(&b, NULL, FILE_MOST);
    speed_print(&machine, speeds, &b);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : file_write(path, (str){b.ptr, b.len}, err);
    buf_clear(&b);
    return st;
}

bool
engine_speed_known(const struct store *s, struct reply_speeds *out)
{
    struct speed_machine machine = this_machine();
    char path[STORE_PATH_MAX], text[FILE_MOST];
    custos_err quiet = CUSTOS_ERR_INIT;
    size_t n;

    store_path(s, "speed", path);
    return !file_read_into(path, text, sizeof text, &n, &quiet) &&
           speed_parse((str){text, n}, &machine, out);
}

custos_status
engine_speed_measure(const struct store *s, const struct policy *p,
                     struct reply_speeds *out, custos_err *err)
{
    struct duck_connection *c = NULL;
    struct duck *db = NULL;
    custos_status st = duck_open(NULL, DUCK_WRITE, &db, err);

    if (!st)
        st = duck_connect(db, &c, err);
    if (!st)
        st = duck_own_add(c, err);
    if (!st)
        st = duck_do(c, made, err);
    if (!st)
        st = measure_kinds(c, p, out, err);
    duck_disconnect(c);
    duck_close(db);
    return st || store_is_read_only(s) ? st : speed_write(s, out, err);
}
