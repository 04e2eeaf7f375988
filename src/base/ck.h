/*
 * Checked integer arithmetic: each ck_ function returns false on overflow, and
 * then *r must not be used. Use these, never bare + or *, on sizes,
 * sensitivities and grid values. After these functions come saturating sums and
 * clamping, without branches.
 */
#ifndef BASE_CK_H
#define BASE_CK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

#define CK_DEFINE(suffix, type)                                                \
    static inline bool ck_add_##suffix(type a, type b, type *r)                \
    {                                                                          \
        return !__builtin_add_overflow(a, b, r);                               \
    }                                                                          \
    static inline bool ck_sub_##suffix(type a, type b, type *r)                \
    {                                                                          \
        return !__builtin_sub_overflow(a, b, r);                               \
    }                                                                          \
    static inline bool ck_mul_##suffix(type a, type b, type *r)                \
    {                                                                          \
        return !__builtin_mul_overflow(a, b, r);                               \
    }

CK_DEFINE(i64, int64_t)
CK_DEFINE(u64, uint64_t)
CK_DEFINE(size, size_t)
CK_DEFINE(i128, i128)
CK_DEFINE(u128, u128)

#undef CK_DEFINE

#define I128_MAX ((i128)(~(u128)0 >> 1))
#define I128_MIN (-I128_MAX - 1)

/*
 * Masks, all ones or all zeros. Compilers tend to turn a comparison whose
 * result is a mask back into a jump. They leave arithmetic on sign bits alone
 * if the mask is made opaque (test/attack/t_a07_secret.c checks that).
 */
static inline i128
mask_of_top(u128 x)
{
    uint64_t m = (uint64_t)0 - (uint64_t)(x >> 127);

    __asm__("" : "+r"(m));
    return (i128)((u128)m << 64 | m);
}

/* -1 if a < b, else 0: the sign of a - b, corrected for overflow. */
static inline i128
mask_less_i128(i128 a, i128 b)
{
    u128 x = (u128)a, y = (u128)b, d = x - y;

    return mask_of_top(d ^ ((x ^ y) & (d ^ x)));
}

/*
 * Sums that stop at the limits of their type instead of wrapping, without a
 * branch on the operands: value plus noise must never fail (a failure would be
 * an output) nor wrap (a neighbour's result could be at the other end of the
 * range).
 */
static inline i128
sat_add_i128(i128 a, i128 b)
{
    u128 r = (u128)a + (u128)b;
    /* Overflow: both operands have the same sign, and the sum has the other. */
    i128 over = mask_of_top(((u128)a ^ r) & ((u128)b ^ r));
    i128 limit = (i128)(((u128)a >> 127) + (u128)I128_MAX);

    return ((i128)r & ~over) | (limit & over);
}

/* Clamps x to [lo, hi] without a branch. Needs lo <= hi. */
static inline i128
clamp_i128(i128 x, i128 lo, i128 hi)
{
    i128 below = mask_less_i128(x, lo);
    i128 above = mask_less_i128(hi, x);

    return (x & ~below & ~above) | (lo & below) | (hi & above);
}

#endif
