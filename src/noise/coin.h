/*
 * Single exact coins and dice for the mechanisms. Each has exactly its
 * distribution and takes the same time for every outcome, except for
 * refinement, of probability below 2^-50, and rejection, which is independent
 * of the outcome.
 */
#ifndef NOISE_COIN_H
#define NOISE_COIN_H

#include <stdbool.h>
#include <stdint.h>

#include "custos.h"
#include "num/rat.h"

/* *heads is true with probability p in [0, 1]. May fail: CUSTOS_EENTROPY. */
CUSTOS_MUST_USE custos_status coin_flip(custos_rng *rng, const rat *p,
                                        bool *heads);

/* Uniform on 0 .. n-1, n >= 1. May fail: CUSTOS_EENTROPY. */
CUSTOS_MUST_USE custos_status die_roll(custos_rng *rng, uint64_t n,
                                       uint64_t *out);

/*
 * A slope turns integer gaps g into coins of probability exp(-rate * g): the
 * selection mechanisms flip one for each candidate. Immutable once made.
 */
struct slope {
    rat rate;          /* exact, > 0 */
    uint64_t mantissa; /* rate = mantissa * 2^-shift, rounded down */
    long shift;
};

enum { SLOPE_LOG2_MIN = -8192 };

/*
 * Copies rate > 0. May fail: CUSTOS_ERANGE (the rate is 2^64 or more, or below
 * 2^SLOPE_LOG2_MIN).
 */
CUSTOS_MUST_USE custos_status slope_init(struct slope *s, const rat *rate);
void slope_clear(struct slope *s);

/*
 * exp(-rate * gap) in units of 2^-63, at most 2^63 - 1; the error is below
 * EXP_ERROR units. Takes the same time for all gaps. Cannot fail.
 */
uint64_t slope_exp(const struct slope *s, uint64_t gap);

/*
 * Flips n coins: heads[i] is 1 with probability exp(-rate * gaps[i]), exactly,
 * else 0. Without refinement the time depends only on n. May fail:
 * CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status slope_flip(const struct slope *s, custos_rng *rng,
                                         const uint64_t *gaps, size_t n,
                                         uint8_t *heads);

#endif
