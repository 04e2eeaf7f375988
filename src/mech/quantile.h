/*
 * Quantiles: the middle one splits the sorted values in two, each half is
 * split in the same way, and so on. Each quantile is the pivot of one node of
 * that tree. The tree and all rates are public and made once.
 */
#ifndef MECH_QUANTILE_H
#define MECH_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "custos.h"
#include "noise/coin.h"

enum {
    QUANTILE_SHARE_BITS = 33, /* 2^33 ways to cut the values at one point */
    QUANTILE_CELLS_LOG2 = 32, /* the number of cells is below 2^32 */
};

/* The levels of a balanced tree of pivots: ceil(log2(ranks + 1)). */
static inline uint32_t
quantile_levels(size_t ranks)
{
    uint32_t levels = 0;

    while (ranks >> levels)
        levels++;
    return levels;
}

/* The pivot of the node with the ranks `first` .. `last`-1. */
static inline size_t
branch_middle(size_t first, size_t last)
{
    return first + (last - first) / 2;
}

/* The node whose pivot is quantile i. */
struct node {
    uint64_t num, den;  /* the pivot's rank among the values of the node */
    int64_t shift;      /* wanted position: (num n + shift) / den */
    uint64_t around;    /* of a box: how far its cuts are aimed from there, in
                           steps of 1/den; 0 for a single cut */
    int64_t place;      /* of the wanted position: rank n + place, ... */
    uint64_t reach;     /* ... and of a box, around / den */
    struct slope slope; /* per step of |den position - num n - shift| */
    uint64_t far;       /* distances this much above the least never matter */
    uint32_t depth;     /* 1 at the root */
    bool made;          /* slope must be cleared */
};

struct custos_quantile {
    custos_alloc alloc;
    custos_quantile_facts facts;
    int64_t lower;
    uint64_t width; /* upper - lower */
    size_t ranks;
    bool boxed; /* nodes draw two cuts each (quantile_box.h) */
    struct node *nodes;
    char epsilon[CUSTOS_NUMBER_MAX];
    char rho[CUSTOS_NUMBER_MAX];
};

/*
 * The sorted values `from` .. `to` - 1 of `cells`, all in low .. high. A cell
 * has the value in its low 64 bits. Above it, 32 bits each, are the index after
 * the last equal value and the index of the first equal value.
 */
struct stretch {
    const u128 *cells;
    uint64_t from, to;
    uint64_t low, high;
    uint64_t target; /* den times the wanted position; set by stretch_cut */
};

/* A point, and how many values of the stretch go left. */
struct cut {
    uint64_t point, left;
};

/* Turns n sorted values in low .. high into cells, in place. */
void stretch_prepare(i128 *cells, uint64_t n, i128 low, i128 high);

/* Draws the pivot. May fail: CUSTOS_ENOMEM, CUSTOS_EENTROPY,
   CUSTOS_EINTERNAL. */
CUSTOS_MUST_USE custos_status stretch_cut(const custos_alloc *alloc,
                                          const struct stretch *s,
                                          const struct node *node,
                                          custos_rng *rng, struct cut *out);

/* Opens sealed cells as `s`: custos_quantile_release says what they are. May fail:
   CUSTOS_EOVERFLOW, CUSTOS_ETAKEN. */
CUSTOS_MUST_USE custos_status stretch_open(const custos_quantile *q,
                                           custos_sealed *sealed, size_t cells,
                                           struct stretch *s, custos_err *err);

/* The most ways to cut values that a draw of this node looks at, whatever the values
   are and however many there are. */
uint64_t cut_steps(const custos_quantile *q, const struct node *node);

/*
 * As custos_quantile_new. If `around` is above 0, every node draws a box, whose
 * cuts are aimed at least that many positions from its own; ranks 0 and 1 move
 * inside so that the box fits.
 */
CUSTOS_MUST_USE custos_status quantile_new_around(
    const custos_alloc *alloc, const custos_quantile_options *options,
    uint64_t around, custos_quantile **out, custos_err *err);

/*
 * Uniform on 0 .. n-1, for 1 <= n < 2^96. Takes the same time for all n,
 * except with probability n 2^-192. May fail: CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status stretch_uniform(custos_rng *rng, u128 n,
                                              u128 *out);

#endif
