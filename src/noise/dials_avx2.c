/*
 * Reads dials for four draws at a time. The comparisons are those of dials.c,
 * which also reads the last draws of a block if they do not fill four lanes.
 */
#include "base/base.h"
#include "noise/avx2.h"
#include "noise/dials.h"

/*
 * The outcomes of a digit's dial for four draws; marks lanes that tied in
 * *tie. The 16 cuts are four groups of four. Three comparisons find the group;
 * then the group's four cuts are picked within registers and compared: 7 steps
 * instead of 16, the same in every lane. Words and cuts have their top bits
 * flipped (see flip_top).
 */
static inline __m256i
read_digit(const uint64_t across[DIAL_CUTS], __m256i w, __m256i *tie)
{
    const uint64_t *last = across + 12; /* the last cut of each group */
    __m256i group = _mm256_cmpgt_epi64(w, splat(last[0])), within;

    group = _mm256_add_epi64(group, _mm256_cmpgt_epi64(w, splat(last[1])));
    group = _mm256_add_epi64(group, _mm256_cmpgt_epi64(w, splat(last[2])));
    group = _mm256_sub_epi64(_mm256_setzero_si256(), group);
    within = _mm256_slli_epi64(group, 2);
    UNROLL
    for (size_t c = 0; c < 4; c++) {
        const __m256i at = pick_lanes(load_four(across + 4 * c), group);

        within = _mm256_sub_epi64(within, _mm256_cmpgt_epi64(w, at));
        *tie = _mm256_or_si256(*tie, _mm256_cmpeq_epi64(w, at));
    }
    return within;
}

/* take_sign of dials.c in lanes: returns the digits and sets *sign. */
static inline __m256i
take_sign(const struct dials *d, __m256i w, __m256i outcome, __m256i *sign)
{
    const __m256i bit = splat(d->sign);
    __m256i none = _mm256_cmpeq_epi64(outcome, _mm256_setzero_si256());
    __m256i some = _mm256_andnot_si256(none, bit);
    __m256i side = _mm256_add_epi64(splat(1), _mm256_and_si256(w, bit));

    *sign =
        _mm256_and_si256(_mm256_sub_epi64(_mm256_setzero_si256(), some), side);
    return _mm256_sub_epi64(outcome, some);
}

/* Reads draws k to k + 3 of a block of n; returns the mask of their ties. */
static inline uint64_t
scan_four(const struct dials *d, const uint64_t *words, size_t k, size_t n,
          struct outcomes *out)
{
    __m256i tie = _mm256_setzero_si256(), sign;
    __m256i part[2] = {tie, tie}; /* low, high */
    __m256i w = load_four(words + k);
    __m256i first = _mm256_andnot_si256(splat(d->sign), w);

    part[0] = read_digit(d->across[0], flip_top(first), &tie);
    part[0] = take_sign(d, w, part[0], &sign);
    for (size_t j = 1; j < d->count; j++) {
        size_t high = j >= DIGITS_LOW;
        int by = (int)(4 * (j - high * DIGITS_LOW));
        __m256i digit;

        w = flip_top(load_four(words + j * n + k));
        digit = read_digit(d->across[j], w, &tie);
        part[high] = _mm256_add_epi64(
            part[high], _mm256_sll_epi64(digit, _mm_cvtsi32_si128(by)));
    }
    store_four(out->sign + k, sign);
    store_four(out->low + k, part[0]);
    store_four(out->high + k, part[1]);
    return lane_mask(tie) << k;
}

uint64_t
dials_scan_avx2(const struct dials *d, const uint64_t *words, size_t from,
                size_t n, struct outcomes *out)
{
    uint64_t ties = 0;

    for (; from + 4 <= n; from += 4)
        ties |= scan_four(d, words, from, n, out);
    return ties | dials_scan(d, words, from, n, out);
}
