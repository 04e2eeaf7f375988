/*
 * TPC-H-shaped tables, customer the unit, lineitem -> orders -> customer: the
 * private form of five queries against the plain one, on one store in one run.
 * Neighbouring pairs take turns, and the median of their ratios decides.
 *
 *     build/bench/tpch [SCALE] [FOLDER]
 *
 * SCALE as TPC-H has it (1: six million lines); the data is made below FOLDER
 * (/tmp) and removed. It has the sizes, types and ranges of TPC-H, drawn by a
 * hash; names of 25 nations and 5 regions instead of the text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curator/curator.h"
#include "engine/duck.h"
#include "made.h"
#include "measure.h"
#include "store/file.h"
#include "tpch_data.h"

enum {
    RUNS = 7,
    SEEN = 40,
    PATH_ROOM = 512,
    SQL_MAX = 1 << 16,
    VALUES_MOST = 1 << 14
};

static struct curator *curator;
static struct duck_connection *plain;
static int asked; /* makes every question a new one */

static void
make_files(const char *folder, const struct tpch_sizes *sizes)
{
    struct duck_connection *c = NULL;
    struct duck *d = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf sql;

    if (duck_open(NULL, DUCK_WRITE, &d, &err) || duck_connect(d, &c, &err) ||
        duck_do(c, tpch_macro, &err))
        made_stop("an engine", &err);
    for (size_t i = 0; i < TPCH_TABLES; i++) {
        buf_init(&sql, NULL, SQL_MAX);
        tpch_print_copy(&sql, i, folder, sizes);
        if (duck_do(c, buf_text(&sql), &err))
            made_stop(tpch_tables[i].name, &err);
        buf_clear(&sql);
    }
    duck_disconnect(c);
    duck_close(d);
}

static void
make_store(const char *folder, const struct tpch_sizes *sizes)
{
    struct buf policy;

    make_files(folder, sizes);
    buf_init(&policy, NULL, SQL_MAX);
    tpch_print_policy(&policy, sizes, TPCH_DECLARED);
    made_store(folder, buf_text(&policy));
    buf_clear(&policy);
}

/* The stored tables under their names, for the plain queries. */
static void
open_both(const char *folder, struct duck **d)
{
    char path[PATH_ROOM + 64];
    custos_err err = CUSTOS_ERR_INIT;
    struct buf sql;

    snprintf(path, sizeof path, "%s/store", folder);
    if (curator_open(path, &curator, &err))
        made_stop("open", &err);
    if (duck_open(NULL, DUCK_WRITE, d, &err) || duck_connect(*d, &plain, &err))
        made_stop("plain", &err);
    snprintf(path, sizeof path,
             "ATTACH '%s/store/data/1.duckdb' AS s "
             "(READ_ONLY)",
             folder);
    if (duck_do(plain, path, &err))
        made_stop("plain", &err);
    for (size_t i = 0; i < TPCH_TABLES; i++) {
        buf_init(&sql, NULL, SQL_MAX);
        buf_printf(&sql, "CREATE VIEW %s AS SELECT ", tpch_tables[i].name);
        for (size_t k = 0; k < TPCH_COLUMNS && tpch_tables[i].columns[k][0];
             k++)
            buf_printf(&sql, "%sc%zu AS %s", k ? ", " : "", k,
                       tpch_tables[i].columns[k][0]);
        buf_printf(&sql, " FROM s.t%zu", i);
        if (duck_do(plain, buf_text(&sql), &err))
            made_stop(buf_text(&sql), &err);
        buf_clear(&sql);
    }
}

/* -------------------------------------------------------------- queries -- */

/* The exact answer, as text of keys and doubles. */
enum { CELLS_MAX = 512, KEY_MAX = 64 };
struct exact {
    size_t n;
    char key[CELLS_MAX][KEY_MAX];
    double value[CELLS_MAX];
};

static double
number_at(const struct duck_column *c, size_t row)
{
    return c->type == DUCK_F64 ? duck_real(c, row)
                               : (double)duck_whole(c, row) / pow(10, c->scale);
}

static double
ask_plain(const struct tpch_query *q, struct exact *exact)
{
    struct duck_column columns[TPCH_COLUMNS];
    struct duck_rows *rows = NULL;
    char sql[2048], key[KEY_MAX];
    size_t n = 0;
    custos_err err = CUSTOS_ERR_INIT;
    double t = measure_seconds();

    exact->n = 0;
    snprintf(sql, sizeof sql, "SELECT %s", q->sql);
    if (duck_ask(plain, sql, &rows, &err))
        made_stop(sql, &err);
    while (!duck_next(rows, &n, columns, &err) && n > 0)
        for (size_t row = 0; row < n; row++) {
            key[0] = 0;
            for (size_t i = 0; i < q->n_keys; i++) {
                str s = duck_text(&columns[i], row);

                snprintf(key + strlen(key), sizeof key - strlen(key), "%.*s,",
                         (int)s.len, s.ptr);
            }
            for (size_t i = q->n_keys;
                 i < duck_width(rows) && exact->n < CELLS_MAX; i++) {
                snprintf(exact->key[exact->n], KEY_MAX, "%s%zu", key, i);
                exact->value[exact->n++] = number_at(&columns[i], row);
            }
        }
    duck_rows_free(rows);
    return measure_seconds() - t;
}

static struct answer *
ask_private(const struct tpch_query *q, double *seconds)
{
    char sql[2048], epsilon[32];
    struct answer *answer = NULL;
    struct ask a = {.now = 1};
    custos_err err = CUSTOS_ERR_INIT;

    snprintf(sql, sizeof sql, "SELECT %s", q->sql);
    snprintf(epsilon, sizeof epsilon, "1.%06d", ++asked);
    a.sql = str_of(sql);
    a.epsilon = str_of(epsilon);
    *seconds = measure_seconds();
    if (curator_answer(curator, &a, &answer, &err))
        made_stop(q->name, &err);
    *seconds = measure_seconds() - *seconds;
    return answer;
}

/* How the private values lie about the exact ones. */
struct seen {
    size_t values, covered;
    double lost[VALUES_MOST]; /* shares of exact values that are missing */
};

static double
number_of(const struct datum *d)
{
    struct buf text;
    double x;

    buf_init(&text, NULL, 256);
    datum_write(d, &text);
    x = strtod(buf_text(&text), NULL);
    buf_clear(&text);
    return x;
}

static void
see_cell(const char *key, const struct answer_cell *cell,
         const struct exact *exact, struct seen *seen)
{
    for (size_t i = 0; i < exact->n; i++) {
        double x = exact->value[i];

        if (strcmp(exact->key[i], key) != 0 || !cell->has_bar ||
            seen->values == VALUES_MOST)
            continue;
        seen->lost[seen->values++] = 1 - number_of(&cell->value) / x;
        seen->covered +=
            number_of(&cell->low) <= x && x <= number_of(&cell->high);
    }
}

static void
see(const struct tpch_query *q, const struct answer *a,
    const struct exact *exact, struct seen *seen)
{
    char key[KEY_MAX + 32];

    for (size_t row = 0; row < a->n_rows; row++) {
        const struct answer_cell *cells = &a->cells[row * a->n_columns];
        size_t used = 0;

        key[0] = 0;
        for (size_t i = 0; i < q->n_keys; i++)
            used += (size_t)snprintf(key + used, sizeof key - used, "%.*s,",
                                     (int)cells[i].value.text.len,
                                     cells[i].value.text.ptr);
        for (size_t i = q->n_keys; i < a->n_columns; i++) {
            snprintf(key + used, sizeof key - used, "%zu", i);
            see_cell(key, &cells[i], exact, seen);
        }
    }
}

static void
measure(const struct tpch_query *q, struct seen *all)
{
    static struct exact exact;
    double ratio[RUNS], private[RUNS], open[RUNS], t;
    struct answer *answer;

    answer_free(ask_private(q, &t));
    (void)ask_plain(q, &exact);
    for (int i = 0; i < RUNS; i++) {
        answer = ask_private(q, &private[i]);
        open[i] = ask_plain(q, &exact);
        ratio[i] = private[i] / open[i];
        see(q, answer, &exact, all);
        answer_free(answer);
    }
    for (int i = 0; i < SEEN; i++) {
        answer = ask_private(q, &t);
        see(q, answer, &exact, all);
        answer_free(answer);
    }
    printf("%-4s %8.3f s  plain %8.3f s  ratio %5.2f\n", q->name,
           measure_median(private, RUNS), measure_median(open, RUNS),
           measure_median(ratio, RUNS));
    printf("bench: tpch_%s_ratio %.3f of plain\n", q->name,
           measure_median(ratio, RUNS));
}

/* The same data under a policy that names no bounds: each query chooses one. */
static void
choose_bounds(const char *folder, const struct tpch_sizes *sizes)
{
    char path[PATH_ROOM + 64];
    struct buf policy;
    custos_err err = CUSTOS_ERR_INIT;

    curator_close(curator);
    buf_init(&policy, NULL, SQL_MAX);
    tpch_print_policy(&policy, sizes, TPCH_CHOSEN);
    made_store(folder, buf_text(&policy));
    buf_clear(&policy);
    snprintf(path, sizeof path, "%s/store", folder);
    if (curator_open(path, &curator, &err))
        made_stop("open", &err);
}

/* What the bounds that queries choose leave out, and the choice's time. */
static void
measure_loss(const struct tpch_query *q)
{
    static struct exact exact;
    double private[RUNS], open[RUNS], ratio[RUNS];
    static struct seen seen;

    seen.values = 0;
    for (int i = 0; i < RUNS; i++) {
        struct answer *answer = ask_private(q, &private[i]);

        open[i] = ask_plain(q, &exact);
        ratio[i] = private[i] / open[i];
        see(q, answer, &exact, &seen);
        answer_free(answer);
    }
    printf("%-4s %8.3f s  plain %8.3f s  ratio %5.2f with bounds that it "
           "chooses; of a value %.1f %% are lost (the median; with noise)\n",
           q->name, measure_median(private, RUNS), measure_median(open, RUNS),
           measure_median(ratio, RUNS),
           100 * measure_median(seen.lost, seen.values));
}

int
main(int argc, char **argv)
{
    double scale = argc > 1 ? strtod(argv[1], NULL) : 1;
    struct tpch_sizes sizes = {.customers = (int)(150000 * scale),
                               .suppliers = (int)(10000 * scale),
                               .parts = (int)(200000 * scale),
                               .lines = 256};
    char folder[PATH_ROOM];
    static struct seen seen;
    struct duck *d;

    snprintf(folder, sizeof folder, "%.400s/custos-bench.XXXXXX",
             argc > 2 ? argv[2] : "/tmp");
    if (!(scale >= 0.01 && scale <= 1000) || !mkdtemp(folder))
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_store(folder, &sizes);
    open_both(folder, &d);
    for (size_t i = 0; i < TPCH_QUERIES; i++)
        measure(&tpch_queries[i], &seen);
    printf("bench: tpch_covered %.2f %% of %zu values within their bars\n",
           100.0 * (double)seen.covered / (double)seen.values, seen.values);
    choose_bounds(folder, &sizes);
    for (size_t i = 0; i < TPCH_QUERIES; i++)
        measure_loss(&tpch_queries[i]);
    curator_close(curator);
    duck_disconnect(plain);
    duck_close(d);
    tree_remove(folder);
    return 0;
}
