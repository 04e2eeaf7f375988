/*
 * Sparse vector: the law of the answers against exact sums over the threshold's
 * noise, the likelihood ratio of neighbours, counting down to a halt, and
 * released values.
 */
#include <math.h>
#include <stdlib.h>

#include "mech/sparse.h"
#include "num/rat_double.h"
#include "support/support.h"

enum { REACH = 120 };

static custos_sparse *
make(custos_rng *rng, uint32_t answers, custos_scores moves,
     const char *epsilon, const char *value_epsilon)
{
    custos_sparse_options o = {.size = sizeof o,
                               .answers = answers,
                               .moves = moves,
                               .epsilon = epsilon,
                               .value_epsilon = value_epsilon};
    custos_sparse *s = NULL;

    assert_int_equal(custos_sparse_new(NULL, &o, rng, &s, NULL), CUSTOS_OK);
    return s;
}

static custos_status
ask(custos_sparse *s, custos_rng *rng, int64_t exact, int64_t threshold,
    bool *above, int64_t *value)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_int_equal(custos_seal_ints(NULL, &exact, 1, &sealed, NULL), 0);
    st = custos_sparse_ask(s, rng, sealed, threshold, above, value, NULL);
    custos_sealed_free(sealed);
    return st;
}

/* ---------------------------------------------------------- exact law -- */

static double
laplace(double scale, int64_t x)
{
    double q = exp(-1 / scale);

    return (1 - q) / (1 + q) * pow(q, (double)llabs(x));
}

/* P[y >= x] */
static double
laplace_tail(double scale, int64_t x)
{
    double q = exp(-1 / scale);

    return x > 0 ? pow(q, (double)x) / (1 + q)
                 : 1 - pow(q, (double)(1 - x)) / (1 + q);
}

struct scales {
    double threshold, query;
};

static struct scales
scales_of(double epsilon, unsigned m)
{
    double k = floor(65536 * cbrt((double)m * m)) / 65536;

    return (struct scales){(1 + k) / epsilon, m * (1 + k) / (k * epsilon)};
}

/*
 * The probability that n queries with threshold 0 get the answers in `pattern`
 * (bit i is set if answer i is "above"), if the mechanism does not halt before
 * the last.
 */
static double
law_of_pattern(struct scales s, const int64_t *queries, int n, unsigned pattern)
{
    double sum = 0;

    for (int64_t z = -REACH; z <= REACH; z++) {
        double all = laplace(s.threshold, z);

        for (int i = 0; i < n; i++) {
            double up = laplace_tail(s.query, z - queries[i]);

            all *= pattern >> i & 1 ? up : 1 - up;
        }
        sum += all;
    }
    return sum;
}

/*
 * Compares the answers to three queries with the law by chi-square. The seed is
 * fixed; with fresh ones, either test would raise a false alarm at a rate of
 * 1e-6. Three answers "above" are allowed, so nothing halts.
 */
static void
law_sparse(void **state)
{
    static const int64_t queries[3] = {2, -3, 1};
    custos_rng *rng = test_rng_seeded(31);
    int draws = getenv("CUSTOS_QUICK") ? 100 : 2500;

    (void)state;
    for (int monotone = 0; monotone < 2; monotone++) {
        uint64_t counts[8] = {0};
        double expected[8];
        struct scales s = scales_of(2, monotone ? 3 : 6);

        for (unsigned p = 0; p < 8; p++)
            expected[p] = draws * law_of_pattern(s, queries, 3, p);
        for (int k = 0; k < draws; k++) {
            custos_sparse *sparse =
                make(rng, 3,
                     monotone ? CUSTOS_SCORES_MONOTONE : CUSTOS_SCORES_GENERAL,
                     "2", NULL);
            unsigned pattern = 0;

            for (int i = 0; i < 3; i++) {
                bool above = false;

                /*
                 * The threshold moves with the value, because only q - T
                 * matters.
                 */
                assert_int_equal(ask(sparse, rng, queries[i] + 100 * i, 100 * i,
                                     &above, NULL),
                                 CUSTOS_OK);
                pattern |= (unsigned)above << i;
            }
            counts[pattern]++;
            custos_sparse_free(sparse);
        }
        assert_true(test_chi_square_p(counts, expected, 8) > 1e-6);
    }
    test_rng_free(rng);
}

/*
 * All neighbours in a small box, all transcripts of up to three queries (the
 * c-th answer "above" ends a transcript): the exact log-probabilities differ by
 * at most epsilon, and somewhere by more than half of it.
 */
static void
sparse_keeps_epsilon(void **state)
{
    (void)state;
    for (unsigned c = 1; c <= (getenv("CUSTOS_QUICK") ? 1 : 2); c++)
        for (int monotone = 0; monotone < 2; monotone++) {
            struct scales s = scales_of(1, monotone ? c : 2 * c);
            double worst = 0;

            for (int a = 0; a < 27 * 27; a += test_size(4, 1)) {
                int64_t x[3] = {a % 3 * 20 - 20, a / 3 % 3 * 20 - 20,
                                a / 9 % 3 * 20 - 20};
                int64_t d[3] = {a / 27 % 3 - 1, a / 81 % 3 - 1, a / 243 - 1};
                int64_t y[3] = {x[0] + d[0], x[1] + d[1], x[2] + d[2]};
                bool up = d[0] >= 0 && d[1] >= 0 && d[2] >= 0;
                bool down = d[0] <= 0 && d[1] <= 0 && d[2] <= 0;

                if (monotone && !up && !down)
                    continue;
                for (unsigned p = 0; p < 8; p++)
                    for (int n = 1; n <= 3; n++) {
                        double ratio;

                        if (p >> n || (unsigned)__builtin_popcount(
                                          p & ((1U << (n - 1)) - 1)) >= c)
                            continue; /* halted before */
                        ratio = law_of_pattern(s, x, n, p) /
                                law_of_pattern(s, y, n, p);
                        worst = fmax(worst, log(ratio));
                    }
            }
            assert_true(worst <= 1 + 1e-9);
            assert_true(worst > 0.5);
        }
}

/* e1 + e2 = epsilon exactly; for c answers "above", e2/e1 is near (2c)^(2/3),
   for monotone scores near c^(2/3). */
static void
sparse_split_is_the_best(void **state)
{
    static const uint32_t cs[] = {1, 2, 5, 1000, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof cs / sizeof cs[0]; i++)
        for (int monotone = 0; monotone < 2; monotone++) {
            custos_sparse_options o = {.size = sizeof o,
                                       .answers = cs[i],
                                       .moves = (custos_scores)monotone,
                                       .epsilon = "1/3",
                                       .sensitivity = "2.5",
                                       .value_epsilon = "0.7"};
            int64_t m = (int64_t)cs[i] * (monotone ? 1 : 2);
            struct sparse_scales s;
            rat one, two, want, steps;

            sparse_scales_init(&s);
            rat_init(&one);
            rat_init(&two);
            rat_init(&want);
            rat_init(&steps);
            assert_int_equal(sparse_scales_read(&s, &o, NULL), CUSTOS_OK);
            rat_set_i64(&steps, 3, 1); /* 2.5 rounded up */
            rat_div(&one, &steps, &s.threshold);
            rat_set_i64(&two, 3 * m, 1);
            rat_div(&two, &two, &s.query);
            rat_add(&want, &one, &two);
            rat_set_i64(&steps, 1, 3);
            assert_int_equal(rat_cmp(&want, &steps), 0);
            rat_div(&want, &two, &one);
            assert_true(fabs(mpq_get_d(want.q) / cbrt((double)m * (double)m) -
                             1) < 1e-4);
            rat_set_i64(&want, 30 * (int64_t)cs[i], 7);
            assert_int_equal(rat_cmp(&want, &s.value), 0);
            rat_clear(&steps);
            rat_clear(&want);
            rat_clear(&two);
            rat_clear(&one);
            sparse_scales_clear(&s);
        }
}

static void
sparse_stops_after_c(void **state)
{
    custos_rng *rng = test_rng_seeded(32);
    custos_sparse *s = make(rng, 3, CUSTOS_SCORES_GENERAL, "1", NULL);
    const int64_t exact = INT64_MAX;
    custos_sealed *sealed = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    bool above;

    (void)state;
    assert_int_equal(custos_sparse_left(s), 3);
    for (int i = 0; i < 50; i++) { /* answers "below" are free */
        assert_int_equal(ask(s, rng, INT64_MIN, INT64_MAX, &above, NULL), 0);
        assert_false(above);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(custos_sparse_left(s), 3 - i);
        assert_int_equal(ask(s, rng, INT64_MAX, INT64_MIN, &above, NULL), 0);
        assert_true(above);
    }
    assert_int_equal(custos_sparse_left(s), 0);
    assert_int_equal(custos_seal_ints(NULL, &exact, 1, &sealed, NULL), 0);
    for (int i = 0; i < 3; i++) {
        above = false;
        assert_int_equal(
            custos_sparse_ask(s, rng, sealed, 0, &above, NULL, &err),
            CUSTOS_ESPENT);
        assert_false(above);
        assert_int_equal(err.code, CUSTOS_ESPENT);
    }
    custos_sparse_free(s);
    /* The sealed value was not used up and serves one more answer. */
    s = make(rng, 3, CUSTOS_SCORES_GENERAL, "1", NULL);
    assert_int_equal(custos_sparse_ask(s, rng, sealed, 0, &above, NULL, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_sparse_ask(s, rng, sealed, 0, &above, NULL, NULL),
                     CUSTOS_ETAKEN);
    custos_sparse_free(s);
    custos_sealed_free(sealed);
    test_rng_free(rng);
}

/*
 * A value above the threshold is released as the exact value plus discrete
 * Laplace noise of scale c D / e3, clamped to the limits; otherwise as 0.
 * Chi-square with a false-alarm rate of 1e-6 over seeds.
 */
static void
sparse_values_follow_their_law(void **state)
{
    enum { SPAN = 40, CELLS = 2 * SPAN + 1 };
    int draws = getenv("CUSTOS_QUICK") ? 500 : 5000;
    custos_rng *rng = test_rng_seeded(33);
    uint64_t counts[CELLS] = {0};
    double expected[CELLS];
    custos_sparse *s =
        make(rng, (uint32_t)draws, CUSTOS_SCORES_GENERAL, "100000", "1000");
    bool above;
    int64_t value = 77;

    (void)state;
    assert_int_equal(ask(s, rng, -1000000, 0, &above, &value), CUSTOS_OK);
    assert_false(above);
    assert_int_equal(value, 0);
    for (int i = 0; i < draws; i++) {
        int64_t off;

        assert_int_equal(ask(s, rng, 1000000, 0, &above, &value), CUSTOS_OK);
        assert_true(above);
        off = value - 1000000;
        if (off >= -SPAN && off <= SPAN)
            counts[off + SPAN]++;
    }
    for (int i = 0; i < CELLS; i++)
        expected[i] = draws * laplace(draws / 1000.0, i - SPAN);
    assert_true(test_chi_square_p(counts, expected, CELLS) > 1e-6);
    custos_sparse_free(s);
    s = make(rng, 200, CUSTOS_SCORES_GENERAL, "1", "1");
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ask(s, rng, INT64_MAX, INT64_MIN, &above, &value), 0);
        assert_true(above && value > INT64_MAX - 100000);
    }
    custos_sparse_free(s);
    test_rng_free(rng);
}

static void
sparse_refuses_bad_input(void **state)
{
    struct {
        custos_sparse_options o;
        custos_status want;
    } bad[] = {
        {{.size = 1, .answers = 1, .epsilon = "1"}, CUSTOS_EINVAL},
        {{.size = sizeof(custos_sparse_options) + 8, .answers = 1},
         CUSTOS_EINVAL},
        {{.answers = 0, .epsilon = "1"}, CUSTOS_EINVAL},
        {{.answers = 1, .epsilon = "1", .moves = (custos_scores)2},
         CUSTOS_EINVAL},
        {{.answers = 1}, CUSTOS_EPARSE},
        {{.answers = 1, .epsilon = "0"}, CUSTOS_ERANGE},
        {{.answers = 1, .epsilon = "1", .sensitivity = "-2"}, CUSTOS_ERANGE},
        {{.answers = 1, .epsilon = "1", .value_epsilon = "x"}, CUSTOS_EPARSE},
        {{.answers = 1, .epsilon = "1e-30"}, CUSTOS_ERANGE},
        {{.answers = 1, .epsilon = "1", .value_epsilon = "1e-30"},
         CUSTOS_ERANGE},
        {{.answers = UINT32_MAX, .epsilon = "1e-9"}, CUSTOS_ERANGE},
    };
    custos_rng *rng = test_rng_seeded(34);
    custos_sparse *s = NULL;
    custos_sealed *pair = NULL;
    static const int64_t two[2] = {1, 2};
    bool above = true;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        if (!bad[i].o.size)
            bad[i].o.size = sizeof bad[i].o;
        assert_int_equal(custos_sparse_new(NULL, &bad[i].o, rng, &s, &err),
                         bad[i].want);
        assert_int_equal(err.code, bad[i].want);
        assert_null(s);
    }
    bad[0].o.size = sizeof bad[0].o;
    assert_int_equal(custos_sparse_new(NULL, NULL, rng, &s, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sparse_new(NULL, &bad[0].o, NULL, &s, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_sparse_new(NULL, &bad[0].o, rng, NULL, NULL),
                     CUSTOS_EINVAL);
    custos_sparse_free(NULL);
    assert_int_equal(custos_sparse_left(NULL), 0);
    s = make(rng, 1, CUSTOS_SCORES_GENERAL, "1", "1");
    assert_int_equal(custos_seal_ints(NULL, two, 2, &pair, NULL), 0);
    {
        int64_t value = 5;

        assert_int_equal(
            custos_sparse_ask(s, rng, pair, 0, &above, &value, NULL),
            CUSTOS_EINVAL); /* two values in one seal */
        assert_int_equal(custos_sparse_ask(s, rng, pair, 0, &above, NULL, NULL),
                         CUSTOS_EINVAL); /* nowhere to put the value */
        assert_int_equal(
            custos_sparse_ask(NULL, rng, pair, 0, &above, &value, NULL),
            CUSTOS_EINVAL);
        assert_int_equal(
            custos_sparse_ask(s, NULL, pair, 0, &above, &value, NULL),
            CUSTOS_EINVAL);
        assert_int_equal(
            custos_sparse_ask(s, rng, NULL, 0, &above, &value, NULL),
            CUSTOS_EINVAL);
        assert_int_equal(custos_sparse_ask(s, rng, pair, 0, NULL, &value, NULL),
                         CUSTOS_EINVAL);
        assert_int_equal(value, 5);
    }
    assert_int_equal(custos_sparse_left(s), 1);
    custos_sealed_free(pair);
    custos_sparse_free(s);
    test_rng_free(rng);
}

/* Every allocation and every random word fails once. */
static void
sparse_survives_faults(void **state)
{
    custos_sparse_options o = {
        .size = sizeof o, .answers = 2, .epsilon = "1", .value_epsilon = "1"};
    custos_status st = CUSTOS_ENOMEM;
    const int64_t exact = 1000;

    (void)state;
    for (size_t fail = 1; st; fail++) {
        struct test_memory memory = {.fail_at = fail};
        custos_alloc alloc = test_alloc(&memory);
        custos_rng *rng = test_rng_seeded(35);
        custos_sparse *s = NULL;

        st = custos_sparse_new(&alloc, &o, rng, &s, NULL);
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        assert_true(st == CUSTOS_OK || s == NULL);
        custos_sparse_free(s);
        assert_int_equal(memory.live, 0);
        test_rng_free(rng);
    }
    st = CUSTOS_EENTROPY;
    for (size_t words = 0; st; words++) {
        struct test_memory memory = {0};
        custos_alloc alloc = test_alloc(&memory);
        custos_rng *rng = test_rng_failing(35, words);
        custos_sparse *s = NULL;

        st = custos_sparse_new(&alloc, &o, rng, &s, NULL);
        if (!st) {
            custos_sealed *sealed = NULL;
            bool above = false;
            int64_t value = 5;

            assert_int_equal(custos_seal_ints(NULL, &exact, 1, &sealed, NULL),
                             0);
            st = custos_sparse_ask(s, rng, sealed, 0, &above, &value, NULL);
            if (st) { /* nothing was released or spent; the seal is intact */
                custos_rng *more = test_rng_seeded(36);

                assert_true(!above && value == 5);
                assert_int_equal(custos_sparse_left(s), 2);
                assert_int_equal(
                    custos_sparse_ask(s, more, sealed, 0, &above, &value, NULL),
                    CUSTOS_OK);
                test_rng_free(more);
            }
            custos_sealed_free(sealed);
        }
        assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
        custos_sparse_free(s);
        assert_int_equal(memory.live, 0);
        test_rng_free(rng);
    }
}

/* The scales of the report are those that the split of epsilon gives. */
static void
sparse_reports_its_facts(void **state)
{
    custos_sparse_options o = {.size = sizeof o,
                               .answers = 4,
                               .epsilon = "1",
                               .sensitivity = "1.5",
                               .value_epsilon = "0.5"};
    custos_rng *rng = test_rng_seeded(1);
    const custos_sparse_facts *f;
    struct sparse_scales scales;
    custos_sparse *s = NULL;

    (void)state;
    sparse_scales_init(&scales);
    assert_int_equal(sparse_scales_read(&scales, &o, NULL), CUSTOS_OK);
    assert_int_equal(custos_sparse_new(NULL, &o, rng, &s, NULL), CUSTOS_OK);
    f = custos_sparse_report(s);
    assert_string_equal(f->epsilon, "1.5");
    assert_string_equal(f->sensitivity, "2");
    assert_string_equal(f->value_scale, "16"); /* 4 answers * 2 / 0.5 */
    assert_string_equal(f->theorem, "sparse-vector-lattice");
    assert_int_equal(f->answers, 4);
    assert_true(fabs(strtod(f->threshold_scale, NULL) -
                     rat_double(&scales.threshold)) < 1e-9);
    assert_true(fabs(strtod(f->query_scale, NULL) - rat_double(&scales.query)) <
                1e-9);
    /* e1 + e2 = epsilon, for a threshold and twice the answers. */
    assert_true(fabs(2 / strtod(f->threshold_scale, NULL) +
                     16 / strtod(f->query_scale, NULL) - 1) < 1e-9);
    custos_sparse_free(s);
    sparse_scales_clear(&scales);

    o.value_epsilon = NULL;
    s = NULL;
    assert_int_equal(custos_sparse_new(NULL, &o, rng, &s, NULL), CUSTOS_OK);
    assert_string_equal(custos_sparse_report(s)->epsilon, "1");
    assert_string_equal(custos_sparse_report(s)->value_scale, "0");
    assert_null(custos_sparse_report(NULL));
    custos_sparse_free(s);
    test_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_sparse),
        cmocka_unit_test(sparse_keeps_epsilon),
        cmocka_unit_test(sparse_split_is_the_best),
        cmocka_unit_test(sparse_stops_after_c),
        cmocka_unit_test(sparse_values_follow_their_law),
        cmocka_unit_test(sparse_refuses_bad_input),
        cmocka_unit_test(sparse_survives_faults),
        cmocka_unit_test(sparse_reports_its_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
