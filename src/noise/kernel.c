/* Chooses the inner loops at run time. */
#include "noise/kernel.h"

const struct kernel kernel_portable = {"portable", dials_scan, gauss_judge};

#if defined(CUSTOS_HAVE_AVX2) && NOISE_WORD_BITS == 64 &&                      \
    !defined(CUSTOS_CT_CHECK)

static const struct kernel kernel_avx2 = {"avx2", dials_scan_avx2,
                                          gauss_judge_avx2};

const struct kernel *
kernel_best(void)
{
    static const struct kernel *const by_avx2[] = {&kernel_portable,
                                                   &kernel_avx2};

    return by_avx2[__builtin_cpu_supports("avx2") != 0];
}

#else

const struct kernel *
kernel_best(void)
{
    return &kernel_portable;
}

#endif
