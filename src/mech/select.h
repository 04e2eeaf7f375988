/*
 * Selection: which of n candidates has the largest score. The three rules share
 * one struct. Its public part (rate, noise, buffers) is made before the scores
 * are opened, so that no failure can depend on them.
 */
#ifndef MECH_SELECT_H
#define MECH_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "custos.h"
#include "noise/coin.h"
#include "num/rat.h"

struct contest {
    custos_alloc alloc;
    custos_select_rule rule;
    size_t n;
    rat rate;            /* privacy loss per step of score: eps/2D or eps/D */
    custos_noise *noise; /* noisy max: the law, of scale 1 / rate */
    i128 *drawn;         /* noisy max: n draws */
    struct slope slope;  /* the other rules: gap -> exp(-rate gap) */
    bool has_slope;
    uint64_t *gaps;    /* distance from the best score */
    uint64_t *weights; /* exponential: weights; permute-and-flip: keys */
    uint8_t *heads;    /* permute-and-flip: the coins */
};

/*
 * The rules. They fail only with CUSTOS_EENTROPY or CUSTOS_EINTERNAL; neither
 * depends on the scores.
 */
CUSTOS_MUST_USE custos_status noisy_max_pick(struct contest *c, custos_rng *rng,
                                             const i128 *scores,
                                             size_t *winner);
CUSTOS_MUST_USE custos_status permute_flip_pick(struct contest *c,
                                                custos_rng *rng,
                                                const i128 *scores,
                                                size_t *winner);
CUSTOS_MUST_USE custos_status exponential_pick(struct contest *c,
                                               custos_rng *rng,
                                               const i128 *scores,
                                               size_t *winner);

/* c->gaps[i] = the largest score - scores[i], without branches on scores. */
void contest_set_gaps(struct contest *c, const i128 *scores);

#endif
