/*
 * Reading dials, four draws at a time. The comparisons are those of dials.c;
 * the last draws of a block that do not fill four lanes are read there.
 */
#include "base/base.h"
#include "noise/avx2.h"
#include "noise/dials.h"

/*
 * The outcomes of a dial of n cuts for eight draws (two vectors), and the lanes
 * that tied. Words and cuts have their top bits flipped: see flip_top.
 */
static inline void
read_dial(const word *cut, size_t n, const __m256i w[2], __m256i outcome[2],
          __m256i tie[2])
{
    const __m256i top = splat(UINT64_C(1) << 63);
    __m256i o0 = _mm256_setzero_si256(), o1 = o0;

    UNROLL
    for (size_t c = 0; c < n; c++) {
        const __m256i at = _mm256_xor_si256(splat(cut[c]), top);

        o0 = _mm256_sub_epi64(o0, _mm256_cmpgt_epi64(w[0], at));
        o1 = _mm256_sub_epi64(o1, _mm256_cmpgt_epi64(w[1], at));
        tie[0] = _mm256_or_si256(tie[0], _mm256_cmpeq_epi64(w[0], at));
        tie[1] = _mm256_or_si256(tie[1], _mm256_cmpeq_epi64(w[1], at));
    }
    outcome[0] = o0;
    outcome[1] = o1;
}

static inline void
load_words(__m256i w[2], const uint64_t *at, size_t stride)
{
    w[0] = flip_top(load_lanes(at, stride));
    w[1] = flip_top(load_lanes(at + 4 * stride, stride));
}

static inline void
store(uint64_t *to, const __m256i x[2])
{
    _mm256_storeu_si256((__m256i *)to, x[0]);
    _mm256_storeu_si256((__m256i *)(to + 4), x[1]);
}

/* Eight draws; returns the mask of their ties. */
static inline uint64_t
scan_eight(const struct dials *d, const uint64_t *words, size_t stride,
           struct outcomes *out, size_t k)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i tie[2] = {zero, zero}, sign[2] = {zero, zero};
    __m256i low[2] = {zero, zero}, high[2] = {zero, zero};
    __m256i w[2], digit[2];

    if (d->sign) {
        load_words(w, words, stride);
        read_dial(d->cut[0], SIGN_CUTS, w, sign, tie);
    }
    for (size_t i = d->sign; i < d->count; i++) {
        size_t j = i - d->sign;
        __m256i *part = j < DIGITS_LOW ? low : high;
        __m128i by = _mm_cvtsi32_si128(
            (int)(4 * (j < DIGITS_LOW ? j : j - DIGITS_LOW)));

        load_words(w, words + i, stride);
        read_dial(d->cut[i], DIAL_CUTS, w, digit, tie);
        for (int v = 0; v < 2; v++)
            part[v] = _mm256_add_epi64(part[v], _mm256_sll_epi64(digit[v], by));
    }
    store(out->sign + k, sign);
    store(out->low + k, low);
    store(out->high + k, high);
    return lane_mask(tie[0]) | lane_mask(tie[1]) << 4;
}

uint64_t
dials_scan_avx2(const struct dials *d, const uint64_t *words, size_t stride,
                size_t n, struct outcomes *out)
{
    uint64_t ties = 0;
    size_t k = 0;

    for (; k + 8 <= n; k += 8)
        ties |= scan_eight(d, words + k * stride, stride, out, k) << k;
    if (k < n) {
        struct outcomes rest;

        ties |= dials_scan(d, words + k * stride, stride, n - k, &rest) << k;
        for (size_t i = k; i < n; i++) {
            out->low[i] = rest.low[i - k];
            out->high[i] = rest.high[i - k];
            out->sign[i] = rest.sign[i - k];
        }
    }
    return ties;
}
