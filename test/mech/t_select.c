/*
 * Selection. The exponential rule is compared with its exact law word by word:
 * the winner's index increases with the first word drawn, so bisection finds
 * every threshold. Permute-and-flip is tested with all coins and all orders of
 * keys. All three rules are compared with their exact laws by chi-square.
 */
#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "base/base.h"
#include "support/support.h"

enum { MOST = 8 };

/* One selection from scores, with the given words. */
static custos_status
pick(custos_rng *rng, custos_select_rule rule, custos_scores movement,
     const char *epsilon, const int64_t *scores, size_t n, size_t *winner)
{
    custos_select_options o = {
        .size = sizeof o, .rule = rule, .scores = movement, .epsilon = epsilon};
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_int_equal(custos_seal_ints(NULL, scores, n, &sealed, NULL), 0);
    st = custos_select(NULL, &o, rng, sealed, n, winner, NULL);
    custos_sealed_free(sealed);
    return st;
}

static size_t
pick_taped(custos_select_rule rule, const char *epsilon, const int64_t *scores,
           size_t n, const uint64_t *words, size_t len)
{
    custos_rng *rng = test_rng_taped(words, len);
    size_t winner = SIZE_MAX;

    assert_int_equal(
        pick(rng, rule, CUSTOS_SCORES_GENERAL, epsilon, scores, n, &winner),
        CUSTOS_OK);
    assert_true(winner < n);
    test_rng_free(rng);
    return winner;
}

/* ------------------------------------------------------- exact laws -- */

static void
law_of_exponential(double rate, const int64_t *scores, size_t n, double *p)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += p[i] = exp(rate * (double)(scores[i] - scores[0]));
    for (size_t i = 0; i < n; i++)
        p[i] /= sum;
}

/* Permute-and-flip: sums over all sets of heads. */
static void
law_of_permute_flip(double rate, const int64_t *scores, size_t n, double *p)
{
    int64_t best = scores[0];

    for (size_t i = 0; i < n; i++) {
        best = scores[i] > best ? scores[i] : best;
        p[i] = 0;
    }
    for (size_t heads = 1; heads < (size_t)1 << n; heads++) {
        double all = 1;

        for (size_t i = 0; i < n; i++) {
            double one = exp(-rate * (double)(best - scores[i]));

            all *= heads >> i & 1 ? one : 1 - one;
        }
        for (size_t i = 0; i < n; i++)
            if (heads >> i & 1)
                p[i] += all / __builtin_popcountll(heads);
    }
}

/* P[noise <= x] for discrete Laplace with q = exp(-rate). */
static double
laplace_cdf(double q, int64_t x)
{
    return x >= 0 ? 1 - pow(q, (double)x + 1) / (1 + q)
                  : pow(q, (double)-x) / (1 + q);
}

/* Sum over the winner's value; ties go to the lower index. */
static void
law_of_noisy_max(double rate, const int64_t *scores, size_t n, double *p)
{
    double q = exp(-rate);
    int64_t reach = (int64_t)(40 / rate) + 50;

    for (size_t i = 0; i < n; i++) {
        p[i] = 0;
        for (int64_t x = -reach; x <= reach; x++) {
            double all = (1 - q) / (1 + q) * pow(q, (double)llabs(x));

            for (size_t j = 0; j < n; j++)
                if (j != i)
                    all *= laplace_cdf(q, scores[i] + x - scores[j] - (j < i));
            p[i] += all;
        }
    }
}

typedef void law(double rate, const int64_t *scores, size_t n, double *p);

static const struct {
    custos_select_rule rule;
    law *of;
} rules[] = {{CUSTOS_PERMUTE_AND_FLIP, law_of_permute_flip},
             {CUSTOS_EXPONENTIAL, law_of_exponential},
             {CUSTOS_NOISY_MAX, law_of_noisy_max}};

/*
 * Compares the rule with its law by chi-square, at six settings. The seed is
 * fixed; with a fresh one, each setting would raise a false alarm at a rate of
 * 1e-6.
 */
static void
check_law(size_t r)
{
    static const struct {
        const char *epsilon;
        double rate;
        custos_scores movement;
        size_t n;
        int64_t scores[MOST];
    } cases[] = {
        {"1", 0.5, CUSTOS_SCORES_GENERAL, 4, {0, 1, 2, 3}},
        {"1", 1.0, CUSTOS_SCORES_MONOTONE, 4, {3, 3, 1, 0}},
        {"1/3", 1.0 / 6, CUSTOS_SCORES_GENERAL, 5, {-4, 7, 2, 7, 0}},
        {"4", 2.0, CUSTOS_SCORES_GENERAL, 3, {5, 5, 5}},
        {"0.01", 0.005, CUSTOS_SCORES_GENERAL, 6, {0, 90, 30, 60, 90, 10}},
        {"2", 2.0, CUSTOS_SCORES_MONOTONE, 2, {0, 1}},
    };
    enum { DRAWS = 20000 };
    custos_rng *rng = test_rng_seeded(20 + r);

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint64_t counts[MOST] = {0};
        double expected[MOST];
        /*
         * Fewer draws for noisy max, which makes its tables for every
         * selection.
         */
        int draws =
            r == 2 ? test_size(50, DRAWS / 10) : test_size(DRAWS / 100, DRAWS);

        rules[r].of(cases[c].rate, cases[c].scores, cases[c].n, expected);
        for (size_t i = 0; i < cases[c].n; i++)
            expected[i] *= draws;
        for (int k = 0; k < draws; k++) {
            size_t winner;

            assert_int_equal(pick(rng, rules[r].rule, cases[c].movement,
                                  cases[c].epsilon, cases[c].scores, cases[c].n,
                                  &winner),
                             CUSTOS_OK);
            counts[winner]++;
        }
        assert_true(test_chi_square_p(counts, expected, cases[c].n) > 1e-6);
    }
    test_rng_free(rng);
}

static void
law_permute_flip(void **state)
{
    (void)state;
    check_law(0);
}

static void
law_exponential(void **state)
{
    (void)state;
    check_law(1);
}

static void
law_noisy_max(void **state)
{
    (void)state;
    check_law(2);
}

/*
 * All neighbours of all scores in {0,1,2}^3 with steps in {-1,0,1}: the exact
 * probabilities never differ by more than a factor of e^epsilon, and somewhere
 * by more than e^(0.6 epsilon). A rate that is twice or half the right one
 * would violate one of the two. (check_law ties these laws to the code.)
 */
static void
check_epsilon(law *of, double rate_per_epsilon, bool monotone, double tight)
{
    const double epsilon = 1;
    double worst = 0;

    for (int a = 0; a < 27; a++)
        for (int d = 0; d < 27; d++) {
            int64_t x[3] = {a % 3, a / 3 % 3, a / 9};
            int64_t step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
            int64_t y[3] = {x[0] + step[0], x[1] + step[1], x[2] + step[2]};
            double p[3], q[3];
            bool up = step[0] >= 0 && step[1] >= 0 && step[2] >= 0;
            bool down = step[0] <= 0 && step[1] <= 0 && step[2] <= 0;

            if (monotone && !up && !down)
                continue;
            of(rate_per_epsilon * epsilon, x, 3, p);
            of(rate_per_epsilon * epsilon, y, 3, q);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(log(p[i] / q[i])));
        }
    assert_true(worst <= epsilon + 1e-9);
    assert_true(worst >= tight * epsilon);
}

static void
permute_flip_keeps_epsilon(void **state)
{
    (void)state;
    check_epsilon(law_of_permute_flip, 0.5, false, 0.6);
    check_epsilon(law_of_permute_flip, 1, true, 0.6);
}

static void
exponential_keeps_epsilon(void **state)
{
    (void)state;
    check_epsilon(law_of_exponential, 0.5, false, 0.6);
    check_epsilon(law_of_exponential, 1, true, 0.6);
}

static void
noisy_max_keeps_epsilon(void **state)
{
    (void)state;
    check_epsilon(law_of_noisy_max, 0.5, false, 0.6);
    check_epsilon(law_of_noisy_max, 1, true, 0.6);
}

/* ------------------------------------------------ the exponential rule -- */

/* floor(2^64 S_j / V) for rate num/den, by MPFR. */
static uint64_t
threshold_of(long num, unsigned long den, const int64_t *scores, size_t n,
             size_t j)
{
    mpfr_t w, sum, all;
    mpz_t z;
    int64_t best = INT64_MIN;
    uint64_t got;

    mpfr_inits2(600, w, sum, all, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(all, 1);
    for (size_t i = 0; i < n; i++)
        best = scores[i] > best ? scores[i] : best;
    for (size_t i = 0; i < n; i++) {
        mpfr_set_ui(w, (uint64_t)best - (uint64_t)scores[i], MPFR_RNDN);
        mpfr_mul_si(w, w, -num, MPFR_RNDN);
        mpfr_div_ui(w, w, den, MPFR_RNDN);
        mpfr_exp(w, w, MPFR_RNDN);
        mpfr_add(all, all, w, MPFR_RNDN);
        if (i < j)
            mpfr_add(sum, sum, w, MPFR_RNDN);
    }
    mpfr_div(sum, sum, all, MPFR_RNDN);
    mpfr_mul_2ui(sum, sum, 64, MPFR_RNDN);
    mpz_init(z);
    mpfr_get_z(z, sum, MPFR_RNDD);
    got = mpz_sizeinbase(z, 2) > 64 ? UINT64_MAX : mpz_get_ui(z);
    mpz_clear(z);
    mpfr_clears(w, sum, all, (mpfr_ptr)0);
    return got;
}

/*
 * A candidate before j wins for every first word below the exact threshold of
 * j, and one from j on for every word above; if the word equals the threshold,
 * the following words decide. The rate is eps / 2.
 */
static void
exponential_thresholds_are_exact(void **state)
{
    static const struct {
        const char *epsilon;
        long num;
        unsigned long den;
        size_t n;
        int64_t scores[MOST];
    } cases[] = {
        {"1", 1, 2, 4, {0, 1, 2, 3}},
        {"1/3", 1, 6, 6, {5, -3, 2, 2, 9, 9}},
        {"7", 7, 2, 3, {0, 9, 4}},
        {"1e-3", 1, 2000, 5, {1000, 0, -1000, 500, 999}},
        {"1e-18", 1, 2000000000000000000, 3, {INT64_MIN, 0, INT64_MAX}},
        {"60", 30, 1, 3, {2, 0, 1}},
    };

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t j = 1; j < cases[c].n; j++) {
            const int64_t *scores = cases[c].scores;
            size_t n = cases[c].n;
            uint64_t at =
                threshold_of(cases[c].num, cases[c].den, scores, n, j);
            uint64_t words[2][3] = {{at - 1, UINT64_MAX, 0}, {at + 1, 0, 1}};
            uint64_t edge[2][3] = {{at, 0, 1}, {at, UINT64_MAX, 0}};

            if (at > 0)
                assert_true(pick_taped(CUSTOS_EXPONENTIAL, cases[c].epsilon,
                                       scores, n, words[0], 3) < j);
            if (at < UINT64_MAX)
                assert_true(pick_taped(CUSTOS_EXPONENTIAL, cases[c].epsilon,
                                       scores, n, words[1], 3) >= j);
            assert_true(pick_taped(CUSTOS_EXPONENTIAL, cases[c].epsilon, scores,
                                   n, edge[0], 3) < j);
            assert_true(pick_taped(CUSTOS_EXPONENTIAL, cases[c].epsilon, scores,
                                   n, edge[1], 3) >= j);
        }
}

/*
 * If U equals 1/2 word after word, selection ends with a status, not in a loop.
 */
static void
exponential_gives_up_at_last(void **state)
{
    uint64_t words[100] = {(uint64_t)1 << 63};
    int64_t scores[4] = {4, 4, 4, 4};
    custos_rng *rng = test_rng_taped(words, 100);
    size_t winner = 77;

    (void)state;
    assert_int_equal(pick(rng, CUSTOS_EXPONENTIAL, CUSTOS_SCORES_GENERAL, "1",
                          scores, 4, &winner),
                     CUSTOS_EINTERNAL);
    assert_int_equal(winner, 77);
    assert_int_equal(test_rng_used(rng), 64);
    test_rng_free(rng);
}

/* --------------------------------------------------- permute-and-flip -- */

/*
 * All sets of heads (coin words 0 and all ones; the best candidate is heads
 * whatever it draws) and all orders of keys: the head with the largest key
 * wins, so each head wins in equally many orders.
 */
static void
permute_flip_chooses_evenly(void **state)
{
    enum { N = 4 };
    static const int64_t scores[N] = {1, 3, 0, 2};

    (void)state;
    for (unsigned heads = 0; heads < 1 << N; heads++) {
        unsigned wins[N] = {0}, real = heads | 1 << 1;

        for (unsigned order = 0; order < 256; order++) {
            uint64_t words[2 * N];
            uint64_t key[N] = {order & 3, order >> 2 & 3, order >> 4 & 3,
                               order >> 6 & 3};
            size_t winner, best = N;

            if ((1 << key[0] | 1 << key[1] | 1 << key[2] | 1 << key[3]) != 15)
                continue; /* not a permutation */
            for (size_t i = 0; i < N; i++) {
                words[i] = heads >> i & 1 ? 0 : UINT64_MAX;
                words[N + i] = key[i];
                if (real >> i & 1 && (best == N || key[i] > key[best]))
                    best = i;
            }
            winner = pick_taped(CUSTOS_PERMUTE_AND_FLIP, "1", scores, N, words,
                                2 * N);
            assert_int_equal(winner, best);
            wins[winner]++;
        }
        for (size_t i = 0; i < N; i++)
            assert_int_equal(wins[i] * (unsigned)__builtin_popcount(real),
                             real >> i & 1 ? 24 : 0);
    }
}

/*
 * If two heads have the largest key, new keys are drawn. The key of a tail does
 * not count.
 */
static void
permute_flip_draws_keys_again(void **state)
{
    static const int64_t scores[3] = {0, 0, -9};
    static const uint64_t tie[] = {0, 0, UINT64_MAX, 5, 5, 3, 1, 2, 9};
    static const uint64_t none[] = {0, 0, UINT64_MAX, 6, 5, 9};
    static const uint64_t zero[] = {0, 0, UINT64_MAX, 0, 0, 0, 0, 1, 0};

    (void)state;
    assert_int_equal(
        pick_taped(CUSTOS_PERMUTE_AND_FLIP, "4", scores, 3, tie, 9), 1);
    assert_int_equal(
        pick_taped(CUSTOS_PERMUTE_AND_FLIP, "4", scores, 3, none, 6), 0);
    assert_int_equal(
        pick_taped(CUSTOS_PERMUTE_AND_FLIP, "4", scores, 3, zero, 9), 1);
}

/* ---------------------------------------------------------- noisy max -- */

/* At a scale of 2e-6 noise is always 0 here, and the first maximum wins. */
static void
noisy_max_breaks_ties_low(void **state)
{
    static const int64_t scores[4] = {3, 8, 8, 8};
    custos_rng *rng = test_rng_seeded(5);

    (void)state;
    for (int i = 0; i < 100; i++) {
        size_t winner;

        assert_int_equal(pick(rng, CUSTOS_NOISY_MAX, CUSTOS_SCORES_GENERAL,
                              "1000000", scores, 4, &winner),
                         CUSTOS_OK);
        assert_int_equal(winner, 1);
    }
    test_rng_free(rng);
}

/* --------------------------------------------------------- interface -- */

/*
 * Scores over the full range of 64 bits: the largest wins, because it is far
 * ahead.
 */
static void
select_spans_all_integers(void **state)
{
    static const int64_t scores[3] = {INT64_MIN, INT64_MAX, 0};
    custos_rng *rng = test_rng_seeded(6);

    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (int i = 0; i < 50; i++) {
            size_t winner;

            assert_int_equal(pick(rng, rules[r].rule, CUSTOS_SCORES_GENERAL,
                                  "1", scores, 3, &winner),
                             CUSTOS_OK);
            assert_int_equal(winner, 1);
        }
    test_rng_free(rng);
}

/*
 * The sensitivity is divided by the unit and rounded up: with sensitivity 1 and
 * unit 2/3 (two steps), epsilon 2 has the same thresholds as epsilon 1 with
 * unit 1.
 */
static void
select_counts_in_units(void **state)
{
    static const int64_t scores[3] = {0, 1, 3};
    custos_select_options o = {.size = sizeof o,
                               .rule = CUSTOS_EXPONENTIAL,
                               .epsilon = "2",
                               .sensitivity = "1",
                               .score_unit = "2/3"};

    (void)state;
    for (size_t j = 1; j < 3; j++) {
        uint64_t at = threshold_of(1, 2, scores, 3, j);

        for (int side = 0; side < 2; side++) {
            uint64_t words[2] = {side ? at + 1 : at - 1, 5};
            custos_rng *rng = test_rng_taped(words, 2);
            custos_sealed *sealed = NULL;
            size_t winner = 0;

            assert_int_equal(custos_seal_ints(NULL, scores, 3, &sealed, NULL),
                             0);
            assert_int_equal(
                custos_select(NULL, &o, rng, sealed, 3, &winner, NULL), 0);
            assert_int_equal(winner >= j, side);
            custos_sealed_free(sealed);
            test_rng_free(rng);
        }
    }
}

static void
select_takes_scores_once(void **state)
{
    static const int64_t scores[2] = {1, 2};
    custos_select_options o = {.size = sizeof o, .epsilon = "1"};
    custos_rng *rng = test_rng_seeded(7);
    custos_sealed *sealed = NULL;
    size_t winner = 9;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, scores, 2, &sealed, NULL), 0);
    /* Errors do not use up the sealed scores. */
    assert_int_equal(custos_select(NULL, &o, rng, sealed, 3, &winner, &err),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &o, rng, sealed, 2, &winner, NULL),
                     CUSTOS_OK);
    winner = 9;
    assert_int_equal(custos_select(NULL, &o, rng, sealed, 2, &winner, &err),
                     CUSTOS_ETAKEN);
    assert_int_equal(winner, 9);
    custos_sealed_free(sealed);
    test_rng_free(rng);
}

static void
select_refuses_bad_options(void **state)
{
    static const int64_t scores[2] = {1, 2};
    const custos_select_options good = {.size = sizeof good, .epsilon = "1"};
    custos_rng *rng = test_rng_seeded(8);
    custos_sealed *sealed = NULL;
    size_t winner = 9;
    custos_err err = CUSTOS_ERR_INIT;
    struct {
        custos_select_options o;
        custos_status want;
    } bad[] = {
        {{.size = 3, .epsilon = "1"}, CUSTOS_EINVAL},
        {{.size = sizeof(custos_select_options) + 8, .epsilon = "1"},
         CUSTOS_EINVAL},
        {{.epsilon = NULL}, CUSTOS_EPARSE},
        {{.epsilon = "nan"}, CUSTOS_EPARSE},
        {{.epsilon = "0"}, CUSTOS_ERANGE},
        {{.epsilon = "-1"}, CUSTOS_ERANGE},
        {{.epsilon = "1", .sensitivity = "0"}, CUSTOS_ERANGE},
        {{.epsilon = "1", .sensitivity = "x"}, CUSTOS_EPARSE},
        {{.epsilon = "1", .score_unit = "-1"}, CUSTOS_ERANGE},
        {{.epsilon = "1", .rule = (custos_select_rule)3}, CUSTOS_EINVAL},
        {{.epsilon = "1", .scores = (custos_scores)2}, CUSTOS_EINVAL},
        {{.epsilon = "1e30"}, CUSTOS_ERANGE},
        {{.epsilon = "1e-30", .rule = CUSTOS_NOISY_MAX}, CUSTOS_ERANGE},
    };

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, scores, 2, &sealed, NULL), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (!bad[i].o.size)
            bad[i].o.size = sizeof bad[i].o;
        err = (custos_err)CUSTOS_ERR_INIT;
        assert_int_equal(
            custos_select(NULL, &bad[i].o, rng, sealed, 2, &winner, &err),
            bad[i].want);
        assert_int_equal(err.code, bad[i].want);
        assert_true(err.said[0] != '\0');
    }
    assert_int_equal(custos_select(NULL, NULL, rng, sealed, 2, &winner, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &good, NULL, sealed, 2, &winner, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &good, rng, NULL, 2, &winner, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &good, rng, sealed, 2, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &good, rng, sealed, 0, &winner, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_select(NULL, &good, rng, sealed,
                                   CUSTOS_SELECT_MAX + 1, &winner, NULL),
                     CUSTOS_EOVERFLOW);
    assert_int_equal(winner, 9);
    assert_int_equal(test_rng_used(rng), 0);
    /* None of these calls used up the scores. */
    assert_int_equal(custos_select(NULL, &good, rng, sealed, 2, &winner, NULL),
                     CUSTOS_OK);
    custos_sealed_free(sealed);
    test_rng_free(rng);
}

/*
 * Every allocation and every random word fails once; nothing is leaked or
 * released.
 */
static void
select_survives_faults(void **state)
{
    static const int64_t scores[3] = {1, 2, 2};

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        custos_select_options o = {
            .size = sizeof o, .rule = rules[r].rule, .epsilon = "1"};
        custos_status st = CUSTOS_ENOMEM;

        for (size_t fail = 1; st; fail++) {
            struct test_memory memory = {.fail_at = fail};
            custos_alloc alloc = test_alloc(&memory);
            custos_rng *rng = test_rng_seeded(9);
            custos_sealed *sealed = NULL;
            size_t winner = 9;

            assert_int_equal(custos_seal_ints(NULL, scores, 3, &sealed, NULL),
                             0);
            st = custos_select(&alloc, &o, rng, sealed, 3, &winner, NULL);
            assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
            assert_true(st == CUSTOS_OK || winner == 9);
            assert_int_equal(memory.live, 0);
            custos_sealed_free(sealed);
            test_rng_free(rng);
        }
        st = CUSTOS_EENTROPY;
        for (size_t words = 0; st; words++) {
            custos_rng *rng = test_rng_failing(9, words);
            size_t winner = 9;

            st = pick(rng, rules[r].rule, CUSTOS_SCORES_GENERAL, "1", scores, 3,
                      &winner);
            assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
            assert_true(st == CUSTOS_OK || winner == 9);
            test_rng_free(rng);
        }
    }
}

/* The entropy may also run out during refinement. */
static void
exponential_refinement_can_fail(void **state)
{
    static const uint64_t words[2] = {(uint64_t)1 << 63, 0};
    static const int64_t scores[2] = {4, 4};
    custos_rng *rng = test_rng_taped(words, 2);
    size_t winner = 9;

    (void)state;
    assert_int_equal(pick(rng, CUSTOS_EXPONENTIAL, CUSTOS_SCORES_GENERAL, "1",
                          scores, 2, &winner),
                     CUSTOS_EENTROPY);
    assert_int_equal(winner, 9);
    test_rng_free(rng);
}

/* The facts are those of the noise: sensitivity in whole units, and the scale
   that the rule uses. */
static void
select_reports_its_facts(void **state)
{
    static const struct {
        custos_select_options o;
        const char *epsilon, *sensitivity, *scale, *theorem;
    } rows[] = {
        {{.epsilon = "0.5"}, "0.5", "1", "4", "permute-and-flip"},
        {{.epsilon = "1/4", .rule = CUSTOS_EXPONENTIAL, .sensitivity = "3"},
         "0.25",
         "3",
         "24",
         "exponential-by-inversion"},
        {{.epsilon = "2",
          .rule = CUSTOS_NOISY_MAX,
          .scores = CUSTOS_SCORES_MONOTONE,
          .sensitivity = "1",
          .score_unit = "2/5"}, /* rounded up to three units */
         "2",
         "1.2",
         "0.6",
         "noisy-max-lattice"},
    };
    custos_select_facts f = CUSTOS_SELECT_FACTS_INIT;
    custos_select_options o;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        o = rows[i].o;
        o.size = sizeof o;
        assert_int_equal(custos_select_report(&o, &f, NULL), CUSTOS_OK);
        assert_string_equal(f.epsilon, rows[i].epsilon);
        assert_string_equal(f.sensitivity, rows[i].sensitivity);
        assert_string_equal(f.scale, rows[i].scale);
        assert_string_equal(f.theorem, rows[i].theorem);
    }
    /* What custos_select rejects, this rejects. */
    o = (custos_select_options){.size = sizeof o, .epsilon = "0"};
    assert_int_equal(custos_select_report(&o, &f, NULL), CUSTOS_ERANGE);
    o = (custos_select_options){
        .size = sizeof o, .epsilon = "1", .rule = (custos_select_rule)3};
    assert_int_equal(custos_select_report(&o, &f, NULL), CUSTOS_EINVAL);
    o = (custos_select_options){
        .size = sizeof o, .epsilon = "1e30", .rule = CUSTOS_NOISY_MAX};
    assert_int_equal(custos_select_report(&o, &f, NULL), CUSTOS_ERANGE);
    assert_int_equal(custos_select_report(NULL, &f, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_select_report(&o, NULL, NULL), CUSTOS_EINVAL);
    assert_string_equal(f.theorem, "noisy-max-lattice"); /* as before */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_permute_flip),
        cmocka_unit_test(law_exponential),
        cmocka_unit_test(law_noisy_max),
        cmocka_unit_test(permute_flip_keeps_epsilon),
        cmocka_unit_test(exponential_keeps_epsilon),
        cmocka_unit_test(noisy_max_keeps_epsilon),
        cmocka_unit_test(exponential_thresholds_are_exact),
        cmocka_unit_test(exponential_gives_up_at_last),
        cmocka_unit_test(exponential_refinement_can_fail),
        cmocka_unit_test(permute_flip_chooses_evenly),
        cmocka_unit_test(permute_flip_draws_keys_again),
        cmocka_unit_test(noisy_max_breaks_ties_low),
        cmocka_unit_test(select_spans_all_integers),
        cmocka_unit_test(select_counts_in_units),
        cmocka_unit_test(select_takes_scores_once),
        cmocka_unit_test(select_refuses_bad_options),
        cmocka_unit_test(select_survives_faults),
        cmocka_unit_test(select_reports_its_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
