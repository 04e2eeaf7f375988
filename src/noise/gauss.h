/*
 * The discrete Gaussian's acceptance step: a proposal y from discrete Laplace
 * of scale t = floor(sigma) + 1 is kept with probability
 * exp(-(|y| - sigma^2/t)^2 / 2 sigma^2).
 *
 * The probability is computed in fixed point, with an error below EXP_ERROR
 * units of 2^-63 and by the same steps for every y. If that does not decide
 * the comparison with the word drawn (probability below 2^-50), it is computed
 * exactly.
 */
#ifndef NOISE_GAUSS_H
#define NOISE_GAUSS_H

#include "custos.h"
#include "noise/dials.h"
#include "num/rat.h"

struct gauss {
    rat variance;    /* sigma^2, exact */
    rat center;      /* sigma^2 / t, exact */
    uint64_t t;      /* scale of the proposals */
    uint64_t limit;  /* floor(7.99 sqrt 2 sigma): above, fixed point gives 0 */
    unsigned shift;  /* limit << shift fills 64 bits */
    uint64_t slope;  /* 2^(124 - shift) / (sqrt 2 sigma), rounded down */
    uint64_t offset; /* 2^60 sigma / (sqrt 2 t), rounded down */
};

/* 2^-40 <= variance <= 2^120. May fail: CUSTOS_EINTERNAL. */
CUSTOS_MUST_USE custos_status gauss_init(struct gauss *g, const rat *variance);
void gauss_clear(struct gauss *g);

/* Masks over the draws of a block. */
struct verdicts {
    uint64_t accepted;  /* certainly */
    uint64_t undecided; /* neither certainly accepted nor certainly not */
};

/*
 * Judges the proposals `from` .. n - 1 of a block; coins[i] is the coin of
 * proposal i. Cannot fail.
 */
typedef struct verdicts
gauss_judge_fn(const struct gauss *g, const struct outcomes *proposals,
               const uint64_t *coins, size_t from, size_t n);

gauss_judge_fn gauss_judge;      /* portable */
gauss_judge_fn gauss_judge_avx2; /* the same verdicts */

/*
 * Decides one proposal of absolute value y exactly; head is the coin's first
 * word. May fail: CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status gauss_settle(const struct gauss *g, u128 y,
                                           word head, custos_rng *rng,
                                           unsigned *accept);

/* |y| of a proposal: 0, or its digits plus 1. No branch. */
static inline u128
outcome_size(const struct outcomes *o, size_t i)
{
    u128 some = (u128)0 - (o->sign[i] != 0);

    return (((u128)o->high[i] << (4 * DIGITS_LOW)) + o->low[i] + 1) & some;
}

#endif
