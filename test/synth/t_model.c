/*
 * The model: trees have the running intersection property, belief propagation
 * agrees with the product of all potentials over all rows, the estimator
 * converges to the marginals that were measured, and what is not covered by a
 * node is computed like what is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/bound.h"
#include "synth/fit.h"
#include "synth/infer.h"
#include "synth/walk_loops.h"

enum { COLUMNS = 6, ROWS = 4000, CELLS = 360 };

static const uint32_t SIZES[COLUMNS] = {2, 3, 4, 3, 5, 1};
static const struct domain DOMAIN = {COLUMNS, SIZES};

/* ------------------------------------------------------------------- trees -- */

/* Every clique within a node; the nodes of a column connected: of those that
   have it, exactly one has a parent that lacks it or is the root. */
static void
check_tree(const struct domain *d, const struct tree *t,
           const struct colset *cliques, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(tree_cover(t, cliques[i]) < t->n);
    for (size_t c = 0; c < d->n; c++) {
        size_t tops = 0;

        for (size_t i = 0; i < t->n; i++) {
            const struct tree_node *node = &t->node[i];

            assert_true(i == 0 || node->parent < i);
            assert_true(colset_same(
                node->separator,
                i == 0 ? (struct colset){{0, 0}}
                       : colset_and(node->set, t->node[node->parent].set)));
            tops += colset_has(node->set, c) && !colset_has(node->separator, c);
        }
        assert_int_equal(tops, 1);
    }
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < t->n; k++)
            assert_true(i == k ||
                        !colset_within(t->node[i].set, t->node[k].set));
}

static void
trees_hold_all_cliques(void **state)
{
    uint32_t size[100];
    struct domain d = {0, size};
    struct colset cliques[60];
    uint64_t seed = 1;

    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        size_t n = 1 + synth_next(&seed) % 60;
        struct tree_graph g;
        struct tree t;

        d.n = 1 + synth_next(&seed) % 100;
        for (size_t c = 0; c < d.n; c++)
            size[c] = 1 + (uint32_t)(synth_next(&seed) % 9);
        tree_graph_init(&d, &g);
        for (size_t i = 0; i < n; i++) {
            cliques[i] = (struct colset){{0, 0}};
            for (int k = 0; k < 3; k++)
                cliques[i] =
                    colset_or(cliques[i], colset_of(synth_next(&seed) % d.n));
            tree_graph_join(&g, cliques[i]);
        }
        tree_make(&d, &g, &t);
        check_tree(&d, &t, cliques, n);
    }
}

/* ------------------------------------------------------------------ models -- */

/* A table of random rows in which neighbouring columns depend on each other. */
static void
make_rows(uint32_t rows[ROWS][COLUMNS])
{
    uint64_t seed = 7;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COLUMNS; c++) {
            uint32_t own = (uint32_t)(synth_next(&seed) % SIZES[c]);
            bool copy = c > 0 && synth_next(&seed) % 3 > 0;

            rows[i][c] = copy ? rows[i][c - 1] % SIZES[c] : own;
        }
}

static void
count_rows(uint32_t rows[ROWS][COLUMNS], struct colset set, double *out)
{
    memset(out, 0, domain_cells(&DOMAIN, set) * sizeof *out);
    for (size_t i = 0; i < ROWS; i++)
        out[synth_cell(&DOMAIN, set, rows[i])]++;
}

static void
measure(struct model *m, uint32_t rows[ROWS][COLUMNS], const char *columns,
        double variance)
{
    double x[CELLS];
    const struct measurement y = {synth_set(columns), variance, x, NULL};

    count_rows(rows, y.set, x);
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
}

static double
distance(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += fabs(a[i] - b[i]);
    return sum;
}

static const struct fit_options WELL = {20000, 1e-5, 50};

/* The distribution over all rows that the potentials mean. */
static void
multiply_out(const struct model *m, double all[CELLS])
{
    double sum = 0;
    uint32_t row[COLUMNS];

    for (size_t i = 0; i < CELLS; i++) {
        size_t left = i;
        double log = 0;

        for (size_t c = COLUMNS; c-- > 0; left /= SIZES[c])
            row[c] = (uint32_t)(left % SIZES[c]);
        for (size_t k = 0; k < m->n_cliques; k++)
            log += m->potentials[m->cliques[k].first +
                                 synth_cell(&DOMAIN, m->cliques[k].set, row)];
        sum += all[i] = exp(log);
    }
    for (size_t i = 0; i < CELLS; i++)
        all[i] *= m->total / sum;
}

static void
sum_out(const double all[CELLS], struct colset set, double *out)
{
    uint32_t row[COLUMNS];

    memset(out, 0, domain_cells(&DOMAIN, set) * sizeof *out);
    for (size_t i = 0; i < CELLS; i++) {
        size_t left = i;

        for (size_t c = COLUMNS; c-- > 0; left /= SIZES[c])
            row[c] = (uint32_t)(left % SIZES[c]);
        out[synth_cell(&DOMAIN, set, row)] += all[i];
    }
}

static const char *const MEASURED[] = {"a",  "b",  "c",  "d",   "e",
                                       "ab", "bc", "cd", "cde", "ae"};

static struct model *
make_model(uint32_t rows[ROWS][COLUMNS], size_t n)
{
    struct model *m = model_new(NULL, &DOMAIN);
    struct fit_facts facts;

    for (size_t i = 0; i < n; i++)
        measure(m, rows, MEASURED[i], 1 + (double)(i % 3));
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_OK);
    assert_true(facts.converged);
    return m;
}

/* All marginals of all sets of columns, and with more and more cliques. */
static void
marginals_are_those_of_the_product(void **state)
{
    static uint32_t rows[ROWS][COLUMNS];

    (void)state;
    make_rows(rows);
    for (size_t n = 5; n <= 10; n++) {
        struct model *m = make_model(rows, n);
        double all[CELLS], want[CELLS], got[CELLS];

        multiply_out(m, all);
        for (uint64_t bits = 0; bits < 1 << COLUMNS; bits++) {
            struct colset set = {{bits, 0}};
            size_t cells = domain_cells(&DOMAIN, set);

            sum_out(all, set, want);
            assert_int_equal(model_marginal(m, set, CELLS, got, NULL),
                             CUSTOS_OK);
            assert_true(distance(want, got, cells) < 1e-6 * ROWS);
        }
        model_free(m);
    }
}

static void
fit_reaches_what_was_measured(void **state)
{
    static uint32_t rows[ROWS][COLUMNS];
    struct model *m;

    (void)state;
    make_rows(rows);
    m = make_model(rows, 10);
    assert_true(fabs(m->total - ROWS) < 1e-6);
    for (size_t i = 0; i < 10; i++) {
        double want[CELLS], got[CELLS];
        struct colset set = synth_set(MEASURED[i]);

        count_rows(rows, set, want);
        assert_int_equal(model_marginal(m, set, CELLS, got, NULL), CUSTOS_OK);
        assert_true(distance(want, got, domain_cells(&DOMAIN, set)) <
                    0.002 * ROWS);
    }
    model_free(m);
}

/* By the variances of the sums: 3 cells of variance 2, and 4 of 9, one of which
   stands for 5. No other number of rows is known. */
static void
total_is_the_mean_of_noisy_sums(void **state)
{
    struct model *m = model_new(NULL, &DOMAIN);
    const double b[3] = {10, 20, 31}, c[4] = {10, 20, 30, 4},
                 merged[4] = {1, 1, 1, 5};
    const struct measurement x = {synth_set("b"), 2, b, NULL};
    const struct measurement y = {synth_set("c"), 9, c, merged};

    (void)state;
    assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_true(fabs(m->total - (61.0 / 6 + 64.0 / 72) / (1.0 / 6 + 1.0 / 72)) <
                1e-9);
    model_free(m);
}

/* Measuring a set twice is measuring it once, with the mean and its variance. */
static void
measurements_of_one_set_are_averaged(void **state)
{
    struct model *m = model_new(NULL, &DOMAIN);
    const double first[2] = {100, 50}, second[2] = {40, 110};
    const struct measurement x = {synth_set("a"), 4, first, NULL};
    const struct measurement y = {synth_set("a"), 2, second, NULL};

    (void)state;
    assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
    assert_null(m->evidence->next);
    assert_true(fabs(m->evidence->values[0] - 60) < 1e-12);
    assert_true(fabs(m->evidence->values[1] - 90) < 1e-12);
    assert_true(fabs(m->evidence->variance - 4.0 / 3) < 1e-12);
    model_free(m);
}

static void *
take_counted(void *ctx, size_t bytes)
{
    *(size_t *)ctx += bytes;
    return malloc(bytes);
}

static void
give_counted(void *ctx, void *p, size_t bytes)
{
    *(size_t *)ctx -= bytes;
    free(p);
}

/* What a model will take is known before: not less than it is, and little more. */
static void
bytes_of_a_model_are_known(void **state)
{
    uint32_t size[12];
    struct domain d = {12, size};
    uint64_t seed = 11;

    (void)state;
    for (int round = 0; round < 40; round++) {
        size_t taken = 0, before, bytes;
        const custos_alloc counted = {take_counted, give_counted, &taken};
        struct model *m;

        for (size_t i = 0; i < d.n; i++)
            size[i] = 1 + (uint32_t)(synth_next(&seed) % 12);
        m = model_new(&counted, &d);
        assert_non_null(m);
        for (int i = 0; i < 9; i++) {
            const struct colset set =
                colset_or(colset_of(synth_next(&seed) % d.n),
                          colset_of(synth_next(&seed) % d.n));
            uint8_t *zero = calloc(domain_cells(&d, set), 1);
            const struct forbidden none = {set, zero};

            assert_int_equal(model_forbid(m, &none, NULL), CUSTOS_OK);
            free(zero);
        }
        before = taken;
        bytes = model_bytes(m);
        assert_int_equal(taken, before);
        assert_int_equal(model_build(m, NULL), CUSTOS_OK);
        assert_true(taken - before <= bytes);
        assert_true(bytes <= 3 * (taken - before));
        model_free(m);
    }
}

/* No row is where zeros are, the rest is fitted, and a model without any place
   for a row is an error. */
static void
structural_zeros_stay_empty(void **state)
{
    static uint32_t rows[ROWS][COLUMNS];
    uint8_t zero[12] = {0}, all[5] = {1, 1, 1, 1, 1};
    const struct forbidden x = {synth_set("bc"), zero};
    const struct forbidden y = {synth_set("e"), all};
    struct fit_facts facts;
    struct model *m = model_new(NULL, &DOMAIN);
    double got[CELLS], sum = 0;

    (void)state;
    zero[1] = zero[5] = zero[6] = 1;
    make_rows(rows);
    for (size_t i = 0; i < 5; i++)
        measure(m, rows, MEASURED[i], 1);
    assert_int_equal(model_forbid(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_int_equal(tree_cover(&m->tree, x.set) < m->tree.n, 1);
    assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_OK);
    assert_int_equal(model_marginal(m, x.set, CELLS, got, NULL), CUSTOS_OK);
    for (size_t i = 0; i < 12; i++) {
        assert_true(zero[i] ? got[i] == 0 : got[i] > 0);
        sum += got[i];
    }
    assert_true(fabs(sum - m->total) < 1e-6);
    assert_int_equal(model_forbid(m, &y, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    assert_int_equal(model_fit(m, &WELL, &facts, NULL), CUSTOS_EINVAL);
    model_free(m);
}

/* exp of the walk against libm's, and -infinity. */
static void
walk_exp_is_exp(void **state)
{
    const uint32_t size[1] = {2001};
    const struct domain d = {1, size};
    double x[2001], was[2001], sum = 0, got;
    struct walk w;

    (void)state;
    for (int i = 0; i < 2000; i++)
        was[i] = x[i] = 3 - 0.3537 * i;
    was[2000] = x[2000] = -INFINITY;
    walk_init(&w, &d, colset_of(0));
    got = walk_exp(&w, 3, x, NULL);
    for (int i = 0; i < 2001; i++) {
        double want = was[i] - 3 > -700 ? exp(was[i] - 3) : 0;

        assert_true(fabs(x[i] - want) <= 1e-12 * want);
        sum += want;
    }
    assert_true(fabs(got - sum) < 1e-12 * sum);
}

/* -------------------------------------------------------------------- bounds -- */

/* Releases the noisy marginal of the rows, and adds it to the model. */
static void
measure_noisily(struct model *m, struct released *r,
                uint32_t rows[ROWS][COLUMNS], struct colset set, unsigned sigma,
                custos_rng *rng, double *x)
{
    const size_t cells = domain_cells(&DOMAIN, set);
    const struct measurement y = {set, sigma * sigma, x, NULL};
    int64_t noise[CELLS];
    const struct released_table t = {
        .set = set, .variance = y.variance, .cells = cells, .values = noise};
    custos_noise *law = NULL;
    char text[16];

    count_rows(rows, set, x);
    snprintf(text, sizeof text, "%u", sigma);
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, text, &law, NULL),
        CUSTOS_OK);
    assert_int_equal(custos_noise_draw_i64(law, rng, noise, cells, NULL),
                     CUSTOS_OK);
    custos_noise_free(law);
    for (size_t i = 0; i < cells; i++) {
        noise[i] += (int64_t)x[i];
        x[i] = (double)noise[i];
    }
    assert_int_equal(released_add(r, &t, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
}

/* The measurements stop when the noise looks worst, and the next variance depends
   on the last result. The model is that of no fit at all, so that the bound is
   mostly its distance to the measurements, which is taken off. */
static void
bounds_hold_at_their_rate(void **state)
{
    static uint32_t rows[ROWS][COLUMNS];
    const struct colset set = synth_set("bc"), wide = synth_set("bce");
    const int runs = test_size(20, 400);
    custos_rng *rng = test_rng_seeded(21);
    double exact[12], x[CELLS], tight = 0;
    int wrong = 0;

    (void)state;
    make_rows(rows);
    count_rows(rows, set, exact);
    for (int run = 0; run < runs; run++) {
        struct model *m = model_new(NULL, &DOMAIN);
        arena *a = arena_new(NULL, 1 << 20);
        struct released *r;
        unsigned sigma = 7;
        double y[12] = {0}, v = 0, bound, error = 0, left = 0;

        assert_int_equal(released_new(a, &DOMAIN, &r, NULL), CUSTOS_OK);
        for (int i = 0; i < 5; i++) {
            const double variance = sigma * sigma;

            measure_noisily(m, r, rows, i % 2 ? wide : set, sigma, rng, x);
            for (size_t c = 0; i % 2 && c < 60; c++)
                y[c / 5] += x[c] / (5 * variance);
            for (size_t c = 0; i % 2 == 0 && c < 12; c++)
                y[c] += x[c] / variance;
            v += 1 / ((i % 2 ? 5 : 1) * variance);
            sigma = x[0] > exact[0] ? 7 : 4;
            error = 0;
            for (size_t c = 0; c < 12; c++)
                error += fabs(y[c] / v - exact[c]);
            if (error > 12 / sqrt(v))
                break;
        }
        assert_int_equal(model_build(m, NULL), CUSTOS_OK);
        model_believe(m, m->marginals);
        assert_int_equal(model_bound(m, r, set, 1, &bound, NULL), CUSTOS_OK);
        assert_int_equal(model_marginal(m, set, CELLS, x, NULL), CUSTOS_OK);
        for (size_t c = 0; c < 12; c++)
            left += fabs(x[c] - y[c] / v);
        wrong += error > bound - left;
        tight += (bound - left) / error / runs;
        arena_free(a);
        model_free(m);
    }
    test_rng_free(rng);
    assert_true(wrong <= RELEASED_BETA / 2 * runs);
    assert_true(tight > 1 && tight < 4);
}

/* Without noise to speak of, the bound is the distance of the model; a limit holds
   for the set and its subsets; of other sets nothing is known, nor of tables whose
   codes were merged since. */
static void
bounds_add_what_the_model_left(void **state)
{
    const double b[3] = {10, 20, 60};
    int64_t values[3] = {10, 20, 60};
    const uint16_t map[3] = {0, 1, 1};
    const struct measurement x = {synth_set("b"), 1e-12, b, NULL};
    const struct released_table t = {
        .set = x.set, .variance = 1e-12, .cells = 3, .values = values};
    const struct released_limit limits[2] = {{synth_set("cd"), 5},
                                             {synth_set("bcd"), 70}};
    static const struct {
        const char *set;
        double bound;
    } want[] = {{"b", 60}, {"c", 5}, {"cd", 5}, {"bc", 70}, {"be", INFINITY}};
    struct model *m = model_new(NULL, &DOMAIN);
    arena *a = arena_new(NULL, 1 << 20);
    struct released *r;
    double bound;

    (void)state;
    assert_int_equal(released_new(a, &DOMAIN, &r, NULL), CUSTOS_OK);
    assert_int_equal(released_add(r, &t, NULL), CUSTOS_OK);
    assert_int_equal(released_limits(r, limits, 2, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    model_believe(m, m->marginals);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(
            model_bound(m, r, synth_set(want[i].set), 1, &bound, NULL),
            CUSTOS_OK);
        assert_true(bound == want[i].bound ||
                    fabs(bound - want[i].bound) < 1e-3);
    }
    assert_true(released_is_current(r, &r->tables[0]));
    assert_int_equal(released_recode(r, 1, map, 2, NULL), CUSTOS_OK);
    assert_false(released_is_current(r, &r->tables[0]));
    arena_free(a);
    model_free(m);
}

/* The loops for AVX2 give the same bits as those for every processor. */
static void
loops_agree_to_the_bit(void **state)
{
#ifdef CUSTOS_HAVE_AVX2
    static const uint32_t size[3] = {3, 5, 23};
    const struct domain d = {3, size};
    const struct colset sets[3] = {synth_set("ab"), synth_set("bc"),
                                   synth_set("c")};
    double x[2][345], small[2][3][115];
    struct smaller to[2][3];
    struct beside at[3];
    uint64_t seed = 9;
    struct walk w;

    (void)state;
    if (!__builtin_cpu_supports("avx2")) /* nothing to compare with */
        skip();
    walk_init(&w, &d, synth_set("abc"));
    for (size_t k = 0; k < 3; k++) {
        walk_beside(&w, &d, sets[k], &at[k]);
        for (size_t i = 0; i < 115; i++)
            small[0][k][i] = small[1][k][i] =
                (double)synth_next(&seed) / 3e7 - 40;
        to[0][k] = (struct smaller){&at[k], small[0][k]};
        to[1][k] = (struct smaller){&at[k], small[1][k]};
    }
    for (size_t v = 0; v < 2; v++) {
        const struct walk_loops l =
            v ? walk_loops_avx2
              : (struct walk_loops){loop_sum,      loop_exp,   loop_scale,
                                    loop_collapse, loop_raise, loop_total};
        double most = l.sum(&w, to[v], 3, false, x[v]);

        l.raise(&w, x[v], &to[v][2]);
        l.exp(&w, most, x[v], &to[v][0]);
        l.scale(&w, 1.7, &to[v][0], x[v], &to[v][1], 2);
        l.collapse(&w, x[v], &to[v][1]);
        small[v][0][0] += l.total(&w, x[v]);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(small[0], small[1], sizeof small[0]);
#else
    (void)state; /* only x86-64 has other loops */
    skip();
#endif
}

/* A walk in halves gives the same bits with a second thread and without, and what
   the walk at once gives, but for the order of the sums. */
static void
halves_are_the_same_alone(void **state)
{
    static const uint32_t size[4] = {3, 5, 47, 53};
    const struct domain d = {4, size};
    const struct colset sets[3] = {synth_set("ab"), synth_set("bcd"),
                                   synth_set("c")};
    enum { WIDE = 3 * 5 * 47 * 53, SMALL = 5 * 47 * 53 };
    static double x[3][WIDE], small[3][3][SMALL], sums[2 * SMALL];
    struct halves alone = {NULL, sums}, both = {NULL, sums};
    struct smaller to[3][3];
    struct beside at[3];
    double all[3];
    uint64_t seed = 4;
    struct walk w;

    (void)state;
    assert_true((int)WIDE >= (int)HALVES_CELLS);
    assert_int_equal(team_new(NULL, &both.team, NULL), CUSTOS_OK);
    assert_non_null(both.team);
    walk_init(&w, &d, synth_set("abcd"));
    for (size_t k = 0; k < 3; k++) {
        walk_beside(&w, &d, sets[k], &at[k]);
        assert_int_equal(halves_cells(&w, &at[k]), domain_cells(&d, sets[k]));
        for (size_t i = 0; i < domain_cells(&d, sets[k]); i++)
            small[0][k][i] = small[1][k][i] = small[2][k][i] =
                (double)synth_next(&seed) / 1e9;
        for (size_t v = 0; v < 3; v++)
            to[v][k] = (struct smaller){&at[k], small[v][k]};
    }
    for (size_t v = 0; v < 2; v++) {
        const struct halves *h = v ? &both : &alone;
        double most = halves_sum(h, &w, to[v], 3, false, x[v]);

        all[v] = halves_exp(h, &w, most, x[v], NULL);
        halves_sum(h, &w, to[v], 1, true, x[v]);
        halves_exp(h, &w, most, x[v], &to[v][0]);
        halves_scale(h, &w, 1.7, &to[v][0], x[v], &to[v][1], 2);
    }
    {
        double most = walk_sum(&w, to[2], 3, false, x[2]);

        all[2] = walk_exp(&w, most, x[2], NULL);
        walk_sum(&w, to[2], 1, true, x[2]);
        walk_exp(&w, most, x[2], &to[2][0]);
        walk_scale(&w, 1.7, &to[2][0], x[2], &to[2][1], 2);
    }
    team_free(both.team);
    assert_true(all[0] == all[1] && fabs(all[0] - all[2]) <= 1e-9 * all[2]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(small[0], small[1], sizeof small[0]);
    for (size_t i = 0; i < WIDE; i++)
        assert_true(fabs(x[0][i] - x[2][i]) <= 1e-9 * fabs(x[2][i]));
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < domain_cells(&d, sets[k]); i++)
            assert_true(fabs(small[0][k][i] - small[2][k][i]) <=
                        1e-9 * fabs(small[2][k][i]));
}

/* What is too large is an error before memory is taken. */
static void
limits_are_statuses(void **state)
{
    static const uint32_t size[6] = {60000, 60000, 60000, 60000, 60000, 2};
    const struct domain d = {6, size};
    const double one[2] = {1, 2};
    struct test_memory memory = {.fail_at = 0};
    custos_alloc alloc = test_alloc(&memory);
    struct model *m = model_new(&alloc, &d);
    const struct measurement x = {colset_of(5), 1, one, NULL};
    size_t before;

    (void)state;
    assert_non_null(m);
    assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(domain_cells(&d, synth_set("abc")), (size_t)216e12);
    assert_int_equal(domain_cells(&d, synth_set("abcd")), SIZE_MAX);
    m->evidence->set = synth_set("abcd");
    before = memory.takes;
    assert_int_equal(model_build(m, NULL), CUSTOS_EOVERFLOW);
    assert_int_equal(memory.takes, before);
    model_free(m);
    assert_int_equal(memory.live, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_hold_all_cliques),
        cmocka_unit_test(marginals_are_those_of_the_product),
        cmocka_unit_test(fit_reaches_what_was_measured),
        cmocka_unit_test(total_is_the_mean_of_noisy_sums),
        cmocka_unit_test(measurements_of_one_set_are_averaged),
        cmocka_unit_test(bytes_of_a_model_are_known),
        cmocka_unit_test(structural_zeros_stay_empty),
        cmocka_unit_test(walk_exp_is_exp),
        cmocka_unit_test(bounds_hold_at_their_rate),
        cmocka_unit_test(bounds_add_what_the_model_left),
        cmocka_unit_test(loops_agree_to_the_bit),
        cmocka_unit_test(halves_are_the_same_alone),
        cmocka_unit_test(limits_are_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
