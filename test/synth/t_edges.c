/* Sums that do not fall, and runs of about equally many rows. */
#include <math.h>

#include "base/base.h"
#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/edges.h"

enum { N = 200 };

/* Sums of counts by a shape, with noise of about this size. */
static void
make_sums(int shape, int64_t noise, uint64_t *seed, int64_t *sums)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < N; k++) {
        sum += shape == 0    ? 50
               : shape == 1  ? 10000 / (k + 1)
               : k % 40 == 7 ? 2000
                             : 0;
        sums[k] = sum;
        if (noise > 0)
            sums[k] +=
                (int64_t)(synth_next(seed) % (2 * (uint64_t)noise)) - noise;
    }
}

/* The nearest one: no way to any other admissible sequence leads nearer to the sums. */
static void
fitted_sums_are_the_nearest(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int64_t noise = 0; noise <= 3000; noise = noise * 5 + 40) {
            double fit[N], other[N];
            int64_t sums[N];

            make_sums(shape, noise, &seed, sums);
            sums_fit(sums, N, fit);
            for (uint32_t k = 0; k < N; k++) {
                assert_true(fit[k] >= 0 && (k == 0 || fit[k] >= fit[k - 1]));
                if (noise == 0)
                    assert_true(fabs(fit[k] - (double)sums[k]) < 1e-9);
            }
            for (int i = 0; i < 200; i++) {
                double along = 0, up = 0;

                for (uint32_t k = 0; k < N; k++) {
                    up += synth_next(&seed) % 4
                              ? 0
                              : (double)(synth_next(&seed) % 1000);
                    other[k] = i % 2 ? up : fmax(0, fit[k] + up / 100 - 3);
                    if (k > 0)
                        other[k] = fmax(other[k], other[k - 1]);
                    along += ((double)sums[k] - fit[k]) * (other[k] - fit[k]);
                }
                assert_true(along < 1e-6 * (1 + fabs(fit[N - 1])) * N);
            }
        }
}

/* No run has more than twice its share, unless it is a single code. */
static void
runs_have_about_as_many_rows(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        double fit[N], rows[EDGES_RUNS] = {0};
        uint32_t runs, codes[EDGES_RUNS] = {0};
        uint16_t map[N];
        int64_t sums[N];

        make_sums(shape, 0, &seed, sums);
        sums_fit(sums, N, fit);
        runs = edges_find(fit, N, 1, map);
        assert_true(runs <= EDGES_RUNS);
        assert_true(runs >= (shape == 2 ? 5 : EDGES_RUNS / 2));
        assert_int_equal(map[0], 0);
        for (uint32_t k = 0; k < N; k++) {
            assert_true(k == 0 || map[k] == map[k - 1] ||
                        map[k] == map[k - 1] + 1);
            rows[map[k]] += fit[k] - (k > 0 ? fit[k - 1] : 0);
            codes[map[k]]++;
        }
        assert_int_equal(map[N - 1], runs - 1);
        for (uint32_t r = 0; r < runs; r++)
            assert_true(rows[r] <= 2.001 * fit[N - 1] / EDGES_RUNS ||
                        codes[r] == 1 || shape == 2);
    }
}

/* Where noise hides it, a column is not cut; and never into more runs than codes. */
static void
noise_leaves_fewer_runs(void **state)
{
    static const double sigma[] = {1, 100, 500, 5000};
    uint32_t before = EDGES_RUNS + 1;
    uint64_t seed = 5;
    double fit[N];
    uint16_t map[N];
    int64_t sums[N];

    (void)state;
    make_sums(0, 0, &seed, sums); /* 10,000 rows */
    sums_fit(sums, N, fit);
    for (size_t i = 0; i < COUNT_OF(sigma); i++) {
        const uint32_t runs = edges_find(fit, N, sigma[i], map);

        assert_true(runs < before);
        assert_true(runs <= fmax(1, 10000 / (6 * sigma[i])));
        before = runs;
    }
    assert_int_equal(before, 1);
    assert_int_equal(edges_find(fit, 3, 1, map), 3);
    for (uint32_t k = 0; k < N; k++)
        fit[k] = 0;
    assert_int_equal(edges_find(fit, N, 1, map), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_sums_are_the_nearest),
        cmocka_unit_test(runs_have_about_as_many_rows),
        cmocka_unit_test(noise_leaves_fewer_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
