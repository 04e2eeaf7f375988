/*
 * Report noisy max: adds noise to every score and returns the index of the
 * largest sum.
 *
 * THEOREM  noisy-max-lattice
 *   Let scores be integers, each changed by at most D between neighbours. Add
 *   independent discrete Laplace noise of scale t to each; among equal sums
 *   the first wins. Releasing the winner is (2 D / t)-DP, and (D / t)-DP when
 *   all scores move in the same direction.
 * SOURCE   Dwork, Roth 2014, "Algorithmic Foundations", Claim 3.9, for
 *          continuous noise; with ties and on the lattice:
 *          doc/proofs/noisy-max-lattice.md
 * NEEDS    c->noise has scale 1 / rate, rate = eps / 2D (monotone: eps / D); D
 *          is an integer number of steps.
 * GIVES    *winner is epsilon-DP; time depends only on n.
 * FAILS    CUSTOS_EENTROPY, CUSTOS_EINTERNAL; both depend only on the coins.
 * TESTED   law_noisy_max, noisy_max_keeps_epsilon, noisy_max_breaks_ties_low
 */
#include "base/ck.h"
#include "mech/select.h"
#include "noise/noise.h"

custos_status
noisy_max_pick(struct contest *c, custos_rng *rng, const i128 *scores,
               size_t *winner)
{
    custos_status st = noise_draw(c->noise, rng, c->drawn, c->n);
    i128 best;
    size_t first = 0;

    if (st)
        return st;
    best = sat_add_i128(scores[0], c->drawn[0]);
    for (size_t i = 1; i < c->n; i++) {
        i128 sum = sat_add_i128(scores[i], c->drawn[i]);
        i128 more = mask_less_i128(best, sum);

        first = (i & (size_t)more) | (first & ~(size_t)more);
        best = (sum & more) | (best & ~more);
    }
    *winner = first;
    return CUSTOS_OK;
}
