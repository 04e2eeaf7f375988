/*
 * Coins of the auditor and of its battery: fast, seeded, so that an audit can be
 * run again. Not for releases: those take their coins from random/.
 */
#ifndef AUDIT_COINS_H
#define AUDIT_COINS_H

#include <stdbool.h>
#include <stdint.h>

/* xoshiro256++ (Blackman and Vigna). */
struct coins {
    uint64_t word[4];
};

/* Streams of one seed are independent for all purposes of an audit. */
void coins_seed(struct coins *coins, uint64_t seed, uint64_t stream);

static inline uint64_t
coins_word(struct coins *coins)
{
    uint64_t *s = coins->word;
    uint64_t sum = s[0] + s[3];
    uint64_t out = ((sum << 23) | (sum >> 41)) + s[0];
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return out;
}

/* k 2^-53 in (0, 1], as most programs draw it. */
static inline double
coins_uniform(struct coins *coins)
{
    return (double)((coins_word(coins) >> 11) + 1) * 0x1p-53;
}

static inline bool
coins_flip(struct coins *coins, double p)
{
    return coins_uniform(coins) <= p;
}

/* 0 ... n-1; n >= 1, far below 2^32. */
static inline uint32_t
coins_below(struct coins *coins, uint32_t n)
{
    return (uint32_t)(((coins_word(coins) >> 32) * n) >> 32);
}

/*
 * Two-sided geometric noise with P[k] proportional to exp(-|k|/t), times
 * `grid`, a power of two: every output lies on the grid, so that only the fault
 * that a mechanism was written with can be found in it.
 */
double coins_lattice_laplace(struct coins *coins, double scale, double grid);

/* Geometric noise on the grid, P[k] proportional to exp(-k grid/scale), k >= 0. */
double
coins_lattice_exponential(struct coins *coins, double scale, double grid);

#endif
