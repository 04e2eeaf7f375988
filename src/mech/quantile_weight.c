/*
 * Chooses one of many weights by one uniform number: a scan in fixed point, and
 * the exact slow path where that cannot decide.
 */
#include "mech/quantile_weight.h"

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

/*
 * Scans the sums for a U of which `first` holds the first 64 bits. All sums,
 * and U times the total, are within `slack` of the values computed here; true
 * if that decides.
 */
static bool
winner_scan(struct walk *w, uint64_t first, size_t *winner)
{
    uint64_t n = w->n, top = 0;
    u128 total = 0, sum = 0, at, slack;
    size_t passed = 0, close = 0;

    w->rewind(w);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t e = w->next(w).exponent;

        top = choose_by_mask(mask_less(top, e), e, top);
    }
    w->rewind(w);
    for (uint64_t k = 0; k < n; k++)
        total += weight_below(w->next(w), top);
    /* floor(first * total / 2^64); total < 2^97. */
    at = (u128)first * (uint64_t)(total >> 64) +
         ((u128)first * (uint64_t)total >> 64);
    slack = (total >> SLACK_BITS) + 2 * (u128)w->all + 8;
    w->rewind(w);
    /* What is left out begins after the last weight. */
    for (uint64_t k = 0; k + 1 < n + (w->all > n); k++) {
        size_t past, before;

        sum += weight_below(w->next(w), top);
        past = 1 & ~(size_t)mask_less_i128((i128)at, (i128)(sum + slack));
        before = 1 & (size_t)mask_less_i128((i128)(at + slack), (i128)sum);
        passed += past;
        close |= 1 ^ (past | before);
    }
    *winner = passed;
    return !close;
}

custos_status
walk_choose(struct walk *w, const struct weights *exact, custos_rng *rng,
            size_t *winner)
{
    uint64_t first;
    custos_status st = rng_words(rng, &first, 1);

    *winner = 0;
    if (!st && !winner_scan(w, first, winner))
        st = inverse_refine(exact, rng, first, winner);
    wipe(&first, sizeof first);
    return st;
}
