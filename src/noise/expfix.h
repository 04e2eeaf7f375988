/*
 * exp(-z) in fixed point, integers only, the same steps for every z.
 *
 * THEOREM  exp-fixed-error
 *   For z = Z * 2^-58, 0 <= z < 64, exp_fixed(Z) differs from 2^63 exp(-z) by
 *   less than EXP_STEPS = 16 units.
 * SOURCE   doc/proofs/exp-fixed-error.md
 * NEEDS    any Z: all 64-bit words are below 64 * 2^58.
 * GIVES    |exp_fixed(Z) - 2^63 exp(-Z 2^-58)| < 16 and exp_fixed(Z) < 2^63.
 * FAILS    cannot.
 * TESTED   exp_fixed_is_within_its_error
 */
#ifndef NOISE_EXPFIX_H
#define NOISE_EXPFIX_H

#include <stdint.h>

#include "base/base.h"
#include "noise/word.h"

enum {
    EXP_Z_BITS = 58,       /* fraction bits of z */
    EXP_TERMS = 9,         /* Taylor terms after the constant */
    EXP_FACTORS = 10,      /* exp(-2^k), k = 5 .. -4 */
    EXP_ERROR = 1 << 7,    /* units of 2^-63: what callers allow for, 2^-56 */
};

/* Whether a coin lies below a probability known to within EXP_ERROR. */
struct exp_verdict {
    uint8_t below;     /* certainly */
    uint8_t undecided; /* neither certainly below nor certainly not */
};

/* exp(-2^k) * 2^64 rounded down, k = 5 down to -4; exp_table.c has them. */
extern const uint64_t exp_factor[EXP_FACTORS];

/* 2^63 / k!, k = 0 .. EXP_TERMS, rounded to nearest. */
extern const uint64_t exp_taylor[EXP_TERMS + 1];

static inline uint64_t
mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((u128)a * b >> 64);
}

/*
 * z = n/16 + f with f < 1/16. exp(-f) by Horner on the alternating series,
 * then one factor exp(-2^k) for every bit of n, taken or left by a mask.
 */
static inline uint64_t
exp_fixed(uint64_t z)
{
    uint64_t f = z << 6; /* the fraction f in units of 2^-64, 4 bits too many */
    uint64_t p = exp_taylor[EXP_TERMS];

    f &= UINT64_MAX >> 4;
    for (int k = EXP_TERMS - 1; k >= 0; k--)
        p = exp_taylor[k] - mul_high(f, p);
    for (int k = 0; k < EXP_FACTORS; k++) {
        uint64_t taken = -(z >> (63 - k) & 1);

        p = (p & ~taken) | (mul_high(p, exp_factor[k]) & taken);
    }
    return p - (p >> 63); /* 1 itself becomes the largest value below it */
}

/* Compares the coin U that begins with `head` with p units of 2^-63. */
static inline struct exp_verdict
exp_compare(uint64_t p, word head)
{
    const int64_t span = (int64_t)((((u128)1 << (64 - NOISE_WORD_BITS)) - 1) >> 1);
    /* low <= U < low + span + 1 in those units, whatever words follow. */
    int64_t low = (int64_t)((uint64_t)head << (64 - NOISE_WORD_BITS) >> 1);
    uint8_t below = low + span < (int64_t)p - EXP_ERROR;
    uint8_t not_below = low - EXP_ERROR >= (int64_t)p;

    return (struct exp_verdict){below, (uint8_t)((below | not_below) ^ 1)};
}

#endif
