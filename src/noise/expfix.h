/*
 * exp(-z) in fixed point, with integers only and the same steps for every z.
 *
 * THEOREM  exp-fixed-error
 *   For z = Z * 2^-58, 0 <= z < 64, exp_fixed(Z) differs from 2^63 exp(-z) by
 *   less than 512 units.
 * SOURCE   doc/proofs/exp-fixed-error.md
 * NEEDS    nothing: all 64-bit words are below 64 * 2^58.
 * GIVES    |exp_fixed(Z) - 2^63 exp(-Z 2^-58)| < 512 and exp_fixed(Z) < 2^63.
 * FAILS    cannot.
 * TESTED   exp_fixed_is_within_its_error
 */
#ifndef NOISE_EXPFIX_H
#define NOISE_EXPFIX_H

#include <stdint.h>

#include "base/base.h"
#include "noise/word.h"

enum {
    EXP_Z_BITS = 58,     /* fraction bits of z */
    EXP_TERMS = 9,       /* Taylor terms after the constant */
    EXP_PAIRS = 5,       /* pairs of bits of z that have a factor */
    EXP_SHORT = 5,       /* terms from this one on need half the digits */
    EXP_ERROR = 1 << 10, /* units of 2^-63 that callers allow for: 2^-53 */
};

/* Whether a coin is below a probability that is known to within EXP_ERROR. */
struct exp_verdict {
    uint8_t below;     /* certainly */
    uint8_t undecided; /* neither certainly below nor certainly not */
};

/*
 * 2^63 exp(-x), rounded down, for the four values x of each pair of bits of z:
 * first the pair of 32 and 16, last that of 1/8 and 1/16.
 */
extern const uint64_t exp_factor[EXP_PAIRS][4];

/* 2^63 / k!, k = 0 .. EXP_TERMS, rounded to nearest. */
extern const uint64_t exp_taylor[EXP_TERMS + 1];

static inline uint64_t
mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((u128)a * b >> 64);
}

/* One of four values, by two bits; reads all four. */
static inline uint64_t
choose_of_four(const uint64_t of[4], uint64_t bits)
{
    uint64_t one = (uint64_t)0 - (bits & 1),
             two = (uint64_t)0 - (bits >> 1 & 1);
    uint64_t low = of[0] ^ ((of[0] ^ of[1]) & one);
    uint64_t high = of[2] ^ ((of[2] ^ of[3]) & one);

    return low ^ ((low ^ high) & two);
}

/*
 * z = n/16 + f with f < 1/16. exp(-f) comes from Horner's scheme on the
 * alternating series, then there is a factor for every pair of bits of n. All
 * have 63 fraction bits, so the high word of a product is doubled.
 */
static inline uint64_t
exp_fixed(uint64_t z)
{
    uint64_t f = z << 6 & UINT64_MAX >> 4; /* with 64 fraction bits */
    uint64_t p = exp_taylor[EXP_TERMS];

    for (int k = EXP_TERMS - 1; k >= EXP_SHORT; k--)
        p = exp_taylor[k] - (f >> 32) * (p >> 32);
    for (int k = EXP_SHORT - 1; k >= 0; k--)
        p = exp_taylor[k] - mul_high(f, p);
    for (int k = 0; k < EXP_PAIRS; k++)
        p = mul_high(p, choose_of_four(exp_factor[k], z >> (62 - 2 * k))) << 1;
    return p - (p >> 63); /* 1 becomes the largest value below it */
}

/* Compares the coin U that begins with `head` with p, in units of 2^-63. */
static inline struct exp_verdict
exp_compare(uint64_t p, word head)
{
    const int64_t span =
        (int64_t)((((u128)1 << (64 - NOISE_WORD_BITS)) - 1) >> 1);
    /* low <= U < low + span + 1 in these units, whatever words follow. */
    int64_t low = (int64_t)((uint64_t)head << (64 - NOISE_WORD_BITS) >> 1);
    uint8_t below = low + span < (int64_t)p - EXP_ERROR;
    uint8_t not_below = low - EXP_ERROR >= (int64_t)p;

    return (struct exp_verdict){below, (uint8_t)((below | not_below) ^ 1)};
}

#endif
