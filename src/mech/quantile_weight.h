/*
 * Weights in fixed point with a common binary exponent, and the choice of one
 * of them. Proved in doc/proofs/quantile-cut.md, *the scan*.
 */
#ifndef MECH_QUANTILE_WEIGHT_H
#define MECH_QUANTILE_WEIGHT_H

#include "mech/inverse.h"
#include "mech/quantile_candidate.h"
#include "noise/expfix.h"

enum {
    WEIGHT_Z_LOG2 = 12, /* exp(-2^12) vanishes against the best weight */
    WEIGHT_EXPONENT_ZERO = 8192,
};

/* mantissa 2^exponent 2^-WEIGHT_EXPONENT_ZERO, up to a common factor. */
struct weight {
    uint64_t mantissa;
    uint64_t exponent;
};

/*
 * rate * distance with EXP_Z_BITS fraction bits, below 2^12. The slope's
 * mantissa is too low by a relative error of at most 2^-63.
 */
static inline u128
exponent_fixed(const struct slope *s, uint64_t distance)
{
    const u128 most = ((u128)1 << (WEIGHT_Z_LOG2 + EXP_Z_BITS)) - 1;
    u128 product = (u128)distance * s->mantissa; /* z * 2^shift */
    long down = s->shift - EXP_Z_BITS;           /* public, at least -10 */
    u128 z = down >= 128 ? 0 : down >= 0 ? product >> down : product << -down;
    u128 lost = down >= 0 ? 0 : product >> (128 + down);
    u128 far =
        (u128)mask_less_i128(0, (i128)(z >> 1 & ~(most >> 1)) | (i128)lost);

    return (most & far) | (z & ~far);
}

/* exp(-rate distance) as mantissa 2^-halvings, to one part in 2^50. */
struct decay {
    uint64_t mantissa, halvings;
};

static inline struct decay
decay_of(const struct slope *slope, uint64_t distance)
{
    /* floor(2^32 / ln 2) and floor(2^90 ln 2) */
    const uint64_t per_log = UINT64_C(6196328018);
    const u128 log_of_two =
        (u128)UINT64_C(0x2c5c85f) << 64 | UINT64_C(0xdf473de6af278ece);
    u128 z = exponent_fixed(slope, distance);
    uint64_t halvings = (uint64_t)(z >> (EXP_Z_BITS - 12)) * per_log >> 44;
    uint64_t rest = (uint64_t)(((z << 32) - halvings * log_of_two) >> 32);

    return (struct decay){exp_fixed(rest), halvings};
}

/*
 * length times a weight; 0 if the length is 0. The length is cut to its first
 * 64 bits.
 */
static inline struct weight
weight_times(struct weight w, u128 length)
{
    uint64_t high = (uint64_t)(length >> 64), low = (uint64_t)length;
    uint64_t wide = mask_less(0, high), some = mask_less(0, high | low);
    unsigned lead = (unsigned)__builtin_clzll(choose_by_mask(wide, high, low) |
                                              (1 & ~some));
    /* The length, shifted so that its first bit is the top one of 64. */
    uint64_t scaled = choose_by_mask(
        wide, high << lead | low >> 1 >> (63 - lead), low << lead);

    return (struct weight){
        .mantissa = mul_high(w.mantissa, scaled) & some,
        .exponent = (w.exponent + (64 & wide) - lead) & some,
    };
}

/* length exp(-rate distance). */
static inline struct weight
weight_of(struct decay d, u128 length)
{
    return weight_times(
        (struct weight){d.mantissa, WEIGHT_EXPONENT_ZERO - d.halvings}, length);
}

/*
 * Weights one after the other; the first member of a walk of some kind. The walk
 * may leave out weights at the end that are below 2^-64 of the largest one.
 */
struct walk {
    uint64_t n, all; /* that it has, and with those that it leaves out */
    void (*rewind)(struct walk *w);
    struct weight (*next)(struct walk *w);
};

/*
 * Chooses one of w->all weights, proportionally; `exact` encloses all of them.
 * Time and memory depend only on w->n, except with small probability. May fail:
 * CUSTOS_ENOMEM, CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status walk_choose(const custos_alloc *alloc,
                                          struct walk *w,
                                          const struct weights *exact,
                                          custos_rng *rng, size_t *winner);

#endif
