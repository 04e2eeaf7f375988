/*
 * Synthetic data: MST and AIM on the tables that papers report, with exact
 * discrete Gaussian noise and the exact exponential mechanism. The error is the
 * mean over all sets of three columns of the l1 distance between the shares of
 * the data and of the synthetic rows (0 to 2); for the data of NIST, over all pairs,
 * as the k-marginal score 500 (2 - mean). Reads ../shared/data, and prints
 * nothing for data that is not there.
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
#include "synth/rows.h"
#include "synth_keeper.h"

enum { RUNS = 5 };

/* Of the model's tree at epsilon = 10: a quarter of what AIM could use. */
#define CAP_10 ((size_t)20 << 20)

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

/* The mean over all sets of d->order columns. Bins the rows. */
static double
mean_distance(const struct data *d, uint16_t *rows, size_t n)
{
    static struct colset
        sets[SYNTH_COLUMNS * SYNTH_COLUMNS * SYNTH_COLUMNS / 6];
    const size_t n_sets = list_sets(d, d->order, sets);
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

/* One run: its error, and seconds. */
static double
synthesize(const struct data *d, enum method method, amount rho, size_t bytes,
           custos_rng *rng, double *seconds)
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
    error = mean_distance(d, rows, n);
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
    double error = 0, seconds[RUNS];
    char line[64];

    for (int i = 0; i < runs; i++)
        error += synthesize(d, method, rho, bytes, rng, &seconds[i]) / runs;
    snprintf(line, sizeof line, "synth_%s_%s", name,
             d->order == 3 ? "l1" : "k");
    measure_print(line, d->order == 3 ? error : 500 * (2 - error),
                  d->order == 3 ? "l1" : "points");
    snprintf(line, sizeof line, "synth_%s_s", name);
    measure_print(line, measure_median(seconds, (size_t)runs), "s");
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
    if (is_wanted(argc, argv, "wide")) {
        double seconds;

        d = data_make_wide();
        synthesize(&d, MST, rho_of("1", "1e-9"), 0, rng, &seconds);
        measure_print("synth_wide_s", seconds, "s");
        data_clear(&d);
    }
    custos_rng_free(rng);
    return 0;
}
