/*
 * The candidates of a stretch, numbered: candidate (point, share) of quantile_cut.c
 * has the number (point - low) 2^33 + share. How many values go left of it never
 * falls as the numbers rise, so the candidates for which r values go left are
 * consecutive: those from candidates_below(r) up to candidates_below(r + 1).
 */
#ifndef MECH_QUANTILE_CANDIDATE_H
#define MECH_QUANTILE_CANDIDATE_H

#include "base/ck.h"
#include "mech/quantile.h"

static inline uint64_t
mask_less(uint64_t a, uint64_t b)
{
    return (uint64_t)mask_less_i128((i128)a, (i128)b);
}

static inline uint64_t
choose_by_mask(uint64_t mask, uint64_t yes, uint64_t no)
{
    return (yes & mask) | (no & ~mask);
}

static inline uint64_t
cell_value(u128 cell)
{
    return (uint64_t)cell;
}

/*
 * The number of candidates for which fewer than r values go left, 0 <= r <= n + 1.
 * For r from 1 to n these are all candidates of points below value r - 1, and the
 * pieces at that point that cut before it. Branches on r alone.
 */
static inline u128
candidates_below(const struct stretch *s, uint64_t r)
{
    uint64_t i = s->from + r - 1, first, end, pieces, halves, number;
    unsigned p;
    u128 cell;

    if (r == 0)
        return 0;
    if (r > s->to - s->from)
        return ((u128)(s->high - s->low) + 1) << QUANTILE_SHARE_BITS;
    cell = s->cells[i];
    first = (uint64_t)(cell >> 96);
    end = (uint32_t)(cell >> 64);
    first = choose_by_mask(mask_less(first, s->from), s->from, first);
    end = choose_by_mask(mask_less(s->to, end), s->to, end);
    pieces = end - first + 1;
    p = 63 - (unsigned)__builtin_clzll(pieces);
    halves = 2 * (pieces - ((uint64_t)1 << p)); /* the first ones are half as
                                                   long as the others */
    number = i - first + 1;
    halves = choose_by_mask(mask_less(number, halves), number, halves);
    return ((u128)(cell_value(cell) - s->low) << QUANTILE_SHARE_BITS) +
           ((number << (QUANTILE_SHARE_BITS - p)) -
            (halves << (QUANTILE_SHARE_BITS - 1 - p)));
}

/* The point of a candidate. */
static inline uint64_t
candidate_point(const struct stretch *s, u128 number)
{
    return s->low + (uint64_t)(number >> QUANTILE_SHARE_BITS);
}

/* x if the bits of `mask` are all set, 0 if none is. */
static inline u128
keep_by_mask(uint64_t mask, u128 x)
{
    return x & ((u128)mask << 64 | mask);
}

#endif
