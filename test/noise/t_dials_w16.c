/*
 * Dials with words of 16 bits: every word of every dial, and every second word
 * if the first ties, compared with thresholds that are computed independently.
 * Then the geometric and Laplace samplers on all tapes, assuming that their dials
 * are independent, which is checked as well.
 */
#include <stdlib.h>

#include "noise/draw.h"
#include "support/ref.h"
#include "support/support.h"

enum { WORDS = 1 << 16, OUTCOMES = DIAL_CUTS + 1 };

/*
 * The weights of a dial's outcomes in units of 2^-32, and the undecided weight.
 */
struct weights {
    uint64_t of[OUTCOMES];
    uint64_t undecided;
    uint64_t plus[OUTCOMES]; /* part of `of`: words whose sign bit is 0 */
};

static void
make_dials(struct dials *d, enum dials_shape shape, const char *rate_text)
{
    rat rate = ref_rat(rate_text);

    assert_int_equal(dials_init(d, shape, &rate), CUSTOS_OK);
    rat_clear(&rate);
}

/* Whether dial i also decides if the draw is 0, and its word gives the sign. */
static bool
has_sign(const struct dials *d, size_t i)
{
    return i == 0 && d->sign;
}

/* The cut as the reference computes it. */
static void
ref_cut(mpfr_t out, const struct dials *d, size_t i, size_t c)
{
    if (has_sign(d, i))
        ref_zero_cut(out, &d->rate, c);
    else
        ref_digit_cut(out, &d->rate, i, i + 1 == d->count, c);
}

static size_t
cuts_of(const struct dials *d, size_t i)
{
    return has_sign(d, i) || i + 1 == d->count ? 16 : 15;
}

/* A word for every dial that equals none of its cuts. */
static void
quiet_words(const struct dials *d, uint64_t *words)
{
    for (size_t i = 0; i < d->count; i++) {
        for (words[i] = 0;; words[i]++) {
            uint64_t head = words[i] & ~(uint64_t)has_sign(d, i);
            bool ties = false;

            for (size_t c = 0; c < DIAL_CUTS; c++)
                ties |= d->cut[i][c] == head;
            if (!ties)
                break;
        }
    }
}

/*
 * The outcome of dial i in draw k, without those of the other dials. Checks the
 * sign too: it is the word's last bit, and 0 has none.
 */
static uint64_t
outcome_of(const struct dials *d, size_t i, uint64_t from,
           const struct outcomes *o, size_t k)
{
    u128 digits = ((u128)o->high[k] << (4 * DIGITS_LOW)) + o->low[k];

    if (has_sign(d, i)) {
        assert_true(o->sign[k] == 0 || o->sign[k] == 1 + (from & 1));
        return o->sign[k] == 0 ? 0 : (uint64_t)(digits & 15) + 1;
    }
    assert_true(d->sign || o->sign[k] == 0);
    digits >>= 4 * i;
    return (uint64_t)(i + 1 < d->count ? digits & 15 : digits);
}

/*
 * The outcome of a first word and a second one, or -1 if the second ties too. A
 * top digit above 15 is drawn again; it counts as 16, whatever is drawn next.
 */
static int
settled(const struct dials *d, size_t i, const uint64_t *quiet, uint64_t first,
        uint64_t second)
{
    const bool top = i + 1 == d->count;
    const uint64_t tape[2] = {second, quiet[i]};
    uint64_t words[DIALS_MAX], got;
    struct outcomes o;
    custos_rng *rng = test_rng_taped(tape, 2);
    custos_status st;
    size_t used;

    memcpy(words, quiet, sizeof words);
    words[i] = first;
    st = dials_settle(d, rng, words, 0, 1, &o);
    assert_true(st == CUSTOS_OK || st == CUSTOS_EENTROPY);
    used = test_rng_used(rng);
    test_rng_free(rng);
    if (st)
        return -1;
    got = outcome_of(d, i, first, &o, 0);
    if (top && got >= DIAL_CUTS) {
        assert_int_equal(used, 2);
        return DIAL_CUTS;
    }
    return used == 1 ? (int)got : -1;
}

/* The outcome of two words, or -1; it must be what the reference says. */
static int
check_second(const struct dials *d, size_t i, const uint64_t *quiet,
             uint64_t first, uint64_t second, const uint64_t *ref)
{
    const uint64_t all = first >> has_sign(d, i) << 16 | second;
    int expected = 0, got = settled(d, i, quiet, first, second);

    for (size_t c = 0; c < cuts_of(d, i); c++) {
        expected += ref[c] < all;
        if (ref[c] == all)
            expected = -100;
    }
    assert_int_equal(got, expected < 0 ? -1 : expected);
    return got;
}

/* Every second word for a first one that ties. */
static void
every_second(const struct dials *d, size_t i, const uint64_t *quiet,
             uint64_t first, const uint64_t *ref, struct weights *w)
{
    for (uint64_t second = 0; second < WORDS; second++) {
        int got = check_second(d, i, quiet, first, second, ref);

        if (got < 0) {
            w->undecided++;
            continue;
        }
        w->of[got]++;
        w->plus[got] += !(first & 1);
    }
}

/* Only the second words next to the cuts. */
static void
some_seconds(const struct dials *d, size_t i, const uint64_t *quiet,
             uint64_t first, const uint64_t *ref)
{
    for (size_t c = 0; c < cuts_of(d, i); c++)
        for (int off = -1; off <= 1; off++)
            if (ref[c] >> 16 == first >> has_sign(d, i))
                check_second(d, i, quiet, first,
                             (ref[c] + (uint64_t)(int64_t)off) & 0xffff, ref);
}

/*
 * How ties are checked: with second words next to the cuts, or for cuts 0 and 8
 * with every second word.
 */
enum depth { FIRST_AND_EDGES, ALL_SECONDS };

/* Compares the outcome of one first word with the reference. */
static void
walk_first(const struct dials *d, size_t i, enum depth depth,
           const uint64_t *ref, const uint64_t *quiet, uint64_t first,
           bool tied, uint64_t outcome, struct weights *w)
{
    const size_t cuts = cuts_of(d, i);
    uint64_t head = first >> has_sign(d, i), below = 0;
    bool tie = first == 0xffff && cuts < DIAL_CUTS;

    for (size_t c = 0; c < cuts; c++) {
        below += ref[c] >> 16 < head;
        tie |= ref[c] >> 16 == head;
    }
    assert_int_equal(tied, tie);
    if (!tie) {
        assert_int_equal(outcome, below);
        w->of[below] += WORDS;
        w->plus[below] += first & 1 ? 0 : WORDS;
    } else if (depth == ALL_SECONDS &&
               (head == ref[0] >> 16 || head == ref[8] >> 16)) {
        every_second(d, i, quiet, first, ref, w);
    } else {
        some_seconds(d, i, quiet, first, ref);
        w->undecided += WORDS;
    }
}

/* Checks every first word of dial i, and ties with second words. */
static void
walk_dial(const struct dials *d, size_t i, enum depth depth, struct weights *w)
{
    uint64_t ref[DIAL_CUTS], quiet[DIALS_MAX], words[DIALS_MAX * BLOCK];
    mpfr_t f;

    memset(w, 0, sizeof *w);
    mpfr_init2(f, REF_BITS);
    for (size_t c = 0; c < cuts_of(d, i); c++) {
        ref_cut(f, d, i, c); /* the first word and one more */
        ref[c] = ref_word(f, has_sign(d, i) ? 31 : 32);
    }
    quiet_words(d, quiet);
    for (uint64_t first = 0; first < WORDS; first += BLOCK) {
        struct outcomes o;
        uint64_t ties;

        for (size_t j = 0; j < d->count; j++)
            for (size_t k = 0; k < BLOCK; k++)
                words[j * BLOCK + k] = j == i ? first + k : quiet[j];
        ties = dials_scan(d, words, 0, BLOCK, &o);
        for (size_t k = 0; k < BLOCK; k++)
            walk_first(d, i, depth, ref, quiet, first + k, ties >> k & 1,
                       outcome_of(d, i, first + k, &o, k), w);
    }
    mpfr_clear(f);
}

/*
 * lo <= P <= lo + undecided for every outcome of the dial; and each outcome has
 * exactly as many words with one sign as with the other.
 */
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
        if (has_sign(d, i))
            assert_true(2 * w->plus[o] == w->of[o]);
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
 * The lowest dial of the Laplace law, with every second word of two ties and
 * either sign, so that P[0] is known up to 2 * 2^-32. (For other digits see
 * law_geometric_by_tapes.)
 */
static void
every_second_word_of_the_lowest_dial(void **state)
{
    struct dials d;
    struct weights w;
    mpfr_t p;

    (void)state;
    if (getenv("CUSTOS_QUICK"))
        return;
    make_dials(&d, DIALS_LAPLACE, "1/3");
    walk_dial(&d, 0, ALL_SECONDS, &w);
    assert_int_equal(w.undecided / WORDS, 2 * (DIAL_CUTS - 2));
    assert_int_equal(w.undecided % WORDS, 2 * 2);
    check_weights(&d, 0, &w);
    mpfr_init2(p, REF_BITS);
    ref_zero_cut(p, &d.rate, 0);
    ref_between(p, 32, w.of[0], w.of[0] + 2);
    mpfr_clear(p);
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
 * of two where one does not decide. P[x] is within 2^-32 of their weight.
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

enum { OPEN = 99, SIDES = 16 };

/* The draw x, made with a top digit of 0, with that digit replaced by `top`. */
static i128
with_top(int x, int top)
{
    return x == 0 ? 0 : x > 0 ? x + 16 * top : x - 16 * top;
}

/* The outcomes of each of the two words of a draw at scale 8, separately. */
struct tapes {
    int8_t low[WORDS]; /* -16 .. 16 by the first, or OPEN */
    int8_t top[WORDS]; /* 0 .. 15 by the second, or OPEN */
    uint64_t low_count[2 * SIDES + 1], low_head[2 * SIDES + 1];
    uint64_t top_count[16], top_head[16];
};

/*
 * Draws with each first word, the second being 0, and with each second word,
 * the first being one that gives 1.
 */
static void
read_tapes(const custos_noise *noise, struct tapes *t)
{
    const uint64_t one = noise->dials.cut[0][0] + 2; /* last bit 0: + */

    memset(t, 0, sizeof *t);
    for (uint64_t a = 0; a < WORDS; a++) {
        const uint64_t low[2] = {a, 0}, top[2] = {one, a};
        i128 x;

        t->low[a] = t->top[a] = OPEN;
        if (draw_taped(noise, low, 2, &x)) {
            assert_true(x >= -SIDES && x <= SIDES);
            assert_true(x == 0 || (x < 0) == (a & 1)); /* the last bit */
            t->low[a] = (int8_t)x;
            t->low_count[x + SIDES]++;
            t->low_head[x + SIDES] = a;
        }
        if (draw_taped(noise, top, 2, &x)) {
            assert_true(x > 0 && x % 16 == 1 && x / 16 < 16);
            t->top[a] = (int8_t)(x / 16);
            t->top_count[x / 16]++;
            t->top_head[x / 16] = a;
        }
    }
}

/*
 * A tape of both words gives what they give separately, or is open if one of
 * them is.
 */
static void
check_pair(const custos_noise *noise, const struct tapes *t, uint64_t first,
           uint64_t second)
{
    const uint64_t tape[2] = {first, second};
    i128 x;

    if (draw_taped(noise, tape, 2, &x))
        assert_true(t->low[first] != OPEN && t->top[second] != OPEN &&
                    x == with_top(t->low[first], t->top[second]));
    else
        assert_true(t->low[first] == OPEN || t->top[second] == OPEN);
}

/*
 * Discrete Laplace of scale 8: a word for 0, sign and lowest digit, a word for
 * the top digit. The draw is what the two words give separately: checked for
 * every first word with a second one of each of the five likeliest outcomes,
 * and for every second word with a first one of each outcome. So the weights of
 * two words multiply, and bound P[x]. Both signs have equal weight.
 */
static void
law_laplace_by_tapes(void **state)
{
    custos_noise *noise = make_noise(CUSTOS_DISCRETE_LAPLACE, "8");
    const uint64_t step = getenv("CUSTOS_QUICK") ? 13 : 1;
    struct tapes *t = malloc(sizeof *t);
    rat scale = ref_rat("8");
    mpfr_t p;

    (void)state;
    assert_non_null(t);
    assert_int_equal(noise->dials.count, 2);
    read_tapes(noise, t);
    for (size_t e = 0; e < 5; e++) {
        assert_true(t->top_count[e] > 0);
        for (uint64_t a = 0; a < WORDS; a += step)
            check_pair(noise, t, a, t->top_head[e]);
    }
    for (size_t x = 0; x <= 2 * SIDES; x++) {
        assert_true(t->low_count[x] > 0);
        assert_true(t->low_count[x] == t->low_count[2 * SIDES - x]);
        for (uint64_t b = 0; b < WORDS; b += step)
            check_pair(noise, t, t->low_head[x], b);
    }
    mpfr_init2(p, REF_BITS);
    for (int x = -80; x <= 80; x++) {
        int size = x < 0 ? -x : x, digit = (size - 1) % 16 + 1;
        u128 low = t->low_count[SIDES + (size == 0 ? 0
                                         : x < 0   ? -digit
                                                   : digit)];
        u128 top = size == 0 ? WORDS : t->top_count[(size - 1) / 16];

        /* The open words of an outcome equal one of its two cuts. */
        ref_laplace(p, &scale, x);
        ref_between(p, 32, low * top, (low + 2) * (size == 0 ? top : top + 2));
    }
    mpfr_clear(p);
    rat_clear(&scale);
    free(t);
    custos_noise_free(noise);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_dial),
        cmocka_unit_test(every_second_word_of_the_lowest_dial),
        cmocka_unit_test(law_geometric_by_tapes),
        cmocka_unit_test(law_laplace_by_tapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
