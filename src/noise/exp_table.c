/* Constants of exp_fixed. A test recomputes each with MPFR. */
#include "noise/expfix.h"

const uint64_t exp_factor[EXP_PAIRS][4] = {
    /* exp of 0, -16, -32, -(16 + 32) */
    {UINT64_C(0x8000000000000000), UINT64_C(0x000000f1aaddd774),
     UINT64_C(0x000000000001c846), UINT64_C(0x0000000000000000)},
    /* exp of 0, -4, -8, -(4 + 8) */
    {UINT64_C(0x8000000000000000), UINT64_C(0x02582ab704279e8e),
     UINT64_C(0x000afe10820813d6), UINT64_C(0x0000338a98768779)},
    /* exp of 0, -1, -2, -(1 + 2) */
    {UINT64_C(0x8000000000000000), UINT64_C(0x2f16ac6c59de6f8d),
     UINT64_C(0x1152aaa3bf81cb9f), UINT64_C(0x065f6c3333ac2bb2)},
    /* exp of 0, -1/4, -1/2, -(1/4 + 1/2) */
    {UINT64_C(0x8000000000000000), UINT64_C(0x63afbe7ab2082ba1),
     UINT64_C(0x4da2cbf1be5827f9), UINT64_C(0x3c7681d7df9afca5)},
    /* exp of 0, -1/16, -1/8, -(1/16 + 1/8) */
    {UINT64_C(0x8000000000000000), UINT64_C(0x783eafef1c0a8f39),
     UINT64_C(0x70f5a893b608861e), UINT64_C(0x6a1da04b021def01)},
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
