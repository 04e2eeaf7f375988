/*
 * Boxes around quantiles. Their law is compared with its definition, pair by
 * pair, on samples with a fixed seed; the promise is checked on the exact laws
 * of all neighbours of all small data sets, with the rates that are used.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/base.h"
#include "mech/i128.h"
#include "mech/quantile_box.h"
#include "num/rat_double.h"
#include "support/support.h"

enum { MOST = 48, WIDTH = 5, CANDIDATES = 64 };

static custos_quantile *
boxes_make(custos_adjacency adjacency, const char *const *rank, size_t n,
           uint64_t per_unit, const char *epsilon, uint64_t around)
{
    custos_quantile_options o = {.size = sizeof o,
                                 .adjacency = adjacency,
                                 .values_per_unit = per_unit,
                                 .lower = 0,
                                 .upper = WIDTH,
                                 .ranks = n,
                                 .rank = rank,
                                 .epsilon = epsilon};
    custos_err err = CUSTOS_ERR_INIT;
    custos_quantile *q = NULL;

    if (quantile_new_around(NULL, &o, around, &q, &err))
        fail_msg("%s", err.said);
    return q;
}

/* ------------------------------------------------------- the definition -- */

/* All candidates: points without values, and the pieces of points with some. */
struct candidates {
    size_t n;
    uint64_t point[CANDIDATES], left[CANDIDATES];
    double share[CANDIDATES];
};

/* Each value halves the first of the largest pieces. */
static size_t
pieces_of(size_t t, double *pieces)
{
    size_t n = 1;

    pieces[0] = 1;
    for (; t > 0; t--, n++) {
        size_t at = 0;

        for (size_t i = 1; i < n; i++)
            if (pieces[i] > pieces[at])
                at = i;
        memmove(pieces + at + 1, pieces + at, (n - at) * sizeof *pieces);
        pieces[at] /= 2;
        pieces[at + 1] /= 2;
    }
    return n;
}

static void
candidates_make(const i128 *values, size_t n, struct candidates *c)
{
    c->n = 0;
    for (uint64_t point = 0; point <= WIDTH; point++) {
        size_t below = 0, equal = 0;
        double pieces[MOST + 2];

        for (size_t i = 0; i < n; i++) {
            below += values[i] < (i128)point;
            equal += values[i] == (i128)point;
        }
        pieces_of(equal, pieces);
        for (size_t i = 0; i <= equal; i++) {
            c->point[c->n] = point;
            c->left[c->n] = below + i;
            c->share[c->n++] = pieces[i];
        }
    }
}

/* The score of a pair, over den. */
static double
score_of(const struct node *node, size_t n, uint64_t low, uint64_t high)
{
    double t = (double)node->num * (double)n + (double)node->shift;
    double c = (double)node->around, den = (double)node->den;

    return fmax(fabs(den * (double)low - t + c),
                fabs(den * (double)high - t - c));
}

/* P[pair of candidates i, k] by the definition. */
static void
law_make(const struct node *node, const struct candidates *c, size_t n,
         double law[CANDIDATES][CANDIDATES])
{
    double rate = rat_double(&node->slope.rate), sum = 0;

    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->n; k++)
            sum += law[i][k] =
                c->share[i] * c->share[k] *
                exp(-rate * score_of(node, n, c->left[i], c->left[k]));
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->n; k++)
            law[i][k] /= sum;
}

static size_t
candidate_of(const struct candidates *c, struct cut cut)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->point[i] == cut.point && c->left[i] == cut.left)
            return i;
    fail_msg("no such candidate");
    return 0;
}

/* Pairs come in order: the probabilities of a pair and of its reverse add up. */
static void
box_law_by_enumeration(void **state)
{
    static const struct {
        const char *rank, *epsilon;
        uint64_t around;
        size_t n;
        i128 values[5]; /* of more: evenly from 0 to WIDTH */
    } cases[] = {
        {"0.5", "1", 1, 0, {0}},
        {"0.5", "2", 1, 3, {1, 3, 4}},
        {"0.5", "3", 1, 4, {2, 2, 2, 4}},
        {"0.25", "1.5", 2, 5, {0, 0, 3, 5, 5}},
        {"0.9", "2", 1, 5, {0, 1, 1, 1, 5}},
        {"0", "4", 1, 2, {3, 3}},
        {"1", "4", 1, 5, {0, 1, 2, 3, 4}},
        {"0.5", "6", 2, MOST, {0}}, /* far events are left out */
        {"0.3", "30", 1, MOST, {0}},
    };
    const custos_alloc hooks = alloc_or_default(NULL);
    custos_rng *rng = test_rng_seeded(11);
    int runs = test_size(20000, 400000);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static double law[CANDIDATES][CANDIDATES], seen[CANDIDATES][CANDIDATES];
        custos_quantile *q = boxes_make(CUSTOS_ADD_REMOVE, &cases[i].rank, 1, 1,
                                        cases[i].epsilon, cases[i].around);
        i128 values[MOST] = {0}, cells[MOST];
        struct stretch s = {
            .cells = (const u128 *)cells, .to = cases[i].n, .high = WIDTH};
        struct candidates c;

        memset(seen, 0, sizeof seen);
        memcpy(values, cases[i].values, sizeof cases[i].values);
        for (size_t k = 0; k < MOST && cases[i].n == MOST; k++)
            values[k] = (i128)(k * (WIDTH + 1) / MOST);
        memcpy(cells, values, sizeof cells);
        stretch_prepare(cells, s.to, 0, WIDTH);
        candidates_make(values, cases[i].n, &c);
        law_make(&q->nodes[0], &c, cases[i].n, law);
        for (int run = 0; run < runs; run++) {
            struct cut low, high;

            assert_int_equal(
                stretch_box(&hooks, &s, &q->nodes[0], rng, &low, &high),
                CUSTOS_OK);
            assert_true(low.left <= high.left && low.point <= high.point);
            seen[candidate_of(&c, low)][candidate_of(&c, high)]++;
        }
        for (size_t a = 0; a < c.n; a++)
            for (size_t b = a; b < c.n; b++) {
                double p = law[a][b] + (a < b ? law[b][a] : 0);
                double off = seen[a][b] - runs * p;

                if (fabs(off) > 5 * sqrt(runs * p * (1 - p)) + 3)
                    fail_msg("case %zu: %zu, %zu: %g for %g", i, a, b,
                             seen[a][b], runs * p);
            }
        custos_quantile_free(q);
    }
    test_rng_free(rng);
}

/* ------------------------------------------------------------- the work -- */

static void *
take_counted(void *ctx, size_t bytes)
{
    *(size_t *)ctx += bytes;
    return malloc(bytes);
}

static void
give_counted(void *ctx, void *p, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    free(p);
}

/* A draw keeps a weight of 16 bytes for each way to cut that it looks at: as many
   whatever the values are, no more than the class time counts, and the fewer the
   higher the price. */
static void
draws_look_at_no_more_than_counted(void **state)
{
    enum { MANY = 3000 };
    static const char *const rank[] = {"0.5", "0.1", "0", "1"};
    static const char *const epsilon[] = {"0.01", "1", "30"};
    static i128 cells[2][MANY];
    custos_rng *rng = test_rng_seeded(5);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rank); i++)
        for (size_t e = 0; e < COUNT_OF(epsilon); e++)
            for (uint64_t around = 0; around <= 20; around += 20) {
                custos_quantile *q = boxes_make(CUSTOS_ADD_REMOVE, &rank[i], 1,
                                                1, epsilon[e], around);
                uint64_t most = cut_steps(q, &q->nodes[0]), seen[2];

                for (size_t k = 0; k < 2; k++) {
                    size_t bytes = 0;
                    const custos_alloc hooks = {take_counted, give_counted,
                                                &bytes};
                    struct stretch s = {.cells = (const u128 *)cells[k],
                                        .to = MANY,
                                        .high = WIDTH};
                    struct cut low, high;

                    for (size_t j = 0; j < MANY; j++)
                        cells[k][j] = k ? 3 : (i128)(j * (WIDTH + 1) / MANY);
                    stretch_prepare(cells[k], MANY, 0, WIDTH);
                    assert_int_equal(
                        around
                            ? stretch_box(&hooks, &s, &q->nodes[0], rng, &low,
                                          &high)
                            : stretch_cut(&hooks, &s, &q->nodes[0], rng, &low),
                        CUSTOS_OK);
                    seen[k] = bytes / 16;
                }
                assert_int_equal(seen[0], seen[1]);
                assert_true(seen[0] <= most);
                if (e == 0)
                    assert_int_equal(seen[0], (around ? 2 : 1) * (MANY + 1));
                else if (e == 2)
                    assert_true(seen[0] < 200);
                custos_quantile_free(q);
            }
    test_rng_free(rng);
}

/* ---------------------------------------------------------- the promise -- */

/* The share of point and left in the data set `other`, which has a candidate of
   the same point and share number, is found by walking both sets of pieces. */
static double
worst_ratio(const struct node *node, const i128 *x, size_t n, const i128 *y,
            size_t m)
{
    static double p[CANDIDATES][CANDIDATES], q[CANDIDATES][CANDIDATES];
    struct candidates a, b;
    double worst = 0;

    candidates_make(x, n, &a);
    candidates_make(y, m, &b);
    law_make(node, &a, n, p);
    law_make(node, &b, m, q);
    /* Densities per share: compare wherever two pieces of a point overlap. */
    for (size_t i = 0; i < a.n; i++)
        for (size_t j = 0; j < b.n; j++) {
            double from = 0, to = 0;

            if (a.point[i] != b.point[j])
                continue;
            for (size_t k = 0; k < i; k++)
                from += a.point[k] == a.point[i] ? a.share[k] : 0;
            for (size_t k = 0; k < j; k++)
                to += b.point[k] == b.point[j] ? b.share[k] : 0;
            if (from + a.share[i] <= to || to + b.share[j] <= from)
                continue;
            for (size_t k = 0; k < a.n; k++)
                for (size_t l = 0; l < b.n; l++) {
                    double f = 0, g = 0, ratio;

                    if (a.point[k] != b.point[l])
                        continue;
                    for (size_t o = 0; o < k; o++)
                        f += a.point[o] == a.point[k] ? a.share[o] : 0;
                    for (size_t o = 0; o < l; o++)
                        g += b.point[o] == b.point[l] ? b.share[o] : 0;
                    if (f + a.share[k] <= g || g + b.share[l] <= f)
                        continue;
                    ratio = log(p[i][k] / a.share[i] / a.share[k] /
                                (q[j][l] / b.share[j] / b.share[l]));
                    worst = fmax(worst, fabs(ratio));
                }
        }
    return worst;
}

/* All sorted lists of n values; false after the last. */
static bool
next_list(i128 *x, size_t n)
{
    for (size_t i = n; i-- > 0;)
        if (x[i] < 3) {
            x[i]++;
            for (size_t k = i + 1; k < n; k++)
                x[k] = x[i];
            return true;
        }
    return false;
}

static void
insert(const i128 *x, size_t n, i128 value, i128 *out)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (k == i && x[i] > value)
            out[k++] = value;
        out[k++] = x[i];
    }
    if (k == n)
        out[n] = value;
}

/* One value more, and one value replaced, in all data sets of up to 3 values.
   The bound is reached, so that a rate that is too large would show. */
static void
box_keeps_epsilon(void **state)
{
    static const char *const ranks[] = {"0.5", "0.25", "0.9"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(ranks); i++) {
        custos_quantile *add =
            boxes_make(CUSTOS_ADD_REMOVE, &ranks[i], 1, 1, "1", 1);
        custos_quantile *change =
            boxes_make(CUSTOS_CHANGE_ONE, &ranks[i], 1, 1, "1", 1);
        double worst = 0, replaced = 0;

        for (size_t n = 0; n < 4; n++) {
            i128 x[MOST] = {0}, y[MOST], z[MOST];

            do
                for (i128 v = 0; v <= 3; v++) {
                    insert(x, n, v, y);
                    worst = fmax(worst,
                                 worst_ratio(&add->nodes[0], x, n, y, n + 1));
                    for (i128 u = 0; u <= 3 && n < 3; u++) {
                        insert(x, n, u, z);
                        replaced =
                            fmax(replaced, worst_ratio(&change->nodes[0], y,
                                                       n + 1, z, n + 1));
                    }
                }
            while (next_list(x, n));
        }
        print_message("%s: %.4f added, %.4f replaced\n", ranks[i], worst,
                      replaced);
        assert_true(worst <= 1 + 1e-9 && worst > 0.5);
        assert_true(replaced <= 1 + 1e-9 && replaced > 0.4);
        custos_quantile_free(add);
        custos_quantile_free(change);
    }
}

/* Theorem quantile-counts: on every level, what one more value costs in the
   worst node is 1/L of epsilon. */
static void
boxes_keep_epsilon(void **state)
{
    static const char *const ranks[] = {"0.1", "0.25", "0.5", "0.75", "0.9"};
    custos_quantile *q =
        boxes_make(CUSTOS_ADD_REMOVE, ranks, COUNT_OF(ranks), 3, "0.6", 2);

    (void)state;
    assert_int_equal(q->facts.levels, 3);
    for (size_t i = 0; i < q->ranks; i++) {
        const struct node *n = &q->nodes[i];
        uint64_t most = n->num > n->den - n->num ? n->num : n->den - n->num;

        assert_true(fabs(2 * rat_double(&n->slope.rate) * (double)most * 3 -
                         0.2) < 1e-12);
        assert_int_equal(n->around, n->den * n->reach);
        assert_true((double)n->reach * rat_double(&n->slope.rate) *
                        (double)n->den >=
                    3);
    }
    custos_quantile_free(q);
}

/* ------------------------------------------------------------- releases -- */

static custos_mech *
counts_make(size_t ranks, const char *epsilon)
{
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = box_counts(ranks),
                             .epsilon = epsilon,
                             .sensitivity = "1"};
    custos_mech *m = NULL;

    assert_int_equal(custos_mech_new(NULL, &o, &m, NULL), CUSTOS_OK);
    return m;
}

/* Boxes are in order, in the domain, and touch at most. */
static void
boxes_are_in_order(void **state)
{
    static const char *const ranks[] = {"0", "0.3", "0.5", "0.95", "1"};
    enum { N = 5, VALUES = 50 };
    custos_quantile *q = boxes_make(CUSTOS_ADD_REMOVE, ranks, N, 1, "8", 2);
    custos_mech *counts = counts_make(N, "1");
    custos_rng *rng = test_rng_seeded(3);
    i128 cells[VALUES + 1] = {VALUES}, out[2 * N + BOX_EDGES * N + 1];

    (void)state;
    for (size_t i = 0; i < VALUES; i++)
        cells[1 + i] = (i128)(i * i % 11 + i) / 10;
    for (int run = 0; run < 200; run++) {
        custos_sealed *sealed = NULL;

        cells[0] = run % (VALUES + 1);
        assert_int_equal(seal_i128(NULL, cells, VALUES + 1, &sealed, NULL), 0);
        assert_int_equal(
            box_release(q, counts, rng, sealed, VALUES + 1, out, NULL), 0);
        assert_true(out[0] >= 0 && out[2 * N - 1] <= WIDTH);
        for (size_t i = 1; i < 2 * N; i++)
            assert_true(out[i - 1] <= out[i]);
        assert_int_equal(
            box_release(q, counts, rng, sealed, VALUES + 1, out, NULL),
            CUSTOS_ETAKEN);
        custos_sealed_free(sealed);
    }
    custos_mech_free(counts);
    custos_quantile_free(q);
    test_rng_free(rng);
}

/* With next to no noise, the counts are those between the edges. */
static void
box_counts_add_up(void **state)
{
    static const char *const ranks[] = {"0.25", "0.75"};
    enum { N = 2, VALUES = 40 };
    custos_quantile *q = boxes_make(CUSTOS_ADD_REMOVE, ranks, N, 1, "2", 2);
    custos_mech *counts = counts_make(N, "60");
    custos_rng *rng = test_rng_seeded(5);
    i128 cells[VALUES + 1] = {VALUES}, out[2 * N + BOX_EDGES * N + 1];
    i128 edges[BOX_EDGES * N];

    (void)state;
    for (size_t i = 0; i < VALUES; i++)
        cells[1 + i] = (i128)(i * 6 / VALUES);
    for (int run = 0; run < 50; run++) {
        custos_sealed *sealed = NULL;
        i128 sum = 0;

        assert_int_equal(seal_i128(NULL, cells, VALUES + 1, &sealed, NULL), 0);
        assert_int_equal(
            box_release(q, counts, rng, sealed, VALUES + 1, out, NULL), 0);
        custos_sealed_free(sealed);
        boxes_edges(out, N, 0, WIDTH, edges);
        for (size_t i = 0; i < COUNT_OF(edges); i++) {
            i128 below = 0;

            sum += out[2 * N + i];
            for (size_t k = 1; k <= VALUES; k++)
                below += cells[k] < edges[i];
            assert_true(sum == below);
        }
        assert_true(sum + out[COUNT_OF(out) - 1] == VALUES);
    }
    custos_mech_free(counts);
    custos_quantile_free(q);
    test_rng_free(rng);
}

static void
box_edges_are_as_written(void **state)
{
    static const int low[] = {91, 85, 78, 50, 0, 0};
    static const int high[] = {110, 116, 123, 151, 501, 1001};
    static const int point_low[] = {7, 6, 5, 3, 0, 0};
    static const int point_high[] = {8, 9, 10, 12, 24, 72};
    i128 edges[BOX_EDGES];

    (void)state;
    box_edges(90, 110, 0, 1000, edges);
    for (size_t i = 0; i < BOX_SIDE; i++) {
        assert_int_equal((int)edges[i], low[i]);
        assert_int_equal((int)edges[BOX_SIDE + i], high[i]);
    }
    box_edges(7, 7, 0, 1000, edges);
    for (size_t i = 0; i < BOX_SIDE; i++) {
        assert_int_equal((int)edges[i], point_low[i]);
        assert_int_equal((int)edges[BOX_SIDE + i], point_high[i]);
    }
    box_edges(0, 5, 0, 5, edges);
    for (size_t i = 0; i < BOX_EDGES; i++)
        assert_true(edges[i] >= 0 && edges[i] <= 6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_law_by_enumeration),
        cmocka_unit_test(draws_look_at_no_more_than_counted),
        cmocka_unit_test(box_keeps_epsilon),
        cmocka_unit_test(boxes_keep_epsilon),
        cmocka_unit_test(boxes_are_in_order),
        cmocka_unit_test(box_counts_add_up),
        cmocka_unit_test(box_edges_are_as_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
