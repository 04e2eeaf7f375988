/*
 * Chooses one of n candidates by exact weights and one uniform number. This is
 * the slow path of the selections, for the rare numbers so close to a boundary
 * that fixed point cannot decide.
 */
#ifndef MECH_INVERSE_H
#define MECH_INVERSE_H

#include <stddef.h>
#include <stdint.h>

#include "custos.h"
#include "num/ival.h"

/*
 * Weights >= 0, not all 0. `enclose` encloses one as narrowly as *w's bits
 * allow.
 */
struct weights {
    size_t n;
    void (*enclose)(const void *of, size_t i, ival *w);
    const void *of;
};

/*
 * The i with S_i <= U S_n < S_(i+1), where S_i is the sum of the weights
 * before i. U is in [0, 1); its first 64 bits are given, the others are drawn.
 * Fails with CUSTOS_EENTROPY or, with probability below n 2^-4000, with
 * CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status inverse_refine(const struct weights *w,
                                             custos_rng *rng, uint64_t first,
                                             size_t *winner);

#endif
