/*
 * Error bars of running counts: simulated coverage of every sum. The least
 * coverage over all sums is asserted within 5 sampling deviations of 95 %: with
 * fresh seeds a bar of exactly 95 % would fail once in 10,000 runs. On fine
 * lattices it is not above 96 % either.
 */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "curator/running.h"
#include "noise/noise.h"
#include "support/support.h"

enum { N = 60, RUNS = 10000 };

/* The least and the mean share of runs in which a sum is within its bar. */
static void
coverage(const struct running *r, struct bar_law law, double *least,
         double *mean)
{
    custos_law which = law.kind == BAR_LAPLACE ? CUSTOS_DISCRETE_LAPLACE
                                               : CUSTOS_DISCRETE_GAUSSIAN;
    custos_noise *noise = NULL;
    custos_rng *rng = test_rng_seeded(11);
    size_t within[N] = {0};
    double half[N];
    char scale[40];

    snprintf(scale, sizeof scale, "%.17g", law.scale);
    assert_int_equal(custos_noise_new(NULL, which, scale, &noise, NULL), 0);
    running_bars(r, law, 0.05, half);
    for (int run = 0; run < RUNS; run++) {
        i128 z[N], line[2 * N];

        assert_int_equal(noise_draw(noise, rng, z, N), 0);
        running_add_up(r, z, N, line);
        for (size_t t = 0; t < N; t++)
            within[t] += fabs((double)z[t]) <= half[t];
    }
    *least = 1;
    *mean = 0;
    for (size_t t = 0; t < N; t++) {
        double share = (double)within[t] / RUNS;

        *least = fmin(*least, share);
        *mean += share / N;
    }
    custos_noise_free(noise);
    test_rng_free(rng);
}

static void
check(const struct running *r, struct bar_law law, double most)
{
    const double slack = 5 * sqrt(0.05 * 0.95 / RUNS);
    double least, mean;

    coverage(r, law, &least, &mean);
    assert_true(least >= 0.95 - slack);
    assert_true(mean <= most);
}

static void
running_bars_cover(void **state)
{
    static const size_t trees[][2] = {{2, 1}, {2, 6}, {4, 3}, {8, 2}};
    arena *a = arena_new(NULL, (size_t)1 << 24);
    struct running r;

    (void)state;
    assert_non_null(a);
    for (size_t i = 0; i < COUNT_OF(trees); i++) {
        assert_true(running_tree(a, N, 1, trees[i][0], trees[i][1], &r));
        check(&r, (struct bar_law){BAR_LAPLACE, 40}, 0.96);
        check(&r, (struct bar_law){BAR_LAPLACE, 1}, 1);
        check(&r, (struct bar_law){BAR_GAUSSIAN, 400}, 0.96);
        check(&r, (struct bar_law){BAR_GAUSSIAN, 3}, 1);
    }
    assert_true(running_root(a, N, 1, &r));
    check(&r, (struct bar_law){BAR_GAUSSIAN, ldexp(60, (int)running_bits(&r))},
          0.96);
    check(&r, (struct bar_law){BAR_GAUSSIAN, ldexp(1, (int)running_bits(&r))},
          1);
    check(&r, (struct bar_law){BAR_LAPLACE, ldexp(20, (int)running_bits(&r))},
          1);
    arena_free(a);
}

/* More draws than are summed exactly: the bound by moments is wider, and grows
   with their number. */
static void
running_bars_of_many_draws(void **state)
{
    enum { MANY = 600 };
    static double half[MANY];
    arena *a = arena_new(NULL, (size_t)1 << 24);
    struct running r;

    (void)state;
    assert_non_null(a);
    assert_true(running_tree(a, MANY, 1, 2, 1, &r));
    running_bars(&r, (struct bar_law){BAR_LAPLACE, 10}, 0.05, half);
    for (size_t t = 1; t < MANY; t++)
        assert_true(half[t] >= half[t - 1]);
    /* 1.96 deviations, and less than 1.5 times that */
    assert_true(half[MANY - 1] > 1.96 * 10 * sqrt(2 * MANY));
    assert_true(half[MANY - 1] < 1.5 * 1.96 * 10 * sqrt(2 * MANY));
    arena_free(a);
}

/* The bars of all N sums miss together in 5 % of the runs at most. */
static void
simultaneous_bars_all_cover(void **state)
{
    static const double scales[] = {4, 60};
    arena *a = arena_new(NULL, (size_t)1 << 24);
    custos_rng *rng = test_rng_seeded(13);
    struct running r;

    (void)state;
    assert_non_null(a);
    assert_true(running_root(a, N, 1, &r));
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        double scale = ldexp(scales[i], (int)running_bits(&r)), half[N];
        custos_noise *noise = NULL;
        char text[40];
        int missed = 0;

        snprintf(text, sizeof text, "%.17g", scale);
        assert_int_equal(custos_noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, text,
                                          &noise, NULL),
                         0);
        running_bars(&r, (struct bar_law){BAR_GAUSSIAN, scale}, 0.05 / N, half);
        for (int run = 0; run < RUNS; run++) {
            i128 z[N], line[2 * N];
            bool miss = false;

            assert_int_equal(noise_draw(noise, rng, z, N), 0);
            running_add_up(&r, z, N, line);
            for (size_t t = 0; t < N; t++)
                miss = miss || fabs((double)z[t]) > half[t];
            missed += miss;
        }
        assert_true(missed <= RUNS / 20);
        assert_true(missed >= RUNS / 500); /* and not far too wide */
        custos_noise_free(noise);
    }
    test_rng_free(rng);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_bars_cover),
        cmocka_unit_test(running_bars_of_many_draws),
        cmocka_unit_test(simultaneous_bars_all_cover),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
