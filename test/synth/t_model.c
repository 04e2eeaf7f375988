/*
 * The model: trees have the running intersection property, belief propagation
 * agrees with the product of all potentials over all rows, the estimator
 * converges to the marginals that were measured, and what is not covered by a
 * node is computed like what is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "synth/fit.h"
#include "synth/infer.h"
#include "synth/rows.h"

enum { COLUMNS = 6, ROWS = 4000 };

static const uint32_t SIZES[COLUMNS] = {2, 3, 4, 3, 5, 1};
static const struct domain DOMAIN = {COLUMNS, SIZES};

static struct colset
set_of(const char *columns)
{
    struct colset s = {{0, 0}};

    for (; *columns; columns++)
        s = colset_or(s, colset_of((size_t)(*columns - 'a')));
    return s;
}

/* ------------------------------------------------------------------- trees -- */

static uint64_t
next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

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
            assert_true(i == k || !colset_within(t->node[i].set, t->node[k].set));
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
        size_t n = 1 + next(&seed) % 60;
        struct tree_graph g;
        struct tree t;

        d.n = 1 + next(&seed) % 100;
        for (size_t c = 0; c < d.n; c++)
            size[c] = 1 + (uint32_t)(next(&seed) % 9);
        tree_graph_init(&d, &g);
        for (size_t i = 0; i < n; i++) {
            cliques[i] = (struct colset){{0, 0}};
            for (int k = 0; k < 3; k++)
                cliques[i] =
                    colset_or(cliques[i], colset_of(next(&seed) % d.n));
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
            uint32_t own = (uint32_t)(next(&seed) % SIZES[c]);
            bool copy = c > 0 && next(&seed) % 3 > 0;

            rows[i][c] = copy ? rows[i][c - 1] % SIZES[c] : own;
        }
}

static void
count_rows(uint32_t rows[ROWS][COLUMNS], struct colset set, double *out)
{
    memset(out, 0, domain_cells(&DOMAIN, set) * sizeof *out);
    for (size_t i = 0; i < ROWS; i++)
        out[domain_cell(&DOMAIN, set, rows[i])]++;
}

static void
measure(struct model *m, uint32_t rows[ROWS][COLUMNS], const char *columns,
        double variance)
{
    double x[720];
    const struct measurement y = {set_of(columns), variance, x, NULL};

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
multiply_out(const struct model *m, double all[720])
{
    double sum = 0;
    uint32_t row[COLUMNS];

    for (size_t i = 0; i < 360; i++) {
        size_t left = i;
        double log = 0;

        for (size_t c = COLUMNS; c-- > 0; left /= SIZES[c])
            row[c] = (uint32_t)(left % SIZES[c]);
        for (size_t k = 0; k < m->n_cliques; k++)
            log += m->potentials[m->cliques[k].first +
                                 domain_cell(&DOMAIN, m->cliques[k].set, row)];
        sum += all[i] = exp(log);
    }
    for (size_t i = 0; i < 360; i++)
        all[i] *= m->total / sum;
}

static void
sum_out(const double all[720], struct colset set, double *out)
{
    uint32_t row[COLUMNS];

    memset(out, 0, domain_cells(&DOMAIN, set) * sizeof *out);
    for (size_t i = 0; i < 360; i++) {
        size_t left = i;

        for (size_t c = COLUMNS; c-- > 0; left /= SIZES[c])
            row[c] = (uint32_t)(left % SIZES[c]);
        out[domain_cell(&DOMAIN, set, row)] += all[i];
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
        double all[720], want[720], got[720];

        multiply_out(m, all);
        for (uint64_t bits = 0; bits < 1 << COLUMNS; bits++) {
            struct colset set = {{bits, 0}};
            size_t cells = domain_cells(&DOMAIN, set);

            sum_out(all, set, want);
            assert_int_equal(model_marginal(m, set, 720, got, NULL),
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
        double want[720], got[720];
        struct colset set = set_of(MEASURED[i]);

        count_rows(rows, set, want);
        assert_int_equal(model_marginal(m, set, 720, got, NULL), CUSTOS_OK);
        assert_true(distance(want, got, domain_cells(&DOMAIN, set)) <
                    0.002 * ROWS);
    }
    model_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_hold_all_cliques),
        cmocka_unit_test(marginals_are_those_of_the_product),
        cmocka_unit_test(fit_reaches_what_was_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
