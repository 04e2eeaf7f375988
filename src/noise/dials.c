/*
 * Makes dials, reads words on them, and settles ties.
 *
 * THEOREM  geometric-digits
 *   Let G be geometric, P[G >= k] = exp(-r k). Its base-16 digits D_j are
 *   independent, and with a = r 16^j (d + 1), b = r 16^(j+1),
 *   P[D_j > d] = exp(-a) (1 - exp(a - b)) / (1 - exp(-b)). The quotient above
 *   the low J digits is geometric with rate r 16^J: P[D_J > d] = exp(-a).
 * SOURCE   doc/proofs/geometric-digits.md
 * NEEDS    r > 0; words that are independent and uniform.
 * GIVES    if CUSTOS_OK, the digits are exactly those of a geometric variable.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL after 2^15 equal words. Both
 *          depend only on the coins.
 * TESTED   law_geometric_by_tapes, every_word_of_every_dial,
 *          flipped_bits_are_noticed
 *
 * THEOREM  laplace-without-rejection
 *   Let Z be 1 with probability tanh(r/2), else 0, let S be + or - with equal
 *   probability, and G geometric as above, all independent. The variable that
 *   is 0 if Z is 1, and S (1 + G) otherwise, has the law
 *   P[x] = tanh(r/2) exp(-r |x|) on the integers.
 * SOURCE   doc/proofs/geometric-digits.md
 * NEEDS    r > 0. Z and G's lowest digit share a dial:
 *          P[outcome > 0] = P[Z = 0] and
 *          P[outcome > d + 1] = P[Z = 0] P[D_0 > d]. S is the bit of its word
 *          that the dial does not use.
 * GIVES    discrete Laplace of scale 1/r, exactly, with no loop.
 * FAILS    as above.
 * TESTED   law_laplace_by_tapes, laplace_fits_thirty_scales
 */
#include "noise/dials.h"

#include <string.h>

#include "base/base.h"
#include "noise/tails.h"
#include "random/rng.h"

/* ------------------------------------------------------------- cuts -- */

/* r 16^j (cut + 1) for dial j, exactly; cut = 15 gives r 16^(j+1). */
static void
digit_exponent(const struct cut_of *of, size_t cut, rat *out)
{
    const struct dials *d = of->dials;
    rat factor;

    rat_init(&factor);
    rat_set_pow2(&factor, (long)(4 * of->dial));
    rat_mul(out, &d->rate, &factor);
    rat_set_i64(&factor, (int64_t)cut + 1, 1);
    rat_mul(out, out, &factor);
    rat_clear(&factor);
}

/* P[D_j > cut] for a digit below the top one. */
static void
eval_digit_tail(const void *p, ival *out)
{
    const struct cut_of *of = p;
    rat a, b;
    ival x;

    rat_init(&a);
    rat_init(&b);
    ival_init(&x, mpfr_get_prec(out->lo));
    digit_exponent(of, of->cut, &a);
    digit_exponent(of, DIAL_CUTS - 1, &b);
    rat_sub(&b, &a, &b); /* a - b < 0 */
    ival_set_rat(&x, &b);
    ival_expm1(&x, &x);
    digit_exponent(of, DIAL_CUTS - 1, &b);
    ival_set_rat(out, &b);
    ival_neg(out, out);
    ival_expm1(out, out);
    ival_div(&x, &x, out);
    ival_set_rat(out, &a);
    ival_neg(out, out);
    ival_exp(out, out);
    ival_mul(out, out, &x);
    ival_clear(&x);
    rat_clear(&b);
    rat_clear(&a);
}

/*
 * P[outcome > cut] of the dial whose outcome 0 means a draw of 0; for cut = 0
 * it is 1 - tanh(r/2).
 */
static void
eval_zero_tail(const void *p, ival *out)
{
    const struct cut_of *of = p;
    const struct cut_of digit = {of->dials, of->dial, of->cut - 1};
    ival other, one;

    ival_init(&other, mpfr_get_prec(out->lo));
    ival_init(&one, mpfr_get_prec(out->lo));
    ival_set_i64(&one, 1);
    ival_set_rat(&other, &of->dials->rate);
    ival_exp(&other, &other);
    ival_add(&other, &other, &one);
    ival_div(&other, &one, &other);
    ival_mul_pow2(&other, &other, 1); /* 2 / (1 + exp(r)) */
    if (of->cut == 0) {
        ival_set(out, &other);
    } else {
        eval_digit_tail(&digit, out);
        ival_mul(out, out, &other);
    }
    ival_clear(&one);
    ival_clear(&other);
}

/* P[D_J > cut] = exp(-a) for the top digit. */
static void
eval_top_tail(const void *p, ival *out)
{
    const struct cut_of *of = p;
    rat a;

    rat_init(&a);
    digit_exponent(of, of->cut, &a);
    ival_set_rat(out, &a);
    ival_neg(out, out);
    ival_exp(out, out);
    rat_clear(&a);
}

struct real
dials_cut(const struct cut_of *of)
{
    const struct dials *d = of->dials;

    if (of->dial == 0 && d->sign)
        return (struct real){REAL_ONE_MINUS, eval_zero_tail, of};
    if (of->dial + 1 < d->count)
        return (struct real){REAL_ONE_MINUS, eval_digit_tail, of};
    return (struct real){REAL_ONE_MINUS, eval_top_tail, of};
}

/*
 * The least number of digits, at least `least`, such that the top one exceeds
 * 15 with probability below 2^-64. Then its 16th cut begins with a word of
 * ones, which no word exceeds, so only dials_settle can give more than 15.
 * (0.6932 is just above ln 2.)
 */
static size_t
digits_needed(const rat *rate, size_t least)
{
    size_t digits = least;
    rat reach, enough;

    rat_init(&reach);
    rat_init(&enough);
    rat_set_i64(&enough, INT64_C(6932) * NOISE_WORD_BITS, 10000);
    for (;; digits++) {
        rat_set_pow2(&reach, (long)(4 * digits));
        rat_mul(&reach, &reach, rate);
        if (rat_cmp(&reach, &enough) >= 0)
            break;
    }
    rat_clear(&enough);
    rat_clear(&reach);
    return digits;
}

/* How many bits of U the first word of dial i has: all but the sign's. */
static unsigned
first_bits(const struct dials *d, size_t i)
{
    return i == 0 && d->sign ? NOISE_WORD_BITS - 1 : NOISE_WORD_BITS;
}

/* The first word of cut c of dial i. t must be at digit i; tail is scratch. */
static custos_status
first_word(const struct dials *d, const struct tails *t, size_t i, size_t c,
           ival *tail, word *out)
{
    const unsigned bits = first_bits(d, i);
    custos_status st = CUSTOS_OK;
    uint64_t first = 0;

    if (i == 0 && d->sign)
        tails_zero(t, c, tail);
    else if (i + 1 < d->count)
        tails_digit(t, c, tail);
    else
        tails_top(t, c, tail);
    if (!ival_bits_one_minus(tail, bits, &first)) {
        /* UNREACHABLE: in practice (one rate in 2^100); correct if reached */
        struct cut_of of = {d, i, c};

        st = real_bits(dials_cut(&of), 0, bits, &first);
    }
    *out = (word)(first << (NOISE_WORD_BITS - bits));
    return st;
}

custos_status
dials_init(struct dials *d, enum dials_shape shape, const rat *rate)
{
    custos_status st = CUSTOS_OK, failed;
    struct tails tails;
    ival tail;

    memset(d, 0, sizeof *d);
    rat_init(&d->rate);
    rat_set(&d->rate, rate);
    d->sign = shape == DIALS_LAPLACE;
    /*
     * The 16 cuts of a top digit do not fit in row 0 of the two-sided law,
     * which therefore has at least two digits.
     */
    d->count = digits_needed(rate, d->sign ? 2 : 1);
    CUSTOS_REQUIRE(d->count <= DIALS_MAX);
    memset(d->cut, 0xff, sizeof d->cut);
    tails_init(&tails, rate);
    ival_init(&tail, TAILS_BITS);
    for (size_t i = 0; i < d->count; i++) {
        d->cuts[i] = i + 1 == d->count || (i == 0 && d->sign) ? DIAL_CUTS
                                                              : DIAL_CUTS - 1;
        for (size_t c = 0; c < d->cuts[i]; c++) {
            failed = first_word(d, &tails, i, c, &tail, &d->cut[i][c]);
            if (failed) /* UNREACHABLE: these cuts are never dyadic */
                st = failed;
        }
        for (size_t c = 0; c < DIAL_CUTS; c++)
            d->across[i][4 * (c % 4) + c / 4] = d->cut[i][c] ^ UINT64_C(1)
                                                                   << 63;
        if (i + 1 < d->count)
            tails_next(&tails);
    }
    ival_clear(&tail);
    tails_clear(&tails);
    if (st) /* UNREACHABLE: as above */
        dials_clear(d);
    return st;
}

void
dials_clear(struct dials *d)
{
    rat_clear(&d->rate);
}

/* ---------------------------------------------------------- reading -- */

/*
 * How many cuts are below w; sets *tie to 1 if a cut equals it. Counting the
 * cuts above as well is the cheapest way to notice a tie without a branch.
 */
static inline uint64_t
read_dial(const word cut[DIAL_CUTS], word w, uint64_t *tie)
{
    uint64_t below = 0, above = 0;

    UNROLL
    for (size_t c = 0; c < DIAL_CUTS; c++) {
        below += cut[c] < w;
        above += w < cut[c];
    }
    *tie |= below + above != DIAL_CUTS;
    return below;
}

/* The part of row 0's word that is compared: all bits but the sign. */
static inline word
strip_sign(const struct dials *d, word w)
{
    word sign = d->sign;

    return (word)(w & ~sign);
}

/*
 * Sets the sign of draw k and returns its digit, from the outcome and the last
 * bit of row 0's word, for the two-sided law.
 */
static inline uint64_t
take_sign(const struct dials *d, struct outcomes *out, size_t k, word w,
          uint64_t outcome)
{
    uint64_t some = d->sign & (outcome != 0);

    out->sign[k] = ((uint64_t)0 - some) & (1 + (w & d->sign));
    return outcome - some;
}

/* Adds digit j of draw k at its position. */
static inline void
place_digit(struct outcomes *out, size_t k, size_t j, uint64_t digit)
{
    if (j < DIGITS_LOW)
        out->low[k] += digit << (4 * j);
    else
        out->high[k] += digit << (4 * (j - DIGITS_LOW));
}

uint64_t
dials_scan(const struct dials *d, const uint64_t *words, size_t from, size_t n,
           struct outcomes *out)
{
    uint64_t ties = 0;

    for (size_t k = from; k < n; k++) {
        uint64_t tie = 0;
        word w = (word)words[k];

        out->high[k] = 0;
        out->low[k] = read_dial(d->cut[0], strip_sign(d, w), &tie);
        out->low[k] = take_sign(d, out, k, w, out->low[k]);
        for (size_t j = 1; j < d->count; j++)
            place_digit(out, k, j,
                        read_dial(d->cut[j], (word)words[j * n + k], &tie));
        ties |= tie << k;
    }
    return ties;
}

/* --------------------------------------------------------- settling -- */

custos_status
real_at_or_below(struct real x, word head, custos_rng *rng, unsigned *below)
{
    uint64_t digits, drawn = head;
    custos_status st = real_bits(x, 0, NOISE_WORD_BITS, &digits);

    for (size_t k = 1; !st && drawn == digits; k++) {
        st = real_bits(x, NOISE_WORD_BITS * k, NOISE_WORD_BITS, &digits);
        if (!st)
            st = rng_words(rng, &drawn, 1);
        drawn = (word)drawn;
    }
    if (!st)
        *below = drawn > digits;
    return st;
}

/*
 * The outcome of one dial for the U that begins with head. Cuts that tie are
 * compared with the same further words of U, until each has differed.
 */
static custos_status
settle_dial(const struct dials *d, size_t i, word head, custos_rng *rng,
            uint64_t *outcome)
{
    uint64_t drawn = head, digits[DIAL_CUTS] = {0};
    bool open[DIAL_CUTS] = {false};
    size_t left = 0, seen = first_bits(d, i);

    *outcome = 0;
    for (size_t c = 0; c < d->cuts[i]; c++) {
        *outcome += head > d->cut[i][c];
        open[c] = head == d->cut[i][c];
        left += open[c];
    }
    for (; left > 0; seen += NOISE_WORD_BITS) {
        custos_status st = rng_words(rng, &drawn, 1);

        for (size_t c = 0; !st && c < d->cuts[i]; c++) {
            struct cut_of of = {d, i, c};

            if (open[c])
                st = real_bits(dials_cut(&of), seen, NOISE_WORD_BITS,
                               &digits[c]);
        }
        if (st)
            return st;
        drawn = (word)drawn;
        for (size_t c = 0; c < d->cuts[i]; c++) {
            if (!open[c] || drawn == digits[c])
                continue;
            *outcome += drawn > digits[c];
            open[c] = false;
            left--;
        }
    }
    return CUSTOS_OK;
}

/*
 * The top digit exceeds 15: the law is memoryless, so 16 is added and the
 * digit is drawn anew. place_settled has room for 2^56 such steps, each of
 * probability below 2^-64.
 */
static custos_status
settle_top(const struct dials *d, custos_rng *rng, uint64_t *digit)
{
    custos_status st = CUSTOS_OK;
    uint64_t more = DIAL_CUTS;

    *digit = 0;
    while (!st && more == DIAL_CUTS) {
        uint64_t w;

        *digit += DIAL_CUTS;
        st = rng_words(rng, &w, 1);
        if (!st)
            st = settle_dial(d, d->count - 1, (word)w, rng, &more);
    }
    *digit += more;
    return st;
}

/* Adds a digit that may exceed 15 at its position; low stays below 2^60. */
static void
place_settled(struct outcomes *out, size_t k, size_t j, uint64_t digit)
{
    u128 sum = ((u128)digit << (4 * j)) + out->low[k];

    out->low[k] = (uint64_t)sum & UINT64_MAX >> (64 - 4 * DIGITS_LOW);
    out->high[k] += (uint64_t)(sum >> (4 * DIGITS_LOW));
}

custos_status
dials_settle(const struct dials *d, custos_rng *rng, const uint64_t *words,
             size_t i, size_t n, struct outcomes *out)
{
    custos_status st = CUSTOS_OK;

    out->low[i] = out->high[i] = out->sign[i] = 0;
    for (size_t k = 0; !st && k < d->count; k++) {
        word w = (word)words[k * n + i], head = k == 0 ? strip_sign(d, w) : w;
        uint64_t digit;

        st = settle_dial(d, k, head, rng, &digit);
        if (!st && k == 0)
            digit = take_sign(d, out, i, w, digit);
        if (!st && k + 1 == d->count && digit == DIAL_CUTS)
            st = settle_top(d, rng, &digit);
        if (!st)
            place_settled(out, i, k, digit);
    }
    return st;
}
