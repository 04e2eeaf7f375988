/*
 * Permute-and-flip: candidates come in random order, each is taken with
 * probability exp(-rate * gap). Here every candidate is flipped and one of the
 * heads is drawn uniformly, so that time tells nothing; the best candidate
 * always is heads, so there is one.
 *
 * The uniform choice: every candidate gets a random key and the heads with the
 * largest key wins; when two heads share the largest key, all keys are drawn
 * again. No division by the number of heads, which is secret.
 *
 * THEOREM  permute-and-flip
 *   Let coins of probability exp(-eps (q* - q_i) / 2D) fall independently and
 *   the winner be uniform among the heads. This is the law of permute-and-flip
 *   and it is eps-DP; without the factor 2 when scores are monotone.
 * SOURCE   McKenna, Sheldon 2020, arXiv:2010.12603, Theorem 1; the law of all
 *          flips and the keys: doc/proofs/permute-and-flip.md
 * NEEDS    c->slope of rate eps / 2D (monotone eps / D), D whole steps.
 * GIVES    *winner has this law exactly; beside refinement (below 2^-50 for
 *          each flip) and new keys (below n 2^-64) time depends on n alone.
 * FAILS    CUSTOS_EENTROPY, from coins alone.
 * TESTED   permute_flip_chooses_evenly, permute_flip_draws_keys_again,
 *          law_permute_flip, permute_flip_keeps_epsilon
 */
#include "mech/select.h"
#include "random/rng.h"

/* The heads with the largest key, and how often that key occurs in heads. */
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
