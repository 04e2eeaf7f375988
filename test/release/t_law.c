/*
 * The law of all that a release measures, on data of two columns. The linker hands
 * every call of a mechanism to this program, which looks into the seal and answers
 * with numbers of its own, the same for neighbouring data. So both runs have the same
 * past at every step, and the divergence of the step's laws, given that past, follows
 * exactly from what was sealed. Their sum must not exceed the price, whatever the
 * answers are: the theorem about filters then bounds the whole release.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/fields.h"
#include "mech/factor.h"
#include "mech/sealed.h"
#include "release/coded.h"
#include "release/measuring.h"
#include "release/method.h"
#include "support/support.h"
#include "support/synth_sets.h"

enum {
    COLUMNS = 2,
    A = 2,
    B = 3,
    CELLS = A * B,
    ROWS_MAX = 8,
    STEPS_MAX = 256
};

struct rows {
    size_t n;
    int cell[ROWS_MAX];
};

/* What a mechanism was asked to do. */
struct step {
    bool selects;
    bool residual;
    size_t n;
    double variance;             /* of a measurement */
    double epsilon, sensitivity; /* of a selection */
    int64_t x[64];
};

static struct rows rows; /* the data */
static uint64_t answers; /* the state of the answers to come */
static struct step steps[2][STEPS_MAX];
static size_t n_steps, run_number;

/* -------------------------------------------------------- in their places -- */

custos_status
__wrap_engine_fields(struct engine *e, const struct plan *plan,
                     const struct engine_field *fields, size_t n,
                     engine_take_fields take, void *ctx, custos_err *err);

custos_status
__wrap_engine_fields(struct engine *e, const struct plan *plan,
                     const struct engine_field *fields, size_t n,
                     engine_take_fields take, void *ctx, custos_err *err)
{
    int64_t numbers[COLUMNS * ROWS_MAX];

    (void)e;
    (void)plan;
    (void)fields;
    assert_int_equal(n, COLUMNS);
    for (size_t i = 0; i < rows.n; i++) {
        numbers[i] = rows.cell[i] / B;
        numbers[rows.n + i] = rows.cell[i] % B;
    }
    return take(ctx, rows.n, numbers, err);
}

static struct step *
next_step(custos_sealed *sealed, enum sealed_kind kind, size_t n)
{
    struct step *s = &steps[run_number][n_steps++];
    i128 *x = NULL;

    assert_true(n_steps < STEPS_MAX && n <= COUNT_OF(s->x));
    *s = (struct step){.n = n};
    assert_int_equal(sealed_open(sealed, kind, n, &x, NULL), CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        s->x[i] = (int64_t)x[i];
    return s;
}

static double
variance_of(const custos_mech *mech)
{
    const double sigma = strtod(custos_mech_facts(mech)->scale, NULL);

    assert_int_equal(custos_mech_facts(mech)->law, CUSTOS_DISCRETE_GAUSSIAN);
    return sigma * sigma;
}

custos_status
__wrap_custos_release_ints(const custos_mech *mech, custos_rng *rng,
                           custos_sealed *sealed, int64_t *out, size_t n,
                           custos_err *err);

custos_status
__wrap_custos_release_ints(const custos_mech *mech, custos_rng *rng,
                           custos_sealed *sealed, int64_t *out, size_t n,
                           custos_err *err)
{
    struct step *s = next_step(sealed, SEALED_INTS, n);

    (void)rng;
    (void)err;
    s->variance = variance_of(mech);
    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t)(synth_next(&answers) % 9) - 4;
    return CUSTOS_OK;
}

custos_status __wrap_release_i128(const custos_mech *mech, custos_rng *rng,
                                  custos_sealed *sealed, i128 *out, size_t n,
                                  custos_err *err);

custos_status
__wrap_release_i128(const custos_mech *mech, custos_rng *rng,
                    custos_sealed *sealed, i128 *out, size_t n, custos_err *err)
{
    struct step *s = next_step(sealed, SEALED_WIDE, n);

    (void)rng;
    (void)err;
    s->residual = true;
    s->variance = variance_of(mech);
    for (size_t i = 0; i < n; i++)
        out[i] = (i128)(synth_next(&answers) % 99) - 49;
    return CUSTOS_OK;
}

custos_status
__wrap_custos_select(const custos_alloc *alloc, const custos_select_options *o,
                     custos_rng *rng, custos_sealed *scores, size_t n,
                     size_t *winner, custos_err *err);

custos_status
__wrap_custos_select(const custos_alloc *alloc, const custos_select_options *o,
                     custos_rng *rng, custos_sealed *scores, size_t n,
                     size_t *winner, custos_err *err)
{
    struct step *s = next_step(scores, SEALED_INTS, n);

    (void)alloc;
    (void)rng;
    (void)err;
    assert_int_equal(o->rule, CUSTOS_EXPONENTIAL);
    assert_int_equal(o->scores, CUSTOS_SCORES_GENERAL);
    assert_null(o->score_unit);
    s->selects = true;
    s->epsilon = strtod(o->epsilon, NULL);
    s->sensitivity = strtod(o->sensitivity, NULL);
    *winner = synth_next(&answers) % n;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------- runs -- */

static const uint32_t SIZES[COLUMNS] = {A, B};
static const struct domain DOMAIN = {COLUMNS, SIZES};

static void
schema_init(struct schema *s, struct schema_column *columns, size_t *column)
{
    memset(columns, 0, COLUMNS * sizeof *columns);
    for (size_t i = 0; i < COLUMNS; i++) {
        columns[i].coding = SCHEMA_VALUES;
        columns[i].n = SIZES[i];
        columns[i].place = column[i] = i;
    }
    *s = (struct schema){
        .columns = columns, .n = COLUMNS, .domain = DOMAIN, .column = column};
}

/* The variances that are published are those of the noise. */
static void
check_variances(const struct released *r)
{
    size_t table = 0;

    for (size_t i = 0; i < n_steps; i++) {
        const struct step *s = &steps[run_number][i];

        if (s->selects)
            continue;
        assert_true(table < r->n_tables && r->tables[table].cells == s->n);
        assert_true(fabs(r->tables[table].variance / s->variance - 1) < 1e-9);
        table++;
    }
    assert_int_equal(table, r->n_tables);
}

static void
run(const struct method *method, size_t number, const struct rows *data,
    uint64_t seed)
{
    struct schema_column columns[COLUMNS];
    size_t column[COLUMNS], field[COLUMNS] = {0, 1};
    arena *a = arena_new(NULL, 1 << 24);
    struct measuring m = {.l1 = method->l1,
                          .l2_squared = method->l2_squared,
                          .left = method->rho,
                          .rng = test_rng_seeded(seed)};
    const struct trusted t = measuring_trusted(&m);
    struct synthesis made = {.model = NULL};
    struct schema schema;

    assert_non_null(a);
    schema_init(&schema, columns, column);
    rows = *data;
    answers = seed;
    run_number = number;
    n_steps = 0;
    assert_int_equal(released_new(a, &DOMAIN, &m.released, NULL), CUSTOS_OK);
    assert_int_equal(coded_read(NULL, NULL, &schema, field, &m.coded, NULL),
                     CUSTOS_OK);
    assert_int_equal(method_run(method, &t, m.rng, &made, NULL), CUSTOS_OK);
    check_variances(m.released);
    synthesis_free(&made);
    coded_free(m.coded);
    custos_rng_free(m.rng);
    arena_free(a);
}

/* ------------------------------------------------------------------- laws -- */

/* The Renyi divergence of order alpha of the exponential mechanism's laws. */
static double
selection_divergence(const struct step *p, const struct step *q, double alpha)
{
    double all[2] = {0, 0}, most[2] = {-INFINITY, -INFINITY}, sum = 0;
    const double by = p->epsilon / (2 * p->sensitivity);

    for (size_t i = 0; i < p->n; i++) {
        most[0] = fmax(most[0], by * (double)p->x[i]);
        most[1] = fmax(most[1], by * (double)q->x[i]);
    }
    for (size_t i = 0; i < p->n; i++) {
        all[0] += exp(by * (double)p->x[i] - most[0]);
        all[1] += exp(by * (double)q->x[i] - most[1]);
    }
    for (size_t i = 0; i < p->n; i++) {
        double lp = by * (double)p->x[i] - most[0] - log(all[0]);
        double lq = by * (double)q->x[i] - most[1] - log(all[1]);

        sum += exp(alpha * lp + (1 - alpha) * lq);
    }
    return log(sum) / (alpha - 1);
}

/* That of a step, at most; discrete Gaussians on shifted counts have no more than
   those on the line. */
static double
divergence(const struct step *p, const struct step *q, double alpha)
{
    double squares = 0;

    if (p->selects)
        return selection_divergence(p, q, alpha);
    for (size_t i = 0; i < p->n; i++) {
        double off = (double)(p->x[i] - q->x[i]);

        squares += off * off;
    }
    return alpha * squares / (2 * p->variance);
}

static double
price_of(amount rho)
{
    return (double)rho / 1e20;
}

/* What a row of cell x adds to number i of the residual of a table of na times nb
   cells. */
static double
residual_entry(size_t na, size_t nb, size_t i, size_t x)
{
    const double a = i / nb == x / nb ? (double)na - 1 : -1;
    const double b = i % nb == x % nb ? (double)nb - 1 : -1;

    return (na > 1 ? a : 1) * (nb > 1 ? b : 1);
}

/* The most that a row that comes, or becomes another one, changes in a residual of so
   many numbers: tried for all rows. */
static double
residual_move(size_t cells, bool change)
{
    const size_t na = cells % A == 0 ? A : 1, nb = cells / na;
    double most = 0;

    for (size_t x = 0; x < cells; x++)
        for (size_t y = 0; y < cells; y++) {
            double come = 0, become = 0;

            for (size_t i = 0; i < cells; i++) {
                const double at = residual_entry(na, nb, i, x);

                come += at * at;
                become += pow(at - residual_entry(na, nb, i, y), 2);
            }
            most = fmax(most, change ? fmax(come, become) : come);
        }
    return most;
}

/* What a step costs, by its own noise and for the worst neighbours. */
static double
cost_of_step(const struct method *m, const struct step *s)
{
    const double unit_rows = (double)(m->l2_squared / m->l1);

    if (s->selects)
        return s->epsilon * s->epsilon / 8;
    if (!s->residual)
        return (double)m->l2_squared / (2 * s->variance);
    return unit_rows * unit_rows *
           residual_move(s->n, m->l1 > m->l2_squared / m->l1) /
           (2 * s->variance);
}

/* Both runs took the same steps, and their laws are as near as the price says. Returns
   the largest share of the price that they used. */
static double
check_laws(const struct method *m, size_t n)
{
    static const double orders[] = {1.001, 2, 8, 40};
    double most = 0;

    assert_int_equal(n, n_steps);
    for (size_t o = 0; o < COUNT_OF(orders); o++)
        for (int way = 0; way < 2; way++) {
            double sum = 0, d;

            for (size_t i = 0; i < n; i++) {
                const struct step *p = &steps[way][i], *q = &steps[!way][i];

                assert_true(p->selects == q->selects && p->n == q->n &&
                            p->variance == q->variance &&
                            p->epsilon == q->epsilon &&
                            p->sensitivity == q->sensitivity);
                d = divergence(p, q, orders[o]);
                if (d > orders[o] * cost_of_step(m, p) * (1 + 1e-6))
                    fail_msg("order %g: step %zu is too far", orders[o], i);
                sum += d;
            }
            sum /= orders[o] * price_of(m->rho);
            most = sum > most ? sum : most;
            if (sum > 1 + 1e-6)
                fail_msg("order %g: %g of the price", orders[o], sum);
        }
    return most;
}

/* What the steps cost, by their own noise and for the worst neighbours. */
static double
cost_of_steps(const struct method *m, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += cost_of_step(m, &steps[0][i]);
    return sum;
}

/* The table of both columns, and then each by itself. */
static const struct colset TABLES[] = {{{3, 0}}, {{1, 0}}, {{2, 0}}};

static struct method
method_of(enum release_method is, const char *rho, custos_adjacency adjacency,
          uint64_t rows_per_unit)
{
    struct method m = {
        .is = is, .domain = &DOMAIN, .workload = {.sets = TABLES, .n = 1}};
    arena *a = arena_new(NULL, 1 << 20);
    struct method_facts facts;
    rat x;

    rat_init(&x);
    assert_int_equal(rat_read(rho, "rho", &x, NULL), CUSTOS_OK);
    assert_true(amount_from_rat_down(&x, AMOUNT_LOSS, &m.rho));
    rat_clear(&x);
    measuring_bounds(adjacency, rows_per_unit, &m.l1, &m.l2_squared);
    assert_int_equal(method_check(&m, a, &facts, NULL), CUSTOS_OK);
    arena_free(a);
    return m;
}

/* The next multiset of cells with the same number of rows; false after the last. */
static bool
next_rows(struct rows *r)
{
    for (size_t i = r->n; i-- > 0;) {
        if (r->cell[i] == CELLS - 1)
            continue;
        r->cell[i]++;
        for (size_t k = i + 1; k < r->n; k++)
            r->cell[k] = r->cell[i];
        return true;
    }
    return false;
}

static struct rows
joined(const struct rows *a, const struct rows *b)
{
    struct rows r = *a;

    for (size_t i = 0; i < b->n; i++)
        r.cell[r.n++] = b->cell[i];
    return r;
}

/* Every table of `others` rows, together with every unit: none, or up to m rows of
   its own; under change-one, every two units. */
static double
check_neighbours(const struct method *m, custos_adjacency adjacency,
                 size_t others, size_t unit_rows)
{
    const size_t least = adjacency == CUSTOS_CHANGE_ONE ? unit_rows : 0;
    struct rows base = {.n = others};
    double most = 0;
    uint64_t seed = 1;

    do {
        struct rows unit = {.n = unit_rows};

        do {
            struct rows other = {.n = least};

            do {
                const struct rows x = joined(&base, &unit),
                                  y = joined(&base, &other);
                size_t n;
                double used;

                seed++;
                run(m, 0, &x, seed);
                n = n_steps;
                run(m, 1, &y, seed);
                used = check_laws(m, n);
                most = used > most ? used : most;
            } while (next_rows(&other));
        } while (next_rows(&unit));
    } while (next_rows(&base));
    return most;
}

static void
the_law_of_neighbours_stays_within_the_price(void **state)
{
    static const struct {
        enum release_method method;
        const char *rho;
        custos_adjacency adjacency;
        size_t others, unit_rows;
        bool single; /* the workload has single columns alone */
    } cases[] = {
        {METHOD_MST, "0.5", CUSTOS_ADD_REMOVE, 2, 1, false},
        {METHOD_MST, "0.5", CUSTOS_ADD_REMOVE, 1, 2, false},
        {METHOD_MST, "3", CUSTOS_CHANGE_ONE, 1, 1, false},
        {METHOD_MST, "3", CUSTOS_CHANGE_ONE, 0, 2, false},
        {METHOD_AIM, "0.5", CUSTOS_ADD_REMOVE, 1, 1, false},
        {METHOD_AIM, "0.5", CUSTOS_ADD_REMOVE, 1, 2, false},
        {METHOD_AIM, "3", CUSTOS_CHANGE_ONE, 0, 2, false},
        {METHOD_AIM, "3", CUSTOS_CHANGE_ONE, 1, 1, true},
        {METHOD_TABLES, "0.5", CUSTOS_ADD_REMOVE, 2, 1, false},
        {METHOD_TABLES, "0.5", CUSTOS_ADD_REMOVE, 1, 2, false},
        {METHOD_TABLES, "3", CUSTOS_CHANGE_ONE, 1, 1, false},
        {METHOD_TABLES, "3", CUSTOS_CHANGE_ONE, 0, 2, false},
        {METHOD_TABLES, "3", CUSTOS_CHANGE_ONE, 1, 1, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct method m = method_of(cases[i].method, cases[i].rho,
                                    cases[i].adjacency, cases[i].unit_rows);
        double used;

        if (cases[i].single)
            m.workload = (struct workload){.sets = TABLES + 1, .n = 2};
        used = check_neighbours(&m, cases[i].adjacency, cases[i].others,
                                cases[i].unit_rows);

        print_message("case %zu: %.3f of the price is used\n", i, used);
        assert_true(used > 0.25); /* so the checks are not idle */
    }
}

/* The noise of all steps together buys what the price is, and not less. */
static void
steps_cost_what_they_say(void **state)
{
    static const char *const prices[] = {"1e-6", "0.015", "0.5", "20"};
    static const enum release_method methods[] = {METHOD_MST, METHOD_AIM,
                                                  METHOD_TABLES};
    const struct rows data = {.n = 4, .cell = {0, 1, 5, 5}};

    (void)state;
    for (size_t k = 0; k < COUNT_OF(methods); k++)
        for (size_t i = 0; i < COUNT_OF(prices); i++)
            for (uint64_t m = 1; m <= 1000; m = m * 10 + 7) {
                const struct method method =
                    method_of(methods[k], prices[i],
                              m > 5 ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE, m);
                double cost;

                run(&method, 0, &data, 77 + i);
                cost = cost_of_steps(&method, n_steps) / price_of(method.rho);
                if (cost > 1 + 1e-9 || cost < 1 - 1e-6)
                    fail_msg("rho %s: the steps cost %.12f of it", prices[i],
                             cost);
            }
}

/* ----------------------------------------------------------------- ranges -- */

/* Measures the ranges of the second column of these rows. */
static void
run_ranges(const struct method *method, size_t number, const struct rows *data)
{
    struct schema_column columns[COLUMNS];
    size_t column[COLUMNS], field[COLUMNS] = {0, 1};
    arena *a = arena_new(NULL, 1 << 20);
    struct measuring m = {.l1 = method->l1,
                          .l2_squared = method->l2_squared,
                          .left = method->rho};
    struct released_range range;
    struct schema schema;

    schema_init(&schema, columns, column);
    rows = *data;
    answers = 1;
    run_number = number;
    n_steps = 0;
    assert_int_equal(coded_read(NULL, NULL, &schema, field, &m.coded, NULL),
                     CUSTOS_OK);
    assert_int_equal(measuring_range(&m, a, 1, B, method->rho, &range, NULL),
                     CUSTOS_OK);
    assert_int_equal(n_steps, 1);
    assert_true(m.left == 0);
    /* A step of what gets the noise is 2^-m rows; the root has 2^m on its diagonal. */
    assert_true(fabs(range.variance / (steps[number][0].variance /
                                       pow(2, 2 * (double)factor_bits(B))) -
                     1) < 1e-9);
    coded_free(m.coded);
    arena_free(a);
}

/* For all neighbours; the worst of them use the whole price. */
static void
ranges_cost_what_they_say(void **state)
{
    (void)state;
    for (int change = 0; change < 2; change++)
        for (size_t unit_rows = 1; unit_rows <= 2; unit_rows++) {
            const struct method m = method_of(
                METHOD_MST, "0.5",
                change ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE, unit_rows);
            struct rows unit = {.n = unit_rows};
            double most = 0;

            do {
                struct rows other = {.n = change ? unit_rows : 0};

                do {
                    const struct rows base = {.n = 1, .cell = {4}};
                    const struct rows x = joined(&base, &unit),
                                      y = joined(&base, &other);

                    run_ranges(&m, 0, &x);
                    run_ranges(&m, 1, &y);
                    most = fmax(most,
                                divergence(&steps[0][0], &steps[1][0], 2) / 2);
                } while (next_rows(&other));
            } while (next_rows(&unit));
            print_message("%.4f of the price is used\n",
                          most / price_of(m.rho));
            assert_true(most <= price_of(m.rho) * (1 + 1e-9));
            assert_true(most >= price_of(m.rho) * (change ? 0.4 : 1 - 1e-6));
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cost_what_they_say),
        cmocka_unit_test(the_law_of_neighbours_stays_within_the_price),
        cmocka_unit_test(steps_cost_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
