/*
 * THEOREM  uniform-by-product
 *   For a uniform word w below 2^W, let w n = h 2^W + l. Given
 *   l >= 2^W mod n, h is uniform on 0 .. n-1.
 * SOURCE   Lemire 2019, arXiv:1805.10941, section 4.
 * NEEDS    1 <= n <= 2^W.
 * GIVES    *out is uniform; the number of words drawn is independent of it.
 * FAILS    CUSTOS_EENTROPY.
 * TESTED   every_word_of_every_die
 *
 * THEOREM  bernoulli-by-digits
 *   A uniform real U in [0, 1), read word by word, is below p with probability
 *   p; the first word at which U and p differ decides.
 * SOURCE   von Neumann 1951; Devroye 1986, "Non-Uniform Random Variate
 *          Generation", ch. II.
 * NEEDS    0 <= p <= 1.
 * GIVES    *heads ~ Bernoulli(p), exactly; for slope_flip p = exp(-rate gap).
 * FAILS    CUSTOS_EENTROPY, CUSTOS_EINTERNAL; both depend only on the coins.
 * TESTED   every_word_of_every_coin, law_bernoulli_by_tapes,
 *          law_slope_by_tapes
 */
#include "noise/coin.h"

#include "base/base.h"
#include "noise/dials.h"
#include "noise/expfix.h"
#include "noise/word.h"
#include "random/rng.h"

custos_status
coin_flip(custos_rng *rng, const rat *p, bool *heads)
{
    uint64_t drawn = 0, digits = 0;
    uint8_t tie = 1;

    CUSTOS_REQUIRE(rat_sign(p) >= 0 && rat_cmp_i64(p, 1) <= 0);
    for (size_t k = 0; tie; k++) {
        custos_status st = rng_words(rng, &drawn, 1);

        if (st)
            return st;
        drawn = (word)drawn;
        if (rat_cmp_i64(p, 1) == 0) {
            *heads = true;
            return CUSTOS_OK;
        }
        digits = rat_word(p, NOISE_WORD_BITS, k);
        tie = drawn == digits;
        ct_open(&tie, sizeof tie);
    }
    *heads = drawn < digits;
    return CUSTOS_OK;
}

custos_status
die_roll(custos_rng *rng, uint64_t n, uint64_t *out)
{
    word_pair sides = (word_pair)n, product;
    word excess; /* 2^W mod n */
    uint8_t rejected;

    CUSTOS_REQUIRE(n >= 1 && (word)(n - 1) == n - 1);
    excess = (word)(((word_pair)1 << NOISE_WORD_BITS) % sides);
    do {
        uint64_t drawn;
        custos_status st = rng_words(rng, &drawn, 1);

        if (st)
            return st;
        product = (word_pair)((word)drawn) * sides;
        rejected = (word)product < excess;
        ct_open(&rejected, sizeof rejected);
    } while (rejected);
    *out = (uint64_t)(product >> NOISE_WORD_BITS);
    return CUSTOS_OK;
}

custos_status
slope_init(struct slope *s, const rat *rate)
{
    rat scaled, limit;
    long e;

    CUSTOS_REQUIRE(rat_sign(rate) > 0);
    e = rat_log2_floor(rate);
    if (e < SLOPE_LOG2_MIN || e >= 64)
        return CUSTOS_ERANGE;
    rat_init(&s->rate);
    rat_set(&s->rate, rate);
    rat_init(&scaled);
    rat_init(&limit);
    s->shift = 63 - e;
    rat_set_pow2(&limit, s->shift);
    rat_mul(&scaled, rate, &limit);
    CUSTOS_REQUIRE(rat_floor_u64(&scaled, &s->mantissa));
    rat_clear(&limit);
    rat_clear(&scaled);
    return CUSTOS_OK;
}

void
slope_clear(struct slope *s)
{
    rat_clear(&s->rate);
}

/*
 * z = gap * rate with 58 fraction bits. mantissa * 2^-shift is below the rate
 * by a relative error of at most 2^-63. So a z below 64 is too low by less
 * than 2 units, and truncation adds less than one unit. A z of 64 or more
 * becomes 64 minus one unit, where exp is below 2^-92.
 * doc/proofs/exp-fixed-error.md adds up the errors.
 */
uint64_t
slope_exp(const struct slope *s, uint64_t gap)
{
    u128 product = (u128)gap * s->mantissa; /* z * 2^shift */
    long down = s->shift - EXP_Z_BITS;      /* public, at least -58 */
    u128 z = down >= 128 ? 0 : down >= 0 ? product >> down : product << -down;
    u128 lost = down >= 0 ? 0 : product >> (128 + down);
    uint64_t far = (uint64_t)0 - ((z >> 64 | lost) != 0);

    return exp_fixed((uint64_t)z | far);
}

static void
eval_exp(const void *p, ival *out)
{
    ival_set_rat(out, p);
    ival_exp(out, out);
}

/* Decides the coin of one gap exactly, for the U that begins with head. */
static custos_status
slope_settle(const struct slope *s, uint64_t gap, word head, custos_rng *rng,
             uint8_t *heads)
{
    custos_status st;
    unsigned below = 0;
    rat exponent;
    struct real p = {REAL_ITSELF, eval_exp, &exponent};

    *heads = 1;
    if (gap == 0)
        return CUSTOS_OK;
    rat_init(&exponent);
    rat_set_i128(&exponent, -(i128)gap);
    rat_mul(&exponent, &exponent, &s->rate);
    st = real_at_or_below(p, head, rng, &below);
    *heads = !below;
    rat_clear(&exponent);
    return st;
}

custos_status
slope_flip(const struct slope *s, custos_rng *rng, const uint64_t *gaps,
           size_t n, uint8_t *heads)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t w, p = slope_exp(s, gaps[i]);
        custos_status st = rng_words(rng, &w, 1);
        struct exp_verdict v;

        if (!st) {
            v = exp_compare(p, (word)w);
            heads[i] = v.below;
            ct_open(&v.undecided, sizeof v.undecided);
            if (v.undecided)
                st = slope_settle(s, gaps[i], (word)w, rng, &heads[i]);
        }
        wipe(&w, sizeof w);
        if (st)
            return st;
    }
    return CUSTOS_OK;
}
