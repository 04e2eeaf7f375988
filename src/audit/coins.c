/*
 * Coins of the auditor: seeding, and noise on a lattice.
 */
#include "audit/coins.h"

#include <math.h>

/* SplitMix64: from a seed to words that have nothing to do with each other. */
static uint64_t
next_seed(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void
coins_seed(struct coins *coins, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;

    state = next_seed(&state) ^ (stream * 0xd1342543de82ef95u);
    for (int i = 0; i < 4; i++)
        coins->word[i] = next_seed(&state);
}

double
coins_lattice_exponential(struct coins *coins, double scale, double grid)
{
    return grid * floor(-log(coins_uniform(coins)) * (scale / grid));
}

double
coins_lattice_laplace(struct coins *coins, double scale, double grid)
{
    for (;;) {
        uint64_t word = coins_word(coins);
        double u = (double)((word >> 11) + 1) * 0x1p-53;
        double noise = grid * floor(-log(u) * (scale / grid));

        if (word & 1)
            return noise;
        if (noise != 0) /* minus zero would be counted twice */
            return -noise;
    }
}
