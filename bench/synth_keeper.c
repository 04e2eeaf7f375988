/* Measures, scores and selects. */
#include "synth_keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "mech/i128.h"
#include "mech/marginals.h"
#include "num/rat.h"
#include "synth/price.h"

struct keeper
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

void
keeper_clear(struct keeper *k)
{
    for (size_t c = 0; c < k->data->n; c++)
        free(k->code[c]);
    for (size_t i = 0; i < k->n_scores; i++)
        free(k->counted[i].x);
    free(k->counted);
    free(k->scores);
}

static int64_t *
count_data(const struct keeper *k, struct colset set, size_t *cells)
{
    return data_count(k->code, k->size, k->data->n, k->data->rows, set, cells);
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
    if (!st && k->released) {
        const struct released_table t = {.set = set,
                                         .rho = rho,
                                         .variance = price_sigma(rho, 1) *
                                                     price_sigma(rho, 1),
                                         .cells = o.values,
                                         .values = out};

        st = released_add(k->released, &t, err);
    }
    return st;
}

/* Noise on the residual, as mech/marginals.h says what it costs. */
static custos_status
release_residual(struct keeper *k, const struct marginals *m, uint32_t all,
                 const int64_t *x, struct released_table *t, custos_err *err)
{
    char text[AMOUNT_TEXT_MAX], squared[128];
    const custos_mech_options o = {.size = sizeof o,
                                   .kind = CUSTOS_GAUSSIAN,
                                   .domain = CUSTOS_WIDE,
                                   .values = t->cells,
                                   .sensitivity_squared = squared,
                                   .changes = CUSTOS_CHANGES_SEVERAL,
                                   .rho = text};
    i128 *wide = calloc(t->cells, sizeof *wide);
    custos_sealed *sealed = NULL;
    custos_mech *mech = NULL;
    custos_status st;
    rat l1, l2_squared;

    measure_need(!wide);
    for (size_t i = 0; i < t->cells; i++)
        wide[i] = x[i];
    rat_init(&l1);
    rat_init(&l2_squared);
    residual_sensitivity(m, all, false, 0, 1, &l1, &l2_squared);
    measure_need(!rat_write_into(&l2_squared, squared, sizeof squared));
    t->variance =
        strtod(squared, NULL) * price_sigma(t->rho, 1) * price_sigma(t->rho, 1);
    amount_write(t->rho, AMOUNT_LOSS, text);
    st = custos_mech_new(NULL, &o, &mech, err);
    if (!st)
        st = seal_i128(NULL, wide, t->cells, &sealed, err);
    if (!st)
        st = residual_release(m, all, mech, k->rng, sealed, wide, err);
    for (size_t i = 0; i < t->cells; i++)
        t->values[i] = (int64_t)wide[i];
    rat_clear(&l1);
    rat_clear(&l2_squared);
    custos_sealed_free(sealed);
    custos_mech_free(mech);
    free(wide);
    return st;
}

static custos_status
keeper_residual(void *of, struct colset set, amount rho, int64_t *out,
                custos_err *err)
{
    struct keeper *k = of;
    struct released_table t = {
        .kind = RELEASED_RESIDUAL, .set = set, .rho = rho, .values = out};
    int64_t *x = count_data(k, set, &t.cells);
    size_t size[MARGINALS_KEYS];
    struct marginals m = {.kind = MARGINALS_RESIDUAL, .size = size, .log2 = 40};
    custos_status st;

    measure_need(colset_count(set) > MARGINALS_KEYS);
    COLSET_EACH(c, set)
    size[m.n_keys++] = k->size[c];
    k->spent = amount_add(k->spent, rho);
    st = release_residual(k, &m, ((uint32_t)1 << m.n_keys) - 1, x, &t, err);
    free(x);
    return st || !k->released ? st : released_add(k->released, &t, err);
}

static custos_status
keeper_recode(void *of, size_t column, const uint16_t *map, uint32_t codes,
              custos_err *err)
{
    struct keeper *k = of;

    for (size_t i = 0; i < k->data->rows; i++)
        k->code[column][i] = map[k->code[column][i]];
    k->size[column] = codes;
    return k->released ? released_recode(k->released, column, map, codes, err)
                       : CUSTOS_OK;
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

struct trusted
keeper_trusted(struct keeper *k)
{
    return (struct trusted){.of = k,
                            .measure = keeper_measure,
                            .residual = keeper_residual,
                            .recode = keeper_recode,
                            .score = keeper_score,
                            .select = keeper_select};
}
