/*
 * MST, AIM and tables: what they spend, what they ask, and how near they come. The trusted
 * side is played in three ways: with the product's noise, without noise, and by a
 * random adversary who has no data.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise/noise.h"
#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/aim.h"
#include "synth/infer.h"
#include "synth/mst.h"
#include "synth/planner.h"
#include "synth/price.h"
#include "synth/rows.h"

enum { COLUMNS = 5, ROWS = 3000, CANDIDATES = 64 };

static const uint32_t SIZES[COLUMNS] = {2, 3, 4, 6, 8};
static const struct domain DOMAIN = {COLUMNS, SIZES};

enum playing { NOISY, SILENT, HOSTILE };

struct keeper {
    enum playing playing;
    uint32_t size[COLUMNS];
    uint32_t rows[ROWS][COLUMNS];
    custos_rng *rng;
    uint64_t seed;
    amount spent, last_measurement;
    size_t measured, selected, cells;
    int64_t scores[CANDIDATES];
    struct colset sets[CANDIDATES];
    uint64_t weights[CANDIDATES];
    size_t calls, fail_at; /* fails at this call; 0: never */
};

static struct domain
domain_of(const struct keeper *k)
{
    return (struct domain){COLUMNS, k->size};
}

/* Columns c and c + 1 depend on each other; the last depends on a and b. */
static void
keeper_init(struct keeper *k, enum playing playing, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->playing = playing;
    k->seed = seed;
    k->rng = test_rng_seeded(seed);
    memcpy(k->size, SIZES, sizeof SIZES);
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t *row = k->rows[i];

        for (size_t c = 0; c < COLUMNS; c++) {
            row[c] = (uint32_t)(synth_next(&k->seed) % SIZES[c]);
            if (c > 0 && synth_next(&k->seed) % 4 > 0)
                row[c] = row[c - 1];
        }
        if (synth_next(&k->seed) % 4 > 0)
            row[4] = row[0] * 3 + row[1];
    }
}

static void
count(const struct keeper *k, struct colset set, int64_t *out)
{
    const struct domain d = domain_of(k);

    memset(out, 0, domain_cells(&d, set) * sizeof *out);
    for (size_t i = 0; i < ROWS; i++)
        out[synth_cell(&d, set, k->rows[i])]++;
}

static bool
fails_now(struct keeper *k)
{
    return ++k->calls == k->fail_at;
}

/* Adds noise for this squared sensitivity, as the keeper plays. */
static custos_status
answer(struct keeper *k, amount rho, uint64_t l2_squared, size_t cells,
       int64_t *out, custos_err *err)
{
    i128 noise[1200];
    custos_noise *law = NULL;
    rat variance;

    assert_true(rho > 0 && cells <= COUNT_OF(noise));
    k->spent = amount_add(k->spent, rho);
    k->last_measurement = rho;
    k->measured++;
    k->cells += cells;
    for (size_t i = 0; k->playing == HOSTILE && i < cells; i++)
        out[i] = (int64_t)(synth_next(&k->seed) % 100000) - 30000;
    if (k->playing != NOISY)
        return CUSTOS_OK;
    rat_init(&variance);
    price_variance(rho, l2_squared, &variance);
    assert_int_equal(
        noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, &variance, &law, err),
        CUSTOS_OK);
    rat_clear(&variance);
    assert_int_equal(noise_draw(law, k->rng, noise, cells), CUSTOS_OK);
    custos_noise_free(law);
    for (size_t i = 0; i < cells; i++)
        out[i] += (int64_t)noise[i];
    return CUSTOS_OK;
}

static custos_status
keeper_measure(void *of, struct colset set, amount rho, int64_t *out,
               custos_err *err)
{
    struct keeper *k = of;
    const struct domain d = domain_of(k);

    if (fails_now(k))
        return CUSTOS_EENTROPY;
    count(k, set, out);
    return answer(k, rho, 1, domain_cells(&d, set), out, err);
}

static custos_status
keeper_residual(void *of, struct colset set, amount rho, int64_t *out,
                custos_err *err)
{
    struct keeper *k = of;
    const struct domain d = domain_of(k);
    uint64_t l2_squared = 1;

    if (fails_now(k))
        return CUSTOS_EENTROPY;
    COLSET_EACH(c, set)
    l2_squared *= (uint64_t)d.size[c] * (d.size[c] - 1);
    count(k, set, out);
    synth_residual(&d, set, out);
    return answer(k, rho, l2_squared, domain_cells(&d, set), out, err);
}

static custos_status
keeper_recode(void *of, size_t column, const uint16_t *map, uint32_t codes,
              custos_err *err)
{
    struct keeper *k = of;

    (void)err;
    if (fails_now(k))
        return CUSTOS_EENTROPY;
    for (size_t i = 0; i < ROWS; i++) {
        k->rows[i][column] = map[k->rows[i][column]];
        assert_true(k->rows[i][column] < codes);
    }
    k->size[column] = codes;
    return CUSTOS_OK;
}

static custos_status
keeper_score(void *of, size_t i, struct colset set, uint64_t weight,
             const int64_t *model, int64_t penalty, custos_err *err)
{
    struct keeper *k = of;
    const struct domain d = domain_of(k);
    int64_t x[1200], sum = 0;

    (void)err;
    if (fails_now(k))
        return CUSTOS_EENTROPY;
    assert_true(i < CANDIDATES && domain_cells(&d, set) <= COUNT_OF(x));
    count(k, set, x);
    for (size_t c = 0; c < domain_cells(&d, set); c++)
        sum += llabs(SYNTH_LATTICE * x[c] - model[c]);
    k->scores[i] = (int64_t)weight * sum - penalty;
    k->sets[i] = set;
    k->weights[i] = weight;
    return CUSTOS_OK;
}

/* By the exponential mechanism. */
static custos_status
select_noisily(struct keeper *k, const size_t *among, size_t n, uint64_t weight,
               amount rho, size_t *winner)
{
    char epsilon[128], sensitivity[32];
    const custos_select_options o = {.size = sizeof o,
                                     .rule = CUSTOS_EXPONENTIAL,
                                     .scores = CUSTOS_SCORES_GENERAL,
                                     .epsilon = epsilon,
                                     .sensitivity = sensitivity};
    custos_sealed *sealed = NULL;
    int64_t x[CANDIDATES];
    rat e;

    for (size_t i = 0; i < n; i++)
        x[i] = k->scores[among[i]];
    rat_init(&e);
    price_epsilon(rho, &e);
    assert_true(rat_write_into(&e, epsilon, sizeof epsilon));
    rat_clear(&e);
    snprintf(sensitivity, sizeof sensitivity, "%llu",
             (unsigned long long)weight * SYNTH_LATTICE);
    assert_int_equal(custos_seal_ints(NULL, x, n, &sealed, NULL), CUSTOS_OK);
    assert_int_equal(custos_select(NULL, &o, k->rng, sealed, n, winner, NULL),
                     CUSTOS_OK);
    custos_sealed_free(sealed);
    return CUSTOS_OK;
}

static custos_status
keeper_select(void *of, const size_t *among, size_t n, uint64_t weight,
              amount rho, size_t *winner, custos_err *err)
{
    struct keeper *k = of;
    uint64_t most = 0;

    (void)err;
    if (fails_now(k))
        return CUSTOS_EENTROPY;
    assert_true(rho > 0 && n > 0);
    k->spent = amount_add(k->spent, rho);
    k->selected++;
    if (k->playing == NOISY)
        return select_noisily(k, among, n, weight, rho, winner);
    *winner = k->playing == HOSTILE ? synth_next(&k->seed) % n : 0;
    for (size_t i = 0; i < n; i++) {
        most = k->weights[among[i]] > most ? k->weights[among[i]] : most;
        if (k->playing != HOSTILE &&
            k->scores[among[i]] > k->scores[among[*winner]])
            *winner = i;
    }
    assert_int_equal(most, weight);
    return CUSTOS_OK;
}

static struct trusted
trusted_of(struct keeper *k)
{
    return (struct trusted){.of = k,
                            .measure = keeper_measure,
                            .residual = keeper_residual,
                            .recode = keeper_recode,
                            .score = keeper_score,
                            .select = keeper_select};
}

static const struct colset *
triples(size_t *n)
{
    static struct colset sets[10];

    *n = 0;
    for (size_t a = 0; a < COLUMNS; a++)
        for (size_t b = a + 1; b < COLUMNS; b++)
            for (size_t c = b + 1; c < COLUMNS; c++)
                sets[(*n)++] = colset_or(colset_or(colset_of(a), colset_of(b)),
                                         colset_of(c));
    return sets;
}

static struct aim_options
aim_options(amount rho)
{
    struct aim_options o = AIM_OPTIONS_INIT;

    o.domain = &DOMAIN;
    o.rho = rho;
    o.rows = 2000;
    o.each.steps = 100;
    o.last.steps = 500;
    o.workload.sets = triples(&o.workload.n);
    return o;
}

static struct planner_options
tables_options(amount rho)
{
    struct planner_options o = {.domain = &DOMAIN,
                                .rho = rho,
                                .l2_squared = 1,
                                .bytes = (size_t)1 << 20};

    o.workload.sets = triples(&o.workload.n);
    return o;
}

enum method { MST, AIM, TABLES };

static custos_status
release(enum method method, const custos_alloc *alloc, struct keeper *k,
        amount rho, struct synthesis *out, custos_err *err)
{
    const struct trusted t = trusted_of(k);

    if (method == MST) {
        const struct mst_options o = {&DOMAIN, rho, 1, NULL, 0, 0};

        return mst_run(alloc, &o, &t, out, err);
    } else if (method == TABLES) {
        const struct planner_options o = tables_options(rho);

        return planner_run(alloc, &o, &t, out, err);
    } else {
        const struct aim_options o = aim_options(rho);

        return aim_run(alloc, &o, &t, k->rng, out, err);
    }
}

#define UNIT ((amount)10000000000 * 10000000000) /* rho = 1 */

/* Prices and noise are exact: Delta^2/(2 variance) is the price, and epsilon^2/8
   the largest of its digits that does not exceed it. */
static void
prices_buy_at_most_what_they_cost(void **state)
{
    uint64_t seed = 3;
    rat x, y, rho;

    (void)state;
    rat_init(&x);
    rat_init(&y);
    rat_init(&rho);
    for (int i = 0; i < 2000; i++) {
        amount price =
            1 + (((amount)synth_next(&seed) << 62 |
                  (amount)synth_next(&seed) << 31 | synth_next(&seed)) >>
                 synth_next(&seed) % 90);
        uint64_t l2 = 1 + synth_next(&seed) % 100;

        price %= PRICE_MAX - 1;
        price += price == 0;
        amount_to_rat(price, AMOUNT_LOSS, &rho);
        price_variance(price, l2, &x);
        rat_mul(&x, &x, &rho);
        rat_set_i64(&y, (int64_t)l2, 2);
        assert_int_equal(rat_cmp(&x, &y), 0);
        price_epsilon(price, &x);
        rat_mul(&y, &x, &x);
        rat_set_i64(&rho, 8, 1);
        rat_div(&y, &y, &rho);
        assert_true(amount_from_rat_up(&y, AMOUNT_LOSS) <= price);
        rat_set_i64(&rho, 1, 10000000000U);
        rat_add(&x, &x, &rho);
        rat_mul(&y, &x, &x);
        rat_set_i64(&rho, 8, 1);
        rat_div(&y, &y, &rho);
        assert_true(amount_from_rat_up(&y, AMOUNT_LOSS) > price);
    }
    rat_clear(&x);
    rat_clear(&y);
    rat_clear(&rho);
}

/* Against any answers, from the least rho that can be divided on, and what is said
   to be left is what was not spent. AIM spends all, MST all but what does not
   divide, tables all but that and 2^-32 of it. */
static void
no_synthesizer_overspends(void **state)
{
    static const uint64_t rho[] = {1, 7, 799, 800, 801, 12345, 1000003};
    static struct keeper k;

    (void)state;
    for (size_t i = 0; i < 3 * COUNT_OF(rho); i++)
        for (enum method method = MST; method <= TABLES; method++) {
            amount budget =
                i < COUNT_OF(rho) ? rho[i] : UNIT / rho[i % COUNT_OF(rho)];
            struct synthesis s;
            custos_status st;

            keeper_init(&k, HOSTILE, i);
            st = release(method, NULL, &k, budget, &s, NULL);
            assert_true(st == CUSTOS_OK || st == CUSTOS_ERANGE);
            assert_true(k.spent <= budget);
            assert_true(k.spent + s.left == budget);
            assert_true(st ||
                        (method == AIM   ? s.left == 0
                         : method == MST ? s.left < 20
                                         : s.left <= 32 + budget / 4000000000));
            if (method != TABLES)
                assert_int_equal(st, budget < (method == AIM ? 800 : 40)
                                         ? CUSTOS_ERANGE
                                         : CUSTOS_OK);
            else
                assert_true(!st || budget < 12345);
            if (st)
                assert_int_equal(k.spent, 0);
            synthesis_free(&s);
            test_rng_free(k.rng);
        }
}

/* The mean l1 distance of the data to drawn rows over all triples, as shares. */
static double
error_of(const struct synthesis *s)
{
    static struct keeper k;
    const size_t rows = (size_t)llround(s->model->total);
    uint16_t *code = malloc(rows * COLUMNS * sizeof *code);
    double sum = 0;
    size_t n;
    const struct colset *sets = triples(&n);

    assert_non_null(code);
    keeper_init(&k, SILENT, 11);
    assert_int_equal(model_rows(s->model, k.rng, rows, code, NULL), CUSTOS_OK);
    for (size_t c = 0; s->recoding && c < COLUMNS; c++) {
        const struct merged_codes m = {
            s->recoding->map[c], s->recoding->from_size[c],
            s->recoding->size[c], s->recoding->share[c]};

        assert_int_equal(
            merged_codes_draw(&m, NULL, k.rng, rows, code + c * rows, NULL),
            CUSTOS_OK);
    }
    for (size_t i = 0; i < n; i++) {
        size_t cells = domain_cells(&DOMAIN, sets[i]);
        double x[400];
        int64_t y[400];

        count(&k, sets[i], y);
        rows_marginal(&DOMAIN, code, rows, sets[i], 1, x);
        for (size_t c = 0; c < cells; c++)
            sum += fabs(x[c] - (double)y[c] / ROWS) / (double)n;
    }
    free(code);
    test_rng_free(k.rng);
    return sum;
}

/* With little noise MST finds the pairs that depend on each other, and AIM learns
   the triple that no tree of pairs has. */
static void
more_is_learnt_from_more_rho(void **state)
{
    static struct keeper k;
    double error[3][2];

    (void)state;
    for (enum method method = MST; method <= TABLES; method++)
        for (int large = 0; large < 2; large++) {
            struct synthesis s;

            keeper_init(&k, NOISY, 11);
            assert_int_equal(release(method, NULL, &k,
                                     large ? 100 * UNIT : UNIT / 500, &s, NULL),
                             CUSTOS_OK);
            error[method][large] = error_of(&s);
            assert_true(large == 0 || fabs(s.model->total / ROWS - 1) < 0.001);
            assert_true(large == 1 || fabs(s.model->total - ROWS) > 1e-9);
            if (method == TABLES)
                assert_int_equal(k.measured, 1 + 5 + 10 + 10);
            if (method == MST) {
                assert_int_equal(k.measured, 2 * COLUMNS - 1);
                assert_int_equal(k.selected, COLUMNS - 1);
            }
            synthesis_free(&s);
            test_rng_free(k.rng);
        }
    assert_true(error[MST][1] < 0.25 && error[MST][0] > 1.5 * error[MST][1]);
    assert_true(error[AIM][1] < 0.03 && error[AIM][0] > 5 * error[AIM][1]);
    assert_true(error[TABLES][1] < 0.03 &&
                error[TABLES][0] > 5 * error[TABLES][1]);
}

/*
 * All limits of a run at once, of models that keep to little memory, so that triples
 * are left out that the data needs. Of 40 runs none may fail: with their rate of
 * 0.025 a run would; in fact they never do, as noise at its worst, the worst choice
 * and a set that is as bad as it can be do not come together.
 */
static void
limits_hold_for_all_sets_at_once(void **state)
{
    static struct keeper k;
    size_t n_others = 0;

    (void)state;
    for (uint64_t run = 0; run < (uint64_t)test_size(5, 40); run++) {
        struct aim_options o = aim_options(UNIT / 300);
        struct trusted t = trusted_of(&k);
        struct synthesis s;

        o.bytes = 1200;
        keeper_init(&k, NOISY, 100 + run);
        assert_int_equal(aim_run(NULL, &o, &t, k.rng, &s, NULL), CUSTOS_OK);
        for (size_t i = 0; i < s.n_limits; i++) {
            const struct colset set = s.limits[i].set;
            const size_t cells = domain_cells(&DOMAIN, set);
            double x[400], error = 0;
            int64_t y[400];

            count(&k, set, y);
            assert_int_equal(model_marginal(s.model, set, SIZE_MAX, x, NULL),
                             CUSTOS_OK);
            for (size_t c = 0; c < cells; c++)
                error += fabs(x[c] - (double)y[c]);
            assert_true(error <= s.limits[i].l1);
            n_others += !model_measured(s.model, set);
        }
        assert_true(s.n_limits > 0);
        synthesis_free(&s);
        test_rng_free(k.rng);
    }
    assert_true(n_others > 20);
}

/* Where the first measurement teaches nothing new, because the columns are
   independent, the prices grow; the last round takes all that is left. */
static void
settled_rounds_make_later_ones_dearer(void **state)
{
    static struct keeper k;
    struct synthesis s;

    (void)state;
    keeper_init(&k, SILENT, 1);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            k.rows[i][c] = (uint32_t)(synth_next(&k.seed) % SIZES[c]);
    assert_int_equal(release(AIM, NULL, &k, UNIT / 100, &s, NULL), CUSTOS_OK);
    assert_true(s.rounds < 12); /* of 75 at the first price */
    assert_int_equal(k.selected, s.rounds);
    assert_int_equal(k.measured, s.rounds + COLUMNS);
    assert_true(k.last_measurement > UNIT / 100 / (16 * COLUMNS) * 4);
    synthesis_free(&s);
    test_rng_free(k.rng);
}

/* A second thread does not change a bit of the model. */
static void
threads_do_not_matter(void **state)
{
    static struct keeper k;
    struct aim_options o = aim_options(UNIT / 5);
    struct trusted t = trusted_of(&k);
    struct synthesis s[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        o.threads = 1 + i;
        keeper_init(&k, NOISY, 6);
        assert_int_equal(aim_run(NULL, &o, &t, k.rng, &s[i], NULL), CUSTOS_OK);
        test_rng_free(k.rng);
    }
    assert_true(s[0].rounds > 3 && s[0].rounds == s[1].rounds);
    assert_int_equal(s[0].model->cells, s[1].model->cells);
    assert_memory_equal(s[0].model->potentials, s[1].model->potentials,
                        s[0].model->cells * sizeof(double));
    for (size_t i = 0; i < 2; i++)
        synthesis_free(&s[i]);
}

/* The tree never exceeds the cap, and columns that do are an error before
   anything is spent. */
static void
aim_keeps_to_its_memory(void **state)
{
    static struct keeper k;
    struct trusted t = trusted_of(&k);
    struct aim_options o = aim_options(UNIT);
    struct synthesis s;

    (void)state;
    o.bytes = 800;
    keeper_init(&k, NOISY, 4);
    assert_int_equal(aim_run(NULL, &o, &t, k.rng, &s, NULL), CUSTOS_OK);
    assert_true(tree_bytes(&s.model->tree) <= 800);
    synthesis_free(&s);
    test_rng_free(k.rng);
    o.bytes = 180; /* 23 cells are 184 bytes */
    keeper_init(&k, NOISY, 4);
    assert_int_equal(aim_run(NULL, &o, &t, k.rng, &s, NULL), CUSTOS_EOVERFLOW);
    assert_true(k.spent == 0);
    assert_true(s.left == UNIT);
    test_rng_free(k.rng);
}

/* What is measured has a limit, which leaves room to measure to the end. */
static void
aim_measures_no_more_than_can_be_kept(void **state)
{
    static struct keeper k;
    struct trusted t = trusted_of(&k);
    struct aim_options o = aim_options(UNIT / 20);
    struct synthesis s;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        o.cells = (size_t[]){1 << 26, 200, 1}[i];
        keeper_init(&k, NOISY, 4);
        assert_int_equal(aim_run(NULL, &o, &t, k.rng, &s, NULL), CUSTOS_OK);
        assert_true(s.rounds > 3 && s.left == 0);
        if (i == 0)
            assert_true(k.cells > 200);
        if (i == 1)
            assert_true(k.cells <= 200);
        if (i == 2) /* the columns, and then the smallest of them */
            assert_true(k.cells <= 23 + 2 * s.rounds);
        synthesis_free(&s);
        test_rng_free(k.rng);
    }
}

/* Rows of all methods respect structural zeros, and their columns keep codes. */
static void
zeros_hold_in_all(void **state)
{
    static struct keeper k;
    uint8_t zero[6] = {0, 1, 0, 0, 0, 1};
    const struct forbidden x = {synth_set("ab"), zero};

    (void)state;
    for (enum method method = MST; method <= TABLES; method++) {
        struct planner_options tables = tables_options(UNIT / 2000);
        struct trusted t = trusted_of(&k);
        struct mst_options mst = {&DOMAIN, UNIT / 2000, 1,
                                  &x,      1,           (size_t)1 << 20};
        struct aim_options aim = aim_options(UNIT / 2000);
        struct synthesis s;
        double got[6];

        aim.zeros = tables.zeros = &x;
        aim.n_zeros = tables.n_zeros = 1;
        keeper_init(&k, NOISY, 8);
        assert_int_equal(method == MST ? mst_run(NULL, &mst, &t, &s, NULL)
                         : method == AIM
                             ? aim_run(NULL, &aim, &t, k.rng, &s, NULL)
                             : planner_run(NULL, &tables, &t, &s, NULL),
                         CUSTOS_OK);
        assert_int_equal(s.model->domain.size[0], 2);
        assert_int_equal(s.model->domain.size[1], 3);
        assert_int_equal(model_marginal(s.model, x.set, 6, got, NULL),
                         CUSTOS_OK);
        for (size_t i = 0; i < 6; i++)
            assert_true(zero[i] ? got[i] == 0 : got[i] >= 0);
        synthesis_free(&s);
        test_rng_free(k.rng);
    }
}

/* Zeros join a-b-c-d; a pair that would close the circle a-d makes nodes of three
   columns, and one with e needs a table more. */
static void
mst_keeps_to_its_memory_with_zeros(void **state)
{
    static struct keeper k;
    static const uint8_t none[24]; /* of the largest pair, cd */
    const struct forbidden x[3] = {{synth_set("ab"), none},
                                   {synth_set("bc"), none},
                                   {synth_set("cd"), none}};
    struct trusted t = trusted_of(&k);

    (void)state;
    for (int room = 0; room < 2; room++) {
        struct mst_options mst = {&DOMAIN, UNIT, 1, x, 3, 0};
        struct tree_graph graph;
        struct synthesis s;
        struct tree tree;

        tree_graph_init(&DOMAIN, &graph);
        for (size_t i = 0; i < 3; i++)
            tree_graph_join(&graph, x[i].set);
        tree_make(&DOMAIN, &graph, &tree);
        mst.bytes = room ? (size_t)1 << 20 : tree_bytes(&tree);
        keeper_init(&k, NOISY, 4);
        assert_int_equal(mst_run(NULL, &mst, &t, &s, NULL), CUSTOS_OK);
        assert_true(tree_bytes(&s.model->tree) <= mst.bytes);
        assert_true(room ? s.left < 100 : s.left > UNIT / 10);
        synthesis_free(&s);
        test_rng_free(k.rng);
    }
}

/* Candidates are all subsets of the workload, by their weights. */
static void
candidates_are_the_closure(void **state)
{
    const struct colset sets[2] = {synth_set("abc"), synth_set("cd")};
    const uint64_t weights[2] = {2, 5};
    const struct workload w = {sets, weights, 2};
    const struct workload wrong[3] = {
        {sets, NULL, 0},
        {&(struct colset){{0, 0}}, NULL, 1},
        {&(struct colset){{1 << COLUMNS, 0}}, NULL, 1}};
    struct candidates c;

    (void)state;
    assert_int_equal(candidates_make(NULL, &DOMAIN, &w, 12, &c, NULL),
                     CUSTOS_OK);
    assert_int_equal(c.n, 7); /* of 9; abc and cd have more than 12 cells */
    for (size_t i = 0; i < c.n; i++) {
        assert_true(c.of[i].weight ==
                    2 * colset_count(colset_and(c.of[i].set, sets[0])) +
                        5 * colset_count(colset_and(c.of[i].set, sets[1])));
        assert_true(c.of[i].cells == domain_cells(&DOMAIN, c.of[i].set));
    }
    candidates_free(&c);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            candidates_make(NULL, &DOMAIN, &wrong[i], 12, &c, NULL),
            CUSTOS_EINVAL);
        candidates_free(&c);
    }
}

/* The n-th allocation or call fails: the status comes back, nothing leaks, and
   what was paid is known. */
static void
failures_are_statuses(void **state)
{
    static struct keeper k;

    (void)state;
    for (enum method method = MST; method <= TABLES; method++) {
        for (size_t n = 1;; n += 1 + n / 12) {
            struct test_memory memory = {.fail_at = n};
            custos_alloc alloc = test_alloc(&memory);
            struct synthesis s;
            custos_status st;

            keeper_init(&k, SILENT, 2);
            st = release(method, &alloc, &k, UNIT / 100, &s, NULL);
            assert_true(k.spent + s.left == UNIT / 100);
            synthesis_free(&s);
            test_rng_free(k.rng);
            assert_int_equal(memory.live, 0);
            if (!st)
                break;
            assert_int_equal(st, CUSTOS_ENOMEM);
        }
        for (size_t n = 1;; n += 1 + n / 12) {
            struct synthesis s;
            custos_status st;

            keeper_init(&k, SILENT, 2);
            k.fail_at = n;
            st = release(method, NULL, &k, UNIT / 100, &s, NULL);
            synthesis_free(&s);
            test_rng_free(k.rng);
            if (!st)
                break;
            assert_int_equal(st, CUSTOS_EENTROPY);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_buy_at_most_what_they_cost),
        cmocka_unit_test(no_synthesizer_overspends),
        cmocka_unit_test(more_is_learnt_from_more_rho),
        cmocka_unit_test(limits_hold_for_all_sets_at_once),
        cmocka_unit_test(settled_rounds_make_later_ones_dearer),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(aim_keeps_to_its_memory),
        cmocka_unit_test(aim_measures_no_more_than_can_be_kept),
        cmocka_unit_test(zeros_hold_in_all),
        cmocka_unit_test(mst_keeps_to_its_memory_with_zeros),
        cmocka_unit_test(candidates_are_the_closure),
        cmocka_unit_test(failures_are_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
