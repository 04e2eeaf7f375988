/*
 * Permute-and-flip: candidates come in random order, and each is taken with
 * probability exp(-rate * gap), until one is. Here a coin is flipped for every
 * candidate, and one of the heads (candidates whose coin shows heads) is drawn
 * uniformly, so the time reveals nothing. The best candidate is always a head,
 * so there is at least one.
 *
 * For the uniform choice every candidate gets a random key, and the head with
 * the largest key wins; if two heads share the largest key, all keys are drawn
 * again. So nothing divides by the number of heads, which is secret.
 *
 * THEOREM  permute-and-flip
 *   Flip independent coins of probability exp(-eps (q* - q_i) / 2D) and draw
 *   the winner uniformly among the heads. This is the law of permute-and-flip,
 *   and it is eps-DP; monotone scores do not need the factor 2.
 * SOURCE   McKenna, Sheldon 2020, arXiv:2010.12603, Theorem 1; for flipping
 *          all candidates and for the keys: doc/proofs/permute-and-flip.md
 * NEEDS    c->slope has rate eps / 2D (monotone: eps / D); D is an integer
 *          number of steps.
 * GIVES    *winner has exactly this law. Time depends only on n, except for
 *          refinement (probability below 2^-50 for each flip) and new keys
 *          (below n 2^-64).
 * FAILS    CUSTOS_EENTROPY, CUSTOS_EINTERNAL; both depend only on the coins.
 * TESTED   permute_flip_chooses_evenly, permute_flip_draws_keys_again,
 *          law_permute_flip, permute_flip_keeps_epsilon
 */
#include "mech/select.h"
#include "random/rng.h"

/* Finds the head with the largest key, and how many heads have that key. */
static void
keys_scan(const struct contest *c, size_t *winner, size_t *times)
{
    uint64_t best = 0;

    *winner = 0;
    *times = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint64_t key = c->weights[i];
        size_t heads = -(size_t)c->heads[i];
        size_t more = heads & -(size_t)((key > best) | (*times == 0));
        size_t same = heads & ~more & -(size_t)(key == best);

        *winner = (i & more) | (*winner & ~more);
        *times = (1 & more) | ((*times + (same & 1)) & ~more);
        best = (key & more) | (best & ~more);
    }
}

custos_status
permute_flip_pick(struct contest *c, custos_rng *rng, const i128 *scores,
                  size_t *winner)
{
    custos_status st;
    size_t times = 0;

    contest_set_gaps(c, scores);
    st = slope_flip(&c->slope, rng, c->gaps, c->n, c->heads);
    while (!st && times != 1) {
        st = rng_words(rng, c->weights, c->n);
        keys_scan(c, winner, &times);
    }
    return st;
}
