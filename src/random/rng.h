/*
 * The source of random words, as the samplers see it. The product links
 * random/rng.c; tests link a seeded and taped source of their own with this
 * same interface, so that no seed exists in the product.
 */
#ifndef RANDOM_RNG_H
#define RANDOM_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "custos.h"

/*
 * Fills out with n independent uniform words. May fail: CUSTOS_EENTROPY; out
 * is then all zero. The caller wipes out after use.
 */
CUSTOS_MUST_USE custos_status rng_words(custos_rng *rng, uint64_t *out,
                                        size_t n);

#endif
