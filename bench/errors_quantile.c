/*
 * Quantiles with certified ends, compared with the exponential mechanism
 * (several quantiles: with approximate quantiles, Kaplan, Schnapp, Stemmer
 * 2022) at the full price and without a bar. For each data set: the 95 % error of
 * the value, half the mean length of the interval, both over the 95 % error of
 * the reference or one grid step if that is larger, and the coverage. The
 * figures are the largest over the data sets, except that the coverage is the
 * smallest.
 *
 * Values in heaps have figures of their own: there the reference errs by a whole
 * gap between heaps or not at all, by whether a little more or a little less than
 * 5 % of its draws miss the heap, so that no bound holds for these ratios. Data sets
 * with epsilon n min(q, 1 - q) below 100 are left out: so few values say little.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "curator/quantile.h"
#include "measure.h"
#include "mech/i128.h"
#include "num/rat_round.h"

enum { RUNS = 2000, VALUES = 4000, RANKS_MAX = 9, UPPER = 1000000 };

static custos_rng *rng;
static uint64_t state = 1;

static void
must(custos_status st, const custos_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "errors_quantile: %s\n", err->said);
    exit(1);
}

static double
uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double
income(void)
{
    double z = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());

    return fmin(UPPER, 30000 * exp(0.9 * z));
}

/* ------------------------------------------------------------------ data -- */

static double
even_value(size_t i)
{
    return (double)UPPER * ((double)i + 0.5) / VALUES;
}

static double
income_value(size_t i)
{
    (void)i;
    return income();
}

static double
heaped_value(size_t i)
{
    (void)i;
    return 5000 * floor(income() / 5000 + 0.5);
}

static double
gap_value(size_t i)
{
    return (i < VALUES / 2 ? 100000 : 800000) + floor(100000 * uniform());
}

static double
age_value(size_t i)
{
    (void)i;
    return 17 + 73 * pow(uniform(), 1.5);
}

struct data {
    const char *name;
    double (*value)(size_t i);
    int64_t upper;
    const char *file; /* instead, below CUSTOS_DATA or ../shared/data */
    int column;
    bool heaped;
};

static const struct data sets[] = {
    {"even", even_value, UPPER, NULL, 0, false},
    {"income", income_value, UPPER, NULL, 0, false},
    {"heaped", heaped_value, UPPER, NULL, 0, true},
    {"gap", gap_value, UPPER, NULL, 0, false},
    {"age", age_value, 125, NULL, 0, false},
    {"pums_income", NULL, UPPER, "pums/PUMS.csv", 4, false},
    {"pums_age", NULL, 125, "pums/PUMS.csv", 0, false},
};

static int
compare(const void *a, const void *b)
{
    i128 x = *(const i128 *)a, y = *(const i128 *)b;

    return x < y ? -1 : x > y;
}

/* The number of values, sorted from cells[1] on; 0 if there is no such file. */
static size_t
data_make(const struct data *d, i128 *cells)
{
    const char *folder = getenv("CUSTOS_DATA");
    char path[256], line[1024];
    size_t n = 0;
    FILE *f;

    for (; d->value && n < VALUES; n++)
        cells[1 + n] = (i128)d->value(n);
    if (!d->value) {
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data",
                 d->file);
        f = fopen(path, "r");
        if (!f)
            return 0;
        while (n < VALUES && fgets(line, sizeof line, f)) {
            char *at = line;

            for (int i = 0; at && i < d->column; i++)
                at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
            if (at && at[0] >= '0' && at[0] <= '9')
                cells[1 + n++] = (i128)strtod(at, NULL);
        }
        fclose(f);
    }
    qsort(cells + 1, n, sizeof *cells, compare);
    cells[0] = (i128)n;
    return n;
}

/* --------------------------------------------------------- mechanisms -- */

struct price {
    const char *reference_epsilon, *box_epsilon;
    const char *counts_epsilon, *counts_rho; /* one of them */
};

/* In epsilon, the boxes have 45 %. One rank in rho = 1/50: epsilon is sqrt(8 rho) =
   0.4, for the boxes sqrt(8 0.45 rho) = 0.268, for counts 0.55 rho. */
static const struct price in_epsilon = {"0.5", "0.225", "0.275", NULL};
static const struct price deciles_in_epsilon = {"1", "0.45", "0.55", NULL};
static const struct price in_rho = {"0.4", "0.268", NULL, "0.011"};
/* Nine ranks on four levels in rho = 2/25, of which the boxes have 35 %: the
   epsilons are sqrt(32 rho) = 1.6 and sqrt(32 0.35 rho) = 0.9466. */
static const struct price deciles_in_rho = {"1.6", "0.9466", NULL, "0.052"};

struct setting {
    const char *name;
    const struct price *price;
    size_t ranks;
    const char *const *rank;
};

static custos_quantile_options
tree_options(const struct setting *s, const struct data *d, const char *epsilon)
{
    return (custos_quantile_options){.size = sizeof(custos_quantile_options),
                                     .adjacency = CUSTOS_ADD_REMOVE,
                                     .upper = d->upper,
                                     .ranks = s->ranks,
                                     .rank = s->rank,
                                     .epsilon = epsilon};
}

static custos_mech *
counts_make(const struct setting *s)
{
    bool gauss = s->price->counts_rho;
    custos_mech_options o = {.size = sizeof o,
                             .kind = gauss ? CUSTOS_GAUSSIAN : CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = box_counts(s->ranks),
                             .epsilon = s->price->counts_epsilon,
                             .rho = s->price->counts_rho,
                             .sensitivity = gauss ? NULL : "1",
                             .sensitivity_squared = gauss ? "1" : NULL};
    custos_err err = CUSTOS_ERR_INIT;
    custos_mech *m = NULL;

    must(custos_mech_new(NULL, &o, &m, &err), &err);
    return m;
}

/* ------------------------------------------------------------- figures -- */

struct figures {
    double value, bar, coverage;
};

static double errors[RANKS_MAX][RUNS], lengths[RANKS_MAX];

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double
error_95(size_t rank)
{
    qsort(errors[rank], RUNS, sizeof(double), compare_doubles);
    return errors[rank][RUNS * 95 / 100];
}

static double
exact(const i128 *cells, double p)
{
    double h = p * ((double)cells[0] - 1), low = floor(h);
    double a = (double)cells[1 + (size_t)low];
    double b = (double)cells[1 + (size_t)ceil(h)];

    return a + (h - low) * (b - a);
}

static void
run_reference(const struct setting *s, const struct data *d, const i128 *cells,
              const double *rank)
{
    custos_quantile_options o = tree_options(s, d, s->price->reference_epsilon);
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = (size_t)cells[0] + 1;
    custos_quantile *q = NULL;
    int64_t out[RANKS_MAX];

    must(custos_quantile_new(NULL, &o, &q, &err), &err);
    for (size_t run = 0; run < RUNS; run++) {
        custos_sealed *sealed = NULL;

        must(seal_i128(NULL, cells, n, &sealed, &err), &err);
        must(custos_quantile_release(q, rng, sealed, n, out, &err), &err);
        for (size_t i = 0; i < s->ranks; i++)
            errors[i][run] = fabs((double)out[i] - exact(cells, rank[i]));
        custos_sealed_free(sealed);
    }
    custos_quantile_free(q);
}

static void
run_ours(const struct setting *s, const struct data *d, const i128 *cells,
         const double *rank, size_t *covered)
{
    custos_quantile_options o = tree_options(s, d, s->price->box_epsilon);
    custos_mech *counts = counts_make(s);
    custos_err err = CUSTOS_ERR_INIT;
    arena *a = arena_new(NULL, (size_t)1 << 26);
    size_t n = (size_t)cells[0] + 1;
    static i128 out[2 * RANKS_MAX + BOX_EDGES * RANKS_MAX + 1];
    custos_quantile *q = NULL;
    struct quantile_bars *bars;
    struct bar_law law = {s->price->counts_rho ? BAR_GAUSSIAN : BAR_LAPLACE,
                          strtod(custos_mech_facts(counts)->scale, NULL)};
    uint64_t around;

    must(box_around(counts, s->ranks, &around, &err), &err);
    must(quantile_new_around(NULL, &o, around, &q, &err), &err);
    bars = quantile_bars_new(a, q, rank, law,
                             quantile_tables_new(a, law, box_counts(s->ranks)),
                             0.05);
    memset(lengths, 0, sizeof lengths);
    for (size_t run = 0; run < RUNS; run++) {
        custos_sealed *sealed = NULL;

        must(seal_i128(NULL, cells, n, &sealed, &err), &err);
        must(box_release(q, counts, rng, sealed, n, out, &err), &err);
        custos_sealed_free(sealed);
        for (size_t i = 0; i < s->ranks; i++) {
            double truth = exact(cells, rank[i]);
            struct quantile_found f;

            quantile_find(bars, out, i, &f);
            errors[i][run] = fabs((double)f.value - truth);
            covered[i] += (double)f.low <= truth && truth <= (double)f.high;
            lengths[i] += ((double)f.high - (double)f.low) / 2 / RUNS;
        }
    }
    custos_quantile_free(q);
    custos_mech_free(counts);
    arena_free(a);
}

/* Are there enough values for the outermost rank? */
static bool
enough(const struct setting *s, const i128 *cells, const double *rank)
{
    double share = fmin(rank[0], 1 - rank[s->ranks - 1]);
    double epsilon = strtod(s->price->reference_epsilon, NULL);

    return epsilon * (double)cells[0] * share > 100 - 1e-6;
}

static void
measure(const struct setting *s, const struct data *d, struct figures *all)
{
    static i128 cells[VALUES + 1];
    double rank[RANKS_MAX], reference[RANKS_MAX], value = 0, bar = 0;
    size_t covered[RANKS_MAX] = {0}, least = RUNS;

    for (size_t i = 0; i < s->ranks; i++)
        rank[i] = strtod(s->rank[i], NULL);
    if (!data_make(d, cells) || !enough(s, cells, rank))
        return;
    run_reference(s, d, cells, rank);
    for (size_t i = 0; i < s->ranks; i++)
        reference[i] = fmax(1, error_95(i));
    run_ours(s, d, cells, rank, covered);
    for (size_t i = 0; i < s->ranks; i++) {
        value += error_95(i) / reference[i] / (double)s->ranks;
        bar += lengths[i] / reference[i] / (double)s->ranks;
        least = covered[i] < least ? covered[i] : least;
    }
    printf("%s %s: reference %.4g, value %.3f, bar %.3f, coverage %.4f\n",
           s->name, d->name, reference[s->ranks / 2], value, bar,
           (double)least / RUNS);
    all->value = fmax(all->value, value);
    all->bar = fmax(all->bar, bar);
    all->coverage = fmin(all->coverage, (double)least / RUNS);
}

static void
print_figure(const struct setting *s, const char *what, double value,
             const char *unit)
{
    char name[64];

    snprintf(name, sizeof name, "err_%s_%s", s->name, what);
    measure_print(name, value, unit);
}

int
main(void)
{
    static const char *const median[] = {"0.5"};
    static const char *const deciles[] = {"0.1", "0.2", "0.3", "0.4", "0.5",
                                          "0.6", "0.7", "0.8", "0.9"};
    static const struct setting settings[] = {
        {"quantile", &in_epsilon, 1, median},
        {"quantile_rho", &in_rho, 1, median},
        {"deciles", &deciles_in_epsilon, 9, deciles},
        {"deciles_rho", &deciles_in_rho, 9, deciles},
    };
    custos_err err = CUSTOS_ERR_INIT;

    must(custos_rng_new(&rng, &err), &err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct figures smooth = {0, 0, 1}, heaped = {0, 0, 1};
        const struct setting *s = &settings[i];

        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
            measure(s, &sets[k], sets[k].heaped ? &heaped : &smooth);
        print_figure(s, "value", smooth.value, "x");
        print_figure(s, "bar", smooth.bar, "x");
        print_figure(s, "heaped_value", heaped.value, "x");
        print_figure(s, "heaped_bar", heaped.bar, "x");
        print_figure(s, "coverage", fmin(smooth.coverage, heaped.coverage),
                     "share");
    }
    custos_rng_free(rng);
    return 0;
}
