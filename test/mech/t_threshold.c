/*
 * Thresholded release: the threshold is the least possible, its delta is exact,
 * and releases follow the law of the theorem.
 */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "base/base.h"
#include "support/support.h"

static custos_threshold *
threshold_make(custos_adjacency adjacency, uint64_t keys, const char *epsilon,
               const char *delta)
{
    custos_threshold_options o = {.size = sizeof o,
                                  .adjacency = adjacency,
                                  .keys_per_unit = keys,
                                  .epsilon = epsilon,
                                  .delta = delta};
    custos_threshold *t = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (custos_threshold_new(NULL, &o, &t, &err))
        fail_msg("%s", err.said);
    return t;
}

/* 1 - (1-p)^k with 256 bits, where p is the sum of the tail. */
static double
delta_by_sums(double epsilon, uint64_t keys, int sides, int64_t threshold)
{
    mpfr_t q, p, term, least;
    double delta;

    mpfr_inits2(256, q, p, term, least, (mpfr_ptr)0);
    mpfr_set_d(q, -epsilon, MPFR_RNDN); /* the tests use dyadic epsilons */
    mpfr_div_ui(q, q, keys * (uint64_t)sides, MPFR_RNDN);
    mpfr_exp(q, q, MPFR_RNDN);
    mpfr_pow_si(term, q, threshold - 1, MPFR_RNDN);
    mpfr_set_zero(p, 1);
    /* P[Y >= threshold - 1], to all 256 bits */
    mpfr_div_2ui(least, term, 300, MPFR_RNDN);
    while (mpfr_greater_p(term, least)) {
        mpfr_add(p, p, term, MPFR_RNDN);
        mpfr_mul(term, term, q, MPFR_RNDN);
    }
    mpfr_ui_sub(term, 1, q, MPFR_RNDN);
    mpfr_mul(p, p, term, MPFR_RNDN);
    mpfr_add_ui(q, q, 1, MPFR_RNDN);
    mpfr_div(p, p, q, MPFR_RNDN);
    mpfr_ui_sub(p, 1, p, MPFR_RNDN);
    mpfr_pow_ui(p, p, keys, MPFR_RNDN);
    mpfr_ui_sub(p, 1, p, MPFR_RNDN);
    delta = mpfr_get_d(p, MPFR_RNDN);
    mpfr_clears(q, p, term, least, (mpfr_ptr)0);
    return delta;
}

static void
threshold_is_least(void **state)
{
    static const char *eps[] = {"0.125", "1", "3"};
    static const char *deltas[] = {"0.5", "0.001953125", "1e-9"};
    static const uint64_t keys[] = {1, 2, 7, 100};

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                for (int k = 0; k < test_size(3, 4); k++) {
                    custos_threshold *t = threshold_make(
                        (custos_adjacency)a, keys[k], eps[i], deltas[j]);
                    int64_t tau = custos_threshold_report(t)->threshold;
                    double e = strtod(eps[i], NULL);
                    double d = strtod(deltas[j], NULL);

                    assert_true(tau >= 1);
                    assert_true(delta_by_sums(e, keys[k], a, tau) <= d);
                    if (tau > 1)
                        assert_true(delta_by_sums(e, keys[k], a, tau - 1) > d);
                    custos_threshold_free(t);
                }
}

static void
threshold_delta_is_exact(void **state)
{
    static const uint64_t keys[] = {1, 3, 50};

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (size_t k = 0; k < 3; k++) {
            custos_threshold *t =
                threshold_make((custos_adjacency)a, keys[k], "0.5", "1e-6");
            const custos_threshold_facts *f = custos_threshold_report(t);
            double told = strtod(f->delta, NULL);
            double is = delta_by_sums(0.5, keys[k], a, f->threshold);

            assert_true(told >= is * (1 - 1e-15));
            assert_true(told <= is * (1 + 1e-14));
            assert_true(told <= 1e-6);
            assert_string_equal(f->epsilon, "0.5");
            assert_string_equal(f->theorem, "threshold-exact");
            assert_true(strtod(f->scale, NULL) == 2.0 * (double)keys[k] * a);
            custos_threshold_free(t);
        }
    assert_null(custos_threshold_report(NULL));
}

/*
 * The case analysis of the proof, in numbers, for all pairs of neighbours: j
 * keys are only in the first, l only in the second, the rest in both. Their
 * exact hockey-stick divergence (summed over the sets of keys that appear, with
 * shared keys at their worst likelihood ratio) never exceeds the reported
 * delta.
 */
static void
threshold_bounds_all_neighbours(void **state)
{
    static const double eps[] = {0.125, 0.5, 2};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (uint64_t k = 1; k <= 4; k++)
            for (int64_t tau = 1; tau <= 6; tau++) {
                double e = eps[i], q = exp(-e / (2.0 * (double)k));
                double p = pow(q, (double)tau - 1) / (1 + q);
                double delta = 1 - pow(1 - p, (double)k);

                for (uint64_t j = 0; j <= k; j++)
                    for (uint64_t l = 0; l <= k; l++) {
                        double alone = 1 - pow(1 - p, (double)j);
                        double none = pow(1 - p, (double)j);
                        double other = pow(1 - p, (double)l);
                        double ratio = pow(q, -(double)(2 * k - j - l));
                        double rest = none - exp(e) * other / ratio;

                        assert_true(alone + (rest > 0 ? rest : 0) <=
                                    delta + 1e-12);
                    }
            }
}

/*
 * A key of count 1 is shown with probability p (20000 draws, 5 standard
 * deviations; with a fresh seed, a false alarm has probability 1e-6), and its
 * released count is at or above the threshold. Keys with counts below 1 are
 * never shown; keys with very large counts are always shown.
 */
static void
threshold_law(void **state)
{
    enum { N = 20000 };
    static int64_t values[N], counts[N];
    static uint8_t kept[N];
    custos_threshold *t = threshold_make(CUSTOS_ADD_REMOVE, 1, "0.5", "0.2");
    int64_t tau = custos_threshold_report(t)->threshold;
    custos_rng *rng = test_rng_seeded(21);
    custos_sealed *s = NULL;
    double p = strtod(custos_threshold_report(t)->delta, NULL), seen = 0;

    (void)state;
    for (int i = 0; i < N; i++)
        values[i] = 1;
    assert_int_equal(custos_seal_ints(NULL, values, N, &s, NULL), CUSTOS_OK);
    assert_int_equal(custos_threshold_release(t, rng, s, counts, kept, N, NULL),
                     CUSTOS_OK);
    for (int i = 0; i < N; i++) {
        assert_true(kept[i] ? counts[i] >= tau : counts[i] == 0);
        assert_true(kept[i] <= 1);
        seen += kept[i];
    }
    assert_true(fabs(seen - N * p) < 5 * sqrt(N * p * (1 - p)));
    assert_int_equal(custos_threshold_release(t, rng, s, counts, kept, N, NULL),
                     CUSTOS_ETAKEN);
    custos_sealed_free(s);
    for (int i = 0; i < N; i++)
        values[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? INT64_MIN : INT64_MAX;
    assert_int_equal(custos_seal_ints(NULL, values, N, &s, NULL), CUSTOS_OK);
    assert_int_equal(custos_threshold_release(t, rng, s, counts, kept, N, NULL),
                     CUSTOS_OK);
    for (int i = 0; i < N; i++) {
        assert_true(kept[i] == (i % 3 == 2));
        assert_true(i % 3 == 2 ? counts[i] > INT64_MAX - 1000 : counts[i] == 0);
    }
    custos_sealed_free(s);
    custos_threshold_free(t);
    test_rng_free(rng);
}

static void
threshold_refuses(void **state)
{
    static const struct {
        custos_threshold_options o;
        custos_status st;
    } rows[] = {
        {{.epsilon = "1", .delta = "0.1"}, CUSTOS_EINVAL},
        {{.adjacency = CUSTOS_ADD_REMOVE, .delta = "0.1"}, CUSTOS_EPARSE},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1"}, CUSTOS_EPARSE},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1", .delta = "0"}, 3},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1", .delta = "1"}, 3},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "0", .delta = "0.1"}, 3},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1e9", .delta = "0.1"}, 3},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1e-19", .delta = ".1"},
         3},
        {{.adjacency = CUSTOS_ADD_REMOVE, .epsilon = "1e-18", .delta = "1e-9"},
         3},
        {{.adjacency = CUSTOS_ADD_REMOVE,
          .epsilon = "1",
          .delta = "0.1",
          .keys_per_unit = UINT64_MAX},
         3},
    };
    custos_threshold_options good = {.size = sizeof good,
                                     .adjacency = CUSTOS_ADD_REMOVE,
                                     .epsilon = "1",
                                     .delta = "0.1"};
    custos_threshold *t = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        custos_threshold_options o = rows[i].o;
        custos_err err = CUSTOS_ERR_INIT;

        o.size = sizeof o;
        assert_int_equal(custos_threshold_new(NULL, &o, &t, &err), rows[i].st);
        assert_null(t);
        assert_true(err.said[0] != '\0');
    }
    assert_int_equal(custos_threshold_new(NULL, NULL, &t, NULL), 1);
    assert_int_equal(custos_threshold_new(NULL, &good, NULL, NULL), 1);
    good.size = 3;
    assert_int_equal(custos_threshold_new(NULL, &good, &t, NULL), 1);
    assert_null(t);
    custos_threshold_free(NULL);
}

/*
 * Extreme parameters: a threshold of 1, a delta close to 0, long numbers.
 */
static void
threshold_at_the_ends(void **state)
{
    custos_threshold *t = threshold_make(CUSTOS_ADD_REMOVE, 0, "1", "0.999");

    (void)state;
    assert_int_equal(custos_threshold_report(t)->threshold, 1);
    custos_threshold_free(t);
    t = threshold_make(CUSTOS_ADD_REMOVE, 1, "1000000", "1e-400");
    assert_int_equal(custos_threshold_report(t)->threshold, 2);
    assert_string_equal(custos_threshold_report(t)->delta, "1e-400");
    custos_threshold_free(t);
    t = threshold_make(CUSTOS_CHANGE_ONE, 1,
                       "0.3333333333333333333333333333333333333333333333333333"
                       "3333333333333333333333333333333333333333333333333333",
                       "1e-6");
    assert_string_equal(custos_threshold_report(t)->epsilon,
                        "0.33333333333333334");
    assert_true(strtod(custos_threshold_report(t)->delta, NULL) <= 1e-6);
    custos_threshold_free(t);
}

static void
threshold_release_refuses(void **state)
{
    custos_threshold *t = threshold_make(CUSTOS_ADD_REMOVE, 1, "1", "0.1");
    int64_t values[200] = {5, 6}, counts[200] = {77, 77};
    uint8_t kept[200] = {7, 7};
    custos_rng *rng = test_rng_seeded(1), *dry = test_rng_failing(1, 0);
    custos_sealed *s = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, values, 200, &s, NULL), CUSTOS_OK);
    assert_int_equal(
        custos_threshold_release(NULL, rng, s, counts, kept, 200, &err), 1);
    assert_int_equal(
        custos_threshold_release(t, NULL, s, counts, kept, 200, &err), 1);
    assert_int_equal(
        custos_threshold_release(t, rng, NULL, counts, kept, 200, &err), 1);
    assert_int_equal(custos_threshold_release(t, rng, s, NULL, kept, 200, &err),
                     1);
    assert_int_equal(
        custos_threshold_release(t, rng, s, counts, NULL, 200, &err), 1);
    assert_int_equal(
        custos_threshold_release(t, rng, s, counts, kept, 199, &err), 1);
    assert_int_equal(
        custos_threshold_release(t, dry, s, counts, kept, 200, &err),
        CUSTOS_EENTROPY);
    assert_true(counts[0] == 77 && counts[1] == 77);
    assert_true(kept[0] == 7 && kept[1] == 7);
    assert_int_equal(
        custos_threshold_release(t, rng, s, counts, kept, 200, &err),
        CUSTOS_ETAKEN);
    custos_sealed_free(s);
    custos_threshold_free(t);
    test_rng_free(rng);
    test_rng_free(dry);
}

static void
threshold_without_memory(void **state)
{
    custos_threshold_options o = {.size = sizeof o,
                                  .adjacency = CUSTOS_ADD_REMOVE,
                                  .epsilon = "1",
                                  .delta = "0.1"};
    struct test_memory memory = {0};
    custos_alloc hooks = test_alloc(&memory);
    custos_threshold *t = NULL;
    size_t takes;

    (void)state;
    assert_int_equal(custos_threshold_new(&hooks, &o, &t, NULL), CUSTOS_OK);
    takes = memory.takes;
    custos_threshold_free(t);
    assert_int_equal(memory.live, 0);
    for (size_t n = 1; n <= takes; n++) {
        memory = (struct test_memory){.fail_at = n};
        t = NULL;
        assert_int_equal(custos_threshold_new(&hooks, &o, &t, NULL),
                         CUSTOS_ENOMEM);
        assert_null(t);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threshold_is_least),
        cmocka_unit_test(threshold_delta_is_exact),
        cmocka_unit_test(threshold_bounds_all_neighbours),
        cmocka_unit_test(threshold_law),
        cmocka_unit_test(threshold_refuses),
        cmocka_unit_test(threshold_at_the_ends),
        cmocka_unit_test(threshold_release_refuses),
        cmocka_unit_test(threshold_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
