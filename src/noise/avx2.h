/*
 * AVX2 helpers that the kernels share: four lanes of 64 bits.
 */
#ifndef NOISE_AVX2_H
#define NOISE_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

static inline __m256i
load_four(const uint64_t four[4])
{
    return _mm256_loadu_si256((const __m256i *)four);
}

static inline void
store_four(uint64_t four[4], __m256i x)
{
    _mm256_storeu_si256((__m256i *)four, x);
}

static inline __m256i
splat(uint64_t x)
{
    return _mm256_set1_epi64x((int64_t)x);
}

/*
 * AVX2 compares only signed lanes; with the top bits flipped, the comparison is
 * unsigned.
 */
static inline __m256i
flip_top(__m256i x)
{
    return _mm256_xor_si256(x, splat(UINT64_C(1) << 63));
}

static inline __m256i
above_unsigned(__m256i a, __m256i b)
{
    return _mm256_cmpgt_epi64(flip_top(a), flip_top(b));
}

/* Collects the top bits of the four lanes. */
static inline uint64_t
lane_mask(__m256i x)
{
    return (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(x));
}

/*
 * In each lane, the value of `of` at the lane's `index` (0 to 3). A
 * permutation of 32-bit halves within registers, so no address depends on the
 * index.
 */
static inline __m256i
pick_lanes(__m256i of, __m256i index)
{
    __m256i twice = _mm256_slli_epi64(index, 1);
    __m256i both = _mm256_shuffle_epi32(twice, _MM_SHUFFLE(2, 2, 0, 0));

    return _mm256_permutevar8x32_epi32(
        of, _mm256_or_si256(both, splat(UINT64_C(1) << 32)));
}

/* The high words of four 64 by 64 bit products, computed from 32-bit halves. */
static inline __m256i
mul_high_lanes(__m256i a, __m256i b)
{
    const __m256i low = splat(UINT32_MAX);
    __m256i ah = _mm256_srli_epi64(a, 32), bh = _mm256_srli_epi64(b, 32);
    __m256i ll = _mm256_mul_epu32(a, b), lh = _mm256_mul_epu32(a, bh);
    __m256i hl = _mm256_mul_epu32(ah, b), hh = _mm256_mul_epu32(ah, bh);
    __m256i mid = _mm256_add_epi64(hl, _mm256_srli_epi64(ll, 32));
    __m256i rest = _mm256_add_epi64(lh, _mm256_and_si256(mid, low));

    return _mm256_add_epi64(hh, _mm256_add_epi64(_mm256_srli_epi64(mid, 32),
                                                 _mm256_srli_epi64(rest, 32)));
}

/*
 * The same if both factors are at most 2^63: then the middle sum fits a lane.
 */
static inline __m256i
mul_high_halves(__m256i a, __m256i b)
{
    __m256i ah = _mm256_srli_epi64(a, 32), bh = _mm256_srli_epi64(b, 32);
    __m256i ll = _mm256_mul_epu32(a, b), lh = _mm256_mul_epu32(a, bh);
    __m256i hl = _mm256_mul_epu32(ah, b), hh = _mm256_mul_epu32(ah, bh);
    __m256i mid =
        _mm256_add_epi64(_mm256_add_epi64(hl, lh), _mm256_srli_epi64(ll, 32));

    return _mm256_add_epi64(hh, _mm256_srli_epi64(mid, 32));
}

#endif
