/*
 * The slots of a stretch: candidates (a point and a share, quantile_cut.c) that
 * have one score, by how many values go left.
 */
#ifndef MECH_QUANTILE_SLOT_H
#define MECH_QUANTILE_SLOT_H

#include "base/ck.h"
#include "mech/quantile.h"

enum { SLOT_KINDS = 3 }; /* slots for each value */

/*
 * Candidates with one score: all shares of `points` points from `start`, or
 * some shares of one point.
 */
struct slot {
    uint64_t start, points;
    u128 length; /* number of candidates */
    uint64_t left;
};

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
 * The points between value i - 1 and value i, or between a value and a limit.
 */
static inline struct slot
slot_gap(const struct stretch *s, uint64_t i)
{
    uint64_t start = s->low, end = s->high + 1, some;
    struct slot gap;

    if (i > s->from)
        start = cell_value(s->cells[i - 1]) + 1;
    if (i < s->to)
        end = cell_value(s->cells[i]);
    some = mask_less(start, end);
    gap.start = start;
    gap.points = (end - start) & some;
    gap.length = (u128)gap.points << QUANTILE_SHARE_BITS;
    gap.left = i - s->from;
    return gap;
}

/*
 * A piece of the shares at value i: the one that cuts before it (behind = 0),
 * or, for the last of equal values, the one that cuts behind them all.
 */
static inline struct slot
slot_piece(const struct stretch *s, uint64_t i, uint64_t behind)
{
    u128 cell = s->cells[i];
    uint64_t first = (uint64_t)(cell >> 96), end = (uint32_t)(cell >> 64);
    uint64_t pieces, halves, number, length;
    unsigned p;

    first = choose_by_mask(mask_less(first, s->from), s->from, first);
    end = choose_by_mask(mask_less(s->to, end), s->to, end);
    pieces = end - first + 1;
    p = 63 - (unsigned)__builtin_clzll(pieces);
    halves = 2 * (pieces - ((uint64_t)1 << p));
    number = i + behind - first;
    length = ((uint64_t)1 << (QUANTILE_SHARE_BITS - p)) >>
             (mask_less(number, halves) & 1);
    /* Only the last of equal values has a piece behind it. */
    length &= (behind - 1) | ~mask_less(i + 1, end);
    return (struct slot){.start = cell_value(cell),
                         .points = 1,
                         .length = length,
                         .left = i + behind - s->from};
}

/* Slot k of 3 n + 1: a gap and two pieces for each value, then a last gap. */
static inline struct slot
slot_at(const struct stretch *s, uint64_t k)
{
    uint64_t i = s->from + k / SLOT_KINDS, kind = k % SLOT_KINDS;

    return kind == 0 ? slot_gap(s, i) : slot_piece(s, i, kind - 1);
}

static inline uint64_t
slot_count(const struct stretch *s)
{
    return SLOT_KINDS * (s->to - s->from) + 1;
}

#endif
