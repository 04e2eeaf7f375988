/*
 * Constants of exp_fixed. Not taken on trust: a test recomputes each of them
 * with MPFR.
 */
#include "noise/expfix.h"

const uint64_t exp_factor[EXP_FACTORS] = {
    UINT64_C(0x000000000003908c), /* exp(-2^5) */
    UINT64_C(0x000001e355bbaee8), /* exp(-2^4) */
    UINT64_C(0x0015fc21041027ac), /* exp(-2^3) */
    UINT64_C(0x04b0556e084f3d1d), /* exp(-2^2) */
    UINT64_C(0x22a555477f03973f), /* exp(-2^1) */
    UINT64_C(0x5e2d58d8b3bcdf1a), /* exp(-2^0) */
    UINT64_C(0x9b4597e37cb04ff3), /* exp(-2^-1) */
    UINT64_C(0xc75f7cf564105743), /* exp(-2^-2) */
    UINT64_C(0xe1eb51276c110c3c), /* exp(-2^-3) */
    UINT64_C(0xf07d5fde38151e72), /* exp(-2^-4) */
};

const uint64_t exp_taylor[EXP_TERMS + 1] = {
    UINT64_C(0x8000000000000000), /* 1/0! */
    UINT64_C(0x8000000000000000), /* 1/1! */
    UINT64_C(0x4000000000000000), /* 1/2! */
    UINT64_C(0x1555555555555555), /* 1/3! */
    UINT64_C(0x0555555555555555), /* 1/4! */
    UINT64_C(0x0111111111111111), /* 1/5! */
    UINT64_C(0x002d82d82d82d82e), /* 1/6! */
    UINT64_C(0x0006806806806807), /* 1/7! */
    UINT64_C(0x0000d00d00d00d01), /* 1/8! */
    UINT64_C(0x0000171de3a556c7), /* 1/9! */
};
