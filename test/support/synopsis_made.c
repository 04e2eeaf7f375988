#include "support/synopsis_made.h"

#include <math.h>
#include <stdlib.h>

#include "noise/noise.h"
#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/aim.h"
#include "synth/mst.h"
#include "synth/planner.h"
#include "synth/price.h"

enum { CELLS_MAX = 4096, CANDIDATES = 64 };

/* ------------------------------------------------------------------ rows -- */

static struct datum
text(const char *t)
{
    return (struct datum){.type = TYPE_TEXT, .text = str_of(t)};
}

static void
cut(arena *a, struct schema_column *c, i128 first, i128 step)
{
    c->coding = SCHEMA_CUTS;
    c->ordered = true;
    c->base = 10;
    c->cuts = arena_take(a, c->n + 1, sizeof *c->cuts);
    assert_non_null(c->cuts);
    for (uint32_t k = 0; k <= c->n; k++)
        c->cuts[k] = first + (i128)k * step;
}

/* The columns of the table: a number that is not modelled comes first. */
static struct schema *
schema_made(arena *a)
{
    static const char *const wards[] = {"cardiology", "emergency", "hospice",
                                        "oncology", "surgery"};
    struct schema *s = arena_take(a, 1, sizeof *s);
    struct schema_column *c = arena_take(a, MADE_COLUMNS + 1, sizeof *c);
    uint32_t *size = arena_take(a, MADE_COLUMNS, sizeof *size);

    assert_true(s && c && size);
    s->table = str_of("visits");
    s->columns = c;
    s->n = MADE_COLUMNS + 1;
    s->column = arena_take(a, MADE_COLUMNS, sizeof *s->column);
    c[0] = (struct schema_column){
        .name = str_of("visit"), .type = TYPE_INT, .coding = SCHEMA_NUMBER};
    c[1] = (struct schema_column){
        .name = str_of("sex"), .type = TYPE_TEXT, .n = 2};
    c[1].values = arena_take(a, 2, sizeof *c[1].values);
    c[1].values[0] = text("female");
    c[1].values[1] = text("male");
    c[2] = (struct schema_column){
        .name = str_of("smoker"), .type = TYPE_BOOL, .n = 2, .nullable = true};
    c[2].values = arena_take(a, 2, sizeof *c[2].values);
    c[2].values[0] = (struct datum){.type = TYPE_BOOL, .n = 0};
    c[2].values[1] = (struct datum){.type = TYPE_BOOL, .n = 1};
    c[3] = (struct schema_column){
        .name = str_of("ward"), .type = TYPE_TEXT, .n = 5};
    c[3].values = arena_take(a, 5, sizeof *c[3].values);
    for (size_t k = 0; k < 5; k++)
        c[3].values[k] = text(wards[k]);
    c[4] = (struct schema_column){
        .name = str_of("age"), .type = TYPE_INT, .n = 10};
    cut(a, &c[4], 0, 10);
    c[5] = (struct schema_column){
        .name = str_of("day"), .type = TYPE_DATE, .n = 12};
    cut(a, &c[5], date_days(2026, 1, 1), 30);
    c[6] = (struct schema_column){
        .name = str_of("cost"), .type = TYPE_DECIMAL, .scale = 2, .n = 8};
    cut(a, &c[6], 0, 12500);
    c[6].digits = 2;
    for (size_t i = 0; i < MADE_COLUMNS; i++) {
        c[i + 1].place = i;
        s->column[i] = i + 1;
        size[i] = schema_codes(&c[i + 1]);
    }
    s->domain = (struct domain){MADE_COLUMNS, size};
    return s;
}

/* Wards depend on age, cost on the ward, smoking on sex; few are in the hospice. */
static void
rows_make(struct synopsis_made *m, uint64_t seed)
{
    const struct domain *d = &m->synopsis->schema->domain;

    for (size_t i = 0; i < MADE_ROWS; i++) {
        uint32_t *row = m->rows[i];

        for (size_t c = 0; c < MADE_COLUMNS; c++)
            row[c] = (uint32_t)(synth_next(&seed) % d->size[c]);
        if (synth_next(&seed) % 3 > 0)
            row[MADE_WARD] = (row[MADE_AGE] / 2 + 1) % 5;
        if (row[MADE_WARD] == 2 && synth_next(&seed) % 200 > 0)
            row[MADE_WARD] = 1;
        if (synth_next(&seed) % 3 > 0)
            row[MADE_COST] = row[MADE_WARD] + 2;
        if (synth_next(&seed) % 2 > 0)
            row[MADE_SMOKER] = row[MADE_SEX];
    }
}

/* ---------------------------------------------------- what it is asked for -- */

static void
count(const struct synopsis_made *m, struct colset set, int64_t *out)
{
    const struct released_coding *now = released_now(m->synopsis->released);
    uint32_t row[MADE_COLUMNS];

    assert_true(domain_cells(&now->domain, set) <= CELLS_MAX);
    memset(out, 0, domain_cells(&now->domain, set) * sizeof *out);
    for (size_t i = 0; i < MADE_ROWS; i++) {
        for (size_t c = 0; c < MADE_COLUMNS; c++)
            row[c] = now->map[c][m->rows[i][c]];
        out[synth_cell(&now->domain, set, row)]++;
    }
}

/* Adds noise to the numbers, which one row changes by so much, and keeps them. */
static custos_status
release_numbers(struct synopsis_made *m, struct released_table *t,
                uint64_t l2_squared, custos_err *err)
{
    static i128 noise[CELLS_MAX];
    const double sigma = price_sigma(t->rho, l2_squared);
    custos_noise *law = NULL;
    rat variance;

    t->variance = sigma * sigma;
    rat_init(&variance);
    price_variance(t->rho, l2_squared, &variance);
    assert_int_equal(
        noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, &variance, &law, err),
        CUSTOS_OK);
    rat_clear(&variance);
    assert_int_equal(noise_draw(law, m->rng, noise, t->cells), CUSTOS_OK);
    custos_noise_free(law);
    for (size_t i = 0; i < t->cells; i++)
        t->values[i] += (int64_t)noise[i];
    return released_add(m->synopsis->released, t, err);
}

static custos_status
made_measure(void *of, struct colset set, amount rho, int64_t *out,
             custos_err *err)
{
    struct synopsis_made *m = of;
    struct released_table t = {
        .kind = RELEASED_COUNTS, .set = set, .rho = rho, .values = out};

    t.cells = domain_cells(&released_now(m->synopsis->released)->domain, set);
    count(m, set, out);
    return release_numbers(m, &t, 1, err);
}

static custos_status
made_residual(void *of, struct colset set, amount rho, int64_t *out,
              custos_err *err)
{
    struct synopsis_made *m = of;
    const struct domain *d = &m->synopsis->schema->domain;
    struct released_table t = {
        .kind = RELEASED_RESIDUAL, .set = set, .rho = rho, .values = out};
    uint64_t l2_squared = 1;

    COLSET_EACH(c, set)
    l2_squared *= d->size[c] * (d->size[c] - 1);
    t.cells = domain_cells(d, set);
    count(m, set, out);
    synth_residual(d, set, out);
    return release_numbers(m, &t, l2_squared, err);
}

static custos_status
made_recode(void *of, size_t column, const uint16_t *map, uint32_t codes,
            custos_err *err)
{
    struct synopsis_made *m = of;

    return released_recode(m->synopsis->released, column, map, codes, err);
}

static custos_status
made_score(void *of, size_t i, struct colset set, uint64_t weight,
           const int64_t *model, int64_t penalty, custos_err *err)
{
    struct synopsis_made *m = of;
    static int64_t x[CELLS_MAX];
    int64_t sum = 0;

    (void)err;
    assert_true(i < COUNT_OF(m->scores));
    count(m, set, x);
    for (size_t c = 0;
         c < domain_cells(&released_now(m->synopsis->released)->domain, set);
         c++)
        sum += llabs(SYNTH_LATTICE * x[c] - model[c]);
    m->scores[i] = (int64_t)weight * sum - penalty;
    return CUSTOS_OK;
}

/* The best one: what is measured does not matter to these tests. */
static custos_status
made_select(void *of, const size_t *among, size_t n, uint64_t weight,
            amount rho, size_t *winner, custos_err *err)
{
    const struct synopsis_made *m = of;

    (void)weight;
    (void)rho;
    (void)err;
    *winner = 0;
    for (size_t i = 0; i < n; i++)
        if (m->scores[among[i]] > m->scores[among[*winner]])
            *winner = i;
    return CUSTOS_OK;
}

/* --------------------------------------------------------------- release -- */

static struct workload
pairs(arena *a)
{
    struct colset *sets =
        arena_take(a, MADE_COLUMNS * (MADE_COLUMNS - 1) / 2, sizeof *sets);
    struct workload w = {.sets = sets};

    assert_non_null(sets);
    for (size_t i = 0; i < MADE_COLUMNS; i++)
        for (size_t k = i + 1; k < MADE_COLUMNS; k++)
            sets[w.n++] = colset_or(colset_of(i), colset_of(k));
    return w;
}

static void
facts_make(struct synopsis *s, enum made_by method, char *rho)
{
    static const char *const names[] = {"mst", "aim", "tables"};

    s->facts = (struct synopsis_facts){
        .epsilon = str_of("1"),
        .delta = str_of("0.000000001"),
        .rho = str_of(rho),
        .adjacency = str_of("add-remove"),
        .unit = str_of("patient"),
        .rows_per_unit = 1,
        .method = str_of(names[method]),
        .theorems = str_of("marginal-price release-within-budget"),
        .receipt = 7,
        .receipt_hash = str_of("00ff"),
        .version = str_of("0.9"),
    };
}

static void
share_take(struct synopsis_made *m)
{
    const struct recoding *r = m->synthesis.recoding;
    const struct domain *d = &m->synopsis->schema->domain;
    double **share;

    if (!r)
        return;
    share = arena_take(m->arena, d->n, sizeof *share);
    assert_non_null(share);
    for (size_t c = 0; c < d->n; c++) {
        share[c] = arena_take(m->arena, d->size[c], sizeof **share);
        assert_non_null(share[c]);
        memcpy(share[c], r->share[c], d->size[c] * sizeof **share);
    }
    m->synopsis->share = share;
}

struct synopsis_made *
synopsis_made_new(enum made_by method, amount rho, uint64_t seed)
{
    struct synopsis_made *m = calloc(1, sizeof *m);
    struct trusted t = {.of = m,
                        .measure = made_measure,
                        .residual = made_residual,
                        .recode = made_recode,
                        .score = made_score,
                        .select = made_select};
    char text[AMOUNT_TEXT_MAX];
    struct synopsis *s;
    struct workload w;

    assert_non_null(m);
    m->arena = arena_new(NULL, (size_t)1 << 28);
    m->rng = test_rng_seeded(seed);
    m->synopsis = s = arena_take(m->arena, 1, sizeof *s);
    assert_true(m->arena && s);
    s->schema = schema_made(m->arena);
    rows_make(m, seed);
    assert_int_equal(
        released_new(m->arena, &s->schema->domain, &s->released, NULL),
        CUSTOS_OK);
    w = pairs(m->arena);
    s->workload = w.sets;
    s->n_workload = w.n;
    if (method == MADE_BY_AIM) {
        struct aim_options o = AIM_OPTIONS_INIT;

        o.domain = &s->schema->domain;
        o.rho = rho;
        o.rows = 2000;
        o.workload = w;
        assert_int_equal(aim_run(NULL, &o, &t, m->rng, &m->synthesis, NULL),
                         CUSTOS_OK);
        assert_int_equal(released_limits(s->released, m->synthesis.limits,
                                         m->synthesis.n_limits, NULL),
                         CUSTOS_OK);
    } else if (method == MADE_BY_TABLES) {
        const struct planner_options o = {.domain = &s->schema->domain,
                                          .rho = rho,
                                          .l2_squared = 1,
                                          .workload = w,
                                          .bytes = 1 << 20};

        assert_int_equal(planner_run(NULL, &o, &t, &m->synthesis, NULL),
                         CUSTOS_OK);
    } else {
        const struct mst_options o = {&s->schema->domain, rho, 1, NULL, 0, 0};

        assert_int_equal(mst_run(NULL, &o, &t, &m->synthesis, NULL), CUSTOS_OK);
    }
    s->model = m->synthesis.model;
    share_take(m);
    amount_write(rho, AMOUNT_LOSS, text);
    facts_make(s, method, arena_copy(m->arena, str_of(text)));
    return m;
}

void
synopsis_made_free(struct synopsis_made *m)
{
    synthesis_free(&m->synthesis);
    test_rng_free(m->rng);
    arena_free(m->arena);
    free(m);
}
