/*
 * Judges proposals, four to a vector: the steps of accept_fixed (gauss.c) and
 * exp_compare (expfix.h) in lanes.
 */
#include "base/base.h"
#include "noise/avx2.h"
#include "noise/expfix.h"
#include "noise/gauss.h"

/*
 * Eight proposals are judged together, as two vectors: the chain of products
 * is long, and two chains side by side keep the multipliers busy.
 */
enum { VECTORS = 2, LANES = 4 * VECTORS };

/* exp_fixed in lanes; z becomes the result. */
static inline void
exp_lanes(__m256i z[VECTORS])
{
    const __m256i fraction = splat(UINT64_MAX >> 4);
    __m256i f[VECTORS], p[VECTORS];

    UNROLL
    for (int v = 0; v < VECTORS; v++) {
        f[v] = _mm256_and_si256(_mm256_slli_epi64(z[v], 6), fraction);
        p[v] = splat(exp_taylor[EXP_TERMS]);
    }
    UNROLL
    for (int k = EXP_TERMS - 1; k >= EXP_SHORT; k--)
        UNROLL
    for (int v = 0; v < VECTORS; v++)
        p[v] = _mm256_sub_epi64(splat(exp_taylor[k]),
                                _mm256_mul_epu32(_mm256_srli_epi64(f[v], 32),
                                                 _mm256_srli_epi64(p[v], 32)));
    UNROLL
    for (int k = EXP_SHORT - 1; k >= 0; k--)
        UNROLL
    for (int v = 0; v < VECTORS; v++)
        p[v] =
            _mm256_sub_epi64(splat(exp_taylor[k]), mul_high_halves(f[v], p[v]));
    UNROLL
    for (int k = 0; k < EXP_PAIRS; k++) {
        const __m256i of = load_four(exp_factor[k]);

        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            __m256i by = pick_lanes(of, _mm256_srli_epi64(z[v], 62));

            p[v] = _mm256_slli_epi64(mul_high_halves(p[v], by), 1);
            z[v] = _mm256_slli_epi64(z[v], 2);
        }
    }
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        z[v] = _mm256_sub_epi64(p[v], _mm256_srli_epi64(p[v], 63));
}

/* The exponents of accept_fixed for the four proposals from i on. */
static inline __m256i
exponent_lanes(const struct gauss *g, const struct outcomes *o, size_t i)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i low = load_four(o->low + i), high = load_four(o->high + i);
    __m256i sign = load_four(o->sign + i);
    __m256i none = _mm256_cmpeq_epi64(sign, zero);
    /* digits = |y| - 1, exact in 64 bits while high < 16 */
    __m256i digits = _mm256_add_epi64(low, _mm256_slli_epi64(high, 60));
    __m256i near = _mm256_and_si256(above_unsigned(splat(g->limit), digits),
                                    above_unsigned(splat(16), high));
    __m256i far =
        _mm256_andnot_si256(_mm256_or_si256(near, none), splat(UINT64_MAX));
    __m256i y = _mm256_andnot_si256(none, _mm256_add_epi64(digits, splat(1)));
    __m256i a, minus;

    y = _mm256_sll_epi64(y, _mm_cvtsi32_si128((int)g->shift));
    a = _mm256_sub_epi64(mul_high_lanes(y, splat(g->slope)), splat(g->offset));
    minus = _mm256_cmpgt_epi64(zero, a);
    a = _mm256_sub_epi64(_mm256_xor_si256(a, minus), minus);
    a = _mm256_andnot_si256(far, _mm256_slli_epi64(a, 1));
    return _mm256_or_si256(mul_high_lanes(a, a), far);
}

/* Compares four coins with their probabilities, as exp_compare does. */
static inline void
judge_four(struct verdicts *v, __m256i p, const uint64_t *coins, size_t i)
{
    const __m256i error = splat(EXP_ERROR);
    __m256i u = _mm256_srli_epi64(load_four(coins + i), 1);
    __m256i below = _mm256_cmpgt_epi64(_mm256_sub_epi64(p, error), u);
    __m256i maybe = _mm256_cmpgt_epi64(p, _mm256_sub_epi64(u, error));

    v->accepted |= lane_mask(below) << i;
    v->undecided |= lane_mask(_mm256_andnot_si256(below, maybe)) << i;
}

struct verdicts
gauss_judge_avx2(const struct gauss *g, const struct outcomes *proposals,
                 const uint64_t *coins, size_t from, size_t n)
{
    struct verdicts all = {0, 0}, rest;

    for (; from + LANES <= n; from += LANES) {
        __m256i p[VECTORS];

        UNROLL
        for (size_t v = 0; v < VECTORS; v++)
            p[v] = exponent_lanes(g, proposals, from + 4 * v);
        exp_lanes(p);
        UNROLL
        for (size_t v = 0; v < VECTORS; v++)
            judge_four(&all, p[v], coins, from + 4 * v);
    }
    rest = gauss_judge(g, proposals, coins, from, n);
    all.accepted |= rest.accepted;
    all.undecided |= rest.undecided;
    return all;
}
