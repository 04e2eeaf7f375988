/*
 * Synthetic data: MST and AIM on the tables that papers report, with exact
 * discrete Gaussian noise and the exact exponential mechanism. The error is the
 * mean over all sets of three columns of the l1 distance between the shares of
 * the data and of the synthetic rows (0 to 2); for the data of NIST, over all pairs,
 * as the k-marginal score 500 (2 - mean). Of method tables, the tables of all pairs are
 * compared as they are released, beside the same pairs of the others' rows. Reads
 * ../shared/data, and prints nothing for data that is not there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "account/convert.h"
#include "measure.h"
#include "num/rat.h"
#include "synth/aim.h"
#include "synth/bound.h"
#include "synth/infer.h"
#include "synth/mst.h"
#include "synth/nonnegative.h"
#include "synth/planner.h"
#include "synth/rows.h"
#include "synopsis/estimate.h"
#include "synth_keeper.h"

enum { RUNS = 5 };

/* Of the model's tree at epsilon = 10: a quarter of what AIM could use. */
#define CAP_10 ((size_t)20 << 20)

/* Of that of method tables, as releases have it. */
#define TABLES_BYTES ((size_t)16 << 20)

static double
distance(const struct data *d, uint16_t *const *mine, uint16_t *const *rows,
         size_t n, struct colset set)
{
    size_t cells;
    int64_t *x = data_count(mine, d->size, d->n, d->rows, set, &cells);
    int64_t *y = data_count(rows, d->size, d->n, n, set, &cells);
    double sum = 0;

    for (size_t i = 0; i < cells; i++)
        sum += fabs((double)x[i] / (double)d->rows - (double)y[i] / (double)n);
    free(x);
    free(y);
    return sum;
}

/* All sets of `order` columns, 2 or 3; none for 0. */
static size_t
list_sets(const struct data *d, size_t order, struct colset *out)
{
    size_t n = 0;

    for (size_t a = 0; a < d->n; a++)
        for (size_t b = a + 1; b < d->n; b++) {
            struct colset pair = colset_or(colset_of(a), colset_of(b));

            if (order == 2)
                out[n++] = pair;
            for (size_t c = b + 1; order == 3 && c < d->n; c++)
                out[n++] = colset_or(pair, colset_of(c));
        }
    return n;
}

static amount
rho_of(const char *epsilon, const char *delta)
{
    amount rho = 0;
    rat e, d, r;

    rat_init(&e);
    rat_init(&d);
    rat_init(&r);
    measure_need(rat_read_positive(epsilon, "epsilon", &e, NULL) ||
                 rat_read_delta(delta, "delta", &d, NULL));
    zcdp_budget_down(&e, &d, &r);
    measure_need(!amount_from_rat_down(&r, AMOUNT_LOSS, &rho));
    rat_clear(&e);
    rat_clear(&d);
    rat_clear(&r);
    return rho;
}

enum method { MST, AIM };

/* Makes as many rows as the model says that there are. */
static uint16_t *
draw_rows(const struct synthesis *s, custos_rng *rng, size_t *n)
{
    const size_t columns = s->model->domain.n;
    uint16_t *rows;

    *n = (size_t)llround(s->model->total);
    rows = malloc(columns * *n * sizeof *rows);
    measure_need(!rows || model_rows(s->model, rng, *n, rows, NULL));
    for (size_t c = 0; s->recoding && c < columns; c++) {
        const struct merged_codes m = {
            s->recoding->map[c], s->recoding->from_size[c],
            s->recoding->size[c], s->recoding->share[c]};

        measure_need(merged_codes_draw(&m, NULL, rng, *n, rows + c * *n, NULL));
    }
    return rows;
}

/* The mean over all sets of so many columns. Bins the rows. */
static double
mean_distance(const struct data *d, size_t order, uint16_t *rows, size_t n)
{
    static struct colset
        sets[SYNTH_COLUMNS * SYNTH_COLUMNS * SYNTH_COLUMNS / 6];
    const size_t n_sets = list_sets(d, order, sets);
    uint16_t *mine[SYNTH_COLUMNS], *other[SYNTH_COLUMNS];
    double sum = 0;

    for (size_t c = 0; c < d->n; c++) {
        other[c] = rows + c * n;
        mine[c] = data_bin_own(&d->column[c], d->rows);
        data_bin_drawn(&d->column[c], other[c], n);
    }
    for (size_t i = 0; i < n_sets; i++)
        sum += distance(d, mine, other, n, sets[i]) / (double)n_sets;
    for (size_t c = 0; c < d->n; c++)
        free(mine[c]);
    return sum;
}

static custos_status
run_method(const struct data *d, enum method method, amount rho, size_t bytes,
           struct keeper *k, struct synthesis *out, custos_err *err)
{
    static struct colset
        sets[SYNTH_COLUMNS * SYNTH_COLUMNS * SYNTH_COLUMNS / 6];
    const struct domain domain = {d->n, d->size};
    const struct trusted t = keeper_trusted(k);
    const struct mst_options mst = {&domain, rho, 1, NULL, 0, 0};
    struct aim_options aim = AIM_OPTIONS_INIT;

    aim.domain = &domain;
    aim.rho = rho;
    aim.bytes = bytes ? bytes : aim.bytes;
    aim.workload = (struct workload){sets, NULL, list_sets(d, 3, sets)};
    return method == MST ? mst_run(NULL, &mst, &t, out, err)
                         : aim_run(NULL, &aim, &t, k->rng, out, err);
}

/* The bounds on all sets of three as ratios to the model's error: of those that were
   measured, and of others; how many hold, and the median. */
static void
compare_bounds(const struct data *d, const struct synthesis *s,
               const struct released *r)
{
    static struct colset
        sets[SYNTH_COLUMNS * SYNTH_COLUMNS * SYNTH_COLUMNS / 6];
    static double ratio[2][COUNT_OF(sets)];
    const size_t n_sets = list_sets(d, 3, sets);
    uint16_t *code[SYNTH_COLUMNS];
    size_t n[2] = {0, 0}, hold[2] = {0, 0};

    for (size_t c = 0; c < d->n; c++)
        code[c] = d->column[c].code;
    for (size_t i = 0; i < n_sets; i++) {
        const bool measured = model_measured(s->model, sets[i]);
        double bound, error = 0, *x;
        int64_t *y;
        size_t cells;

        measure_need(model_bound(s->model, r, sets[i], n_sets, &bound, NULL));
        if (isinf(bound))
            continue;
        y = data_count(code, d->size, d->n, d->rows, sets[i], &cells);
        x = malloc(cells * sizeof *x);
        measure_need(!x ||
                     model_marginal(s->model, sets[i], SIZE_MAX, x, NULL));
        for (size_t k = 0; k < cells; k++)
            error += fabs(x[k] - (double)y[k]);
        hold[measured] += error <= bound;
        ratio[measured][n[measured]++] = bound / error;
        free(x);
        free(y);
    }
    for (int k = 0; k < 2; k++)
        if (n[k] > 0)
            fprintf(stderr,
                    "%s: %zu of %zu bounds hold; median bound/error %.1f\n",
                    k ? "measured" : "other", hold[k], n[k],
                    measure_median(ratio[k], n[k]));
}

/* One run: its error, that of pairs where the error is that of sets of three, and
   seconds. */
static double
synthesize(const struct data *d, enum method method, amount rho, size_t bytes,
           custos_rng *rng, double *pairs, double *seconds)
{
    struct keeper k = keeper_of(d, rng);
    custos_err err = CUSTOS_ERR_INIT;
    double error, before = measure_seconds();
    struct synthesis s;
    arena *a = arena_new(NULL, (size_t)1 << 30);
    const struct domain domain = {d->n, d->size};
    uint16_t *rows;
    size_t n;

    measure_need(!a || released_new(a, &domain, &k.released, &err));
    if (run_method(d, method, rho, bytes, &k, &s, &err))
        fprintf(stderr, "%s\n", err.said);
    measure_need(!s.model);
    rows = draw_rows(&s, rng, &n);
    *seconds = measure_seconds() - before;
    measure_need(k.spent + s.left != rho);
    error = mean_distance(d, d->order, rows, n);
    *pairs = d->order == 3 ? mean_distance(d, 2, rows, n) : 0;
    fprintf(stderr,
            "%s: error %.4f, %.2f s (%.2f s since the start, of one "
            "processor), %zu rounds, a tree of %.1f MB, %zu rows\n",
            method == MST ? "MST" : "AIM", error, *seconds,
            (double)clock() / CLOCKS_PER_SEC, s.rounds,
            (double)tree_bytes(&s.model->tree) / (1 << 20), n);
    if (method == AIM && d->order == 3) {
        measure_need(released_limits(k.released, s.limits, s.n_limits, NULL));
        compare_bounds(d, &s, k.released);
    }
    arena_free(a);
    free(rows);
    synthesis_free(&s);
    keeper_clear(&k);
    return error;
}

/* Runs `runs` times and prints what users look at: the l1 distance of sets of
   three, or the k-marginal score of pairs. */
static void
report(const struct data *d, const char *name, enum method method,
       const char *epsilon, size_t bytes, int runs, custos_rng *rng)
{
    const amount rho = rho_of(epsilon, "1e-9");
    double error = 0, pairs = 0, of_pairs, seconds[RUNS];
    char line[64];

    for (int i = 0; i < runs; i++) {
        error +=
            synthesize(d, method, rho, bytes, rng, &of_pairs, &seconds[i]) /
            runs;
        pairs += of_pairs / runs;
    }
    snprintf(line, sizeof line, "synth_%s_%s", name,
             d->order == 3 ? "l1" : "k");
    measure_print(line, d->order == 3 ? error : 500 * (2 - error),
                  d->order == 3 ? "l1" : "points");
    snprintf(line, sizeof line, "synth_%s_pairs_l1", name);
    if (d->order == 3)
        measure_print(line, pairs, "l1");
    snprintf(line, sizeof line, "synth_%s_s", name);
    measure_print(line, measure_median(seconds, (size_t)runs), "s");
}

/* ----------------------------------------------------------------- tables -- */

/* Errors of all tables of pairs, and seconds. */
struct tables_run {
    double unbiased, nonnegative;
    double seconds, solving; /* of these: the latter is beside the former */
};

/* The l1 distance of a table's shares to the exact ones. */
static double
table_error(const struct data *d, struct colset set, const double *x,
            double total)
{
    uint16_t *code[SYNTH_COLUMNS];
    size_t cells;
    int64_t *y;
    double sum = 0;

    for (size_t c = 0; c < d->n; c++)
        code[c] = d->column[c].code;
    y = data_count(code, d->size, d->n, d->rows, set, &cells);
    for (size_t k = 0; k < cells; k++)
        sum += fabs(x[k] / total - (double)y[k] / (double)d->rows);
    free(y);
    return sum;
}

/* All tables as they are released: unbiased with their errors, and without negative
   cells. */
static void
compare_tables(const struct data *d, struct released *r,
               const struct colset *sets, size_t n, struct tables_run *out)
{
    struct schema schema = {.domain = {d->n, d->size}};
    const struct synopsis s = {.schema = &schema, .released = r};
    struct residual *parts = calloc(r->n_tables, sizeof *parts);
    double **x = calloc(n, sizeof *x), *error = NULL, before;
    arena *a = arena_new(NULL, (size_t)1 << 32);
    struct nonnegative solved;
    double total = 1;

    measure_need(!parts || !x || !a);
    for (size_t i = 0; i < r->n_tables; i++) {
        parts[i] = (struct residual){r->tables[i].set, r->tables[i].values,
                                     r->tables[i].variance};
        if (colset_is_empty(parts[i].set))
            total = (double)parts[i].values[0];
    }
    before = measure_seconds();
    for (size_t i = 0; i < n; i++) {
        const size_t cells = domain_cells(&schema.domain, sets[i]);

        x[i] = malloc(cells * sizeof **x);
        error = realloc(error, cells * sizeof *error);
        measure_need(!x[i] || !error ||
                     estimate_measured(&s, NULL, sets[i], x[i], error, NULL));
    }
    out->seconds += measure_seconds() - before;
    for (size_t i = 0; i < n; i++)
        out->unbiased += table_error(d, sets[i], x[i], total) / (double)n;
    before = measure_seconds();
    measure_need(nonnegative_make(a, &schema.domain, parts, r->n_tables, sets,
                                  n, &solved, NULL));
    for (size_t i = 0; i < n; i++)
        nonnegative_table(&solved, sets[i], x[i]);
    out->solving = measure_seconds() - before;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t k = 0; k < domain_cells(&schema.domain, sets[i]); k++)
            sum += x[i][k];
        out->nonnegative += table_error(d, sets[i], x[i], sum) / (double)n;
        free(x[i]);
    }
    arena_free(a);
    free(x);
    free(error);
    free(parts);
}

static struct tables_run
run_tables(const struct data *d, amount rho, custos_rng *rng)
{
    static struct colset sets[SYNTH_COLUMNS * SYNTH_COLUMNS];
    const struct domain domain = {d->n, d->size};
    const struct planner_options o = {
        .domain = &domain,
        .rho = rho,
        .l2_squared = 1,
        .workload = {.sets = sets, .n = list_sets(d, 2, sets)},
        .bytes = TABLES_BYTES};
    arena *a = arena_new(NULL, (size_t)1 << 32);
    struct keeper k = keeper_of(d, rng);
    const struct trusted t = keeper_trusted(&k);
    const double before = measure_seconds();
    custos_err err = CUSTOS_ERR_INIT;
    struct tables_run out = {0};
    struct synthesis s;

    measure_need(!a || released_new(a, &domain, &k.released, &err));
    if (planner_run(NULL, &o, &t, &s, &err))
        fprintf(stderr, "%s\n", err.said);
    measure_need(!s.model || k.spent + s.left != rho);
    out.seconds = measure_seconds() - before;
    compare_tables(d, k.released, sets, o.workload.n, &out);
    fprintf(stderr,
            "tables: error of pairs %.4f, without negative cells %.4f, %.2f s "
            "and %.2f s, %zu residuals, a tree of %.1f MB\n",
            out.unbiased, out.nonnegative, out.seconds, out.solving, s.rounds,
            (double)tree_bytes(&s.model->tree) / (1 << 20));
    synthesis_free(&s);
    keeper_clear(&k);
    arena_free(a);
    return out;
}

static void
report_tables(const struct data *d, const char *epsilon, int runs,
              custos_rng *rng)
{
    const amount rho = rho_of(epsilon, "1e-9");
    double unbiased = 0, nonnegative = 0, seconds[RUNS];

    for (int i = 0; i < runs; i++) {
        const struct tables_run of = run_tables(d, rho, rng);

        unbiased += of.unbiased / runs;
        nonnegative += of.nonnegative / runs;
        seconds[i] = of.seconds + of.solving;
    }
    measure_print("synth_adult_tables_l1", unbiased, "l1");
    measure_print("synth_adult_tables_nonnegative_l1", nonnegative, "l1");
    measure_print("synth_adult_tables_s", measure_median(seconds, (size_t)runs),
                  "s");
}

/* A million rows of 100 columns: MST, and all tables of pairs. */
static void
report_wide(custos_rng *rng)
{
    const amount rho = rho_of("1", "1e-9");
    struct data d = data_make_wide();
    struct tables_run tables;
    struct rusage usage;
    double mst, pairs;

    synthesize(&d, MST, rho, 0, rng, &pairs, &mst);
    tables = run_tables(&d, rho, rng);
    measure_print("synth_wide_mst_s", mst, "s");
    measure_print("synth_wide_tables_s", tables.seconds, "s");
    measure_print("synth_wide_nonnegative_s", tables.solving, "s");
    measure_print("synth_wide_s", mst + tables.seconds + tables.solving, "s");
    if (!getrusage(RUSAGE_SELF, &usage))
        measure_print("synth_wide_memory_mb", (double)usage.ru_maxrss / 1024,
                      "MB");
    data_clear(&d);
}

static bool
is_wanted(int argc, char **argv, const char *name)
{
    return argc < 3 || strcmp(argv[2], name) == 0;
}

int
main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : RUNS;
    struct rusage usage;
    custos_rng *rng = NULL;
    struct data d;

    measure_need(custos_rng_new(&rng, NULL) || runs < 1 || runs > RUNS);
    if (data_read_adult(&d)) {
        if (is_wanted(argc, argv, "adult_mst"))
            report(&d, "adult_mst", MST, "1", 0, runs, rng);
        if (is_wanted(argc, argv, "adult_aim"))
            report(&d, "adult_aim", AIM, "1", 0, runs, rng);
        if (is_wanted(argc, argv, "adult_tables"))
            report_tables(&d, "1", runs, rng);
        if (is_wanted(argc, argv, "adult10_aim"))
            report(&d, "adult10_aim", AIM, "10", CAP_10, 1, rng);
        data_clear(&d);
    }
    if (data_read_acs(&d)) {
        if (is_wanted(argc, argv, "nist_mst"))
            report(&d, "nist_mst", MST, "1", 0, runs, rng);
        if (is_wanted(argc, argv, "nist_aim"))
            report(&d, "nist_aim", AIM, "1", 0, runs, rng);
        data_clear(&d);
    }
    if (!getrusage(RUSAGE_SELF, &usage))
        measure_print("synth_memory_mb", (double)usage.ru_maxrss / 1024, "MB");
    if (is_wanted(argc, argv, "wide"))
        report_wide(rng);
    custos_rng_free(rng);
    return 0;
}
