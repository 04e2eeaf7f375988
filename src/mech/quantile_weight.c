/*
 * Chooses one of many weights by one uniform number: a scan in fixed point, and
 * the exact slow path where that cannot decide.
 */
#include "mech/quantile_weight.h"

#include "base/alloc.h"
#include "random/rng.h"

enum { SLACK_BITS = 47 }; /* sums are known to one part in 2^47 */

/*
 * The mantissa shifted for the common exponent `top`; 0 if shifted by 64 or
 * more.
 */
static uint64_t
weight_below(struct weight w, uint64_t top)
{
    uint64_t down = top - w.exponent;

    return w.mantissa >> (down & 63) & mask_less(down, 64);
}

/* Computes the weights, in order, and returns the largest exponent. */
static uint64_t
weights_set(struct walk *w, struct weight *weights)
{
    uint64_t top = 0;

    w->rewind(w);
    for (uint64_t k = 0; k < w->n; k++) {
        uint64_t e;

        weights[k] = w->next(w);
        e = weights[k].exponent;
        top = choose_by_mask(mask_less(top, e), e, top);
    }
    return top;
}

/*
 * Scans the sums for a U of which `first` holds the first 64 bits. All sums,
 * and U times the total, are within `slack` of the values computed here; true
 * if that decides.
 */
static bool
winner_scan(struct walk *w, struct weight *weights, uint64_t first,
            size_t *winner)
{
    uint64_t n = w->n, top = weights_set(w, weights);
    u128 total = 0, sum = 0, at, slack;
    size_t passed = 0, close = 0;

    for (uint64_t k = 0; k < n; k++) {
        weights[k].mantissa = weight_below(weights[k], top);
        total += weights[k].mantissa;
    }
    /* floor(first * total / 2^64); total < 2^97. */
    at = (u128)first * (uint64_t)(total >> 64) +
         ((u128)first * (uint64_t)total >> 64);
    slack = (total >> SLACK_BITS) + 2 * (u128)w->all + 8;
    /* What is left out begins after the last weight. */
    for (uint64_t k = 0; k + 1 < n + (w->all > n); k++) {
        size_t past, before;

        sum += weights[k].mantissa;
        past = 1 & ~(size_t)mask_less_i128((i128)at, (i128)(sum + slack));
        before = 1 & (size_t)mask_less_i128((i128)(at + slack), (i128)sum);
        passed += past;
        close |= 1 ^ (past | before);
    }
    *winner = passed;
    return !close;
}

custos_status
walk_choose(const custos_alloc *alloc, struct walk *w,
            const struct weights *exact, custos_rng *rng, size_t *winner)
{
    struct weight *weights = alloc_take(alloc, w->n, sizeof *weights);
    uint64_t first = 0;
    custos_status st = weights ? rng_words(rng, &first, 1) : CUSTOS_ENOMEM;

    *winner = 0;
    if (!st && !winner_scan(w, weights, first, winner))
        st = inverse_refine(exact, rng, first, winner);
    wipe(&first, sizeof first);
    alloc_give(alloc, weights, w->n, sizeof *weights);
    return st;
}
