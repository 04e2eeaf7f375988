/*
 * Whole-number arithmetic that saturates at the ends of its type: for values of
 * private rows, where an overflow must be neither an error nor undefined.
 * Division rounds towards 0; the divisor must not be 0.
 */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stdint.h>

#include "base/ck.h"

#define WHOLE_DEFINE(T, NAME, MIN, MAX)                                        \
    static inline T whole_add_##NAME(T a, T b)                                 \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        if (__builtin_add_overflow(a, b, &r))                                  \
            return a < 0 ? (MIN) : (MAX);                                      \
        return r;                                                              \
    }                                                                          \
    static inline T whole_sub_##NAME(T a, T b)                                 \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        if (__builtin_sub_overflow(a, b, &r))                                  \
            return a < 0 ? (MIN) : (MAX);                                      \
        return r;                                                              \
    }                                                                          \
    static inline T whole_mul_##NAME(T a, T b)                                 \
    {                                                                          \
        T r;                                                                   \
                                                                               \
        if (__builtin_mul_overflow(a, b, &r))                                  \
            return (a < 0) == (b < 0) ? (MAX) : (MIN);                         \
        return r;                                                              \
    }                                                                          \
    static inline T whole_neg_##NAME(T a)                                      \
    {                                                                          \
        return whole_sub_##NAME(0, a);                                         \
    }                                                                          \
    static inline T whole_abs_##NAME(T a)                                      \
    {                                                                          \
        return a < 0 ? whole_neg_##NAME(a) : a;                                \
    }                                                                          \
    static inline T whole_div_##NAME(T a, T b)                                 \
    {                                                                          \
        return b == -1 ? whole_neg_##NAME(a) : a / b;                          \
    }                                                                          \
    static inline T whole_mod_##NAME(T a, T b)                                 \
    {                                                                          \
        return b == -1 ? 0 : a % b;                                            \
    }                                                                          \
    static inline T whole_clamp_##NAME(T x, T low, T high)                     \
    {                                                                          \
        x = x > high ? high : x;                                               \
        return x < low ? low : x;                                              \
    }

WHOLE_DEFINE(int64_t, i64, INT64_MIN, INT64_MAX)
WHOLE_DEFINE(i128, i128, I128_MIN, I128_MAX)

static inline int64_t
whole_narrow(i128 x)
{
    return (int64_t)whole_clamp_i128(x, INT64_MIN, INT64_MAX);
}

#endif
