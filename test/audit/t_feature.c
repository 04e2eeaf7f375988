/*
 * Features of outputs, and the bins they fall into.
 */
#include <math.h>

#include "audit/bins.h"
#include "audit/coins.h"
#include "audit/feature.h"
#include "support/support.h"

static double
of(enum feature_kind kind, size_t at, const double *number, uint32_t length)
{
    double numbers[4] = {0};
    uint32_t code = 9;
    struct batch batch = {.n = 1,
                          .width = 4,
                          .number = numbers,
                          .length = &length,
                          .code = &code};

    memcpy(numbers, number, length * sizeof *number);
    return feature_of((struct feature){kind, at}, &batch, 0);
}

static void
features_are_what_they_say(void **state)
{
    static const double x[] = {3, -1.5, 8, 0.75};

    (void)state;
    assert_true(of(FEATURE_LENGTH, 0, x, 3) == 3);
    assert_true(of(FEATURE_CODE, 0, x, 3) == 9);
    assert_true(of(FEATURE_LAST, 0, x, 3) == 8);
    assert_true(of(FEATURE_SUM, 0, x, 4) == 10.25);
    assert_true(of(FEATURE_SPREAD, 0, x, 4) == 9.5);
    assert_true(of(FEATURE_VALUE, 1, x, 4) == -1.5);
    assert_true(of(FEATURE_DIFFERENCE, 2, x, 4) == 9.5);
    assert_true(of(FEATURE_SORTED, 0, x, 4) == -1.5);
    assert_true(of(FEATURE_SORTED, 3, x, 4) == 8);
    assert_true(of(FEATURE_SORTED, 3, x, 3) == HUGE_VAL);
    assert_true(of(FEATURE_LOW_BIT, 0, x, 4) == 0);  /* 3 */
    assert_true(of(FEATURE_LOW_BIT, 1, x, 4) == -1); /* 1.5 */
    assert_true(of(FEATURE_LOW_BIT, 2, x, 4) == 3);  /* 8 */
    assert_true(of(FEATURE_EXPONENT, 3, x, 4) == -1);
    assert_true(of(FEATURE_RESIDUAL, 3, x, 4) == -0.25);
}

static void
no_number_breaks_a_feature(void **state)
{
    static const double odd[] = {NAN, INFINITY, -0.0, 0x1p-1074};
    struct audit_target target = {.name = "odd", .width = 4};
    struct feature features[FEATURES_MAX];
    size_t n = features_of(&target, features);

    (void)state;
    assert_true(n > 20 && n <= FEATURES_MAX);
    for (size_t i = 0; i < n; i++)
        for (uint32_t length = 0; length <= 4; length++) {
            double x = of(features[i].kind, features[i].at, odd, length);

            assert_true(x == x); /* not NaN */
        }
    assert_true(of(FEATURE_LOW_BIT, 3, odd, 4) == -1074);
}

/* Only what is printed has a form. */
static void
printed_outputs_have_a_form(void **state)
{
    struct audit_target target = {.name = "printed", .width = 64};
    struct feature features[FEATURES_MAX];
    size_t n = features_of(&target, features), more;
    uint32_t length = 1, code = 0;
    double number = 1;
    struct written written = {.form = 0xfffffffe, .digits = 17};
    const struct batch batch = {.n = 1,
                                .width = 1,
                                .number = &number,
                                .length = &length,
                                .code = &code,
                                .written = &written};

    (void)state;
    target.prints = target.timed = true;
    more = features_of(&target, features);
    assert_int_equal(more, n + 3);
    assert_true(more <= FEATURES_MAX);
    assert_true(feature_of((struct feature){FEATURE_FORM, 0}, &batch, 0) ==
                (double)0xfffffffe);
    assert_true(feature_of((struct feature){FEATURE_DIGITS, 0}, &batch, 0) ==
                17);
    assert_true(feature_is_name((struct feature){FEATURE_FORM, 0}));
    assert_false(feature_is_name((struct feature){FEATURE_DIGITS, 0}));
}

static void
whole_output_is_told_apart(void **state)
{
    static const double x[] = {0, 0, 1}, y[] = {0, 1, 0};

    (void)state;
    assert_true(of(FEATURE_WHOLE, 0, x, 3) != of(FEATURE_WHOLE, 0, y, 3));
    assert_true(of(FEATURE_WHOLE, 0, x, 2) != of(FEATURE_WHOLE, 0, x, 1));
    assert_true(of(FEATURE_WHOLE, 0, x, 3) == of(FEATURE_WHOLE, 0, x, 3));
}

/* Every value falls into the bin whose ends enclose it. */
static void
values_fall_into_their_bins(void **state)
{
    enum { N = 20000 };
    static double values[N], sorted[N];
    struct coins coins;
    struct bins bins;

    (void)state;
    coins_seed(&coins, 1, 0);
    for (size_t i = 0; i < N; i++)
        values[i] = i % 5 ? coins_lattice_laplace(&coins, 10, 0x1p-10) : 2;
    memcpy(sorted, values, sizeof sorted);
    assert_int_equal(bins_learn(&bins, sorted, N, 256, false, NULL), CUSTOS_OK);
    assert_true(bins.n > 200 && bins.n < 700);
    for (size_t i = 0; i < N; i++) {
        double least, most;

        bins_range(&bins, bins_find(&bins, values[i]), &least, &most);
        assert_true(least < values[i] && values[i] <= most);
    }
    for (size_t k = 1; k + 1 < bins.n; k++)
        assert_true(bins.edge[k - 1] < bins.edge[k]);
    assert_int_equal(bins_find(&bins, -HUGE_VAL), 0);
    assert_int_equal(bins_find(&bins, HUGE_VAL), bins.n - 1);
    bins_clear(&bins);
}

static void
names_have_bins_of_their_own(void **state)
{
    double values[] = {7, 7, 7, 9, 9, 9, 9, 4, 5, 7};
    double same[] = {3, 3, 3, 3};
    struct bins bins;

    (void)state;
    assert_int_equal(bins_learn(&bins, values, 10, 256, true, NULL), CUSTOS_OK);
    assert_int_equal(bins.n, 3); /* 7, 9 and the rest */
    assert_int_equal(bins_find(&bins, 7), 0);
    assert_int_equal(bins_find(&bins, 9), 1);
    assert_int_equal(bins_find(&bins, 8), 2);
    assert_int_equal(bins_find(&bins, 4), 2);
    bins_clear(&bins);
    assert_int_equal(bins_learn(&bins, same, 4, 256, true, NULL), CUSTOS_OK);
    assert_int_equal(bins.n, 1); /* nothing to tell apart */
    bins_clear(&bins);
}

/* The lattice law: P[k] is proportional to exp(-|k|/t). Bounds at 7 standard
   deviations: false alarm below 1e-10; the seed is fixed. */
static void
lattice_noise_has_its_law(void **state)
{
    enum { N = 1000000 };
    struct coins coins;
    double q = exp(-0.5), p0 = (1 - q) / (1 + q);
    int count[3] = {0};

    (void)state;
    coins_seed(&coins, 2, 0);
    for (int i = 0; i < N; i++) {
        double x = coins_lattice_laplace(&coins, 2, 1);

        if (x >= 0 && x <= 2)
            count[(int)x]++;
    }
    for (int k = 0; k < 3; k++) {
        double p = p0 * pow(q, k);

        assert_true(fabs(count[k] - N * p) < 7 * sqrt(N * p));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_what_they_say),
        cmocka_unit_test(no_number_breaks_a_feature),
        cmocka_unit_test(printed_outputs_have_a_form),
        cmocka_unit_test(whole_output_is_told_apart),
        cmocka_unit_test(values_fall_into_their_bins),
        cmocka_unit_test(names_have_bins_of_their_own),
        cmocka_unit_test(lattice_noise_has_its_law),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
