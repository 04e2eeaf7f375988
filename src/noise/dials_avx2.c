/*
 * Reading dials, four draws at a time. The comparisons are those of dials.c;
 * the last draws of a block that do not fill four lanes are read there.
 */
#include "base/base.h"
#include "noise/avx2.h"
#include "noise/dials.h"

/*
 * The outcomes of a digit's dial for four draws; lanes that tied are added to
 * *tie. The 16 cuts are four groups of four. Three cuts find the group; the
 * group's own four are then picked within registers and compared: 7 steps for
 * 16, and every lane does the same. Words and cuts have their top bits flipped
 * (see flip_top).
 */
static inline __m256i
read_digit(const uint64_t across[DIAL_CUTS], __m256i w, __m256i *tie)
{
    const uint64_t *last = across + 12; /* of each group */
    __m256i group = _mm256_cmpgt_epi64(w, splat(last[0])), within;

    group = _mm256_add_epi64(group, _mm256_cmpgt_epi64(w, splat(last[1])));
    group = _mm256_add_epi64(group, _mm256_cmpgt_epi64(w, splat(last[2])));
    group = _mm256_sub_epi64(_mm256_setzero_si256(), group);
    within = _mm256_slli_epi64(group, 2);
    UNROLL
    for (int c = 0; c < 4; c++) {
        const __m256i at = pick_lanes(load_four(across + 4 * c), group);

        within = _mm256_sub_epi64(within, _mm256_cmpgt_epi64(w, at));
        *tie = _mm256_or_si256(*tie, _mm256_cmpeq_epi64(w, at));
    }
    return within;
}

/* The same for the sign's two cuts. */
static inline __m256i
read_sign(const word cut[SIGN_CUTS], __m256i w, __m256i *tie)
{
    const __m256i a = flip_top(splat(cut[0])), b = flip_top(splat(cut[1]));

    *tie = _mm256_or_si256(_mm256_cmpeq_epi64(w, a), _mm256_cmpeq_epi64(w, b));
    return _mm256_sub_epi64(
        _mm256_setzero_si256(),
        _mm256_add_epi64(_mm256_cmpgt_epi64(w, a), _mm256_cmpgt_epi64(w, b)));
}

/* Four draws from words[0], words[stride], ...; the mask of their ties. */
static inline uint64_t
scan_four(const struct dials *d, const uint64_t *words, size_t stride,
          struct outcomes *out, size_t k)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i tie = zero, sign = zero, part[2] = {zero, zero}; /* low, high */

    if (d->sign)
        sign = read_sign(d->cut[0], flip_top(load_lanes(words, stride)), &tie);
    for (size_t i = d->sign; i < d->count; i++) {
        size_t j = i - d->sign, high = j >= DIGITS_LOW;
        __m256i w = flip_top(load_lanes(words + i, stride));
        __m256i digit = read_digit(d->across[i], w, &tie);
        int by = (int)(4 * (j - high * DIGITS_LOW));

        part[high] = _mm256_add_epi64(
            part[high], _mm256_sll_epi64(digit, _mm_cvtsi32_si128(by)));
    }
    _mm256_storeu_si256((__m256i *)(out->sign + k), sign);
    _mm256_storeu_si256((__m256i *)(out->low + k), part[0]);
    _mm256_storeu_si256((__m256i *)(out->high + k), part[1]);
    return lane_mask(tie);
}

uint64_t
dials_scan_avx2(const struct dials *d, const uint64_t *words, size_t stride,
                size_t n, struct outcomes *out)
{
    uint64_t ties = 0;
    size_t k = 0;

    if (n < 4) /* no lanes to fill, nothing to copy */
        return dials_scan(d, words, stride, n, out);
    for (; k + 4 <= n; k += 4)
        ties |= scan_four(d, words + k * stride, stride, out, k) << k;
    if (k < n) {
        struct outcomes rest;

        ties |= dials_scan(d, words + k * stride, stride, n - k, &rest) << k;
        for (size_t i = k; i < n; i++) {
            out->low[i] = rest.low[i - k];
            out->high[i] = rest.high[i - k];
            out->sign[i] = rest.sign[i - k];
        }
        outcomes_wipe(&rest, n - k);
    }
    return ties;
}
