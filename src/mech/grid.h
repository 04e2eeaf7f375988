/*
 * Conversion of doubles, as bits, to integer numbers of steps of a public grid
 * g = 2^k and back, by integer operations only.
 *
 * THEOREM  grid-rounding-lipschitz
 *   Let R(x) = floor(x/g + 1/2), clamped to +-GRID_MAX. For real x, y,
 *   |R(x) - R(y)| <= ceil(|x - y| / g).
 * SOURCE   doc/proofs/grid-rounding-lipschitz.md
 * NEEDS    GRID_LOG2_MIN <= k <= GRID_LOG2_MAX.
 * GIVES    grid_index(bits of x, k) = R(x) for every finite x; 0 for NaN; the
 *          limits for the infinities.
 * FAILS    cannot: an error that depends on the data would reveal it.
 * DIFFERS  ties always go up. Ties to even would break the theorem: 1/2 and
 *          3/2 are one step apart but would round to 0 and 2.
 * TESTED   grid_index_is_the_rounded_quotient grid_index_is_lipschitz
 *          grid_index_is_total
 */
#ifndef MECH_GRID_H
#define MECH_GRID_H

#include <stdint.h>

#include "base/base.h"

enum {
    GRID_LOG2_MIN = -400,
    GRID_LOG2_MAX = 400,
    GRID_MAX_BITS = 123,
};

#define GRID_MAX ((i128)1 << GRID_MAX_BITS)

/* Branches only on k. */
i128 grid_index(uint64_t bits, long k);

enum grid_rounding { GRID_NEAREST, GRID_UP };

/*
 * The bits of a double for index * 2^k: the nearest (ties to even, because
 * this is after the noise), or the least one at or above it. Out of range, the
 * largest finite double. Exact if |index| < 2^53. Needs k >= -1074.
 */
uint64_t grid_value(i128 index, long k, enum grid_rounding rounding);

#endif
