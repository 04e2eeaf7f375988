/*
 * Error bars of shares: simulated coverage, width against the error that they
 * bound, and the bars of values that are all noise. Coverage is asserted within 4
 * sampling deviations; the seeds are fixed.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "curator/bars_share.h"
#include "noise/noise.h"
#include "support/support.h"

struct setting {
    double n, scale, share;
    enum bar_kind kind;
};

struct seen {
    double covered, half, error; /* half: mean half width; error: the error that
                                    19 of 20 values do not exceed */
};

static const char *const kinds[] = {"Laplace", "Gauss"};

/* Two noises for each trial; to make a law takes a while, so they are drawn once
   for all settings with that law. */
static i128 *
draw(struct bar_law law, uint64_t seed, size_t n)
{
    custos_law which = law.kind == BAR_LAPLACE ? CUSTOS_DISCRETE_LAPLACE
                                               : CUSTOS_DISCRETE_GAUSSIAN;
    i128 *out = calloc(2 * n, sizeof *out);
    custos_rng *rng = test_rng_seeded(seed);
    custos_noise *noise = NULL;
    char scale[40];

    assert_non_null(out);
    snprintf(scale, sizeof scale, "%g", law.scale);
    assert_int_equal(custos_noise_new(NULL, which, scale, &noise, NULL), 0);
    assert_int_equal(noise_draw(noise, rng, out, 2 * n), 0);
    custos_noise_free(noise);
    test_rng_free(rng);
    return out;
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct seen
see(const struct setting *t, const i128 *noise, size_t trials)
{
    struct bar_law law = {t->kind, t->scale};
    double true_rows = nearbyint(t->n * t->share);
    double exact = true_rows / t->n;
    double *errors = calloc(trials, sizeof *errors);
    struct seen seen = {0};

    assert_non_null(errors);
    for (size_t i = 0; i < trials; i++) {
        double a = true_rows + (double)noise[2 * i];
        double b = t->n - true_rows + (double)noise[2 * i + 1];
        struct bar bar = bar_share(a, b, law, 0.05);
        double guess = bar_share_point(a, b);

        assert_true(bar.low >= 0 && bar.high <= 1);
        assert_true(bar.low <= guess && guess <= bar.high);
        seen.covered += bar.low <= exact && exact <= bar.high;
        seen.half += (bar.high - bar.low) / 2;
        errors[i] = fabs(guess - exact);
    }
    qsort(errors, trials, sizeof *errors, by_size);
    seen.covered /= (double)trials;
    seen.half /= (double)trials;
    seen.error = errors[trials * 95 / 100];
    free(errors);
    return seen;
}

static void
covers(struct bar_law law, size_t trials)
{
    static const double shares[] = {0, 0.002, 0.05, 0.3, 0.5, 0.9, 1};
    double least = 0.95 - 4 * sqrt(0.05 * 0.95 / (double)trials);
    i128 *noise = draw(law, 11, trials);

    for (size_t s = 0; s < COUNT_OF(shares); s++)
        for (double n = 1; n <= 10000; n *= 100) {
            struct setting t = {n, law.scale, shares[s], law.kind};
            struct seen seen = see(&t, noise, trials);

            if (seen.covered < least)
                fail_msg("%s %g, share %g of %g: %.4f covered", kinds[law.kind],
                         t.scale, t.share, n, seen.covered);
        }
    free(noise);
}

static void
share_bar_covers(void **state)
{
    static const double scales[] = {0.25, 1, 10, 100};
    size_t trials = (size_t)test_size(1000, 10000);

    (void)state;
    for (size_t k = 0; k < COUNT_OF(scales); k++)
        for (int kind = 0; kind < 2; kind++)
            covers((struct bar_law){(enum bar_kind)kind, scales[k]}, trials);
}

/* Where the noise is small against the rows, and hides more than a few steps. */
static void
share_bar_is_not_wide(void **state)
{
    static const double shares[] = {0.05, 0.3, 0.5, 0.9};
    size_t trials = (size_t)test_size(4000, 20000);

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct bar_law law = {(enum bar_kind)kind, 20};
        i128 *noise = draw(law, 31, trials);

        for (size_t s = 0; s < COUNT_OF(shares); s++) {
            struct setting t = {100000, law.scale, shares[s], law.kind};
            struct seen seen = see(&t, noise, trials);

            if (seen.covered > 0.96 || seen.half > 1.08 * seen.error)
                fail_msg("%s, share %g: %.4f covered, half width %.3g, error "
                         "%.3g",
                         kinds[kind], t.share, seen.covered, seen.half,
                         seen.error);
        }
        free(noise);
    }
}

static void
share_of_nothing_is_the_range(void **state)
{
    static const double numbers[][2] = {{-5, 3},  {0, 0},      {2, -2},
                                        {1, 1},   {NAN, 5},    {5, INFINITY},
                                        {-90, 9}, {1e300, NAN}};
    struct bar_law law = {BAR_LAPLACE, 10};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct bar b = bar_share(numbers[i][0], numbers[i][1], law, 0.05);
        double x = bar_share_point(numbers[i][0], numbers[i][1]);

        assert_true(b.low == 0 && b.high == 1);
        assert_true(x >= 0 && x <= 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share_bar_covers),
        cmocka_unit_test(share_bar_is_not_wide),
        cmocka_unit_test(share_of_nothing_is_the_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
