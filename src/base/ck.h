/*
 * Checked integers: each returns false on overflow, and then *r is not to be
 * used. No bare + or * on sizes, sensitivities or grid values.
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
 * Sums that stop at the limits of their type instead of wrapping, without a
 * branch on the operands: value plus noise must never fail (a failure would
 * be an output) nor wrap (a neighbour would land at the other end).
 */
static inline i128
sat_add_i128(i128 a, i128 b)
{
    i128 r;
    i128 over = -(i128)__builtin_add_overflow(a, b, &r);
    i128 limit = (i128)(((u128)a >> 127) + (u128)I128_MAX);

    return (r & ~over) | (limit & over);
}

/* x, or the nearer of lo and hi when outside. Needs lo <= hi. No branch. */
static inline i128
clamp_i128(i128 x, i128 lo, i128 hi)
{
    i128 below = -(i128)(x < lo);
    i128 above = -(i128)(x > hi);

    return (x & ~below & ~above) | (lo & below) | (hi & above);
}

#endif
