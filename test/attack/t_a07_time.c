/*
 * A7, Ratliff and Vadhan 2024: time is an output. It may depend on the data
 * only through the number of records.
 *
 * Without a clock: on the same stream of coins every mechanism uses as many
 * words for one data set as for any other of the same size. With a clock, in
 * the long run only: times on neighbours, measured in random order, have the
 * same distribution (Kolmogorov-Smirnov at 1e-6 each). The twins use rejection
 * sampling that depends on the data.
 */
#include <time.h>

#include "attack/attack.h"
#include "noise/noise.h"

enum { N = 16 };

static size_t
streams(void)
{
    return audit_size(10, 50, 5000);
}

/* Very different data sets of the same size. */
static const int64_t sets[][N] = {
    {0},
    {INT64_MAX, INT64_MIN, 0, 1, -1},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, INT64_MAX},
    {5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10},
};

typedef void work_fn(const void *with, custos_rng *rng, custos_sealed *data);

/* Words used for one data set. */
static size_t
words(work_fn *work, const void *with, uint64_t seed, const int64_t *data)
{
    custos_rng *rng = test_rng_seeded(seed);
    custos_sealed *sealed = NULL;
    size_t used;

    assert_int_equal(custos_seal_ints(NULL, data, N, &sealed, NULL), 0);
    work(with, rng, sealed);
    used = test_rng_used(rng);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    return used;
}

/* On how many streams the number of words used differs between data sets. */
static size_t
streams_that_tell(work_fn *work, const void *with)
{
    size_t telling = 0;

    for (uint64_t seed = 0; seed < streams(); seed++) {
        size_t first = words(work, with, seed, sets[0]);
        bool tells = false;

        for (size_t i = 1; i < COUNT_OF(sets); i++)
            tells |= words(work, with, seed, sets[i]) != first;
        telling += tells;
    }
    return telling;
}

/* ------------------------------------------------------ the mechanisms -- */

static void
work_mech(const void *with, custos_rng *rng, custos_sealed *data)
{
    int64_t out[N];

    assert_int_equal(custos_release_ints(with, rng, data, out, N, NULL), 0);
}

static void
work_select(const void *with, custos_rng *rng, custos_sealed *data)
{
    size_t winner;

    assert_int_equal(custos_select(NULL, with, rng, data, N, &winner, NULL), 0);
}

static void
work_sums(const void *with, custos_rng *rng, custos_sealed *data)
{
    int64_t out[N];

    assert_int_equal(custos_sums_release(with, rng, data, out, N, NULL), 0);
}

static void
work_rr(const void *with, custos_rng *rng, custos_sealed *data)
{
    int64_t out[N];

    assert_int_equal(custos_rr_answer(with, rng, data, N, out, NULL), 0);
}

static custos_mech *
mech_of(custos_mech_kind kind)
{
    custos_mech_options options = {
        .size = sizeof options,
        .kind = kind,
        .domain = CUSTOS_INTS,
        .values = N,
        .changes = CUSTOS_CHANGES_ONE,
        .epsilon = "0.5",
        .delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL,
        .sensitivity = "1",
    };

    return attack_mech(&options);
}

static void
additive_words_depend_on_n_alone(void **state)
{
    (void)state;
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech *mech = mech_of(kind);

        assert_int_equal(streams_that_tell(work_mech, mech), 0);
        custos_mech_free(mech);
    }
}

static void
selection_words_depend_on_n_alone(void **state)
{
    static const custos_select_rule rules[] = {
        CUSTOS_PERMUTE_AND_FLIP, CUSTOS_EXPONENTIAL, CUSTOS_NOISY_MAX};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        custos_select_options options = {
            .size = sizeof options, .rule = rules[i], .epsilon = "1"};

        assert_int_equal(streams_that_tell(work_select, &options), 0);
    }
}

static void
sum_words_depend_on_n_alone(void **state)
{
    (void)state;
    for (custos_sums_method m = CUSTOS_EVERY_PREFIX; m <= CUSTOS_SQUARE_ROOT;
         m++) {
        custos_sums_options options = {
            .size = sizeof options,
            .method = m,
            .elements = N,
            .epsilon = "1",
            .delta = m == CUSTOS_SQUARE_ROOT ? "1e-6" : NULL,
        };
        custos_sums *sums = NULL;

        assert_int_equal(custos_sums_new(NULL, &options, &sums, NULL), 0);
        assert_int_equal(streams_that_tell(work_sums, sums), 0);
        custos_sums_free(sums);
    }
}

static void
response_words_depend_on_n_alone(void **state)
{
    static const custos_rr_options each[] = {
        {.size = sizeof each[0], .kind = CUSTOS_RR_TWO_COINS},
        {.size = sizeof each[0], .kind = CUSTOS_RR_GAMMA, .gamma = "1/4"},
        {.size = sizeof each[0],
         .kind = CUSTOS_RR_KARY,
         .epsilon = "1",
         .values = 10},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(each); i++) {
        custos_rr *rr = NULL;

        assert_int_equal(custos_rr_new(NULL, &each[i], &rr, NULL), 0);
        assert_int_equal(streams_that_tell(work_rr, rr), 0);
        custos_rr_free(rr);
    }
}

/* --------------------------------------------------------------- twins -- */

/*
 * The twins cannot open a seal, so they get their data through a global. One
 * redraws noise until the result is not negative, because counts are not. The
 * other picks a candidate at random and keeps it with probability exp(score -
 * best).
 */
static const int64_t *twin_data;

static void
work_redraw(const void *with, custos_rng *rng, custos_sealed *data)
{
    (void)data;
    for (size_t i = 0; i < N; i++) {
        i128 noise;

        do
            assert_int_equal(noise_draw(with, rng, &noise, 1), 0);
        while (noise + twin_data[i] < 0 && noise < 0);
    }
}

static void
work_reject(const void *with, custos_rng *rng, custos_sealed *data)
{
    int64_t best = INT64_MIN;

    (void)with;
    (void)data;
    for (size_t i = 0; i < N; i++)
        best = twin_data[i] > best ? twin_data[i] : best;
    for (;;) {
        int64_t score = twin_data[attack_word(rng) % N];

        if (attack_uniform(rng) <= exp((double)score - (double)best))
            return;
    }
}

static size_t
streams_that_tell_twin(work_fn *work, const void *with)
{
    size_t telling = 0;

    for (uint64_t seed = 0; seed < streams(); seed++) {
        size_t used[2];

        for (int i = 0; i < 2; i++) {
            custos_rng *rng = test_rng_seeded(seed);

            twin_data = sets[i ? 3 : 0];
            work(with, rng, NULL);
            used[i] = test_rng_used(rng);
            test_rng_free(rng);
        }
        telling += used[0] != used[1];
    }
    return telling;
}

static void
twins_are_caught(void **state)
{
    custos_noise *noise = NULL;

    (void)state;
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_LAPLACE, "2", &noise, NULL), 0);
    assert_true(streams_that_tell_twin(work_redraw, noise) > streams() / 10);
    assert_true(streams_that_tell_twin(work_reject, NULL) > streams() / 2);
    custos_noise_free(noise);
}

/* --------------------------------------------------------------- clock -- */

static double
seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * The p-value of "times on neighbours have the same distribution", for our
 * mechanism or the twin.
 */
static double
times_alike(work_fn *work, const void *with, size_t n)
{
    struct audit_point *points = calloc(n, sizeof *points);
    custos_rng *rng = test_rng_seeded(701), *order = test_rng_seeded(702);
    double p;

    assert_non_null(points);
    for (size_t i = 0; i < n; i++) {
        bool side = attack_word(order) & 1;
        custos_sealed *sealed = NULL;
        double begin;

        twin_data = sets[side ? 3 : 0];
        assert_int_equal(custos_seal_ints(NULL, twin_data, N, &sealed, NULL),
                         0);
        begin = seconds();
        work(with, rng, sealed);
        points[i].value = seconds() - begin;
        points[i].large = side;
        custos_sealed_free(sealed);
    }
    p = audit_ks_p(points, n);
    test_rng_free(order);
    test_rng_free(rng);
    free(points);
    return p;
}

static void
times_on_neighbours_are_alike(void **state)
{
    const size_t n = 200000;
    custos_select_options select = {.size = sizeof select, .epsilon = "1"};

    (void)state;
    if (!audit_long())
        skip();
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech *mech = mech_of(kind);

        assert_true(times_alike(work_mech, mech, n) > 1e-6);
        custos_mech_free(mech);
    }
    assert_true(times_alike(work_select, &select, n) > 1e-6);
    assert_true(times_alike(work_reject, NULL, n) <= 1e-6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additive_words_depend_on_n_alone),
        cmocka_unit_test(selection_words_depend_on_n_alone),
        cmocka_unit_test(sum_words_depend_on_n_alone),
        cmocka_unit_test(response_words_depend_on_n_alone),
        cmocka_unit_test(twins_are_caught),
        cmocka_unit_test(times_on_neighbours_are_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
