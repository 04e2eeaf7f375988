/*
 * The stored thresholds, checked by an independent computation, and how rarely
 * a word equals one.
 */
#include "noise/dials.h"

#include <stdlib.h>

#include "noise/expfix.h"
#include "support/ref.h"
#include "support/support.h"

/* The correct content of a table, computed without dials.c. */
struct right_table {
    size_t count;
    word sign;
    size_t cuts[DIALS_MAX];
    uint64_t cut[DIALS_MAX][DIAL_CUTS];
};

/*
 * The least number of digits with which the top one exceeds 15 with probability
 * at most 2^-64.
 */
static size_t
right_digits(const rat *rate)
{
    size_t digits = 0;
    mpfr_t x, most;

    mpfr_init2(x, REF_BITS);
    mpfr_init2(most, REF_BITS);
    mpfr_const_log2(most, MPFR_RNDN);
    mpfr_mul_ui(most, most, 64, MPFR_RNDN);
    do {
        mpfr_set_q(x, rate->q, MPFR_RNDN);
        mpfr_mul_2ui(x, x, 4 * ++digits, MPFR_RNDN);
    } while (mpfr_cmp(x, most) < 0);
    mpfr_clear(most);
    mpfr_clear(x);
    return digits;
}

static void
make_right(struct right_table *t, enum dials_shape shape, const rat *rate)
{
    mpfr_t f;

    mpfr_init2(f, REF_BITS);
    memset(t->cut, 0xff, sizeof t->cut);
    t->sign = shape == DIALS_LAPLACE;
    t->count = right_digits(rate);
    if (t->sign && t->count < 2)
        t->count = 2;
    for (size_t i = 0; i < t->count; i++) {
        bool top = i + 1 == t->count, zero = i == 0 && t->sign;

        t->cuts[i] = zero || top ? 16 : 15;
        for (size_t c = 0; c < t->cuts[i]; c++) {
            if (zero)
                ref_zero_cut(f, rate, c);
            else
                ref_digit_cut(f, rate, i, top, c);
            /* the sign bit is not part of the cut */
            t->cut[i][c] = zero ? ref_word(f, 63) << 1 : ref_word(f, 64);
        }
    }
    mpfr_clear(f);
}

/* Checks every stored word, in both places where it is stored. */
static bool
table_is_right(const struct dials *d, const struct right_table *t)
{
    bool right = d->count == t->count && d->sign == t->sign;

    for (size_t i = 0; right && i < t->count; i++) {
        right &= d->cuts[i] == t->cuts[i];
        for (size_t c = 0; c < DIAL_CUTS; c++) {
            right &= d->cut[i][c] == t->cut[i][c];
            right &= d->across[i][4 * (c % 4) + c / 4] ==
                     (t->cut[i][c] ^ UINT64_C(1) << 63);
        }
    }
    return right;
}

/* 30 scales from 2^-20 to 2^60; few are powers of two. */
static void
set_scale(rat *scale, int i)
{
    int sixteenths = -320 + i * 1280 / 29;
    int whole = (sixteenths + 320) / 16 - 20;
    rat factor;

    rat_init(&factor);
    rat_set_i64(&factor, 16 + (sixteenths + 320) % 16, 16);
    rat_set_pow2(scale, whole);
    rat_mul(scale, scale, &factor);
    rat_clear(&factor);
}

static void
set_rate(rat *rate, int i)
{
    rat scale;

    rat_init(&scale);
    set_scale(&scale, i);
    rat_set_i64(rate, 1, 1);
    rat_div(rate, rate, &scale);
    rat_clear(&scale);
}

static void
thresholds_are_right(void **state)
{
    struct right_table *t = malloc(sizeof *t);

    (void)state;
    assert_non_null(t);
    for (int i = 0; i < 30; i += test_size(4, 1))
        for (int shape = 0; shape < 2; shape++) {
            enum dials_shape s = shape ? DIALS_LAPLACE : DIALS_GEOMETRIC;
            struct dials d;
            rat rate;

            rat_init(&rate);
            set_rate(&rate, i);
            assert_int_equal(dials_init(&d, s, &rate), CUSTOS_OK);
            make_right(t, s, &rate);
            assert_true(table_is_right(&d, t));
            dials_clear(&d);
            rat_clear(&rate);
        }
    free(t);
}

/*
 * A8: the check notices a wrong bit (every seventh is tried) of any
 * threshold, also bit 0 of the lowest dial's thresholds, which is never set.
 */
static void
flipped_bits_are_noticed(void **state)
{
    static const int scales[] = {0, 8, 15, 22, 29};
    struct right_table *t = malloc(sizeof *t);
    size_t flips = 0, set = 0;

    (void)state;
    assert_non_null(t);
    for (size_t s = 0; s < COUNT_OF(scales); s++) {
        struct dials d;
        rat rate;

        rat_init(&rate);
        set_rate(&rate, scales[s]);
        assert_int_equal(dials_init(&d, DIALS_LAPLACE, &rate), CUSTOS_OK);
        make_right(t, DIALS_LAPLACE, &rate);
        assert_true(table_is_right(&d, t));
        for (size_t c = 0; c < DIAL_CUTS; c++)
            set += (d.cut[0][c] & 1) == 0;
        for (size_t i = 0; i < d.count; i++)
            for (size_t c = 0; c < DIAL_CUTS; c++)
                for (unsigned bit = 0; bit < 64; bit += 7, flips++) {
                    uint64_t mask = UINT64_C(1) << bit;

                    d.cut[i][c] ^= mask;
                    assert_false(table_is_right(&d, t));
                    d.cut[i][c] ^= mask;
                    d.across[i][c] ^= mask;
                    assert_false(table_is_right(&d, t));
                    d.across[i][c] ^= mask;
                }
        assert_true(table_is_right(&d, t));
        dials_clear(&d);
        rat_clear(&rate);
    }
    assert_true(flips > 5000 && set > 50);
    free(t);
}

/*
 * How many words tie with a cut of this dial (each has probability 2^-64); the
 * dial with the sign has two such words for each cut.
 */
static uint64_t
tie_words(const struct dials *d, size_t i)
{
    uint64_t words = 0;

    for (size_t c = 0; c < DIAL_CUTS; c++)
        words += c == 0 || d->cut[i][c] != d->cut[i][c - 1];
    return i == 0 && d->sign ? 2 * words : words;
}

/*
 * A draw needs refinement with probability at most 2^-50. This counts the words
 * that tie, and for the Gaussian the 2 * 2 * EXP_ERROR undecided coins of a
 * proposal, with at most 3 proposals a draw on average (single draws, which
 * propose two at a time, at the lowest acceptance rate, 0.44).
 */
static void
refinement_is_rare(void **state)
{
    const uint64_t most = UINT64_C(1) << 14; /* 2^-50 in units of 2^-64 */
    uint64_t worst = 0;

    (void)state;
    for (int i = 0; i < 30; i++) {
        struct dials d;
        uint64_t ties = 0;
        rat rate;

        rat_init(&rate);
        set_rate(&rate, i);
        assert_int_equal(dials_init(&d, DIALS_LAPLACE, &rate), CUSTOS_OK);
        for (size_t k = 0; k < d.count; k++)
            ties += tie_words(&d, k);
        worst = ties > worst ? ties : worst;
        dials_clear(&d);
        rat_clear(&rate);
    }
    assert_true(worst > 200); /* the largest scale has 17 dials */
    assert_true(worst <= (DIALS_MAX + 1) * DIAL_CUTS);
    assert_true(3 * (worst + 4 * EXP_ERROR) <= most);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_are_right),
        cmocka_unit_test(flipped_bits_are_noticed),
        cmocka_unit_test(refinement_is_rare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
