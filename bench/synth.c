/*
 * Synthetic data: MST and AIM on the tables that papers report, with exact
 * discrete Gaussian noise and the exact exponential mechanism. The error is the
 * mean over all sets of three columns of the l1 distance between the shares of
 * the data and of the synthetic rows (0 to 2). Reads ../shared/data, and prints
 * nothing for data that is not there.
 *
 * The program plays the side that is trusted with the data. One unit has one row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "account/convert.h"
#include "measure.h"
#include "num/rat.h"
#include "synth/aim.h"
#include "synth/mst.h"
#include "synth/price.h"
#include "synth/rows.h"

enum { COLUMNS = 128, RUNS = 5 };

/* A table, its columns in ascending order of their number of codes. */
struct data {
    size_t n, rows;
    uint32_t size[COLUMNS];
    uint16_t *code[COLUMNS];
};

/* ------------------------------------------------------------ trusted side -- */

struct keeper {
    const struct data *data;
    uint32_t size[COLUMNS]; /* as recoded */
    uint16_t *code[COLUMNS];
    custos_rng *rng;
    amount spent;
    int64_t *scores; /* by candidate */
    size_t n_scores;
};

static struct keeper
keeper_of(const struct data *data, custos_rng *rng)
{
    struct keeper k = {.data = data, .rng = rng};

    for (size_t c = 0; c < data->n; c++) {
        k.size[c] = data->size[c];
        k.code[c] = malloc(data->rows * sizeof **k.code);
        measure_need(!k.code[c]);
        memcpy(k.code[c], data->code[c], data->rows * sizeof **k.code);
    }
    return k;
}

static void
keeper_clear(struct keeper *k)
{
    for (size_t c = 0; c < k->data->n; c++)
        free(k->code[c]);
    free(k->scores);
}

/* Counts rows by their codes in the columns of a set; the caller frees it. */
static int64_t *
count(uint16_t *const *code, const uint32_t *size, size_t n_columns,
      size_t rows, struct colset set, size_t *cells)
{
    const struct domain d = {n_columns, size};
    size_t at[COLUMNS], step[COLUMNS], n = 0;
    int64_t *x;

    *cells = domain_cells(&d, set);
    x = calloc(*cells, sizeof *x);
    measure_need(!x);
    COLSET_EACH(c, set)
    at[n++] = c;
    for (size_t k = n, s = 1; k-- > 0; s *= size[at[k]])
        step[k] = s;
    for (size_t i = 0; i < rows; i++) {
        size_t cell = 0;

        for (size_t k = 0; k < n; k++)
            cell += code[at[k]][i] * step[k];
        x[cell]++;
    }
    return x;
}

static int64_t *
count_data(const struct keeper *k, struct colset set, size_t *cells)
{
    return count(k->code, k->size, k->data->n, k->data->rows, set, cells);
}

static custos_status
keeper_measure(void *of, struct colset set, amount rho, int64_t *out,
               custos_err *err)
{
    struct keeper *k = of;
    char text[AMOUNT_TEXT_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_INTS,
                             .sensitivity_squared = "1",
                             .rho = text};
    custos_sealed *sealed = NULL;
    custos_mech *mech = NULL;
    int64_t *x = count_data(k, set, &o.values);
    custos_status st;

    amount_write(rho, AMOUNT_LOSS, text);
    k->spent = amount_add(k->spent, rho);
    st = custos_mech_new(NULL, &o, &mech, err);
    if (!st)
        st = custos_seal_ints(NULL, x, o.values, &sealed, err);
    if (!st)
        st = custos_release_ints(mech, k->rng, sealed, out, o.values, err);
    custos_sealed_free(sealed);
    custos_mech_free(mech);
    free(x);
    return st;
}

static custos_status
keeper_recode(void *of, size_t column, const uint16_t *map, uint32_t codes,
              custos_err *err)
{
    struct keeper *k = of;

    (void)err;
    for (size_t i = 0; i < k->data->rows; i++)
        k->code[column][i] = map[k->code[column][i]];
    k->size[column] = codes;
    return CUSTOS_OK;
}

static custos_status
keeper_score(void *of, size_t i, struct colset set, uint64_t weight,
             const int64_t *model, int64_t penalty, custos_err *err)
{
    struct keeper *k = of;
    int64_t sum = 0, *x;
    size_t cells;

    (void)err;
    x = count_data(k, set, &cells);
    for (size_t c = 0; c < cells; c++)
        sum += llabs(SYNTH_LATTICE * x[c] - model[c]);
    free(x);
    if (i >= k->n_scores) {
        k->n_scores = 2 * i + 64;
        k->scores = realloc(k->scores, k->n_scores * sizeof *k->scores);
        measure_need(!k->scores);
    }
    k->scores[i] = (int64_t)weight * sum - penalty;
    return CUSTOS_OK;
}

static custos_status
keeper_select(void *of, const size_t *among, size_t n, uint64_t weight,
              amount rho, size_t *winner, custos_err *err)
{
    struct keeper *k = of;
    char epsilon[128], sensitivity[32];
    const custos_select_options o = {.size = sizeof o,
                                     .rule = CUSTOS_EXPONENTIAL,
                                     .scores = CUSTOS_SCORES_GENERAL,
                                     .epsilon = epsilon,
                                     .sensitivity = sensitivity};
    custos_sealed *sealed = NULL;
    int64_t *x = malloc(n * sizeof *x);
    custos_status st;
    rat e;

    measure_need(!x);
    for (size_t i = 0; i < n; i++)
        x[i] = k->scores[among[i]];
    rat_init(&e);
    price_epsilon(rho, &e);
    measure_need(!rat_write_into(&e, epsilon, sizeof epsilon));
    rat_clear(&e);
    snprintf(sensitivity, sizeof sensitivity, "%llu",
             (unsigned long long)weight * SYNTH_LATTICE);
    k->spent = amount_add(k->spent, rho);
    st = custos_seal_ints(NULL, x, n, &sealed, err);
    if (!st)
        st = custos_select(NULL, &o, k->rng, sealed, n, winner, err);
    custos_sealed_free(sealed);
    free(x);
    return st;
}

static struct trusted
trusted_of(struct keeper *k)
{
    return (struct trusted){k, keeper_measure, keeper_recode, keeper_score,
                            keeper_select};
}

/* -------------------------------------------------------------------- data -- */

/* Sorts the columns by their number of codes. */
static void
sort_columns(struct data *d)
{
    for (size_t i = 1; i < d->n; i++)
        for (size_t k = i; k > 0 && d->size[k] < d->size[k - 1]; k--) {
            uint32_t size = d->size[k];
            uint16_t *code = d->code[k];

            d->size[k] = d->size[k - 1];
            d->code[k] = d->code[k - 1];
            d->size[k - 1] = size;
            d->code[k - 1] = code;
        }
}

/* Rows of codes with a header, 0 .. size - 1 in every column. */
static bool
read_codes(const char *file, const uint32_t *size, size_t n, size_t rows,
           struct data *d)
{
    FILE *f = fopen(file, "r");
    char line[4096];

    if (!f)
        return false;
    *d = (struct data){.n = n};
    for (size_t c = 0; c < n; c++) {
        d->size[c] = size[c];
        d->code[c] = malloc(rows * sizeof **d->code);
        measure_need(!d->code[c]);
    }
    measure_need(!fgets(line, sizeof line, f));
    while (d->rows < rows && fgets(line, sizeof line, f)) {
        char *at = line;

        for (size_t c = 0; c < n; c++) {
            d->code[c][d->rows] = (uint16_t)strtoul(at, &at, 10);
            measure_need(d->code[c][d->rows] >= size[c]);
            at += *at == ',';
        }
        d->rows++;
    }
    fclose(f);
    sort_columns(d);
    return true;
}

/* ------------------------------------------------------------------- error -- */

static double
distance(const struct data *d, uint16_t *const *rows, size_t n,
         struct colset set)
{
    size_t cells;
    int64_t *x = count(d->code, d->size, d->n, d->rows, set, &cells);
    int64_t *y = count(rows, d->size, d->n, n, set, &cells);
    double sum = 0;

    for (size_t i = 0; i < cells; i++)
        sum += fabs((double)x[i] / (double)d->rows - (double)y[i] / (double)n);
    free(x);
    free(y);
    return sum;
}

/* All sets of `order` columns, 2 or 3. */
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
    if (s->recoding)
        measure_need(recoding_decode(s->recoding, rng, *n, rows, NULL));
    return rows;
}

/* One run; the error over sets of `order` columns, and seconds. */
static double
synthesize(const struct data *d, enum method method, amount rho, size_t order,
           custos_rng *rng, double *seconds)
{
    const struct domain domain = {d->n, d->size};
    struct keeper k = keeper_of(d, rng);
    const struct trusted t = trusted_of(&k);
    static struct colset sets[COLUMNS * COLUMNS * COLUMNS / 6];
    uint16_t *columns[COLUMNS], *rows;
    custos_err err = CUSTOS_ERR_INIT;
    struct synthesis s;
    double error = 0, before = measure_seconds();
    custos_status st;
    size_t n, n_sets;

    if (method == MST) {
        const struct mst_options o = {&domain, rho, 1, NULL, 0};

        st = mst_run(NULL, &o, &t, &s, &err);
    } else {
        struct aim_options o = AIM_OPTIONS_INIT;

        o.domain = &domain;
        o.rho = rho;
        o.workload = (struct workload){sets, NULL, list_sets(d, 3, sets)};
        st = aim_run(NULL, &o, &t, rng, &s, &err);
    }
    if (st)
        fprintf(stderr, "%s\n", err.said);
    measure_need(st);
    rows = draw_rows(&s, rng, &n);
    *seconds = measure_seconds() - before;
    measure_need(k.spent + s.left != rho);
    for (size_t c = 0; c < d->n; c++)
        columns[c] = rows + c * n;
    n_sets = list_sets(d, order, sets);
    for (size_t i = 0; i < n_sets; i++)
        error += distance(d, columns, n, sets[i]) / (double)n_sets;
    fprintf(stderr, "%s: error %.4f, %.2f s, %zu rounds, %zu bytes\n",
            method == MST ? "MST" : "AIM", error, *seconds, s.rounds,
            tree_bytes(&s.model->tree));
    free(rows);
    synthesis_free(&s);
    keeper_clear(&k);
    return error;
}

static void
report(const struct data *d, const char *name, enum method method,
       const char *epsilon, size_t order, int runs, custos_rng *rng)
{
    double error = 0, seconds[RUNS];
    char line[64];

    for (int i = 0; i < runs; i++)
        error += synthesize(d, method, rho_of(epsilon, "1e-9"), order, rng,
                            &seconds[i]) /
                 runs;
    snprintf(line, sizeof line, "synth_%s_%s", name, order == 3 ? "l1" : "k");
    measure_print(line, order == 3 ? error : 500 * (2 - error),
                  order == 3 ? "l1" : "points");
    snprintf(line, sizeof line, "synth_%s_s", name);
    measure_print(line, measure_median(seconds, (size_t)runs), "s");
}

int
main(int argc, char **argv)
{
    static const uint32_t adult[] = {32, 9, 32, 16, 16, 7,  15, 6,
                                     5,  2, 32, 32, 32, 42, 2};
    const int runs = argc > 1 ? atoi(argv[1]) : RUNS;
    const char *only = argc > 2 ? argv[2] : "";
    custos_rng *rng = NULL;
    struct data d;

    measure_need(custos_rng_new(&rng, NULL) || runs < 1 || runs > RUNS);
    if (read_codes("../shared/data/aim-adult/adult.csv", adult, 15, 48842,
                   &d)) {
        if (strstr("mst", only))
            report(&d, "adult_mst", MST, "1", 3, runs, rng);
        if (strstr("aim", only))
            report(&d, "adult_aim", AIM, "1", 3, runs, rng);
        if (strstr("ten", only))
            report(&d, "adult10_aim", AIM, "10", 3, 1, rng);
    }
    custos_rng_free(rng);
    return 0;
}
