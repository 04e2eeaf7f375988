/*
 * A double is mantissa * 2^e with an integer mantissa below 2^53. Its number
 * of steps is that mantissa shifted by e - k, left or right, and rounded.
 */
#include "mech/grid.h"

#include "base/ck.h"

enum {
    MANTISSA_BITS = 52,
    EXPONENT_MASK = 0x7ff,
    EXPONENT_BIAS = 1075, /* of mantissa * 2^e with an integer mantissa */
    LEFT_MAX = GRID_MAX_BITS - MANTISSA_BITS - 1,
    RIGHT_MAX = MANTISSA_BITS + 8,
};

#define IMPLICIT ((uint64_t)1 << MANTISSA_BITS)
#define DOUBLE_MAX (((uint64_t)EXPONENT_MASK << MANTISSA_BITS) - 1)

/* -1 if the fact holds, else 0. */
static inline i128
mask_of(bool fact)
{
    return -(i128)fact;
}

i128
grid_index(uint64_t bits, long k)
{
    int64_t exponent = (int64_t)(bits >> MANTISSA_BITS) & EXPONENT_MASK;
    uint64_t fraction = bits & (IMPLICIT - 1);
    bool normal = exponent != 0;
    i128 minus = mask_of(bits >> 63);
    int64_t shift = exponent + !normal - EXPONENT_BIAS - k;
    int left = (int)clamp_i128(shift, 0, LEFT_MAX);
    int right = (int)clamp_i128(-shift, 0, RIGHT_MAX);
    i128 too_large = mask_of(shift > LEFT_MAX);
    i128 nan = mask_of(exponent == EXPONENT_MASK && fraction != 0);
    i128 steps = (i128)(fraction | (uint64_t)normal << MANTISSA_BITS) << left;

    CUSTOS_REQUIRE(k >= GRID_LOG2_MIN && k <= GRID_LOG2_MAX);
    steps = (steps & ~too_large) | (GRID_MAX & too_large & ~nan);
    steps = (steps ^ minus) - minus;
    /* Adds half a step and rounds down; neither has an effect if left > 0. */
    return (steps + ((i128)1 << right >> 1)) >> right;
}

/* Encodes index * 2^k, rounded to 53 bits, as a double. */
uint64_t
grid_value(i128 index, long k, enum grid_rounding rounding)
{
    bool minus = index < 0;
    u128 size = minus ? -(u128)index : (u128)index;
    int top = 127 - (size >> 64 ? __builtin_clzll((uint64_t)(size >> 64))
                                : 64 + __builtin_clzll((uint64_t)size | 1));
    int drop = top > MANTISSA_BITS ? top - MANTISSA_BITS : 0;
    u128 kept = size >> drop, lost = size - (kept << drop);
    u128 half = (u128)1 << drop >> 1;
    long exponent = k + drop + EXPONENT_BIAS; /* biased, of `kept` */
    uint64_t code;

    CUSTOS_REQUIRE(k >= 1 - EXPONENT_BIAS);
    if (rounding == GRID_NEAREST)
        kept += lost > half || (lost == half && drop && (kept & 1));
    else
        kept += lost != 0 && !minus;
    if (size == 0)
        return 0;
    /* Moves the leading one to its place, or as far as a subnormal allows. */
    for (; kept < IMPLICIT && exponent > 1; exponent--)
        kept <<= 1;
    code = (uint64_t)kept;
    if (kept >= IMPLICIT) /* a carry out of the mantissa raises the exponent */
        code += (uint64_t)(exponent - 1) << MANTISSA_BITS;
    if (exponent > EXPONENT_MASK - 1 || code > DOUBLE_MAX)
        code = DOUBLE_MAX;
    return code | (uint64_t)minus << 63;
}
