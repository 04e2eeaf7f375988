/*
 * Error bars of covariances, correlations and lines: simulated coverage, and
 * their width as a ratio to the error that 95 % of the answers stay below.
 *
 * Coverage is asserted within 4 sampling deviations; the seeds are fixed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "curator/bars_pair.h"
#include "noise/noise.h"
#include "support/support.h"

enum kind { COVARIANCE, CORR, SLOPE, INTERCEPT };

static const char *const names[] = {"covariance", "corr", "slope", "intercept"};
static const char *const laws[] = {"Laplace", "Gauss"};

/* n points about a line, in steps from the centres. */
struct cloud {
    double n, mean_x, mean_y, slope, spread_x, spread_y;
};

struct exact {
    double n, x, y, xx, yy, xy;
};

/* Points of a grid of x and of deviations from the line; sums are exact. */
static struct exact
sums_of(const struct cloud *c)
{
    struct exact e = {.n = c->n};

    for (int64_t i = 0; i < (int64_t)c->n; i++) {
        double u = (double)(i * 7919 % 1000) / 500.0 - 1;
        double v = (double)(i * 104729 % 997) / 498.5 - 1;
        double x = nearbyint(c->mean_x + u * c->spread_x);
        double y =
            nearbyint(c->mean_y + c->slope * (x - c->mean_x) + v * c->spread_y);

        e.x += x;
        e.y += y;
        e.xx += x * x;
        e.yy += y * y;
        e.xy += x * y;
    }
    return e;
}

static double
value_of(enum kind kind, const struct exact *e, double at)
{
    double xy = e->xy - e->x * e->y / e->n, xx = e->xx - e->x * e->x / e->n;
    double yy = e->yy - e->y * e->y / e->n;

    switch (kind) {
    case COVARIANCE: return xy / e->n;
    case CORR: return xy / sqrt(xx * yy);
    case SLOPE: return xy / xx;
    case INTERCEPT: return e->y / e->n + xy / xx * (at - e->x / e->n);
    }
    return NAN;
}

static bool
bar_of(enum kind kind, const struct bar_pair *p, double at, struct bar *out)
{
    switch (kind) {
    case COVARIANCE: return bar_covariance(p, BAR_POPULATION, 0.05, out);
    case CORR: return bar_corr(p, 0.05, out);
    case SLOPE: return bar_slope(p, 0.05, out);
    case INTERCEPT: return bar_intercept(p, at, 0.05, out);
    }
    return false;
}

static void
draw(struct bar_law law, custos_rng *rng, i128 *out, size_t n)
{
    custos_noise *noise = NULL;
    char scale[40];

    snprintf(scale, sizeof scale, "%.17g", law.scale);
    assert_int_equal(custos_noise_new(NULL,
                                      law.kind == BAR_LAPLACE
                                          ? CUSTOS_DISCRETE_LAPLACE
                                          : CUSTOS_DISCRETE_GAUSSIAN,
                                      scale, &noise, NULL),
                     0);
    assert_int_equal(noise_draw(noise, rng, out, n), 0);
    custos_noise_free(noise);
}

static int
double_cmp(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct judged {
    double covered, bar, error;
    size_t without;
};

/* Values within +-100 steps, and a sixth of the price for each part. */
static struct judged
judge(enum kind kind, const struct cloud *c, double epsilon,
      enum bar_kind noise_kind, uint64_t seed, size_t runs)
{
    enum { PARTS = 6, HALF = 100 };
    static const double most[PARTS] = {1,           HALF,        HALF,
                                       HALF * HALF, HALF * HALF, HALF * HALF};
    struct exact e = sums_of(c);
    const double sums[PARTS] = {e.n, e.x, e.y, e.xx, e.yy, e.xy};
    double at = -60, exact = value_of(kind, &e, at);
    double *errors = calloc(runs, sizeof *errors);
    custos_rng *rng = test_rng_seeded(seed);
    struct judged j = {0};
    struct bar_law law[PARTS];
    i128 *noise[PARTS];

    assert_non_null(errors);
    for (int i = 0; i < PARTS; i++) {
        law[i] = (struct bar_law){noise_kind, most[i] * PARTS / epsilon};
        noise[i] = calloc(runs, sizeof *noise[i]);
        assert_non_null(noise[i]);
        draw(law[i], rng, noise[i], runs);
    }
    for (size_t k = 0; k < runs; k++) {
        struct bar_part part[PARTS];
        struct bar b = {-INFINITY, INFINITY};
        struct exact seen;
        double x;

        for (int i = 0; i < PARTS; i++)
            part[i] = (struct bar_part){sums[i] + (double)noise[i][k], law[i]};
        seen = (struct exact){part[0].value, part[1].value, part[2].value,
                              part[3].value, part[4].value, part[5].value};
        x = value_of(kind, &seen, at);
        errors[k] = isfinite(x) ? fabs(x - exact) : INFINITY;
        if (!bar_of(kind,
                    &(struct bar_pair){part[0],
                                       part[1],
                                       part[2],
                                       part[3],
                                       part[4],
                                       part[5],
                                       1,
                                       {-HALF, HALF},
                                       {-HALF, HALF}},
                    at, &b)) {
            j.without++;
            j.covered++;
            continue;
        }
        assert_true(b.low <= b.high);
        j.covered += b.low <= exact && exact <= b.high;
        j.bar += (b.high - b.low) / 2;
    }
    j.covered /= (double)runs;
    j.bar /= (double)(runs - j.without);
    qsort(errors, runs, sizeof *errors, double_cmp);
    j.error = errors[runs * 95 / 100];
    for (int i = 0; i < PARTS; i++)
        free(noise[i]);
    free(errors);
    test_rng_free(rng);
    return j;
}

static const struct cloud clouds[] = {
    {1000, 5, -10, 0.5, 80, 30},    {10000, 0, 0, -0.3, 60, 60},
    {10000, 30, 40, 0.6, 60, 10},   {100000, -20, 10, 0, 50, 50},
    {3000, 10, 0, 0.9, 90, 5},      {30, 0, 0, 1, 50, 30},
    {20000, -50, 50, -0.4, 20, 20},
};

/* widest: of the error, where the noise is small compared to what it divides. */
static void
covers(enum kind kind, double widest)
{
    static const double epsilons[] = {1, 5};
    size_t runs = (size_t)test_size(500, 10000);

    for (size_t i = 0; i < COUNT_OF(clouds) * 4; i++) {
        const struct cloud *c = &clouds[i / 4];
        double epsilon = epsilons[i / 2 % 2];
        struct judged j = judge(kind, c, epsilon, i % 2, 100 + i, runs);

        print_message("%-10s n %-6g slope %-4g epsilon %g %-7s: %.4f covered, "
                      "bar %.3f of the error, none %zu\n",
                      names[kind], c->n, c->slope, epsilon, laws[i % 2],
                      j.covered, j.bar / j.error, j.without);
        if (j.covered < 0.95 - 4 * sqrt(0.05 * 0.95 / (double)runs))
            fail_msg("%s covers %.4f only", names[kind], j.covered);
        if (c->n * epsilon >= 10000 && j.bar > widest * j.error)
            fail_msg("%s: bar %.3f of the error", names[kind], j.bar / j.error);
    }
}

static void
covariance_covers(void **state)
{
    (void)state;
    covers(COVARIANCE, 1.3);
}

static void
corr_covers(void **state)
{
    (void)state;
    covers(CORR, 1.3);
}

static void
slope_covers(void **state)
{
    (void)state;
    covers(SLOPE, 1.3);
}

static void
intercept_covers(void **state)
{
    (void)state;
    covers(INTERCEPT, 1.3);
}

/* The bars do not depend on the units: here y has steps a hundred thousand times
   as fine. */
static void
units_do_not_matter(void **state)
{
    const double k = 1e5;
    struct bar_law l[] = {
        {BAR_LAPLACE, 10}, {BAR_LAPLACE, 1000}, {BAR_LAPLACE, 1e5}};
    struct bar_pair p = {{1e4, l[0]}, {2e4, l[1]}, {-3e4, l[1]},
                         {9e7, l[2]}, {8e7, l[2]}, {4e7, l[2]},
                         1,           {-100, 100}, {-100, 100}};
    struct bar_pair fine = p;
    struct bar a, b;

    (void)state;
    fine.sum_y.value *= k;
    fine.sum_y.law.scale *= k;
    fine.squares_y.value *= k * k;
    fine.squares_y.law.scale *= k * k;
    fine.product_step = k;
    fine.range_y = (struct bar){-100 * k, 100 * k};
    assert_true(bar_corr(&p, 0.05, &a) && bar_corr(&fine, 0.05, &b));
    assert_true(a.low > 0.4 && a.high < 0.6);
    assert_true(fabs(a.low - b.low) < 1e-3 && fabs(a.high - b.high) < 1e-3);
    assert_true(bar_slope(&p, 0.05, &a) && bar_slope(&fine, 0.05, &b));
    assert_true(fabs(a.low - b.low / k) < 1e-3 * a.low);
    assert_true(bar_covariance(&p, BAR_SAMPLE, 0.05, &a) &&
                bar_covariance(&fine, BAR_SAMPLE, 0.05, &b));
    assert_true(fabs(a.low - b.low / k) < 1e-3 * a.low);
    assert_true(bar_intercept(&p, -60, 0.05, &a) &&
                bar_intercept(&fine, -60, 0.05, &b));
    assert_true(fabs(a.low - b.low / k) < 1e-3 * fabs(a.low));
}

static void
pairs_of_noise_have_no_bar(void **state)
{
    struct bar_law l = {BAR_LAPLACE, 1000}, few = {BAR_LAPLACE, 2};
    struct bar_pair p = {{500, few}, {20, l}, {-30, l},  {900, l}, {1500, l},
                         {700, l},   1,       {-10, 10}, {-20, 20}};
    struct bar b = {0, 0};

    (void)state;
    assert_false(bar_slope(&p, 0.05, &b));
    assert_false(bar_intercept(&p, 0, 0.05, &b));
    assert_true(bar_corr(&p, 0.05, &b) && b.low == -1 && b.high == 1);
    p.rows.value = 3; /* not even the count is known */
    assert_true(bar_covariance(&p, BAR_POPULATION, 0.05, &b));
    assert_true(b.low == -200 && b.high == 200);
    assert_true(bar_covariance(&p, BAR_SAMPLE, 0.05, &b));
    assert_true(b.low == -400 && b.high == 400);
    p.rows.value = 500;
    p.product.value = NAN;
    assert_true(bar_covariance(&p, BAR_POPULATION, 0.05, &b));
    assert_true(b.low == -200 && b.high == 200);
    assert_false(bar_slope(&p, 0.05, &b));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covariance_covers),
        cmocka_unit_test(corr_covers),
        cmocka_unit_test(slope_covers),
        cmocka_unit_test(intercept_covers),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(pairs_of_noise_have_no_bar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
