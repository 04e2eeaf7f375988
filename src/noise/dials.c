/*
 * Making, reading and settling dials.
 *
 * THEOREM  geometric-digits
 *   Let G be geometric, P[G >= k] = exp(-r k). Its base-16 digits D_j are
 *   independent, and with a = r 16^j (d + 1), b = r 16^(j+1),
 *   P[D_j > d] = exp(-a) (1 - exp(a - b)) / (1 - exp(-b)); the rest above the
 *   low J digits is geometric with rate r 16^J: P[D_J > d] = exp(-a).
 * SOURCE   doc/proofs/geometric-digits.md
 * NEEDS    r > 0; words independent and uniform.
 * GIVES    given CUSTOS_OK, the digits are those of a geometric variable,
 *          exactly.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL after 2^15 equal words. Both
 *          depend on coins only.
 * TESTED   law_geometric_by_tapes, every_word_of_every_dial,
 *          flipped_bits_are_noticed
 *
 * THEOREM  laplace-without-rejection
 *   If S is 0, + or - with probabilities tanh(r/2), (1 - tanh(r/2))/2 and the
 *   same, and G is geometric as above, then S (1 + G) (0 when S is 0) has the
 *   law P[x] = tanh(r/2) exp(-r |x|) on the integers.
 * SOURCE   doc/proofs/geometric-digits.md
 * NEEDS    r > 0; S and G independent.
 * GIVES    discrete Laplace of scale 1/r, exactly, with no loop.
 * FAILS    as above.
 * TESTED   law_laplace_by_tapes, laplace_fits_thirty_scales
 */
#include "noise/dials.h"

#include <string.h>

#include "base/base.h"
#include "random/rng.h"

/* ------------------------------------------------------------- cuts -- */

/* r 16^j (d + 1), exactly; d = 15 gives r 16^(j+1). */
static void
digit_exponent(const struct cut_of *of, size_t cut, rat *out)
{
    const struct dials *d = of->dials;
    rat factor;

    rat_init(&factor);
    rat_set_pow2(&factor, (long)(4 * (of->dial - d->sign)));
    rat_mul(out, &d->rate, &factor);
    rat_set_i64(&factor, (int64_t)cut + 1, 1);
    rat_mul(out, out, &factor);
    rat_clear(&factor);
}

/* P[outcome > cut] for the sign's dial: 1 - tanh(r/2) and half of it. */
static void
eval_sign_tail(const void *p, ival *out)
{
    const struct cut_of *of = p;
    ival one;

    ival_init(&one, mpfr_get_prec(out->lo));
    ival_set_i64(&one, 1);
    ival_set_rat(out, &of->dials->rate);
    ival_exp(out, out);
    ival_add(out, out, &one);
    ival_div(out, &one, out); /* 1 / (1 + exp(r)) */
    if (of->cut == 0)
        ival_mul_pow2(out, out, 1);
    ival_clear(&one);
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

    if (of->dial < d->sign)
        return (struct real){REAL_ONE_MINUS, eval_sign_tail, of};
    if (of->dial + 1 < d->count)
        return (struct real){REAL_ONE_MINUS, eval_digit_tail, of};
    return (struct real){REAL_ONE_MINUS, eval_top_tail, of};
}

/*
 * Digits until the top one passes 15 with probability below 2^-64: then its
 * 16th cut begins with a word of ones, which no word exceeds, and the passing
 * happens in dials_settle alone. ln 2 < 0.6932.
 */
static size_t
digits_needed(const rat *rate)
{
    size_t digits = 1;
    rat reach, enough;

    rat_init(&reach);
    rat_init(&enough);
    rat_set_i64(&enough, 6932 * NOISE_WORD_BITS, 10000);
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

custos_status
dials_init(struct dials *d, enum dials_shape shape, const rat *rate)
{
    custos_status st = CUSTOS_OK, failed;

    memset(d, 0, sizeof *d);
    rat_init(&d->rate);
    rat_set(&d->rate, rate);
    d->sign = shape == DIALS_LAPLACE;
    d->count = d->sign + digits_needed(rate);
    CUSTOS_REQUIRE(d->count <= DIALS_MAX);
    memset(d->cut, 0xff, sizeof d->cut);
    for (size_t i = 0; i < d->count; i++) {
        d->cuts[i] = i < d->sign        ? SIGN_CUTS
                     : i + 1 < d->count ? DIAL_CUTS - 1
                                        : DIAL_CUTS;
        for (size_t c = 0; c < d->cuts[i]; c++) {
            struct cut_of of = {d, i, c};
            uint64_t first = 0;

            failed = real_word(dials_cut(&of), NOISE_WORD_BITS, 0, &first);
            if (failed) /* UNREACHABLE: these cuts are never dyadic */
                st = failed;
            d->cut[i][c] = (word)first;
        }
        for (size_t c = 0; c < DIAL_CUTS; c++)
            d->across[i][4 * (c % 4) + c / 4] = d->cut[i][c] ^ UINT64_C(1)
                                                                   << 63;
    }
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
 * How many of n cuts lie below w; *tie becomes 1 when one equals it. Counting
 * the cuts above as well is the cheapest way to see a tie without a branch.
 */
static inline uint64_t
read_dial(const word *cut, size_t n, word w, uint64_t *tie)
{
    uint64_t below = 0, above = 0;

    UNROLL
    for (size_t c = 0; c < n; c++) {
        below += cut[c] < w;
        above += w < cut[c];
    }
    *tie |= below + above != n;
    return below;
}

/* Puts digit j of draw k in its place. */
static inline void
place_digit(struct outcomes *out, size_t k, size_t j, uint64_t digit)
{
    if (j < DIGITS_LOW)
        out->low[k] += digit << (4 * j);
    else
        out->high[k] += digit << (4 * (j - DIGITS_LOW));
}

uint64_t
dials_scan(const struct dials *d, const uint64_t *words, size_t stride,
           size_t n, struct outcomes *out)
{
    uint64_t ties = 0;

    for (size_t k = 0; k < n; k++, words += stride) {
        uint64_t tie = 0;

        out->low[k] = out->high[k] = out->sign[k] = 0;
        if (d->sign)
            out->sign[k] =
                read_dial(d->cut[0], SIGN_CUTS, (word)words[0], &tie);
        for (size_t i = d->sign; i < d->count; i++)
            place_digit(out, k, i - d->sign,
                        read_dial(d->cut[i], DIAL_CUTS, (word)words[i], &tie));
        ties |= tie << k;
    }
    return ties;
}

/* --------------------------------------------------------- settling -- */

custos_status
real_at_or_below(struct real x, word head, custos_rng *rng, unsigned *below)
{
    uint64_t digits, drawn = head;
    custos_status st = real_word(x, NOISE_WORD_BITS, 0, &digits);

    for (size_t k = 1; !st && drawn == digits; k++) {
        st = real_word(x, NOISE_WORD_BITS, k, &digits);
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
 * compared with the same further words of U: the first to differ settles the
 * cuts whose digits so far agree, the others go on.
 */
static custos_status
settle_dial(const struct dials *d, size_t i, word head, custos_rng *rng,
            uint64_t *outcome)
{
    uint64_t drawn = head, digits[DIAL_CUTS];
    bool open[DIAL_CUTS];
    size_t left = 0;

    *outcome = 0;
    for (size_t c = 0; c < d->cuts[i]; c++) {
        *outcome += head > d->cut[i][c];
        open[c] = head == d->cut[i][c];
        left += open[c];
    }
    for (size_t k = 1; left > 0; k++) {
        custos_status st = rng_words(rng, &drawn, 1);

        for (size_t c = 0; !st && c < d->cuts[i]; c++) {
            struct cut_of of = {d, i, c};

            if (open[c])
                st = real_word(dials_cut(&of), NOISE_WORD_BITS, k, &digits[c]);
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
 * The top digit passes 15: the law is memoryless, so 16 is added and the digit
 * drawn anew. place_settled has room for 2^56 such steps, each of probability
 * 2^-64.
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

/* Puts a digit that may pass 15 in its place; low stays below 2^60. */
static void
place_settled(struct outcomes *out, size_t k, size_t j, uint64_t digit)
{
    u128 sum = ((u128)digit << (4 * j)) + out->low[k];

    out->low[k] = (uint64_t)sum & UINT64_MAX >> (64 - 4 * DIGITS_LOW);
    out->high[k] += (uint64_t)(sum >> (4 * DIGITS_LOW));
}

custos_status
dials_settle(const struct dials *d, custos_rng *rng, const uint64_t *words,
             size_t i, struct outcomes *out)
{
    custos_status st = CUSTOS_OK;

    out->low[i] = out->high[i] = out->sign[i] = 0;
    if (d->sign)
        st = settle_dial(d, 0, (word)words[0], rng, &out->sign[i]);
    for (size_t k = d->sign; !st && k < d->count; k++) {
        uint64_t digit;

        st = settle_dial(d, k, (word)words[k], rng, &digit);
        if (!st && digit == DIAL_CUTS)
            st = settle_top(d, rng, &digit);
        if (!st)
            place_settled(out, i, k - d->sign, digit);
    }
    return st;
}
