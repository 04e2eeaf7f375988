/*
 * The ends of quantiles: limits of weighted noise against sums of many draws, and
 * the walk over the edges on numbers that are written out.
 */
#include <math.h>
#include <stdlib.h>

#include "curator/quantile.h"
#include "mech/i128.h"
#include "support/support.h"

enum { DRAWS = 40000, ARENA_ROUND = 1 << 13 };

static double
limit_of(struct bar_law law, double a, size_t k, double b, size_t l)
{
    struct noise_sum s = {law, a, k, b, l};
    arena *a_room = arena_new(NULL, (size_t)1 << 28);
    struct quantile_tables *t = quantile_tables_new(a_room, law, k + l);
    double limit;

    assert_non_null(t);
    limit = quantile_limit(t, &s, 0.025);
    assert_true(limit == quantile_limit(t, &s, 0.025));
    arena_free(a_room);
    assert_true(limit <= quantile_limit_far(&s, 0.025));
    assert_true(limit >= 0.35 * quantile_limit_far(&s, 0.025));
    return limit;
}

/* How often a sum of k draws with weight a and l with weight b reaches c. */
static double
share_above(custos_noise *noise, custos_rng *rng, double a, size_t k, double b,
            size_t l, double c, int runs)
{
    int64_t draws[64];
    int above = 0;

    for (int run = 0; run < runs; run++) {
        double sum = 0;

        assert_int_equal(custos_noise_draw_i64(noise, rng, draws, k + l, NULL),
                         0);
        for (size_t i = 0; i < k + l; i++)
            sum += (i < k ? a : b) * (double)draws[i];
        above += sum >= c;
    }
    return above / (double)runs;
}

/* The limits are upper bounds, and not much larger than needed. */
static void
quantile_limits_are_upper_bounds(void **state)
{
    static const struct {
        enum bar_kind kind;
        const char *parameter; /* scale, or sigma */
        double scale, a, b;
        size_t k, l;
    } cases[] = {
        {BAR_LAPLACE, "4", 4, 0.5, 0.5, 6, 7},
        {BAR_LAPLACE, "1/2", 0.5, 0.5, 0.5, 3, 10},
        {BAR_LAPLACE, "3", 3, 0.9, 0.1, 1, 12},
        {BAR_LAPLACE, "40", 40, 0.5, 0.5, 6, 7},
        {BAR_LAPLACE, "65", 65, 0.1, 0.9, 3, 40},
        {BAR_LAPLACE, "200", 200, 0.25, 0.75, 5, 8},
        {BAR_LAPLACE, "1000", 1000, 0.5, 0.5, 6, 31},
        {BAR_GAUSSIAN, "4", 4, 0.5, 0.5, 6, 7},
        {BAR_GAUSSIAN, "3", 3, 0.9, 0.1, 4, 9},
        {BAR_GAUSSIAN, "200", 200, 0.5, 0.5, 20, 17},
        {BAR_GAUSSIAN, "300", 300, 0.5, 0.5, 6, 7},
        {BAR_GAUSSIAN, "1000", 1000, 0.3, 0.7, 4, 9},
    };
    custos_rng *rng = test_rng_seeded(9);
    int runs = test_size(DRAWS, 10 * DRAWS);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bar_law law = {cases[i].kind, cases[i].scale};
        custos_noise *noise = NULL;
        double c, share;

        assert_int_equal(custos_noise_new(NULL,
                                          cases[i].kind == BAR_LAPLACE
                                              ? CUSTOS_DISCRETE_LAPLACE
                                              : CUSTOS_DISCRETE_GAUSSIAN,
                                          cases[i].parameter, &noise, NULL),
                         0);
        c = limit_of(law, cases[i].a, cases[i].k, cases[i].b, cases[i].l);
        share = share_above(noise, rng, cases[i].a, cases[i].k, cases[i].b,
                            cases[i].l, c, runs);
        print_message("case %zu: %.4f above %.3f\n", i, share, c);
        assert_true(share <= 0.025 + 4 * sqrt(0.025 / runs));
        assert_true(share >= 0.017);
        custos_noise_free(noise);
    }
    test_rng_free(rng);
}

/* Many draws: the bound is not exceeded by that of a table. */
static void
many_draws_have_a_limit(void **state)
{
    struct bar_law law = {BAR_LAPLACE, 10};
    double few = limit_of(law, 0.5, 100, 0.5, 100);
    double many = limit_of(law, 0.5, 150, 0.5, 150);

    (void)state;
    assert_true(few > 1.9 * 5 * sqrt(400) && few < 2.1 * 5 * sqrt(400));
    assert_true(many > few && many < 1.8 * few);
}

/* The bytes that are counted before the charge suffice at every scale: the steps of
   a grid are largest, by scale, just before the grid gets coarser. */
static void
quantile_limits_take_no_more_bytes_than_counted(void **state)
{
    static const double scales[] = {0.5,   1.1,   2,   16,   63.9, 64,  127.9,
                                    191.9, 255.9, 256, 1000, 1e6,  1e15};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(scales); i++)
        for (size_t n = 1; n <= 64; n += n < 3 || n > 20 ? 1 : 3) {
            struct bar_law law = {i % 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                                  scales[i / 2]};
            arena *a = arena_new(NULL, SIZE_MAX);

            assert_non_null(a);
            assert_non_null(quantile_tables_new(a, law, box_counts(n)));
            if (arena_bytes(a) > box_limit_bytes(n, 0) + ARENA_ROUND)
                fail_msg("%zu ranks, scale %g: %zu bytes", n, law.scale,
                         arena_bytes(a));
            arena_free(a);
        }
}

/* A walk over the edges by hand: counts without noise around a box. */
static void
quantile_ends_cover(void **state)
{
    static const char *const rank[] = {"0.5"};
    static const double p[] = {0.5};
    custos_quantile_options o = {.size = sizeof o,
                                 .adjacency = CUSTOS_ADD_REMOVE,
                                 .upper = 1000,
                                 .ranks = 1,
                                 .rank = rank,
                                 .epsilon = "1"};
    struct bar_law law = {BAR_LAPLACE, 2};
    arena *a = arena_new(NULL, 1 << 20);
    custos_quantile *q = NULL;
    struct quantile_tables *tables = quantile_tables_new(a, law, 13);
    struct quantile_bars *bars;
    struct quantile_found f;
    i128 released[2 + BOX_EDGES + 1] = {490, 510}, edges[BOX_EDGES], before = 0;

    (void)state;
    assert_non_null(tables);
    assert_int_equal(quantile_new_around(NULL, &o, 10, &q, NULL), 0);
    bars = quantile_bars_new(a, q, p, law, tables, 0.05);
    boxes_edges(released, 1, 0, 1000, edges);
    for (size_t i = 0; i <= BOX_EDGES; i++) { /* one value at every point */
        i128 below = i < BOX_EDGES ? edges[i] : 1001;

        released[2 + i] = below - before;
        before = below;
    }
    quantile_find(bars, released, 0, &f);
    assert_true(f.value == 500);
    /* The limit of 6 and 7 draws of scale 2 is about 10: the edges at 15. */
    assert_true(f.low == 485 && f.high == 515);
    released[2 + BOX_EDGES] += 200; /* the quantile is 600, beyond the box */
    quantile_find(bars, released, 0, &f);
    assert_true(f.value == 551 && f.low == 551 && f.high == 900);
    /* Without further limits the quick bound of 14 or more decides. */
    released[2 + BOX_EDGES] -= 200;
    bars = quantile_bars_new(a, q, p, law, tables, 0.05);
    assert_true(bars->limits >= BOX_EDGES);
    bars->limits = 0;
    quantile_find(bars, released, 0, &f);
    assert_true(f.value == 500 && f.low == 478 && f.high == 522);
    for (size_t i = 0; i <= BOX_EDGES; i++)
        released[2 + i] = 0;
    quantile_find(bars, released, 0, &f); /* no values: no information */
    assert_true(f.low == 0 && f.high == 1000);
    custos_quantile_free(q);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_limits_are_upper_bounds),
        cmocka_unit_test(many_draws_have_a_limit),
        cmocka_unit_test(quantile_limits_take_no_more_bytes_than_counted),
        cmocka_unit_test(quantile_ends_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
