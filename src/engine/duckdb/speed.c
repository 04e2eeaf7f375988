/*
 * Runs each kind of statement (speed_measured.sql) on made-up rows (speed_made.sql)
 * and takes the median of its times. These are processor times of this thread, with
 * the engine on one thread. So they are what a worker needs when all others are busy
 * too, whatever else the machine does during the measurement.
 */
#include "engine/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/duckdb/duck.h"
#include "engine/duckdb/duck_texts.h"
#include "engine/run/radix.h"
#include "mech/i128.h"
#include "mech/quantile_box.h"
#include "store/file.h"

enum {
    ROWS = 500000, /* of speed_made.sql */
    VALUES =
        500000, /* for quantiles, of so many bits, as wide as ranges get: */
    SORT_BITS = 61,
    RUNS = 3,
    TINY_RUNS = 31,
    RUNS_MOST = TINY_RUNS,
    STATEMENT_MOST = 1 << 12,
    FIXED_TIMES = 3,
    FASTER = 16, /* how many times as fast as the default a machine may be */
    SLOWER = 64, /* how many times as slow */
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
               "custos speed 3\nengine %s\nprocessors %ld\nscan %lld\n"
               "computed %lld\ntext %lld\nsort %lld\nquantile %lld\n"
               "fixed %lld\n",
               machine->engine, machine->processors, (long long)s->scan_ps,
               (long long)s->computed_ps, (long long)s->text_ps,
               (long long)s->sort_ps, (long long)s->quantile_ps,
               (long long)s->fixed_us);
}

/* The text is complete if speed_print writes the same for the speeds that were read. */
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
               "custos speed 3\nengine %31s\nprocessors %9ld\nscan %18lld\n"
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

/* Finds the next statement of speed_measured.sql with this name, from *at on; false:
   there is none. */
static bool
statement_next(const char *name, const char **at, str *out)
{
    static const char mark[] = "\n-- measure: ";
    size_t len = strlen(name);

    while ((*at = strstr(*at, mark))) {
        const char *from = *at + sizeof mark - 1, *end = strstr(from, mark);

        *at = from;
        if (strncmp(from, name, len) != 0 || from[len] != '\n')
            continue;
        from += len;
        *out = (str){from, end ? (size_t)(end - from) : strlen(from)};
        return true;
    }
    return false;
}

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
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *rows = NULL;
    size_t n = 1;
    custos_status st = duck_ask(c, sql, &rows, err);

    while (!st && n > 0)
        st = result_next(rows, &n, columns, err);
    result_free(rows);
    return st;
}

/* Measures nanoseconds: the median of some runs. */
static custos_status
measure_runs(struct duck_connection *c, str statement, size_t runs, int64_t *ns,
             custos_err *err)
{
    int64_t took[RUNS_MOST];
    custos_status st = CUSTOS_OK;
    struct buf sql;

    CUSTOS_REQUIRE(runs >= 1 && runs <= RUNS_MOST);
    buf_init(&sql, NULL, STATEMENT_MOST);
    buf_add(&sql, statement.ptr, statement.len);
    if (sql.failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t k = 0; k < runs && !st; k++) {
        took[k] = processor_ns();
        st = run_all(c, buf_text(&sql), err);
        took[k] = processor_ns() - took[k];
    }
    buf_clear(&sql);
    if (st)
        return st;
    qsort(took, runs, sizeof took[0], compare);
    *ns = took[runs / 2];
    return CUSTOS_OK;
}

/* Raises *ns to the median time of the slowest statement of this name. */
static custos_status
measure_slowest(struct duck_connection *c, const char *name, size_t runs,
                int64_t *ns, custos_err *err)
{
    const char *at = (const char *)speed_measured_sql;
    custos_status st = CUSTOS_OK;
    size_t n = 0;
    str statement;

    for (; !st && statement_next(name, &at, &statement); n++) {
        int64_t one = 0;

        st = measure_runs(c, statement, runs, &one, err);
        if (!st && one > *ns)
            *ns = one;
    }
    CUSTOS_REQUIRE(n > 0);
    return st;
}

/* Raises *ps to the picoseconds per row of the slowest statement. units: how often
   reply_class.c counts the speed for a row. */
static custos_status
measure_rows(struct duck_connection *c, const char *name, unsigned units,
             int64_t *ps, custos_err *err)
{
    int64_t ns = 0;
    custos_status st = measure_slowest(c, name, RUNS, &ns, err);

    if (!st && ns * 1000 / ROWS / units > *ps)
        *ps = ns * 1000 / ROWS / units;
    return st;
}

/* Spreads values over all bits: 2^64 over the golden ratio. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Sorts values, and releases a median as a query does, at a price at which few ways
   to cut them matter. */
static custos_status
release_median(custos_rng *rng, const custos_quantile *q,
               const custos_mech *counts, u128 *values, u128 *room,
               custos_err *err)
{
    i128 out[2 + BOX_EDGES + 1], *cells = (i128 *)room;
    custos_sealed *sealed = NULL;
    custos_status st;

    radix_sort(values, VALUES, 0, SORT_BITS, room);
    cells[0] = VALUES;
    memcpy(cells + 1, values, VALUES * sizeof *values);
    st = seal_i128(NULL, cells, VALUES + 1, &sealed, err);
    if (!st)
        st = box_release(q, counts, rng, sealed, VALUES + 1, out, err);
    custos_sealed_free(sealed);
    return st;
}

static custos_status
median_make(custos_quantile **q, custos_mech **counts, custos_err *err)
{
    static const char *const half[] = {"0.5"};
    const custos_quantile_options o = {.size = sizeof o,
                                       .adjacency = CUSTOS_ADD_REMOVE,
                                       .upper = (int64_t)1 << SORT_BITS,
                                       .ranks = 1,
                                       .rank = half,
                                       .epsilon = "1"};
    const custos_mech_options c = {.size = sizeof c,
                                   .kind = CUSTOS_LAPLACE,
                                   .domain = CUSTOS_WIDE,
                                   .values = box_counts(1),
                                   .sensitivity = "1",
                                   .epsilon = "1"};
    uint64_t around = 0;
    custos_status st = custos_mech_new(NULL, &c, counts, err);

    if (!st)
        st = box_around(*counts, 1, &around, err);
    return st ? st : quantile_new_around(NULL, &o, around, q, err);
}

/* Measures picoseconds per value. */
static custos_status
measure_median(u128 *values, u128 *room, int64_t *ps, custos_err *err)
{
    custos_quantile *q = NULL;
    custos_mech *counts = NULL;
    custos_rng *rng = NULL;
    int64_t took[RUNS];
    custos_status st = median_make(&q, &counts, err);

    if (!st)
        st = custos_rng_new(&rng, err);
    for (size_t k = 0; k < RUNS && !st; k++) {
        for (uint64_t i = 0; i < VALUES; i++)
            values[i] = (i * GOLDEN) >> (64 - SORT_BITS);
        took[k] = processor_ns();
        st = release_median(rng, q, counts, values, room, err);
        took[k] = processor_ns() - took[k];
    }
    if (!st) {
        qsort(took, RUNS, sizeof took[0], compare);
        *ps = took[RUNS / 2] * 1000 / VALUES;
    }
    custos_rng_free(rng);
    custos_mech_free(counts);
    custos_quantile_free(q);
    return st;
}

static custos_status
measure_quantile(struct duck_connection *c, int64_t *ps, custos_err *err)
{
    u128 *values = calloc(VALUES, sizeof *values);
    u128 *room = calloc(VALUES + 1, sizeof *room);
    int64_t read = 0, median = 0;
    custos_status st = CUSTOS_OK;

    if (!values || !room)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = measure_median(values, room, &median, err);
    if (!st)
        st = measure_rows(c, "quantile", 1, &read, err);
    *ps = read + median;
    free(values);
    free(room);
    return st;
}

/* Measures the fixed time of a question, in microseconds: the engine's time for one
   that reads almost nothing, times FIXED_TIMES. The surplus is for parsing and
   planning it twice, for the ledger and for messages. */
static custos_status
measure_fixed(struct duck_connection *c, int64_t *us, custos_err *err)
{
    int64_t ns = 0;
    custos_status st = measure_slowest(c, "tiny", TINY_RUNS, &ns, err);

    if (!st)
        *us = FIXED_TIMES * ns / 1000;
    return st;
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

/* Clamps a measured speed to a sane range around the default. */
static int64_t
clamp_speed(int64_t speed, int64_t usual)
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
    custos_status st = measure_rows(c, "scan", 1, &s.scan_ps, err);

    s.computed_ps = s.scan_ps;
    if (!st && has_type(p, TYPE_REAL, TYPE_DECIMAL))
        st = measure_rows(c, "real", 1, &s.computed_ps, err);
    if (!st && has_type(p, TYPE_DATE, TYPE_TIMESTAMP))
        st = measure_rows(c, "date", 1, &s.computed_ps, err);
    if (!st)
        st = measure_rows(c, "join", 1, &s.text_ps, err);
    if (!st && has_type(p, TYPE_TEXT, TYPE_DATE))
        st = measure_rows(c, "label", 2, &s.text_ps, err);
    if (!st)
        st = measure_quantile(c, &s.quantile_ps, err);
    if (!st)
        st = measure_rows(c, "sort", 1, &s.sort_ps, err);
    if (!st)
        st = measure_fixed(c, &s.fixed_us, err);
    if (st)
        return st;
    s.scan_ps = clamp_speed(s.scan_ps, usual.scan_ps);
    s.computed_ps = clamp_speed(s.computed_ps, usual.computed_ps);
    s.text_ps = clamp_speed(s.text_ps, usual.text_ps);
    s.sort_ps = clamp_speed(s.sort_ps, usual.sort_ps);
    s.quantile_ps = clamp_speed(s.quantile_ps, usual.quantile_ps);
    s.fixed_us = clamp_speed(s.fixed_us, usual.fixed_us);
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
        st = duck_do(c, (const char *)speed_made_sql, err);
    if (!st)
        st = measure_kinds(c, p, out, err);
    duck_disconnect(c);
    duck_close(db);
    return st || store_is_read_only(s) ? st : speed_write(s, out, err);
}
