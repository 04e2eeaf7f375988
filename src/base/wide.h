/*
 * The public form of a 128-bit integer, custos_wide, and i128, which custos
 * itself computes with. The conversions have no branches: they are applied to
 * exact values.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include "base/base.h"
#include "custos.h"

static inline custos_wide
wide_of(i128 x)
{
    return (custos_wide){(uint64_t)x, (int64_t)(x >> 64)};
}

static inline i128
wide_value(custos_wide x)
{
    return (i128)((u128)(uint64_t)x.high << 64 | x.low);
}

#endif
