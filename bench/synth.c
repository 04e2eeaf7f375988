/*
 * Synthetic data: MST and AIM on the tables that papers report, with exact
 * discrete Gaussian noise and the exact exponential mechanism. The error is the
 * mean over all sets of three columns of the l1 distance between the shares of
 * the data and of the synthetic rows (0 to 2); for the data of NIST, over all pairs,
 * as the k-marginal score 500 (2 - mean). Reads ../shared/data, and prints
 * nothing for data that is not there.
 *
 * The program plays the side that is trusted with the data. One unit has one row.
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
#include "synth/price.h"
#include "synth/rows.h"

enum { COLUMNS = 128, RUNS = 5 };

/* Of the model's tree at epsilon = 10: half of what it could use takes a quarter
   of the time. */
#define CAP_10 ((size_t)20 << 20)

/* A number has a code for every `width` values; drawn codes become one of these
   values each, and bins of values are compared. */
struct column {
    uint32_t size;
    uint16_t *code;  /* by row */
    uint16_t *value; /* by row; NULL: the code is what is compared */
    uint16_t *bin;   /* by value */
    uint32_t width;
};

/* A table, its columns in ascending order of their number of codes. */
struct data {
    size_t n, rows;
    struct column column[COLUMNS];
    uint32_t size[COLUMNS]; /* of the columns */
    size_t order;           /* columns of the sets that are compared */
};

/* ------------------------------------------------------------ trusted side -- */

struct keeper {
    const struct data *data;
    uint32_t size[COLUMNS]; /* as recoded */
    uint16_t *code[COLUMNS];
    custos_rng *rng;
    amount spent;
    int64_t *scores; /* by candidate */
    struct counted {
        struct colset set;
        size_t cells;
        int32_t *x;
    } * counted; /* by candidate: its exact marginal */
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
        memcpy(k.code[c], data->column[c].code, data->rows * sizeof **k.code);
    }
    return k;
}

static void
keeper_clear(struct keeper *k)
{
    for (size_t c = 0; c < k->data->n; c++)
        free(k->code[c]);
    for (size_t i = 0; i < k->n_scores; i++)
        free(k->counted[i].x);
    free(k->counted);
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

/* Room for candidate i. */
static void
grow(struct keeper *k, size_t i)
{
    size_t n = 2 * i + 64;

    if (i < k->n_scores)
        return;
    k->scores = realloc(k->scores, n * sizeof *k->scores);
    k->counted = realloc(k->counted, n * sizeof *k->counted);
    measure_need(!k->scores || !k->counted);
    memset(k->counted + k->n_scores, 0, (n - k->n_scores) * sizeof *k->counted);
    k->n_scores = n;
}

/* Counts the candidate the first time that it is scored. */
static custos_status
keeper_score(void *of, size_t i, struct colset set, uint64_t weight,
             const int64_t *model, int64_t penalty, custos_err *err)
{
    struct keeper *k = of;
    struct counted *c;
    int64_t sum = 0;

    (void)err;
    grow(k, i);
    c = &k->counted[i];
    if (!c->x) {
        int64_t *x = count_data(k, set, &c->cells);

        c->set = set;
        c->x = malloc(c->cells * sizeof *c->x);
        measure_need(!c->x);
        for (size_t n = 0; n < c->cells; n++)
            c->x[n] = (int32_t)x[n];
        free(x);
    }
    measure_need(!colset_same(c->set, set));
    for (size_t n = 0; n < c->cells; n++)
        sum += llabs(SYNTH_LATTICE * (int64_t)c->x[n] - model[n]);
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

static struct data
data_of(size_t n, size_t rows, size_t order)
{
    struct data d = {.n = n, .order = order};

    for (size_t c = 0; c < n; c++) {
        d.column[c].code = malloc(rows * sizeof(uint16_t));
        measure_need(!d.column[c].code);
    }
    return d;
}

static void
data_clear(struct data *d)
{
    for (size_t c = 0; c < d->n; c++) {
        free(d->column[c].code);
        free(d->column[c].value);
        free(d->column[c].bin);
    }
}

static int
by_size(const void *a, const void *b)
{
    const uint32_t x = ((const struct column *)a)->size;
    const uint32_t y = ((const struct column *)b)->size;

    return (x > y) - (x < y);
}

static void
sort_columns(struct data *d)
{
    qsort(d->column, d->n, sizeof *d->column, by_size);
    for (size_t c = 0; c < d->n; c++)
        d->size[c] = d->column[c].size;
}

/* The adult data of the AIM paper: 0 .. size - 1 in every column. */
static bool
read_adult(struct data *d)
{
    enum { N = 15, ROWS = 48842 };
    static const uint32_t size[N] = {32, 9, 32, 16, 16, 7,  15, 6,
                                     5,  2, 32, 32, 32, 42, 2};
    FILE *f = fopen("../shared/data/aim-adult/adult.csv", "r");
    char line[4096];

    if (!f)
        return false;
    *d = data_of(N, ROWS, 3);
    measure_need(!fgets(line, sizeof line, f));
    for (; d->rows < ROWS && fgets(line, sizeof line, f); d->rows++) {
        char *at = line;

        for (size_t c = 0; c < N; c++) {
            unsigned long code = strtoul(at, &at, 10);

            measure_need(code >= size[c]);
            d->column[c].code[d->rows] = (uint16_t)code;
            d->column[c].size = size[c];
            at += *at == ',';
        }
    }
    fclose(f);
    sort_columns(d);
    return true;
}

/*
 * The excerpt of the American Community Survey for Texas, by NIST: the ten columns
 * about people, with the codes that its dictionary lists. "N", null, is the last.
 */
enum { AGE_WIDTH = 5 };

static const struct {
    const char *name;
    unsigned first, last; /* codes */
    bool null;
} ACS[] = {
    {"AGEP", 0, 99, false}, /* in codes of AGE_WIDTH years */
    {"SEX", 1, 2, false},         {"MSP", 1, 6, true},
    {"RAC1P", 1, 9, false},       {"HOUSING_TYPE", 1, 3, false},
    {"OWN_RENT", 0, 2, false},    {"EDU", 1, 12, true},
    {"PINCP_DECILE", 0, 9, true}, {"DVET", 1, 6, true},
    {"DEYE", 1, 2, false},
};

/* Makes a number of a column: codes of `width` values, and 20 bins of about the same
   number of rows. */
static void
cut_number(struct column *c, size_t rows, uint32_t width)
{
    size_t *count = calloc(c->size, sizeof *count), below = 0;

    c->bin = malloc(c->size * sizeof *c->bin);
    c->value = malloc(rows * sizeof *c->value);
    measure_need(!count || !c->bin || !c->value);
    for (size_t i = 0; i < rows; i++) {
        count[c->code[i]]++;
        c->value[i] = c->code[i];
        c->code[i] = (uint16_t)(c->value[i] / width);
    }
    for (uint32_t k = 0; k < c->size; k++) {
        size_t middle = below + count[k] / 2;

        below += count[k];
        c->bin[k] = (uint16_t)(middle < rows ? 20 * middle / rows : 19);
    }
    c->size = (c->size + width - 1) / width;
    c->width = width;
    free(count);
}

static bool
read_acs(struct data *d)
{
    enum { N = COUNT_OF(ACS), ROWS = 9276 };
    FILE *f = fopen("../shared/data/nist-acs/tx2019.csv", "r");
    size_t place[COLUMNS], columns = 0;
    char line[4096], *field, *left = line;

    if (!f)
        return false;
    *d = data_of(N, ROWS, 2);
    measure_need(!fgets(line, sizeof line, f));
    while ((field = strsep(&left, ",\r\n")) && columns < COLUMNS) {
        place[columns] = N;
        for (size_t c = 0; c < N; c++)
            if (strcmp(field, ACS[c].name) == 0)
                place[columns] = c;
        columns++;
    }
    for (; d->rows < ROWS && fgets(line, sizeof line, f); d->rows++) {
        left = line;
        for (size_t i = 0; i < columns; i++) {
            size_t c = place[i];

            field = strsep(&left, ",\r\n");
            measure_need(!field);
            if (c < N) {
                unsigned codes = ACS[c].last - ACS[c].first + 1;
                unsigned code = *field == 'N'
                                    ? codes
                                    : (unsigned)atof(field) - ACS[c].first;

                d->column[c].size = codes + ACS[c].null;
                measure_need(code >= d->column[c].size);
                d->column[c].code[d->rows] = (uint16_t)code;
            }
        }
    }
    fclose(f);
    cut_number(&d->column[0], d->rows, AGE_WIDTH);
    sort_columns(d);
    return true;
}

/* ------------------------------------------------------------------- error -- */

/* What is compared in place of drawn codes. */
static void
bin_codes(const struct column *c, uint16_t *code, size_t n)
{
    uint64_t seed = 1;

    for (size_t i = 0; c->bin && i < n; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        code[i] = c->bin[code[i] * c->width + (seed >> 33) % c->width];
    }
}

static double
distance(const struct data *d, uint16_t *const *mine, uint16_t *const *rows,
         size_t n, struct colset set)
{
    size_t cells;
    int64_t *x = count(mine, d->size, d->n, d->rows, set, &cells);
    int64_t *y = count(rows, d->size, d->n, n, set, &cells);
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
    if (s->recoding)
        measure_need(recoding_decode(s->recoding, rng, *n, rows, NULL));
    return rows;
}

/* The mean over all sets of d->order columns. Bins the rows. */
static double
mean_distance(const struct data *d, uint16_t *rows, size_t n)
{
    static struct colset sets[COLUMNS * COLUMNS * COLUMNS / 6];
    const size_t n_sets = list_sets(d, d->order, sets);
    uint16_t *mine[COLUMNS], *other[COLUMNS];
    double sum = 0;

    for (size_t c = 0; c < d->n; c++) {
        other[c] = rows + c * n;
        mine[c] = malloc(d->rows * sizeof **mine);
        measure_need(!mine[c]);
        for (size_t i = 0; i < d->rows; i++)
            mine[c][i] = d->column[c].bin
                             ? d->column[c].bin[d->column[c].value[i]]
                             : d->column[c].code[i];
        bin_codes(&d->column[c], other[c], n);
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
    static struct colset sets[COLUMNS * COLUMNS * COLUMNS / 6];
    const struct domain domain = {d->n, d->size};
    const struct trusted t = trusted_of(k);
    const struct mst_options mst = {&domain, rho, 1, NULL, 0};
    struct aim_options aim = AIM_OPTIONS_INIT;

    aim.domain = &domain;
    aim.rho = rho;
    aim.bytes = bytes ? bytes : aim.bytes;
    aim.workload = (struct workload){sets, NULL, list_sets(d, 3, sets)};
    return method == MST ? mst_run(NULL, &mst, &t, out, err)
                         : aim_run(NULL, &aim, &t, k->rng, out, err);
}

/* The bounds on sets of three that were measured, within 95 % at once, as ratios to
   the model's error: how many hold, and the median. */
static void
compare_bounds(const struct data *d, const struct synthesis *s)
{
    static struct colset sets[COLUMNS * COLUMNS * COLUMNS / 6];
    const size_t n_sets = list_sets(d, 3, sets);
    double ratio[COLUMNS * COLUMNS];
    uint16_t *code[COLUMNS];
    size_t n = 0, hold = 0;

    for (size_t c = 0; c < d->n; c++)
        code[c] = d->column[c].code;
    for (size_t i = 0; i < n_sets && n < COUNT_OF(ratio); i++) {
        double bound, error = 0, *x;
        int64_t *y;
        size_t cells;

        if (!model_measured(s->model, sets[i]))
            continue;
        y = count(code, d->size, d->n, d->rows, sets[i], &cells);
        x = malloc(cells * sizeof *x);
        measure_need(!x || model_marginal(s->model, sets[i], cells, x, NULL) ||
                     model_bound(s->model, sets[i], 0.05 / (double)n_sets,
                                 &bound, NULL));
        for (size_t k = 0; k < cells; k++)
            error += fabs(x[k] - (double)y[k]);
        hold += error <= bound;
        ratio[n++] = bound / error;
        free(x);
        free(y);
    }
    if (n > 0)
        fprintf(stderr, "%zu of %zu bounds hold; median bound/error %.1f\n",
                hold, n, measure_median(ratio, n));
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
    uint16_t *rows;
    size_t n;

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
    if (method == AIM && d->order == 3)
        compare_bounds(d, &s);
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

/* A million rows of 100 columns with 2 to 20 codes, each like one of the three
   before it in half of the rows. */
static struct data
make_wide(void)
{
    enum { N = 100, ROWS = 1000000 };
    struct data d = data_of(N, ROWS, 0);
    uint64_t seed = 1;

    d.rows = ROWS;
    for (size_t c = 0; c < N; c++) {
        struct column *to = &d.column[c];

        to->size = (uint32_t)(2 + c * 7 % 19);
        for (size_t i = 0; i < ROWS; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            to->code[i] = (uint16_t)((seed >> 40) % to->size);
            if (c > 2 && seed >> 63)
                to->code[i] =
                    (uint16_t)(d.column[c - 1 - c % 3].code[i] % to->size);
        }
    }
    sort_columns(&d);
    return d;
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
    if (read_adult(&d)) {
        if (is_wanted(argc, argv, "adult_mst"))
            report(&d, "adult_mst", MST, "1", 0, runs, rng);
        if (is_wanted(argc, argv, "adult_aim"))
            report(&d, "adult_aim", AIM, "1", 0, runs, rng);
        if (is_wanted(argc, argv, "adult10_aim"))
            report(&d, "adult10_aim", AIM, "10", CAP_10, 1, rng);
        data_clear(&d);
    }
    if (read_acs(&d)) {
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

        d = make_wide();
        synthesize(&d, MST, rho_of("1", "1e-9"), 0, rng, &seconds);
        measure_print("synth_wide_s", seconds, "s");
        data_clear(&d);
    }
    custos_rng_free(rng);
    return 0;
}
