/*
 * Quantiles: the middle one splits the sorted values in two, each half is split
 * the same way, and so on. Each quantile is the pivot of one node of that tree;
 * the tree and all rates are public and made once.
 */
#ifndef MECH_QUANTILE_H
#define MECH_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "custos.h"
#include "noise/coin.h"

enum {
    QUANTILE_SHARE_BITS = 33, /* ways to cut the values at one point */
    QUANTILE_CELLS_LOG2 = 32, /* cells lie below 2^this */
};

/* The node whose pivot is quantile i. */
struct node {
    uint64_t num, den;  /* the pivot's rank among the values of the node */
    int64_t shift;      /* the place wanted is (num n + shift) / den of them */
    struct slope slope; /* per step of |den place - num n - shift| */
    uint32_t depth;     /* 1 at the root */
    bool made;          /* slope is to be cleared */
};

struct custos_quantile {
    custos_alloc alloc;
    custos_quantile_facts facts;
    int64_t lower;
    uint64_t width; /* upper - lower */
    size_t ranks;
    struct node *nodes;
    char epsilon[CUSTOS_NUMBER_MAX];
    char rho[CUSTOS_NUMBER_MAX];
};

/*
 * Sorted values from .. to-1 of `cells`, all in low .. high. A cell: the value
 * in the low 64 bits, above them the first place of its equals and the place
 * after their last, 32 bits each.
 */
struct stretch {
    const u128 *cells;
    uint64_t from, to;
    uint64_t low, high;
    uint64_t target; /* den times the place wanted; set by stretch_cut */
};

/* A point, and how many values of the stretch are left of the cut. */
struct cut {
    uint64_t point, left;
};

/* The cells of n sorted values in low .. high, in place. */
void stretch_prepare(i128 *cells, uint64_t n, i128 low, i128 high);

/* The pivot. May fail: CUSTOS_EENTROPY, CUSTOS_EINTERNAL. */
CUSTOS_MUST_USE custos_status stretch_cut(const struct stretch *s,
                                          const struct node *node,
                                          custos_rng *rng, struct cut *out);

/*
 * Uniform on 0 .. n-1, 1 <= n < 2^63, in the same time for all n, beside
 * events of probability n 2^-128. May fail: CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status stretch_uniform(custos_rng *rng, uint64_t n,
                                              uint64_t *out);

#endif
