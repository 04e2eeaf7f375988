/*
 * Goodness of fit over 30 scales from 2^-20 to 2^60, fixed seeds. Each sample
 * is counted in cells of about equal width (which test the leading digits), and
 * for Laplace also by every base-16 digit alone. Each chi-square fails at
 * p < 1e-6; with some 300 of them a fresh seed would raise a false alarm once
 * in 3,000 runs.
 */
#include <math.h>
#include <stdlib.h>

#include "noise/draw.h"
#include "support/ref.h"
#include "support/support.h"

enum { SCALES = 30, CELLS = 41, BATCH = 4096 };

static const double alarm = 1e-6;

static size_t
sample_size(void)
{
    return getenv("CUSTOS_QUICK") ? 1 << 14 : 1 << 18;
}

/* Sets scale i and returns it as a double, exactly; few are powers of two. */
static double
set_scale(rat *scale, int i)
{
    int at = i * 1280 / 29; /* sixteenths of a binade */
    rat factor;

    rat_init(&factor);
    rat_set_i64(&factor, 16 + at % 16, 16);
    rat_set_pow2(scale, at / 16 - 20);
    rat_mul(scale, scale, &factor);
    rat_clear(&factor);
    return ldexp(1 + (double)(at % 16) / 16, at / 16 - 20);
}

/*
 * Signed cells: cell k holds the x with bound[k-1] < x <= bound[k], the last
 * cell everything above. Bounds are whole numbers and increase.
 */
struct cells {
    size_t n;
    i128 bound[CELLS];
    double expected[CELLS + 1];
    uint64_t count[CELLS + 1];
};

/* Bounds near scale * t for increasing t, without repetition. */
static void
set_bounds(struct cells *c, double scale, double most)
{
    c->n = 0;
    for (int k = 0; k < CELLS; k++) {
        double t = most * (2 * k - (CELLS - 1)) / (CELLS - 1);
        i128 b = (i128)floor(scale * t);

        if (c->n == 0 || b > c->bound[c->n - 1])
            c->bound[c->n++] = b;
    }
    memset(c->count, 0, sizeof c->count);
}

static void
count_value(struct cells *c, i128 x)
{
    size_t lo = 0, hi = c->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (x <= c->bound[mid])
            hi = mid;
        else
            lo = mid + 1;
    }
    c->count[lo]++;
}

/* Digits of |x| - 1, x not 0. */
struct digits {
    size_t n;
    uint64_t count[DIALS_MAX][16];
    double expected[DIALS_MAX][16];
    uint64_t seen;
};

static void
count_digits(struct digits *d, i128 x)
{
    u128 size = x < 0 ? -(u128)x : (u128)x;

    if (size == 0)
        return;
    size--;
    d->seen++;
    for (size_t j = 0; j < d->n; j++, size >>= 4)
        d->count[j][size & 15]++;
}

/* Compares the counts with P[D_j = k] of the digits of a geometric variable. */
static void
check_digits(struct digits *d, const rat *scale)
{
    rat rate = ref_rat("1");
    mpfr_t f;

    mpfr_init2(f, REF_BITS);
    rat_div(&rate, &rate, scale);
    for (size_t j = 0; j < d->n; j++) {
        double before = 0;

        for (size_t k = 0; k < 16; k++) {
            double to;

            ref_digit_cut(f, &rate, j, false, k);
            to = mpfr_get_d(f, MPFR_RNDN);
            d->expected[j][k] = (to - before) * (double)d->seen;
            before = to;
        }
        assert_true(test_chi_square_p(d->count[j], d->expected[j], 16) > alarm);
    }
    mpfr_clear(f);
    rat_clear(&rate);
}

static void
draw_into(custos_law law, const rat *parameter, uint64_t seed, struct cells *c,
          struct digits *d)
{
    const size_t n = sample_size();
    custos_rng *rng = test_rng_seeded(seed);
    custos_noise *noise = NULL;
    i128 *out = malloc(BATCH * sizeof *out);

    assert_non_null(out);
    assert_int_equal(noise_new(NULL, law, parameter, &noise, NULL), CUSTOS_OK);
    if (d)
        d->n = noise->dials.count;
    for (size_t done = 0; done < n; done += BATCH) {
        assert_int_equal(noise_draw(noise, rng, out, BATCH), CUSTOS_OK);
        for (size_t i = 0; i < BATCH; i++) {
            count_value(c, out[i]);
            if (d)
                count_digits(d, out[i]);
        }
    }
    free(out);
    custos_noise_free(noise);
    test_rng_free(rng);
}

/* P[X <= x] for the discrete Laplace law. */
static double
laplace_cdf(double scale, i128 x)
{
    double one_and_q = 1 + exp(-1 / scale);

    return x < 0 ? exp((double)x / scale) / one_and_q
                 : 1 - exp(-(double)(x + 1) / scale) / one_and_q;
}

static void
laplace_fits_thirty_scales(void **state)
{
    const double n = (double)sample_size();

    (void)state;
    for (int i = 0; i < SCALES; i++) {
        static struct digits d;
        struct cells c;
        double before = 0, scale;
        rat exact;

        rat_init(&exact);
        memset(&d, 0, sizeof d);
        scale = set_scale(&exact, i);
        set_bounds(&c, scale, 5);
        draw_into(CUSTOS_DISCRETE_LAPLACE, &exact, 100 + (uint64_t)i, &c, &d);
        for (size_t k = 0; k <= c.n; k++) {
            double to = k < c.n ? laplace_cdf(scale, c.bound[k]) : 1;

            c.expected[k] = (double)(to - before) * n;
            before = to;
        }
        assert_true(test_chi_square_p(c.count, c.expected, c.n + 1) > alarm);
        check_digits(&d, &exact);
        rat_clear(&exact);
    }
}

static void
geometric_fits_thirty_scales(void **state)
{
    const double n = (double)sample_size();

    (void)state;
    for (int i = 0; i < SCALES; i++) {
        struct cells c;
        double before = 0, scale;
        rat exact;

        rat_init(&exact);
        scale = set_scale(&exact, i);
        set_bounds(&c, scale, 8);
        draw_into(CUSTOS_GEOMETRIC, &exact, 200 + (uint64_t)i, &c, NULL);
        for (size_t k = 0; k <= c.n; k++) {
            double to = k == c.n ? 1
                        : c.bound[k] < 0
                            ? 0
                            : -expm1(-((double)c.bound[k] + 1) / scale);

            c.expected[k] = (double)(to - before) * n;
            before = to;
        }
        assert_true(test_chi_square_p(c.count, c.expected, c.n + 1) > alarm);
        rat_clear(&exact);
    }
}

/*
 * The sum of exp(-x^2 / 2 sigma^2) over x <= bound, up to a common factor. Term
 * by term for sigma below 64; else the integral to bound + 1/2 and the first
 * Euler-Maclaurin term, -f'/24; the next is below sigma^-4, 1e-7.
 */
static double
gaussian_sum(double sigma, i128 bound)
{
    double x = (double)bound, sum = 0;

    if (sigma < 64) {
        for (double k = floor(-12 * sigma) - 2; k <= x; k++)
            sum += exp(-k * k / (2 * sigma * sigma));
        return sum;
    }
    x = (x + 0.5) / sigma;
    return sigma * sqrt(2 * 3.14159265358979323846) * (erfc(-x / sqrt(2)) / 2) +
           x / sigma * exp(-x * x / 2) / 24;
}

static void
gaussian_fits_thirty_scales(void **state)
{
    const double n = (double)sample_size();

    (void)state;
    for (int i = 0; i < SCALES; i++) {
        struct cells c;
        double before = 0, sigma, all;
        rat exact;

        rat_init(&exact);
        sigma = set_scale(&exact, i);
        rat_mul(&exact, &exact, &exact);
        set_bounds(&c, sigma, 4);
        draw_into(CUSTOS_DISCRETE_GAUSSIAN, &exact, 300 + (uint64_t)i, &c,
                  NULL);
        all = gaussian_sum(sigma, (i128)floor(12 * sigma) + 2);
        for (size_t k = 0; k <= c.n; k++) {
            double to = k < c.n ? gaussian_sum(sigma, c.bound[k]) : all;

            c.expected[k] = (double)((to - before) / all) * n;
            before = to;
        }
        assert_true(test_chi_square_p(c.count, c.expected, c.n + 1) > alarm);
        rat_clear(&exact);
    }
}

/* The test can fail: it rejects a law whose scale is 2 % off. */
static void
wrong_scale_does_not_fit(void **state)
{
    const double n = (double)sample_size();
    const bool quick = getenv("CUSTOS_QUICK") != NULL;
    rat exact = ref_rat(quick ? "1100" : "1020");
    double before = 0;
    struct cells c;

    (void)state;
    set_bounds(&c, 1000, 5);
    draw_into(CUSTOS_DISCRETE_LAPLACE, &exact, 1, &c, NULL);
    for (size_t k = 0; k <= c.n; k++) {
        double to = k < c.n ? laplace_cdf(1000, c.bound[k]) : 1;

        c.expected[k] = (double)(to - before) * n;
        before = to;
    }
    assert_true(test_chi_square_p(c.count, c.expected, c.n + 1) < alarm);
    rat_clear(&exact);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_fits_thirty_scales),
        cmocka_unit_test(geometric_fits_thirty_scales),
        cmocka_unit_test(gaussian_fits_thirty_scales),
        cmocka_unit_test(wrong_scale_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
