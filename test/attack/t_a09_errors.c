/*
 * A9: an error is an output. If NaN, an infinity, -0, an empty or an extreme
 * record makes a release fail, the failure reveals with certainty that this
 * record is in the data.
 *
 * Ours: for any data the same status, the same number of random words, and
 * finite values on the grid. The twin rejects NaN, as careful programs do.
 */
#include <float.h>

#include "attack/attack.h"

/* The worst doubles as records. */
static const double nasty[] = {
    0.0,       -0.0,    1,        NAN,     -NAN,         INFINITY,
    -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN,
    0x1p63,    -0x1p63, 0x1p1000, 1e-310};

static const int64_t nasty_ints[] = {0, 1, -1, INT64_MAX, INT64_MIN};

/* A random double: any 64 bits. */
static double
random_double(custos_rng *rng)
{
    uint64_t bits = attack_word(rng);
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

struct outcome {
    custos_status status;
    size_t words;
    double value;
};

static struct outcome
release(const custos_mech *mech, uint64_t seed, double x)
{
    custos_rng *rng = test_rng_seeded(seed);
    custos_sealed *sealed = NULL;
    struct outcome o = {0, 0, 0};

    o.status = custos_seal_reals(NULL, &x, 1, &sealed, NULL);
    if (!o.status)
        o.status = custos_release_reals(mech, rng, sealed, &o.value, 1, NULL);
    o.words = test_rng_used(rng);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    return o;
}

static custos_mech *
make(custos_mech_kind kind)
{
    custos_mech_options options = {
        .size = sizeof options,
        .kind = kind,
        .domain = CUSTOS_REALS,
        .epsilon = "1",
        .delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL,
        .sensitivity = "1",
    };

    return attack_mech(&options);
}

static void
reals_never_fail(void **state)
{
    const size_t n = audit_size(200, 20000, 1000000);
    custos_rng *more = test_rng_seeded(901);

    (void)state;
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech *mech = make(kind);
        double g = attack_grid(mech);

        for (size_t i = 0; i < COUNT_OF(nasty) + n; i++) {
            double x = i < COUNT_OF(nasty) ? nasty[i] : random_double(more);
            struct outcome o = release(mech, i, x), calm = release(mech, i, 0);

            assert_int_equal(o.status, CUSTOS_OK);
            assert_int_equal(o.words, calm.words);
            assert_true(isfinite(o.value));
            assert_true(o.value / g == floor(o.value / g));
        }
        custos_mech_free(mech);
    }
    test_rng_free(more);
}

/*
 * NaN and -0 are treated as 0, an infinity as the limit: the same bits on the
 * same coins.
 */
static void
odd_values_have_a_meaning(void **state)
{
    custos_mech *mech = make(CUSTOS_LAPLACE);

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        double zero = release(mech, seed, 0).value;

        assert_true(release(mech, seed, NAN).value == zero);
        assert_true(release(mech, seed, -NAN).value == zero);
        assert_true(release(mech, seed, -0.0).value == zero);
        assert_true(release(mech, seed, INFINITY).value ==
                    release(mech, seed, DBL_MAX).value);
    }
    custos_mech_free(mech);
}

/* The other mechanisms take whole numbers; none fails for any of them. */
static void
ints_never_fail(void **state)
{
    enum { N = COUNT_OF(nasty_ints) };
    custos_select_options select = {.size = sizeof select, .epsilon = "1"};
    custos_sparse_options sparse = {.size = sizeof sparse,
                                    .answers = 100,
                                    .epsilon = "1",
                                    .value_epsilon = "1"};
    custos_rng *rng = test_rng_seeded(902);
    custos_sparse *vector = NULL;

    (void)state;
    assert_int_equal(custos_sparse_new(NULL, &sparse, rng, &vector, NULL), 0);
    for (size_t i = 0; i < N; i++) {
        custos_sealed *one = NULL, *all = NULL;
        int64_t scores[N], value;
        size_t winner;
        bool above;

        for (size_t k = 0; k < N; k++)
            scores[k] = nasty_ints[(i + k * k) % N];
        assert_int_equal(custos_seal_ints(NULL, scores, N, &all, NULL), 0);
        assert_int_equal(
            custos_select(NULL, &select, rng, all, N, &winner, NULL), 0);
        assert_true(winner < N);
        for (size_t k = 0; k < N; k++) {
            assert_int_equal(
                custos_seal_ints(NULL, &nasty_ints[i], 1, &one, NULL), 0);
            assert_int_equal(custos_sparse_ask(vector, rng, one, nasty_ints[k],
                                               &above, &value, NULL),
                             0);
            custos_sealed_free(one);
        }
        custos_sealed_free(all);
    }
    custos_sparse_free(vector);
    test_rng_free(rng);
}

/* A vector of length 0 is rejected whatever the data. */
static void
empty_is_refused_alike(void **state)
{
    custos_sealed *sealed = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(nasty); i++)
        assert_int_equal(custos_seal_reals(NULL, &nasty[i], 0, &sealed, NULL),
                         CUSTOS_EINVAL);
    assert_null(sealed);
}

/* --------------------------------------------------------------- audit -- */

/* The epsilon that n runs on each side refute, with the error as the event. */
static double
epsilon_of_errors(const custos_mech *mech,
                  custos_status (*sum)(double x, double *out), uint64_t n)
{
    uint64_t errors[2] = {0};

    for (uint64_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            double record = side ? NAN : 1, total = record;
            custos_status st = sum ? sum(record, &total) : CUSTOS_OK;

            if (!st)
                st = release(mech, 2 * i + (uint64_t)side, total).status;
            errors[side] += st != CUSTOS_OK;
        }
    return audit_epsilon_low(errors[1], errors[0], n, 1e-6);
}

static custos_status
twin_sum(double x, double *out)
{
    if (isnan(x))
        return CUSTOS_EINVAL;
    *out = x;
    return CUSTOS_OK;
}

static void
errors_tell_nothing_and_the_twin_is_caught(void **state)
{
    custos_mech *mech = make(CUSTOS_LAPLACE);

    (void)state;
    assert_true(epsilon_of_errors(mech, NULL, 1000) < 0);
    assert_true(epsilon_of_errors(mech, twin_sum, 1000) > 4);
    custos_mech_free(mech);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_never_fail),
        cmocka_unit_test(odd_values_have_a_meaning),
        cmocka_unit_test(ints_never_fail),
        cmocka_unit_test(empty_is_refused_alike),
        cmocka_unit_test(errors_tell_nothing_and_the_twin_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
