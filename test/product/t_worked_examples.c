/*
 * Worked examples of lecture notes, end to end with the public interface and
 * the real generator: measures what the notes compute by hand.
 * (mech/t_sensitivity has the ten rows of the slides, mech/t_calibrate the
 * classical formula at epsilon 10.)
 *
 * The seeds differ in every run: each check fails by chance less than once in
 * 10^8 runs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "custos.h"

static size_t
runs(size_t normally, size_t quick)
{
    return getenv("CUSTOS_QUICK") ? quick : normally;
}

static custos_rng *
rng_new(void)
{
    custos_rng *rng = NULL;

    assert_int_equal(custos_rng_new(&rng, NULL), CUSTOS_OK);
    return rng;
}

static void
release(const custos_mech *mech, custos_rng *rng, const int64_t *x, size_t n,
        int64_t *out)
{
    custos_sealed *sealed = NULL;

    assert_int_equal(custos_seal_ints(NULL, x, n, &sealed, NULL), CUSTOS_OK);
    assert_int_equal(custos_release_ints(mech, rng, sealed, out, n, NULL),
                     CUSTOS_OK);
    custos_sealed_free(sealed);
}

/*
 * A histogram of k = 8 bins, one row per person, change-one, epsilon = 1/2:
 * with probability 0.95 all bins are within 2 ln(k/beta)/epsilon = 20.3 of the
 * truth. Our band, that of the discrete law, is close to this one and covers
 * with at least that probability.
 */
static void
histogram_band_covers(void **state)
{
    enum { BINS = 8 };
    static const int64_t truth[BINS] = {3, 1, 2, 0, 0, 3, 1, 0};
    const size_t n = runs(4000, 100);
    custos_histogram_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .adjacency = CUSTOS_CHANGE_ONE,
        .bins = BINS,
        .epsilon = "0.5",
    };
    custos_rng *rng = rng_new();
    custos_mech *mech = NULL;
    double band, missed = 0;

    (void)state;
    assert_int_equal(custos_histogram_new(NULL, &options, &mech, NULL), 0);
    assert_int_equal(custos_mech_error(mech, "0.05", BINS, &band, NULL), 0);
    assert_true(fabs(band - 2 * log(BINS / 0.05) / 0.5) < 1.5);
    for (size_t i = 0; i < n; i++) {
        int64_t y[BINS];
        bool outside = false;

        release(mech, rng, truth, BINS, y);
        for (int k = 0; k < BINS; k++)
            outside |= fabs((double)(y[k] - truth[k])) > band;
        missed += outside;
    }
    /*
     * 5 % of 4000 are 200 +- 13.8; the discrete band misses between 3.5 % and
     * 5 %.
     */
    assert_true(missed <= 0.05 * (double)n + 6.5 * sqrt(0.0475 * (double)n));
    assert_true(missed >= 0.035 * (double)n - 6 * sqrt(0.0475 * (double)n));
    custos_mech_free(mech);
    custos_rng_free(rng);
}

/*
 * Root mean square of the l2 error of d sums, to each of which a person adds 0
 * or 1.
 */
static double
mean_error(custos_mech_kind kind, size_t d)
{
    const size_t n = runs(200, 20);
    custos_query query = {
        .size = sizeof query, .family = CUSTOS_ATTRIBUTES, .count = d};
    custos_mech_options options = {
        .size = sizeof options,
        .kind = kind,
        .domain = CUSTOS_INTS,
        .values = d,
        .changes = CUSTOS_CHANGES_SEVERAL,
        .epsilon = "1",
    };
    int64_t *x = calloc(2 * d, sizeof *x), *y = x + d;
    custos_rng *rng = rng_new();
    custos_sensitivity change = CUSTOS_SENSITIVITY_INIT;
    custos_mech *mech = NULL;
    double sum = 0;

    assert_non_null(x);
    assert_int_equal(
        custos_sensitivity_of(&query, CUSTOS_CHANGE_ONE, &change, NULL), 0);
    if (kind == CUSTOS_LAPLACE) {
        options.sensitivity = change.l1;
    } else {
        options.sensitivity_squared = change.l2_squared;
        options.delta = "1e-6";
    }
    assert_int_equal(custos_mech_new(NULL, &options, &mech, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        release(mech, rng, x, d, y);
        for (size_t k = 0; k < d; k++)
            sum += (double)y[k] * (double)y[k];
    }
    custos_mech_free(mech);
    custos_rng_free(rng);
    free(x);
    return sqrt(sum / (double)n);
}

/*
 * The mean of rows in {0,1}^d: l2 error of order d^(3/2) with Laplace noise, d
 * with Gaussian. Measured between d = 16 and d = 1024, a factor of 64; the
 * measured exponents are within 0.1 (the errors are known to 3 % or better).
 */
static void
gaussian_mean_wins_a_root(void **state)
{
    double laplace, gauss, wide_laplace, wide_gauss;
    const double span = log(64);

    (void)state;
    laplace = mean_error(CUSTOS_LAPLACE, 16);
    gauss = mean_error(CUSTOS_GAUSSIAN, 16);
    wide_laplace = mean_error(CUSTOS_LAPLACE, 1024);
    wide_gauss = mean_error(CUSTOS_GAUSSIAN, 1024);
    assert_true(fabs(log(wide_laplace / laplace) / span - 1.5) < 0.1);
    assert_true(fabs(log(wide_gauss / gauss) / span - 1) < 0.1);
    assert_true(wide_gauss < wide_laplace / 5);
    /* sqrt(2) d^(3/2) / epsilon; slightly less for the discrete law. */
    assert_true(fabs(wide_laplace / (sqrt(2) * 32768) - 1) < 0.1);
}

/* Root mean square error over all n partial sums of zeros. */
static double
sums_error(custos_sums_method method, size_t n)
{
    const size_t times = runs(20, 2);
    custos_sums_options options = {
        .size = sizeof options,
        .method = method,
        .elements = n,
        .epsilon = "1",
    };
    int64_t *x = calloc(2 * n, sizeof *x), *y = x + n;
    custos_rng *rng = rng_new();
    custos_sums *sums = NULL;
    double sum = 0;

    assert_non_null(x);
    assert_int_equal(custos_sums_new(NULL, &options, &sums, NULL), 0);
    for (size_t i = 0; i < times; i++) {
        custos_sealed *sealed = NULL;

        assert_int_equal(custos_seal_ints(NULL, x, n, &sealed, NULL), 0);
        assert_int_equal(custos_sums_release(sums, rng, sealed, y, n, NULL), 0);
        custos_sealed_free(sealed);
        for (size_t t = 0; t < n; t++)
            sum += (double)y[t] * (double)y[t];
    }
    custos_sums_free(sums);
    custos_rng_free(rng);
    free(x);
    return sqrt(sum / (double)(times * n));
}

/*
 * DummySum of the notes: noise on every prefix costs n epsilon, so at the same
 * price its scale is n. Noise on every element has scale 1, and errors add up
 * to sqrt(n).
 * The tree beats both at n = 65536 (errors of about 93,000, 260 and 70).
 */
static void
partial_sums_tree_beats_both(void **state)
{
    const size_t n = 65536;
    double prefix, element, tree;

    (void)state;
    if (getenv("CUSTOS_QUICK"))
        skip();
    prefix = sums_error(CUSTOS_EVERY_PREFIX, n);
    element = sums_error(CUSTOS_EVERY_ELEMENT, n);
    tree = sums_error(CUSTOS_BINARY_TREE, n);
    assert_true(fabs(prefix / (sqrt(2) * (double)n) - 1) < 0.05);
    assert_true(element < prefix / 50);
    assert_true(tree < element / 1.5);
}

/* Two coins; 10,000 people, three in ten of whom have the property. */
static void
two_coins_find_the_share(void **state)
{
    enum { PEOPLE = 10000 };
    static int64_t truth[PEOPLE], report[PEOPLE];
    custos_rr_options options = {.size = sizeof options,
                                 .kind = CUSTOS_RR_TWO_COINS};
    custos_sealed *sealed = NULL;
    custos_rng *rng = rng_new();
    custos_rr *rr = NULL;
    char ratio[1024], text[1024], error[1024];
    uint64_t yes = 0;
    double share;

    (void)state;
    for (int i = 0; i < PEOPLE; i++)
        truth[i] = i % 10 < 3;
    assert_int_equal(custos_rr_new(NULL, &options, &rr, NULL), 0);
    assert_int_equal(custos_rr_ratio(rr, ratio, sizeof ratio, NULL), 0);
    assert_string_equal(ratio, "3"); /* epsilon is ln 3 */
    assert_int_equal(custos_seal_ints(NULL, truth, PEOPLE, &sealed, NULL), 0);
    assert_int_equal(custos_rr_answer(rr, rng, sealed, PEOPLE, report, NULL),
                     0);
    for (int i = 0; i < PEOPLE; i++)
        yes += report[i] != 0;
    assert_int_equal(
        custos_rr_estimate(rr, &yes, 1, PEOPLE, text, sizeof text, NULL), 0);
    assert_null(strchr(text, '/')); /* PEOPLE is a power of ten */
    share = strtod(text, NULL);
    assert_true(fabs(share - (2 * (double)yes / PEOPLE - 0.5)) < 1e-12);
    assert_int_equal(
        custos_rr_error(rr, PEOPLE, "1e-9", error, sizeof error, NULL), 0);
    assert_true(fabs(share - 0.3) < strtod(error, NULL));
    assert_true(strtod(error, NULL) < 0.1);
    custos_sealed_free(sealed);
    custos_rr_free(rr);
    custos_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histogram_band_covers),
        cmocka_unit_test(gaussian_mean_wins_a_root),
        cmocka_unit_test(partial_sums_tree_beats_both),
        cmocka_unit_test(two_coins_find_the_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
