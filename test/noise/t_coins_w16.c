/*
 * Coins, dice and slopes with words of 16 bits: every word, and every second
 * word where the first does not decide.
 */
#include <stdlib.h>

#include "noise/coin.h"
#include "noise/draw.h"
#include "noise/expfix.h"
#include "support/ref.h"
#include "support/support.h"

enum { WORDS = 1 << 16 };

/* Every side of a die has the same number of words that are not rejected. */
static void
check_die(uint64_t sides)
{
    uint32_t *count = calloc(sides, sizeof *count);
    uint64_t rejected = 0;

    assert_non_null(count);
    for (uint64_t w = 0; w < WORDS; w++) {
        custos_rng *rng = test_rng_taped(&w, 1);
        uint64_t side = sides;
        custos_status st = die_roll(rng, sides, &side);

        if (st) {
            assert_int_equal(st, CUSTOS_EENTROPY);
            assert_int_equal(side, sides); /* unset */
            rejected++;
        } else {
            assert_true(side < sides);
            count[side]++;
        }
        test_rng_free(rng);
    }
    assert_int_equal(rejected, WORDS % sides);
    for (uint64_t i = 0; i < sides; i++)
        assert_int_equal(count[i], WORDS / sides);
    free(count);
}

static void
every_word_of_every_die(void **state)
{
    static const uint64_t more[] = {100,   255,   256,   257,   1000,  4096,
                                    32767, 32768, 32769, 40000, 65535, 65536};

    const bool quick = getenv("CUSTOS_QUICK") != NULL;

    (void)state;
    for (uint64_t sides = 1; sides <= (quick ? 3 : 20); sides++)
        check_die(sides);
    for (size_t i = 0; !quick && i < COUNT_OF(more); i++)
        check_die(more[i]);
}

/* One coin from a tape: 0, 1, or -1 when the tape is too short. */
static int
flip_taped(const rat *p, const uint64_t *tape, size_t n)
{
    custos_rng *rng = test_rng_taped(tape, n);
    bool heads = false;
    custos_status st = coin_flip(rng, p, &heads);

    assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
    if (!st)
        assert_int_equal(test_rng_used(rng), n);
    test_rng_free(rng);
    return st ? -1 : heads;
}

/*
 * All tapes of one word, of two words if one does not decide, of three if two
 * do not: the weights of heads and of undecided tapes, in units of 2^-48.
 */
static void
walk_coin(const rat *p, uint64_t weight[2], uint64_t *undecided)
{
    uint64_t tape[3];

    weight[0] = weight[1] = *undecided = 0;
    for (tape[0] = 0; tape[0] < WORDS; tape[0]++) {
        int heads = flip_taped(p, tape, 1);

        if (heads >= 0) {
            weight[heads] += UINT64_C(1) << 32;
            continue;
        }
        for (tape[1] = 0; tape[1] < WORDS; tape[1]++) {
            heads = flip_taped(p, tape, 2);
            if (heads >= 0) {
                weight[heads] += WORDS;
                continue;
            }
            for (tape[2] = 0; tape[2] < WORDS; tape[2]++) {
                heads = flip_taped(p, tape, 3);
                if (heads >= 0)
                    weight[heads]++;
                else
                    ++*undecided;
            }
        }
    }
}

static const char *const probabilities[] = {
    "0",
    "1",
    "1/2",
    "1/3",
    "2/3",
    "0.1",
    "1e-6",
    "0.999999",
    "1/65536",
    "1/65537",
    "65535/65536",
    "12345/65536",
    "1/1000000000000",
};

static size_t
list_end(void)
{
    return getenv("CUSTOS_QUICK") ? 4 : COUNT_OF(probabilities);
}

/*
 * P[heads] = p: lo <= p <= lo + 2^-48, where lo is the weight of heads. The
 * weights of heads, tails and undecided tapes add up to 1.
 */
static void
every_word_of_every_coin(void **state)
{
    mpfr_t x;

    (void)state;
    mpfr_init2(x, REF_BITS);
    for (size_t i = 0; i < list_end(); i++) {
        rat p = ref_rat(probabilities[i]);
        uint64_t weight[2], undecided;

        walk_coin(&p, weight, &undecided);
        assert_true(undecided <= 1);
        assert_true(weight[0] + weight[1] + undecided == UINT64_C(1) << 48);
        mpfr_set_q(x, p.q, MPFR_RNDN);
        mpfr_mul_2ui(x, x, 48, MPFR_RNDN);
        /* Rounding p to REF_BITS bits errs by far less than 2^-900. */
        assert_true(mpfr_cmp_ui(x, weight[1] + undecided) <= 0);
        mpfr_ui_sub(x, UINT64_C(1) << 48, x, MPFR_RNDN);
        assert_true(mpfr_cmp_ui(x, weight[0] + undecided) <= 0);
        rat_clear(&p);
    }
    mpfr_clear(x);
}

/* A handle draws with the coin that is checked above. */
static void
law_bernoulli_by_tapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < list_end(); i++) {
        custos_noise *noise = NULL;
        rat p = ref_rat(probabilities[i]);

        assert_int_equal(noise_new(NULL, CUSTOS_BERNOULLI, &p, &noise, NULL),
                         CUSTOS_OK);
        for (uint64_t w = 0; w < WORDS; w++) {
            custos_rng *rng = test_rng_taped(&w, 1);
            int expected = flip_taped(&p, &w, 1);
            i128 x = 7;
            custos_status st = noise_draw(noise, rng, &x, 1);

            assert_int_equal(st, expected < 0 ? CUSTOS_EENTROPY : CUSTOS_OK);
            assert_true(x == (expected < 0 ? 0 : expected));
            test_rng_free(rng);
        }
        rat_clear(&p);
        custos_noise_free(noise);
    }
}

/* ------------------------------------------------------------- slopes -- */

/* One slope coin from a tape: 0, 1, or -1 when the tape is too short. */
static int
slope_taped(const struct slope *s, uint64_t gap, const uint64_t *tape, size_t n)
{
    custos_rng *rng = test_rng_taped(tape, n);
    uint8_t heads = 2;
    custos_status st = slope_flip(s, rng, &gap, 1, &heads);

    assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
    if (!st) {
        assert_int_equal(test_rng_used(rng), n);
        assert_true(heads <= 1);
    }
    test_rng_free(rng);
    return st ? -1 : heads;
}

/*
 * Every first word and, in one case of each rate, every second word where the
 * first does not decide: lo <= exp(-rate gap) <= lo + undecided.
 */
static void
check_slope(const char *rate_text, uint64_t gap, uint64_t step)
{
    rat rate = ref_rat(rate_text);
    uint64_t lo = 0, undecided = 0, open = 0, tape[2];
    struct slope s;
    mpfr_t p;

    assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
    for (tape[0] = 0; tape[0] < WORDS; tape[0]++) {
        int heads = slope_taped(&s, gap, tape, 1);

        if (heads >= 0) {
            lo += heads ? WORDS : 0;
            continue;
        }
        open++;
        for (tape[1] = 0; tape[1] < WORDS; tape[1] += step) {
            heads = slope_taped(&s, gap, tape, 2);
            if (heads < 0 || step > 1)
                undecided += step;
            else
                lo += (uint64_t)heads;
        }
    }
    assert_true(open <= 1);
    assert_true(step > 1 || undecided <= 1);
    mpfr_init2(p, REF_BITS);
    mpfr_set_q(p, rate.q, MPFR_RNDN);
    mpfr_mul_ui(p, p, gap, MPFR_RNDN);
    mpfr_neg(p, p, MPFR_RNDN);
    mpfr_exp(p, p, MPFR_RNDN);
    ref_between(p, 32, lo, lo + undecided);
    mpfr_clear(p);
    slope_clear(&s);
    rat_clear(&rate);
}

static void
law_slope_by_tapes(void **state)
{
    static const char *const rates[] = {"1", "1/2", "0.001", "1/3",
                                        "7", "1e9", "1e-30", "12345/678"};
    const bool quick = getenv("CUSTOS_QUICK") != NULL;

    (void)state;
    for (size_t r = 0; r < COUNT_OF(rates); r++)
        for (uint64_t gap = 0; gap < (quick ? 1 : 24); gap++)
            check_slope(rates[r], gap, gap == 2 && !quick ? 1 : 97);
    check_slope("1e-30", UINT64_MAX, 97);
    check_slope("18446744073709551615", UINT64_MAX, 97);
}

/*
 * Bernoulli(exp(-x)) is the slope x at gap 1; for x = 0 the result is certain.
 */
static void
law_bernoulli_exp_by_tapes(void **state)
{
    static const char *const xs[] = {"0", "1", "0.25", "10", "1048576"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(xs); i++) {
        custos_noise *noise = NULL;
        rat rate = ref_rat(xs[i]);
        struct slope s;

        assert_int_equal(
            custos_noise_new(NULL, CUSTOS_BERNOULLI_EXP, xs[i], &noise, NULL),
            CUSTOS_OK);
        if (i > 0)
            assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
        for (uint64_t w = 0; w < WORDS; w++) {
            custos_rng *rng = test_rng_taped(&w, 1);
            int expected = i == 0 ? 1 : slope_taped(&s, 1, &w, 1);
            i128 x = 7;
            custos_status st = noise_draw(noise, rng, &x, 1);

            assert_int_equal(st, expected < 0 ? CUSTOS_EENTROPY : CUSTOS_OK);
            assert_true(x == (expected < 0 ? 0 : expected));
            test_rng_free(rng);
        }
        if (i > 0)
            slope_clear(&s);
        rat_clear(&rate);
        custos_noise_free(noise);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_die),
        cmocka_unit_test(every_word_of_every_coin),
        cmocka_unit_test(law_bernoulli_by_tapes),
        cmocka_unit_test(law_slope_by_tapes),
        cmocka_unit_test(law_bernoulli_exp_by_tapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
