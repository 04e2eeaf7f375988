/*
 * Dials with words of 16 bits: every word of every dial, and every second word
 * where the first ties, against thresholds computed by another route. Then the
 * geometric and Laplace samplers on all tapes, up to the independence of their
 * dials, which is checked as well.
 */
#include <stdlib.h>

#include "noise/draw.h"
#include "support/ref.h"
#include "support/support.h"

enum { WORDS = 1 << 16, OUTCOMES = DIAL_CUTS + 1 };

/* What a dial gives: weights of outcomes in units of 2^-32, and the rest. */
struct weights {
    uint64_t of[OUTCOMES];
    uint64_t undecided;
};

static void
make_dials(struct dials *d, enum dials_shape shape, const char *rate_text)
{
    rat rate = ref_rat(rate_text);

    assert_int_equal(dials_init(d, shape, &rate), CUSTOS_OK);
    rat_clear(&rate);
}

/* The cut by the reference's route. */
static void
ref_cut(mpfr_t out, const struct dials *d, size_t i, size_t c)
{
    if (i < d->sign)
        ref_sign_cut(out, &d->rate, c);
    else
        ref_digit_cut(out, &d->rate, i - d->sign, i + 1 == d->count, c);
}

static size_t
cuts_of(const struct dials *d, size_t i)
{
    return i < d->sign ? 2 : i + 1 < d->count ? 15 : 16;
}

/* A word for every dial that equals none of its cuts. */
static void
quiet_words(const struct dials *d, uint64_t *words)
{
    for (size_t i = 0; i < d->count; i++) {
        for (words[i] = 0;; words[i]++) {
            bool ties = false;

            for (size_t c = 0; c < DIAL_CUTS; c++)
                ties |= d->cut[i][c] == words[i];
            if (!ties)
                break;
        }
    }
}

/* What dial i gave in draw k; what the others gave is taken off. */
static uint64_t
outcome_of(const struct dials *d, size_t i, const struct outcomes *o, size_t k)
{
    u128 digits = ((u128)o->high[k] << (4 * DIGITS_LOW)) + o->low[k];

    if (i < d->sign)
        return o->sign[k];
    digits >>= 4 * (i - d->sign);
    return (uint64_t)(i + 1 < d->count ? digits & 15 : digits);
}

/*
 * The outcome of head with one more word, or -1 when that ties too. A top digit
 * that passes 15 is drawn anew: 16 whatever comes then.
 */
static int
settled(const struct dials *d, size_t i, const uint64_t *quiet, uint64_t head,
        uint64_t second)
{
    const uint64_t tape[2] = {second, quiet[i]};
    uint64_t words[DIALS_MAX], got;
    struct outcomes o;
    custos_rng *rng = test_rng_taped(tape, 2);
    custos_status st;
    size_t used;

    memcpy(words, quiet, sizeof words);
    words[i] = head;
    st = dials_settle(d, rng, words, 0, &o);
    assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
    used = test_rng_used(rng);
    test_rng_free(rng);
    if (st)
        return -1;
    got = outcome_of(d, i, &o, 0);
    if (got >= DIAL_CUTS) {
        assert_true(used == 2 && i + 1 == d->count);
        return DIAL_CUTS;
    }
    return used == 1 ? (int)got : -1;
}

/* Every second word for a head that ties. */
static void
every_second(const struct dials *d, size_t i, const uint64_t *quiet,
             uint64_t head, struct weights *w)
{
    for (uint64_t second = 0; second < WORDS; second++) {
        int got = settled(d, i, quiet, head, second);

        if (got < 0)
            w->undecided++;
        else
            w->of[got]++;
    }
}

/* Only those next to the cuts' second words, for the expected outcome. */
static void
some_seconds(const struct dials *d, size_t i, const uint64_t *quiet,
             uint64_t head, const uint64_t *ref)
{
    for (size_t c = 0; c < cuts_of(d, i); c++) {
        for (int off = -1; off <= 1; off++) {
            uint64_t second = (ref[c] + (uint64_t)(int64_t)off) & 0xffff;
            uint64_t all = head << 16 | second;
            int expected = 0;

            if (ref[c] >> 16 != head)
                continue;
            for (size_t e = 0; e < cuts_of(d, i); e++) {
                expected += ref[e] < all;
                if (ref[e] == all)
                    expected = -100;
            }
            assert_int_equal(settled(d, i, quiet, head, second),
                             expected < 0 ? -1 : expected);
        }
    }
}

enum depth { FIRST_AND_EDGES, ALL_SECONDS };

/* Every first word of dial i; ties by every second word, or by their edges. */
static void
walk_dial(const struct dials *d, size_t i, enum depth depth, struct weights *w)
{
    const size_t cuts = cuts_of(d, i);
    uint64_t ref[DIAL_CUTS], quiet[DIALS_MAX], words[BLOCK][DIALS_MAX];
    mpfr_t f;

    memset(w, 0, sizeof *w);
    mpfr_init2(f, REF_BITS);
    for (size_t c = 0; c < cuts; c++) {
        ref_cut(f, d, i, c);
        ref[c] = ref_word(f, 32);
    }
    quiet_words(d, quiet);
    for (uint64_t first = 0; first < WORDS; first += BLOCK) {
        struct outcomes o;
        uint64_t ties;

        for (size_t k = 0; k < BLOCK; k++) {
            memcpy(words[k], quiet, sizeof quiet);
            words[k][i] = first + k;
        }
        ties = dials_scan(d, words[0], DIALS_MAX, BLOCK, &o);
        for (size_t k = 0; k < BLOCK; k++) {
            uint64_t head = first + k, below = 0;
            bool tie = head == 0xffff && i >= d->sign && cuts < DIAL_CUTS;

            for (size_t c = 0; c < cuts; c++) {
                below += ref[c] >> 16 < head;
                tie |= ref[c] >> 16 == head;
            }
            assert_int_equal(ties >> k & 1, tie);
            if (!tie) {
                assert_int_equal(outcome_of(d, i, &o, k), below);
                w->of[below] += WORDS;
            } else if (depth == ALL_SECONDS) {
                every_second(d, i, quiet, head, w);
            } else {
                some_seconds(d, i, quiet, head, ref);
                w->undecided += WORDS;
            }
        }
    }
    mpfr_clear(f);
}

/* lo <= P <= lo + undecided for every outcome of the dial. */
static void
check_weights(const struct dials *d, size_t i, const struct weights *w)
{
    mpfr_t p, low;

    mpfr_init2(p, REF_BITS);
    mpfr_init2(low, REF_BITS);
    mpfr_set_ui(low, 0, MPFR_RNDN);
    for (size_t o = 0; o <= cuts_of(d, i); o++) {
        if (o < cuts_of(d, i))
            ref_cut(p, d, i, o);
        else
            mpfr_set_ui(p, 1, MPFR_RNDN);
        mpfr_sub(low, p, low, MPFR_RNDN); /* P[outcome = o] */
        ref_between(low, 32, w->of[o], w->of[o] + w->undecided);
        mpfr_set(low, p, MPFR_RNDN);
    }
    mpfr_clear(low);
    mpfr_clear(p);
}

static const char *const rates[] = {
    "1048576", "10",        "1",
    "1/2",     "0.1",       "1/3",
    "0.001",   "1/1000000", "1/1152921504606846976",
};

static void
every_word_of_every_dial(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT_OF(rates);
         r += getenv("CUSTOS_QUICK") ? 4 : 1) {
        for (int shape = 0; shape < 2; shape++) {
            struct dials d;
            struct weights w;

            make_dials(&d, shape ? DIALS_LAPLACE : DIALS_GEOMETRIC, rates[r]);
            for (size_t i = 0; i < d.count; i++) {
                walk_dial(&d, i, FIRST_AND_EDGES, &w);
                check_weights(&d, i, &w);
            }
            dials_clear(&d);
        }
    }
}

/*
 * The sign's dial with every second word: bounds of cuts * 2^-32. (For a digit's
 * see law_geometric_by_tapes.)
 */
static void
every_second_word_of_the_sign(void **state)
{
    struct dials d;
    struct weights w;

    (void)state;
    if (getenv("CUSTOS_QUICK"))
        return;
    make_dials(&d, DIALS_LAPLACE, "1");
    walk_dial(&d, 0, ALL_SECONDS, &w);
    assert_true(w.undecided <= SIGN_CUTS);
    check_weights(&d, 0, &w);
    dials_clear(&d);
}

/* ------------------------------------------------------------- tapes -- */

static custos_noise *
make_noise(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     CUSTOS_OK);
    return noise;
}

/* One draw from a tape: false when the tape is too short. */
static bool
draw_taped(const custos_noise *noise, const uint64_t *tape, size_t n, i128 *x)
{
    custos_rng *rng = test_rng_taped(tape, n);
    custos_status st = noise_draw(noise, rng, x, 1);

    if (st)
        assert_int_equal(st, CUSTOS_EENTROPY);
    else
        assert_int_equal(test_rng_used(rng), n);
    test_rng_free(rng);
    return !st;
}

/*
 * The geometric law of scale 1/2 has one dial: all tapes of one word, and all
 * of two where one does not decide. P[x] lies within 2^-32 of what they give.
 */
static void
law_geometric_by_tapes(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_GEOMETRIC, "1/2");
    const uint64_t step = getenv("CUSTOS_QUICK") ? 1024 : 1;
    uint64_t lo[OUTCOMES] = {0}, undecided = 0;
    mpfr_t p;

    (void)state;
    assert_int_equal(noise->dials.count, 1);
    for (uint64_t a = 0; a < WORDS; a++) {
        i128 x = -1;
        uint64_t tape[2] = {a, 0};

        if (draw_taped(noise, tape, 1, &x)) {
            assert_in_range((uint64_t)x, 0, 15);
            lo[x] += WORDS;
            continue;
        }
        for (; tape[1] < WORDS; tape[1] += step) {
            if (draw_taped(noise, tape, 2, &x)) {
                assert_in_range((uint64_t)x, 0, 15);
                lo[x] += step == 1;
                undecided += step == 1 ? 0 : step;
            } else {
                undecided += step;
            }
        }
    }
    assert_true(step > 1 || undecided <= 16);
    mpfr_init2(p, REF_BITS);
    for (int x = 0; x < 16; x++) {
        rat scale = ref_rat("1/2");

        ref_geometric(p, &scale, x);
        ref_between(p, 32, lo[x], lo[x] + undecided);
        rat_clear(&scale);
    }
    mpfr_clear(p);
    custos_noise_free(noise);
}

/* Weights of the outcomes of one word with the other fixed, through draws. */
static void
walk_word(const custos_noise *noise, size_t which, uint64_t other, i128 base,
          uint64_t lo[64], uint64_t *undecided)
{
    memset(lo, 0, 64 * sizeof lo[0]);
    *undecided = 0;
    for (uint64_t a = 0; a < WORDS; a++) {
        uint64_t tape[2] = {which == 0 ? a : other, which == 0 ? other : a};
        i128 x;

        if (draw_taped(noise, tape, 2, &x)) {
            assert_in_range((uint64_t)(x - base), 0, 63);
            lo[x - base]++;
        } else {
            ++*undecided;
        }
    }
}

/*
 * Discrete Laplace of scale 1: a word for the sign, a word for the size. For
 * every sign word and representative size words of each class, and the other
 * way round, the draw is sign * (1 + digit): so the tapes of two words have
 * product weights, and those bound P[x].
 */
static void
law_laplace_by_tapes(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_DISCRETE_LAPLACE, "1");
    uint64_t sign[3] = {0}, digit[OUTCOMES] = {0}, head[OUTCOMES] = {0};
    uint64_t lo[64], open_sign = 0, open_digit, plus = 0, again;
    mpfr_t p;

    (void)state;
    for (uint64_t a = 0; a < WORDS; a++) { /* the size's classes, for + */
        uint64_t tape[2] = {0x9000, a};    /* + is .462 to .731 */
        i128 x;

        if (draw_taped(noise, tape, 2, &x)) {
            assert_in_range((uint64_t)x, 1, 16);
            digit[x - 1]++;
            head[x - 1] = a;
        }
    }
    for (int d = 0; d < (getenv("CUSTOS_QUICK") ? 2 : 9); d++) {
        assert_true(digit[d] > 0);
        walk_word(noise, 0, head[d], -(d + 1), lo, &open_sign);
        for (int x = 0; x < 64; x++)
            assert_true(lo[x] == 0 || x == 0 || x == d + 1 || x == 2 * d + 2);
        if (d == 0) {
            sign[2] = lo[0];
            sign[0] = lo[1];
            sign[1] = lo[2];
        }
        assert_int_equal(lo[0], sign[2]);
        assert_int_equal(lo[d + 1], sign[0]);
        assert_int_equal(lo[2 * d + 2], sign[1]);
    }
    for (uint64_t w = 0; w < WORDS;
         w += getenv("CUSTOS_QUICK") ? 7877 : 1237) { /* and for every sign */
        i128 x;
        uint64_t tape[2] = {w, head[3]};

        if (!draw_taped(noise, tape, 2, &x))
            continue;
        walk_word(noise, 1, w, x == 0 ? 0 : x < 0 ? -16 : 1, lo, &open_digit);
        if (x == 0)
            assert_int_equal(lo[0], WORDS - open_digit);
        for (int d = 0; x != 0 && d < 16; d++)
            assert_int_equal(lo[x < 0 ? 15 - d : d], digit[d]);
        plus += x > 0;
    }
    assert_true(plus > 0);
    mpfr_init2(p, REF_BITS);
    again = WORDS - sign[0] - sign[1] - sign[2];
    assert_true(again == open_sign && again <= SIGN_CUTS);
    for (int x = -8; x <= 8; x++) {
        rat scale = ref_rat("1");
        int size = x < 0 ? -x : x;
        u128 s = sign[x == 0 ? 0 : x > 0 ? 1 : 2];
        u128 g = x == 0 ? WORDS : digit[size - 1];

        ref_laplace(p, &scale, x);
        ref_between(p, 32, s * g, (s + again) * (x == 0 ? g : g + 2));
        rat_clear(&scale);
    }
    mpfr_clear(p);
    custos_noise_free(noise);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_dial),
        cmocka_unit_test(every_second_word_of_the_sign),
        cmocka_unit_test(law_geometric_by_tapes),
        cmocka_unit_test(law_laplace_by_tapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
