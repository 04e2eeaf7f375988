/*
 * Refinement of ties: words planted on thresholds, so that more words are
 * needed. By chance such a tie happens at most once in 2^50 draws.
 */
#include "noise/draw.h"

#include <stdlib.h>

#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

enum { TAPE = 256 };

static const uint64_t ones = UINT64_MAX;

/* Draws once from the tape; the draw must use all of it. */
static i128
draw_all(const custos_noise *noise, const uint64_t *tape, size_t n)
{
    custos_rng *rng = test_rng_taped(tape, n);
    i128 x = 0;

    assert_int_equal(noise_draw(noise, rng, &x, 1), CUSTOS_OK);
    assert_int_equal(test_rng_used(rng), n);
    test_rng_free(rng);
    /* With fewer words it fails and draws nothing. */
    for (size_t less = 0; less < n; less++) {
        i128 none = 5;

        rng = test_rng_taped(tape, less);
        assert_int_equal(noise_draw(noise, rng, &none, 1), CUSTOS_EENTROPY);
        assert_true(none == 0);
        test_rng_free(rng);
    }
    return x;
}

static custos_noise *
make_noise(custos_law law, const char *parameter)
{
    custos_noise *noise = NULL;

    assert_int_equal(custos_noise_new(NULL, law, parameter, &noise, NULL),
                     CUSTOS_OK);
    return noise;
}

/* The 64 bits after the first `skip` of a number in [0, 1). */
static uint64_t
bits_after(const mpfr_t p, size_t skip)
{
    mpfr_t x;
    mpz_t z;
    uint64_t digits;

    mpfr_init2(x, REF_BITS);
    mpz_init(z);
    mpfr_mul_2ui(x, p, skip + 64, MPFR_RNDN);
    mpfr_get_z(z, x, MPFR_RNDD);
    digits = mpz_get_ui(z);
    mpz_clear(z);
    mpfr_clear(x);
    return digits;
}

/* The first word that gives +1 if all other words are 0. */
static uint64_t
word_of_one(const struct dials *d)
{
    return d->cut[0][0] + 2;
}

/*
 * Decides a tie with a cut of which `seen` bits were compared. The next word is
 * below the cut's (off = 0), above it (2), or equal (1); if it is equal, the
 * word after it is above. Appends to the tape; returns whether the number drawn
 * is above the cut.
 */
static bool
decide(const mpfr_t cut, size_t seen, uint64_t off, uint64_t *tape, size_t *n)
{
    uint64_t third = bits_after(cut, seen + 64);

    tape[(*n)++] = bits_after(cut, seen) + off - 1;
    if (off == 1) { /* equal again */
        assert_true(third != ones);
        tape[(*n)++] = third + 1;
    }
    return off > 0;
}

/* A tie with every cut of every digit but the lowest of a Laplace law. */
static void
every_cut_can_be_settled(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_DISCRETE_LAPLACE, "1000");
    const struct dials *d = &noise->dials;
    size_t cases = 0;
    mpfr_t f;

    (void)state;
    mpfr_init2(f, REF_BITS);
    for (size_t i = 1; i < d->count; i++)
        for (size_t c = 0; c < d->cuts[i]; c++)
            for (uint64_t off = 0; off < 3; off++) {
                uint64_t tape[DIALS_MAX + 2] = {0};
                size_t n = d->count;
                i128 digit = (i128)c;

                if (d->cut[i][c] == ones)
                    continue; /* shared by several cuts */
                ref_digit_cut(f, &d->rate, i, i + 1 == d->count, c);
                tape[0] = word_of_one(d);
                tape[i] = d->cut[i][c];
                digit += decide(f, 64, off, tape, &n);
                assert_true(draw_all(noise, tape, n) == 1 + (digit << (4 * i)));
                cases++;
            }
    assert_true(cases > 60);
    mpfr_clear(f);
    custos_noise_free(noise);
}

/*
 * A tie with cut c of the dial for 0 and the lowest digit: 63 bits were
 * compared, and the sign is the last bit of the first word whatever follows.
 */
static void
settle_signed(const custos_noise *noise, size_t c)
{
    const struct dials *d = &noise->dials;
    mpfr_t f;

    mpfr_init2(f, REF_BITS);
    ref_zero_cut(f, &d->rate, c);
    for (uint64_t off = 0; off < 3; off++)
        for (uint64_t minus = 0; minus < 2; minus++) {
            uint64_t tape[DIALS_MAX + 2] = {d->cut[0][c] | minus};
            size_t n = d->count;
            i128 size = (i128)c + decide(f, 63, off, tape, &n);

            assert_true(draw_all(noise, tape, n) == (minus ? -size : size));
        }
    mpfr_clear(f);
}

static void
sign_can_be_settled(void **state)
{
    static const char *const scales[] = {"1", "1000"};

    (void)state;
    for (size_t s = 0; s < COUNT_OF(scales); s++) {
        custos_noise *noise = make_noise(CUSTOS_DISCRETE_LAPLACE, scales[s]);

        for (size_t c = 0; c < DIAL_CUTS; c++)
            settle_signed(noise, c);
        custos_noise_free(noise);
    }
}

/*
 * Rate 5: the cuts from 1 - exp(-45) on begin with a word of ones. The second
 * word is compared with all of these at once; it decides all but at most one.
 */
static void
several_ties_are_settled_together(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_GEOMETRIC, "1/5");
    const struct dials *d = &noise->dials;
    mpfr_t f;

    (void)state;
    assert_int_equal(d->count, 1);
    assert_true(d->cut[0][8] == ones && d->cut[0][7] != ones);
    mpfr_init2(f, REF_BITS);
    for (size_t c = 8; c < 16; c++) {
        uint64_t tape[4] = {ones, 0, 0, 0};

        ref_digit_cut(f, &d->rate, 0, true, c);
        tape[1] = bits_after(f, 64);
        assert_true(tape[1] != ones);
        tape[1]--;
        assert_true(draw_all(noise, tape, 2) == (i128)c);
        tape[1]++; /* ties with cut c only; the other cuts are decided */
        tape[2] = bits_after(f, 128) - 1;
        assert_true(draw_all(noise, tape, 3) == (i128)c);
        tape[2] += 2;
        if (c < 15) {
            assert_true(draw_all(noise, tape, 3) == (i128)c + 1);
        } else { /* above 15: 16 plus a new digit, here 0 */
            assert_true(draw_all(noise, tape, 4) == 16);
            tape[3] = d->cut[0][2] + 1;
            assert_true(draw_all(noise, tape, 4) == 19);
        }
    }
    mpfr_clear(f);
    custos_noise_free(noise);
}

/* The same for the dial whose word includes the sign. */
static void
several_signed_ties_are_settled_together(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_DISCRETE_LAPLACE, "1/5");
    const struct dials *d = &noise->dials;

    (void)state;
    assert_int_equal(d->count, 2);
    assert_true(d->cut[0][8] == ones - 1 && d->cut[0][7] != ones - 1);
    for (size_t c = 8; c < DIAL_CUTS; c++)
        settle_signed(noise, c);
    custos_noise_free(noise);
}

/* All cuts begin with 23,000 words of ones: any smaller word decides. */
static void
tiny_scales_are_settled(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_GEOMETRIC, "1/1048576");
    uint64_t tape[4] = {ones, ones - 1};

    (void)state;
    assert_true(draw_all(noise, tape, 2) == 0);
    custos_noise_free(noise);
    noise = make_noise(CUSTOS_DISCRETE_LAPLACE, "1/1048576");
    assert_int_equal(noise->dials.count, 2);
    for (uint64_t minus = 0; minus < 2; minus++) {
        tape[0] = ones - 1 + minus;
        tape[1] = ones; /* both dials tie */
        tape[2] = tape[3] = ones - 1;
        assert_true(draw_all(noise, tape, 4) == 0);
    }
    custos_noise_free(noise);
}

/* Words for a draw whose lower digits are all 5 and whose top digit exceeds 15
   `passes` times. */
static size_t
passing_tape(const struct dials *d, size_t passes, uint64_t tape[TAPE])
{
    size_t n = d->count + 2 * passes;

    assert_int_equal(d->count, 15);
    for (size_t i = 0; i < TAPE; i++)
        tape[i] = ones;
    for (size_t i = 0; i + 1 < d->count; i++)
        tape[i] = d->cut[i][4] + 1;
    if (d->sign)
        tape[0] = d->cut[0][5] + 2;
    tape[n - 1] = d->cut[14][0] + 1; /* in the end, digit 1 */
    return n;
}

/*
 * The top digit exceeds 15 again and again: 20 times at digit 14 is more than
 * 64 bits can hold. Each time takes two words of ones.
 */
static void
top_digit_passes_again_and_again(void **state)
{
    static const char scale[] = "18014398509481984";
    custos_noise *geometric = make_noise(CUSTOS_GEOMETRIC, scale);
    custos_noise *laplace = make_noise(CUSTOS_DISCRETE_LAPLACE, scale);
    uint64_t tape[TAPE];

    (void)state;
    for (size_t passes = 1; passes <= 20; passes++) {
        i128 x = ((16 * (i128)passes + 1) << 56) + (i128)0x55555555555555;
        size_t n = passing_tape(&geometric->dials, passes, tape);

        assert_true(draw_all(geometric, tape, n) == x);
        n = passing_tape(&laplace->dials, passes, tape);
        assert_true(draw_all(laplace, tape, n) == x + 1);
        tape[0]++;
        assert_true(draw_all(laplace, tape, n) == -x - 1);
    }
    custos_noise_free(laplace);
    custos_noise_free(geometric);
}

/* ----------------------------------------------------------- Gaussian -- */

/*
 * Draws with a first proposal of +1 and this coin; each draw has two proposals.
 */
static i128
draw_plus_one(const custos_noise *noise, uint64_t coin, const uint64_t *more,
              size_t n_more)
{
    const struct dials *d = &noise->dials;
    uint64_t tape[TAPE] = {0};
    size_t words = 2 * (d->count + 1);

    tape[0] = word_of_one(d);  /* tape[1]: the second proposal is 0 */
    tape[2 * d->count] = coin; /* the second coin is 0, which accepts */
    if (n_more > 0)
        memcpy(tape + words, more, n_more * sizeof *more);
    return draw_all(noise, tape, words + n_more);
}

static void
gaussian_coins_are_settled(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_DISCRETE_GAUSSIAN, "3");
    rat v = ref_rat("9");
    uint64_t head, more[2];
    mpfr_t p;

    (void)state;
    mpfr_init2(p, REF_BITS);
    ref_accept(p, &v, 1);
    head = ref_word(p, 64);
    more[0] = bits_after(p, 64) - 1;
    assert_true(draw_plus_one(noise, head, more, 1) == 1);
    more[0] += 2; /* just above p: the first proposal is rejected */
    assert_true(draw_plus_one(noise, head, more, 1) == 0);
    more[0] -= 1; /* equal once more */
    more[1] = bits_after(p, 128) - 1;
    assert_true(draw_plus_one(noise, head, more, 2) == 1);
    more[1] += 2;
    assert_true(draw_plus_one(noise, head, more, 2) == 0);
    /* Undecided only by the error of exp_fixed: no more words are needed. */
    assert_true(draw_plus_one(noise, head - 1, more, 0) == 1);
    assert_true(draw_plus_one(noise, head - 1200, more, 0) == 1);
    assert_true(draw_plus_one(noise, head + 1, more, 0) == 0);
    assert_true(draw_plus_one(noise, head + 1200, more, 0) == 0);
    mpfr_clear(p);
    rat_clear(&v);
    custos_noise_free(noise);
}

/* sigma^2 = 2: t = 2 and |y| = 1 is the centre, kept whatever the coin is. */
static void
center_is_always_kept(void **state)
{
    custos_noise *noise = NULL;
    rat v = ref_rat("2");

    (void)state;
    assert_int_equal(
        noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, &v, &noise, NULL), CUSTOS_OK);
    assert_true(draw_plus_one(noise, ones, NULL, 0) == 1);
    assert_true(draw_plus_one(noise, ones - 1200, NULL, 0) == 1);
    rat_clear(&v);
    custos_noise_free(noise);
}

/* ------------------------------------------------------------- slopes -- */

static uint8_t
flip_all(const struct slope *s, uint64_t gap, const uint64_t *tape, size_t n)
{
    custos_rng *rng = test_rng_taped(tape, n);
    uint8_t heads = 9, none;

    assert_int_equal(slope_flip(s, rng, &gap, 1, &heads), CUSTOS_OK);
    assert_int_equal(test_rng_used(rng), n);
    test_rng_free(rng);
    for (size_t less = 0; less < n; less++) {
        rng = test_rng_taped(tape, less);
        assert_int_equal(slope_flip(s, rng, &gap, 1, &none), CUSTOS_EENTROPY);
        test_rng_free(rng);
    }
    return heads;
}

static void
slope_coins_are_settled(void **state)
{
    rat rate = ref_rat("1/3");
    uint64_t tape[3];
    struct slope s;
    mpfr_t p;

    (void)state;
    assert_int_equal(slope_init(&s, &rate), CUSTOS_OK);
    tape[0] = ones; /* a gap of 0 makes heads certain, for any word */
    assert_int_equal(flip_all(&s, 0, tape, 1), 1);
    tape[0] = 0;
    assert_int_equal(flip_all(&s, 0, tape, 1), 1);
    mpfr_init2(p, REF_BITS);
    mpfr_set_si(p, -5, MPFR_RNDN);
    mpfr_div_ui(p, p, 3, MPFR_RNDN);
    mpfr_exp(p, p, MPFR_RNDN);
    tape[0] = ref_word(p, 64);
    tape[1] = bits_after(p, 64) - 1;
    assert_int_equal(flip_all(&s, 5, tape, 2), 1);
    tape[1] += 2;
    assert_int_equal(flip_all(&s, 5, tape, 2), 0);
    tape[1] -= 1;
    tape[2] = bits_after(p, 128) + 1;
    assert_int_equal(flip_all(&s, 5, tape, 3), 0);
    tape[0] -= 1;
    assert_int_equal(flip_all(&s, 5, tape, 1), 1);
    tape[0] += 2;
    assert_int_equal(flip_all(&s, 5, tape, 1), 0);
    /* exp(-2^64/3): a coin can be below it only after 10^17 words of zeros. */
    tape[0] = 0;
    tape[1] = 1;
    assert_int_equal(flip_all(&s, UINT64_MAX, tape, 2), 0);
    mpfr_clear(p);
    slope_clear(&s);
    rat_clear(&rate);
}

/* ------------------------------------------------------- real numbers -- */

static void
eval_nothing(const void *of, ival *out)
{
    (void)of;
    ival_set_i64(out, 0);
    mpfr_set_ui(out->hi, 1, MPFR_RNDU);
}

/* 7.5 +- 0.25 units of 2^-64: its first word is known, and no more. */
static void
eval_one_word(const void *of, ival *out)
{
    (void)of;
    mpfr_set_ui_2exp(out->lo, 29, -66, MPFR_RNDD);
    mpfr_set_ui_2exp(out->hi, 31, -66, MPFR_RNDU);
}

/* A number that no precision determines is an internal error, not a loop. */
static void
undecidable_is_a_status(void **state)
{
    const uint64_t tape[2] = {7, 7};
    struct real none = {REAL_ITSELF, eval_nothing, NULL};
    struct real one = {REAL_ITSELF, eval_one_word, NULL};
    custos_rng *rng = test_rng_taped(tape, 2);
    unsigned below = 9;

    (void)state;
    assert_int_equal(real_at_or_below(none, 7, rng, &below), CUSTOS_EINTERNAL);
    assert_int_equal(real_at_or_below(one, 7, rng, &below), CUSTOS_EINTERNAL);
    assert_int_equal(below, 9); /* unset */
    assert_int_equal(real_at_or_below(one, 6, rng, &below), CUSTOS_OK);
    assert_int_equal(below, 0);
    assert_int_equal(real_at_or_below(one, 8, rng, &below), CUSTOS_OK);
    assert_int_equal(below, 1);
    assert_int_equal(test_rng_used(rng), 0);
    test_rng_free(rng);
}

/*
 * Two draws of a block need refinement and no word is left for the first: both
 * fail.
 */
static void
failed_settling_stops_the_block(void **state)
{
    custos_noise *laplace = make_noise(CUSTOS_DISCRETE_LAPLACE, "1000");
    custos_noise *gaussian = make_noise(CUSTOS_DISCRETE_GAUSSIAN, "3");
    const size_t dials = gaussian->dials.count;
    uint64_t tape[TAPE] = {0};
    custos_rng *rng;
    rat v = ref_rat("9");
    i128 x[2] = {5, 5};
    mpfr_t p;

    (void)state;
    tape[0] = tape[1] = laplace->dials.cut[0][0];
    rng = test_rng_taped(tape, 2 * laplace->dials.count);
    assert_int_equal(noise_draw(laplace, rng, x, 2), CUSTOS_EENTROPY);
    assert_true(x[0] == 0 && x[1] == 0);
    test_rng_free(rng);
    mpfr_init2(p, REF_BITS);
    ref_accept(p, &v, 0);
    memset(tape, 0, sizeof tape);
    for (size_t i = 0; i < 3; i++) /* 0 each, and a coin that ties */
        tape[3 * dials + i] = ref_word(p, 64);
    rng = test_rng_taped(tape, 3 * (dials + 1));
    x[0] = x[1] = 5;
    assert_int_equal(noise_draw(gaussian, rng, x, 2), CUSTOS_EENTROPY);
    assert_true(x[0] == 0 && x[1] == 0);
    test_rng_free(rng);
    mpfr_clear(p);
    rat_clear(&v);
    custos_noise_free(gaussian);
    custos_noise_free(laplace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_can_be_settled),
        cmocka_unit_test(sign_can_be_settled),
        cmocka_unit_test(several_ties_are_settled_together),
        cmocka_unit_test(several_signed_ties_are_settled_together),
        cmocka_unit_test(tiny_scales_are_settled),
        cmocka_unit_test(top_digit_passes_again_and_again),
        cmocka_unit_test(gaussian_coins_are_settled),
        cmocka_unit_test(center_is_always_kept),
        cmocka_unit_test(slope_coins_are_settled),
        cmocka_unit_test(undecidable_is_a_status),
        cmocka_unit_test(failed_settling_stops_the_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
