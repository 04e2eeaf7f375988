/*
 * The source of random words, as the samplers see it. The product links
 * random/rng.c. Tests link a seeded or taped source with the same interface,
 * so no seed exists in the product.
 */
#ifndef RANDOM_RNG_H
#define RANDOM_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "custos.h"

/*
 * Fills out with n independent uniform words. May fail: CUSTOS_EENTROPY; out
 * is then all zero. The caller must wipe out after use.
 */
CUSTOS_MUST_USE custos_status rng_words(custos_rng *rng, uint64_t *out,
                                        size_t n);

#endif
