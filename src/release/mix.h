/*
 * A number that looks random from another one: the finalizer of splitmix64. For
 * reports, where the same rows must give the same page; it protects nothing.
 */
#ifndef RELEASE_MIX_H
#define RELEASE_MIX_H

#include <stdint.h>

static inline uint64_t
mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
