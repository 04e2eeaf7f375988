/*
 * Randomized response: its law for given coins, the worked example of two
 * coins, the exactness of the estimator, and the coverage of its error bar.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/rat_round.h"
#include "support/support.h"

enum { ROOM = 1024 };

static custos_rr *
make(custos_rr_kind kind, const char *parameter, uint64_t values)
{
    custos_rr_options o = {.size = sizeof o,
                           .kind = kind,
                           .gamma = parameter,
                           .epsilon = parameter,
                           .values = values};
    custos_rr *rr = NULL;

    assert_int_equal(custos_rr_new(NULL, &o, &rr, NULL), CUSTOS_OK);
    return rr;
}

static custos_status
answer(const custos_rr *rr, custos_rng *rng, const int64_t *truths, size_t n,
       int64_t *reports)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    assert_int_equal(custos_seal_ints(NULL, truths, n, &sealed, NULL), 0);
    st = custos_rr_answer(rr, rng, sealed, n, reports, NULL);
    custos_sealed_free(sealed);
    return st;
}

static double
number(custos_status st, const char *text)
{
    const char *slash = strchr(text, '/');

    assert_int_equal(st, CUSTOS_OK);
    return slash ? strtod(text, NULL) / strtod(slash + 1, NULL)
                 : strtod(text, NULL);
}

/* The estimate of one value. */
static custos_status
estimate(const custos_rr *rr, uint64_t count, uint64_t n, char *text,
         size_t room)
{
    return custos_rr_estimate(rr, &count, 1, n, text, room, NULL);
}

/* The estimate as a fraction in lowest terms. */
static void
estimate_parts(const custos_rr *rr, uint64_t count, uint64_t n, i128 *num,
               i128 *den)
{
    char text[ROOM];
    rat share;

    assert_int_equal(estimate(rr, count, n, text, ROOM), 0);
    rat_init(&share);
    assert_int_equal(rat_read(text, "share", &share, NULL), CUSTOS_OK);
    assert_true(rat_parts_i128(&share, num, den));
    rat_clear(&share);
}

/*
 * A coin is one word compared with p, a die is one word. The test tries words
 * on either side of every threshold. The report is the truth exactly if the
 * coin's word is below p 2^64; otherwise the die's word selects one of the
 * other values.
 */
static void
law_randomized_response(void **state)
{
    static const uint64_t three_quarters = (uint64_t)3 << 62;
    custos_rr *two = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    custos_rr *four = make(CUSTOS_RR_KARY, "1.0986122886681098", 4);
    uint64_t half;
    char text[ROOM];
    double p;

    (void)state;
    for (int64_t truth = 0; truth < 2; truth++)
        for (uint64_t k = 0; k < 8; k++) {
            uint64_t words[2] = {three_quarters - 4 + k, 5};
            uint64_t tie[3] = {three_quarters, 1, 5};
            custos_rng *rng =
                k == 4 ? test_rng_taped(tie, 3) : test_rng_taped(words, 2);
            int64_t report = 9;

            assert_int_equal(answer(two, rng, &truth, 1, &report), 0);
            assert_int_equal(report, k < 4 ? truth : 1 - truth);
            test_rng_free(rng);
        }
    /* For epsilon = ln 3 and k = 4, p is 1/2; the ratio is 3 or just below. */
    p = number(custos_rr_ratio(four, text, ROOM, NULL), text);
    assert_true(fabs(p - 3) < 1e-12 && p <= 3);
    half = (uint64_t)1 << 63;
    for (int64_t truth = 0; truth < 4; truth++)
        for (uint64_t side = 0; side < 2; side++)
            for (uint64_t die = 0; die < 3; die++) {
                uint64_t words[2] = {half + 1000 * (2 * side - 1),
                                     UINT64_MAX / 3 * die + 1000};
                custos_rng *rng = test_rng_taped(words, 2);
                int64_t report = 9, other = (int64_t)die;

                other += other >= truth;
                assert_int_equal(answer(four, rng, &truth, 1, &report), 0);
                assert_int_equal(report, side ? other : truth);
                test_rng_free(rng);
            }
    custos_rr_free(four);
    custos_rr_free(two);
}

static void
epsilon_is_exact(void **state)
{
    static const struct {
        custos_rr_kind kind;
        const char *gamma, *ratio, *epsilon;
    } cases[] = {
        {CUSTOS_RR_TWO_COINS, NULL, "3", "1.0986122886681096914"},
        {CUSTOS_RR_GAMMA, "1/4", "3", "1.0986122886681096914"},
        {CUSTOS_RR_GAMMA, "0.1", "1.5", "0.40546510810816438198"},
        {CUSTOS_RR_GAMMA, "0.49", "99", "4.59511985013458992686"},
        {CUSTOS_RR_GAMMA, "1/6", "2", "0.69314718055994530942"},
        {CUSTOS_RR_GAMMA, "1/7", "1.8", "0.58778666490211900819"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        custos_rr *rr = make(cases[i].kind, cases[i].gamma, 0);
        char text[ROOM];

        assert_int_equal(custos_rr_ratio(rr, text, ROOM, NULL), 0);
        assert_string_equal(text, cases[i].ratio);
        assert_int_equal(custos_rr_epsilon(rr, text, ROOM, NULL), 0);
        assert_string_equal(text, cases[i].epsilon);
        custos_rr_free(rr);
    }
}

/* ln(ratio) <= reported epsilon <= requested epsilon, all close together. */
static void
kary_stays_within_epsilon(void **state)
{
    static const char *const epsilons[] = {"1e-6", "0.1", "1", "1/3",
                                           "2.5",  "10",  "30"};
    static const uint64_t ks[] = {2, 3, 10, 1000, (uint64_t)1 << 32};

    (void)state;
    for (size_t e = 0; e < sizeof epsilons / sizeof epsilons[0]; e++)
        for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++) {
            custos_rr *rr = make(CUSTOS_RR_KARY, epsilons[e], ks[k]);
            double asked = number(0, epsilons[e]), ratio, said;
            char text[ROOM];

            ratio = number(custos_rr_ratio(rr, text, ROOM, NULL), text);
            said = number(custos_rr_epsilon(rr, text, ROOM, NULL), text);
            assert_true(said <= asked * (1 + 1e-15));
            assert_true(log(ratio) <= said * (1 + 1e-9) + 1e-15);
            assert_true(said >= asked - 1e-3 * (asked + 1e-6));
            custos_rr_free(rr);
        }
}

/*
 * The reported epsilon is never above the requested one; the comparison is
 * exact.
 */
static void
epsilon_never_passes_what_was_asked(void **state)
{
    (void)state;
    for (int j = 1; j <= 300; j++) {
        char asked[32], text[ROOM];
        custos_rr *rr;
        rat want, said;

        snprintf(asked, sizeof asked, "%d/97", j);
        rr = make(CUSTOS_RR_KARY, asked, 2);
        rat_init(&want);
        rat_init(&said);
        assert_int_equal(custos_rr_epsilon(rr, text, ROOM, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(asked, "asked", &want, NULL), CUSTOS_OK);
        assert_int_equal(rat_read(text, "said", &said, NULL), CUSTOS_OK);
        assert_true(rat_cmp(&said, &want) <= 0);
        rat_clear(&said);
        rat_clear(&want);
        custos_rr_free(rr);
    }
    /*
     * For an epsilon so large that the truth is almost certain, p stays below
     * 1.
     */
    {
        custos_rr *rr = make(CUSTOS_RR_KARY, "1e30", 2);
        char text[ROOM];

        assert_int_equal(custos_rr_ratio(rr, text, ROOM, NULL), CUSTOS_OK);
        assert_string_equal(text, "18446744073709551615");
        custos_rr_free(rr);
    }
}

static void
truths_outside_are_clamped(void **state)
{
    static const int64_t truths[4] = {-1, INT64_MIN, 3, INT64_MAX};
    uint64_t words[8] = {0}; /* with a word of 0, the report is the truth */
    custos_rr *rr = make(CUSTOS_RR_KARY, "1", 3);
    custos_rng *rng;
    int64_t reports[4];

    (void)state;
    for (size_t i = 1; i < 8; i += 2)
        words[i] = 12345;
    rng = test_rng_taped(words, 8);
    assert_int_equal(answer(rr, rng, truths, 4, reports), 0);
    assert_int_equal(reports[0], 0);
    assert_int_equal(reports[1], 0);
    assert_int_equal(reports[2], 2);
    assert_int_equal(reports[3], 2);
    test_rng_free(rng);
    custos_rr_free(rr);
}

/* The textbook example: if a share f of the people reports yes, the estimate of
   the true share is 2f - 1/2. */
static void
two_coins_estimate_is_two_frac_less_half(void **state)
{
    custos_rr *rr = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    char text[ROOM];
    i128 num, den;

    (void)state;
    assert_int_equal(estimate(rr, 40, 100, text, ROOM), 0);
    assert_string_equal(text, "0.3");
    assert_int_equal(estimate(rr, 0, 7, text, ROOM), 0);
    assert_string_equal(text, "-0.5");
    assert_int_equal(estimate(rr, 1, 3, text, ROOM), 0);
    assert_string_equal(text, "1/6");
    for (uint64_t n = 1; n < 40; n++)
        for (uint64_t c = 0; c <= n; c++) {
            estimate_parts(rr, c, n, &num, &den);
            assert_true(num * 2 * (i128)n == (4 * (i128)c - (i128)n) * den);
        }
    custos_rr_free(rr);
}

/*
 * Each of N people reports the truth with probability 3/5. The mean of the
 * estimate over all possible reports is exactly the true share; it is computed
 * in integers (probabilities in units of 5^-N).
 */
static void
estimate_is_unbiased_exactly(void **state)
{
    enum { N = 5 };
    custos_rr *rr = make(CUSTOS_RR_GAMMA, "1/10", 0);

    (void)state;
    for (unsigned truths = 0; truths < 1 << N; truths++) {
        i128 sum = 0; /* of estimate * N * 3125 */

        for (unsigned reports = 0; reports < 1 << N; reports++) {
            i128 weight = 1, num, den;

            for (int i = 0; i < N; i++)
                weight *= (truths ^ reports) >> i & 1 ? 2 : 3;
            estimate_parts(rr, (uint64_t)__builtin_popcount(reports), N, &num,
                           &den);
            assert_true(N * num % den == 0); /* N * estimate is whole */
            sum += weight * (N * num / den);
        }
        assert_true(sum == 3125 * __builtin_popcount(truths));
    }
    custos_rr_free(rr);
}

/*
 * For n people and two values, the truth being reported with probability
 * 1/2 + gamma, the variance is exactly 1/(16 gamma^2 n) - 1/(4n). For k values
 * it is p(1-p)/((p-q)^2 n): p is the probability of the truth, q that of each
 * other value.
 */
static void
variance_is_the_bound(void **state)
{
    custos_rr *rr = make(CUSTOS_RR_GAMMA, "1/4", 0);
    char text[ROOM];

    (void)state;
    assert_int_equal(custos_rr_variance(rr, 100, text, ROOM, NULL), 0);
    assert_string_equal(text, "0.0075"); /* 0.01 - 0.0025 */
    custos_rr_free(rr);
    rr = make(CUSTOS_RR_GAMMA, "1/10", 0);
    assert_int_equal(custos_rr_variance(rr, 1, text, ROOM, NULL), 0);
    assert_string_equal(text, "6"); /* 100/16 - 1/4 */
    custos_rr_free(rr);
    rr = make(CUSTOS_RR_KARY, "5", 3);
    {
        double e = exp(5), p = e / (e + 2), q = 1 / (e + 2);

        assert_true(
            fabs(number(custos_rr_variance(rr, 1, text, ROOM, NULL), text) -
                 p * (1 - p) / ((p - q) * (p - q))) < 1e-9);
    }
    custos_rr_free(rr);
}

/*
 * The bar is Hoeffding's bound if reports are nearly fair coins, Bernstein's if
 * they are nearly certain.
 */
static void
error_bar_is_the_smaller_bound(void **state)
{
    static const struct {
        const char *gamma, *beta;
        uint64_t n;
        double p;
    } cases[] = {{"0.01", "0.05", 1000, 0.51},
                 {"0.49", "0.05", 1000, 0.99},
                 {"0.4", "1e-9", 1000000, 0.9},
                 {"1/4", "1/20", 1, 0.75}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        custos_rr *rr = make(CUSTOS_RR_GAMMA, cases[i].gamma, 0);
        double p = cases[i].p, n = (double)cases[i].n;
        double l = log(2 / number(0, cases[i].beta)), got, want;
        char text[ROOM];

        want = fmin(sqrt(n * l / 2),
                    l / 3 + sqrt(l * l / 9 + 2 * n * p * (1 - p) * l));
        want /= n * (2 * p - 1);
        got = number(
            custos_rr_error(rr, cases[i].n, cases[i].beta, text, ROOM, NULL),
            text);
        assert_true(fabs(got / want - 1) < 1e-9);
        custos_rr_free(rr);
    }
}

/*
 * Coverage over 2000 surveys of 200 people each, at 90 %: the bar must miss the
 * true share in at most 10 % of the surveys; it is Bernstein's, so it misses
 * far less often. It is not absurdly wide either: a bar of half the width
 * misses in more than 10 %. The seed is fixed; with a fresh one the first check
 * fails with probability below 1e-30, the second below 1e-6.
 */
static void
error_bar_covers(void **state)
{
    enum { PEOPLE = 200, SURVEYS = 2000 };
    custos_rr *rr = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    custos_rng *rng = test_rng_seeded(3);
    int64_t truths[PEOPLE], reports[PEOPLE];
    int missed = 0, missed_half = 0;
    int surveys = getenv("CUSTOS_QUICK") ? SURVEYS / 10 : SURVEYS;
    char text[ROOM];
    double bar;

    (void)state;
    bar = number(custos_rr_error(rr, PEOPLE, "0.1", text, ROOM, NULL), text);
    for (int i = 0; i < PEOPLE; i++)
        truths[i] = i % 10 < 3;
    for (int s = 0; s < surveys; s++) {
        uint64_t count = 0;
        double off;

        assert_int_equal(answer(rr, rng, truths, PEOPLE, reports), 0);
        for (int i = 0; i < PEOPLE; i++)
            count += (uint64_t)reports[i];
        off = fabs(number(estimate(rr, count, PEOPLE, text, ROOM), text) - 0.3);
        missed += off > bar;
        missed_half += off > bar / 2;
    }
    assert_true(missed * 10 <= surveys);
    assert_true(missed_half * 10 > surveys);
    test_rng_free(rng);
    custos_rr_free(rr);
}

/* Counts of 4 reported values, by chi-square; false-alarm rate 1e-6. */
static void
kary_shares_follow_the_law(void **state)
{
    enum { DRAWS = 100000 };
    custos_rr *rr = make(CUSTOS_RR_KARY, "1", 4);
    custos_rng *rng = test_rng_seeded(4);
    double e = exp(1), expected[4];
    uint64_t counts[4] = {0};
    static int64_t truths[DRAWS], reports[DRAWS];

    (void)state;
    for (int i = 0; i < DRAWS; i++)
        truths[i] = 2;
    assert_int_equal(answer(rr, rng, truths, DRAWS, reports), 0);
    for (int i = 0; i < DRAWS; i++)
        counts[reports[i]]++;
    for (int i = 0; i < 4; i++)
        expected[i] = DRAWS * (i == 2 ? e : 1) / (e + 3);
    assert_true(test_chi_square_p(counts, expected, 4) > 1e-6);
    test_rng_free(rng);
    custos_rr_free(rr);
}

static void
refuses_bad_options(void **state)
{
    struct {
        custos_rr_options o;
        custos_status want;
    } bad[] = {
        {{.size = 1, .kind = CUSTOS_RR_TWO_COINS}, CUSTOS_EINVAL},
        {{.size = sizeof(custos_rr_options) + 8}, CUSTOS_EINVAL},
        {{.kind = (custos_rr_kind)0}, CUSTOS_EINVAL},
        {{.kind = (custos_rr_kind)4}, CUSTOS_EINVAL},
        {{.kind = CUSTOS_RR_GAMMA}, CUSTOS_EPARSE},
        {{.kind = CUSTOS_RR_GAMMA, .gamma = "0"}, CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_GAMMA, .gamma = "0.5"}, CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_GAMMA, .gamma = "inf"}, CUSTOS_EPARSE},
        {{.kind = CUSTOS_RR_GAMMA, .gamma = "1e-400"}, CUSTOS_ERANGE},
        {{.size = sizeof(custos_rr_options) - 3, .kind = CUSTOS_RR_TWO_COINS},
         CUSTOS_EINVAL},
        {{.kind = CUSTOS_RR_KARY, .epsilon = "1"}, CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_KARY, .epsilon = "1", .values = 1}, CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_KARY,
          .epsilon = "1",
          .values = ((uint64_t)1 << 32) + 1},
         CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_KARY, .epsilon = "0", .values = 2}, CUSTOS_ERANGE},
        {{.kind = CUSTOS_RR_KARY, .epsilon = "1e-30", .values = 2},
         CUSTOS_ERANGE},
    };
    custos_rr *rr = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        custos_err err = CUSTOS_ERR_INIT;

        if (!bad[i].o.size)
            bad[i].o.size = sizeof bad[i].o;
        assert_int_equal(custos_rr_new(NULL, &bad[i].o, &rr, &err),
                         bad[i].want);
        assert_int_equal(err.code, bad[i].want);
        assert_null(rr);
    }
    assert_int_equal(custos_rr_new(NULL, NULL, &rr, NULL), CUSTOS_EINVAL);
    bad[0].o.size = sizeof bad[0].o;
    assert_int_equal(custos_rr_new(NULL, &bad[0].o, NULL, NULL), CUSTOS_EINVAL);
    custos_rr_free(NULL);
}

/* Several values in one call; each estimate in its own room. */
static void
estimates_stand_in_their_rooms(void **state)
{
    static const uint64_t counts[] = {40, 0, 100, 25, 101};
    custos_rr *rr = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    char text[5][8];

    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(
        custos_rr_estimate(rr, counts, 4, 100, text[0], sizeof text[0], NULL),
        CUSTOS_OK);
    assert_string_equal(text[0], "0.3");
    assert_string_equal(text[1], "-0.5");
    assert_string_equal(text[2], "1.5");
    assert_string_equal(text[3], "0");
    assert_int_equal(text[4][0], 'x');
    assert_int_equal(
        custos_rr_estimate(rr, counts, 5, 100, text[0], sizeof text[0], NULL),
        CUSTOS_ERANGE); /* more reports than people */
    assert_int_equal(text[4][0], 'x');
    assert_int_equal(custos_rr_estimate(rr, NULL, 1, 100, text[0], 8, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_estimate(rr, NULL, 0, 100, NULL, 0, NULL),
                     CUSTOS_OK);
    custos_rr_free(rr);
}

static void
refuses_bad_questions(void **state)
{
    custos_rr *rr = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    char text[ROOM] = "untouched";

    (void)state;
    assert_int_equal(estimate(rr, 3, 2, text, ROOM), CUSTOS_ERANGE);
    assert_int_equal(estimate(rr, 0, 0, text, ROOM), CUSTOS_ERANGE);
    assert_int_equal(estimate(NULL, 0, 1, text, ROOM), CUSTOS_EINVAL);
    assert_int_equal(estimate(rr, 0, 1, NULL, ROOM), CUSTOS_EINVAL);
    assert_int_equal(estimate(rr, 0, 1, text, 4),
                     CUSTOS_EOVERFLOW); /* "-0.5" and its NUL need 5 */
    assert_int_equal(custos_rr_variance(rr, 0, text, ROOM, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_rr_error(rr, 0, "0.1", text, ROOM, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_rr_error(rr, 9, "1", text, ROOM, NULL),
                     CUSTOS_ERANGE);
    assert_int_equal(custos_rr_error(rr, 9, NULL, text, ROOM, NULL),
                     CUSTOS_EPARSE);
    assert_int_equal(custos_rr_epsilon(NULL, text, ROOM, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_rr_ratio(NULL, text, ROOM, NULL), CUSTOS_EINVAL);
    assert_string_equal(text, "untouched");
    assert_int_equal(estimate(rr, 0, 1, text, 5), CUSTOS_OK);
    assert_string_equal(text, "-0.5");
    custos_rr_free(rr);
}

static void
answers_once_and_survives_faults(void **state)
{
    static const int64_t truths[2] = {0, 1};
    custos_rr_options o = {.size = sizeof o, .kind = CUSTOS_RR_TWO_COINS};
    custos_rr *rr = make(CUSTOS_RR_TWO_COINS, NULL, 0);
    custos_rng *rng = test_rng_seeded(1);
    custos_sealed *sealed = NULL;
    int64_t reports[2] = {9, 9};
    custos_status st = CUSTOS_ENOMEM;

    (void)state;
    assert_int_equal(custos_seal_ints(NULL, truths, 2, &sealed, NULL), 0);
    assert_int_equal(custos_rr_answer(rr, rng, sealed, 1, reports, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_answer(NULL, rng, sealed, 2, reports, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_answer(rr, NULL, sealed, 2, reports, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_answer(rr, rng, NULL, 2, reports, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_answer(rr, rng, sealed, 2, NULL, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_rr_answer(rr, rng, sealed, 2, reports, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_rr_answer(rr, rng, sealed, 2, reports, NULL),
                     CUSTOS_ETAKEN);
    custos_sealed_free(sealed);
    test_rng_free(rng);
    for (size_t words = 0; words < 4; words++) {
        rng = test_rng_failing(1, words);
        reports[0] = 9;
        assert_int_equal(answer(rr, rng, truths, 2, reports), CUSTOS_EENTROPY);
        assert_int_equal(reports[0], 0);
        assert_int_equal(reports[1], 0);
        test_rng_free(rng);
    }
    custos_rr_free(rr);
    for (size_t fail = 1; st; fail++) {
        struct test_memory memory = {.fail_at = fail};
        custos_alloc alloc = test_alloc(&memory);
        char text[ROOM];

        rr = NULL;
        st = custos_rr_new(&alloc, &o, &rr, NULL);
        if (!st)
            st = custos_rr_epsilon(rr, text, ROOM, NULL);
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        custos_rr_free(rr);
        assert_int_equal(memory.live, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_randomized_response),
        cmocka_unit_test(epsilon_is_exact),
        cmocka_unit_test(kary_stays_within_epsilon),
        cmocka_unit_test(epsilon_never_passes_what_was_asked),
        cmocka_unit_test(truths_outside_are_clamped),
        cmocka_unit_test(two_coins_estimate_is_two_frac_less_half),
        cmocka_unit_test(estimate_is_unbiased_exactly),
        cmocka_unit_test(variance_is_the_bound),
        cmocka_unit_test(error_bar_is_the_smaller_bound),
        cmocka_unit_test(error_bar_covers),
        cmocka_unit_test(kary_shares_follow_the_law),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(estimates_stand_in_their_rooms),
        cmocka_unit_test(refuses_bad_questions),
        cmocka_unit_test(answers_once_and_survives_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
