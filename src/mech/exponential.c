/*
 * The exponential mechanism by inversion: compares one uniform number with the
 * running sums of the weights, in a full scan. (Rejection would be simpler,
 * but the number of its rounds depends on the scores.)
 *
 * Weights and sums are fixed point with a known error. If the number is closer
 * to a sum than that error, more digits of both decide.
 *
 * THEOREM  exponential-by-inversion
 *   Let W_i = exp(-rate gap_i), S_j = W_0 + .. + W_{j-1}, V = S_n, U uniform in
 *   [0, 1). The number of j in 1 .. n-1 with S_j <= U V is i with probability
 *   W_i / V. With rate = eps / 2D (monotone: eps / D) this is eps-DP.
 * SOURCE   McSherry, Talwar 2007, "Mechanism Design via Differential Privacy",
 *          Theorem 6; the fixed-point scan: doc/proofs/exponential-by-inversion.md
 * NEEDS    c->slope has that rate; n <= 2^32.
 * GIVES    *winner has exactly this law. Time depends only on n, except that
 *          the scan is refined with probability below n^2 2^-50.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below n 2^-4000.
 *          Both depend only on the coins.
 * TESTED   exponential_thresholds_are_exact, exponential_gives_up_at_last,
 *          law_exponential, exponential_keeps_epsilon
 */
#include "base/ck.h"
#include "mech/inverse.h"
#include "mech/select.h"
#include "noise/expfix.h"
#include "random/rng.h"

/* Encloses exp(-rate gap), for the exact path. */
static void
weight_enclose(const void *of, size_t i, ival *w)
{
    const struct contest *c = of;
    rat exponent;

    rat_init(&exponent);
    rat_set_i128(&exponent, -(i128)c->gaps[i]);
    rat_mul(&exponent, &exponent, &c->rate);
    ival_set_rat(w, &exponent);
    ival_exp(w, w);
    rat_clear(&exponent);
}

/*
 * Scans the sums for a U of which `first` holds the first 64 bits. All sums
 * and U V are within `slack` of the values computed here; true if that
 * decides.
 */
static bool
winner_scan(const struct contest *c, uint64_t first, size_t *winner)
{
    u128 total = 0, sum = 0, at, slack;
    size_t passed = 0, close = 0;

    for (size_t i = 0; i < c->n; i++)
        total += c->weights[i];
    /* floor(first * total / 2^64); total < 2^95. */
    at = (u128)first * (uint64_t)(total >> 64) +
         ((u128)first * (uint64_t)total >> 64);
    slack = (u128)c->n * (2 * EXP_ERROR + 1) + 1;
    for (size_t i = 0; i + 1 < c->n; i++) {
        size_t past, before;

        sum += c->weights[i];
        past = at >= sum + slack;
        before = at + slack < sum;
        passed += past;
        close |= 1 ^ (past | before);
    }
    *winner = passed;
    return !close;
}

custos_status
exponential_pick(struct contest *c, custos_rng *rng, const i128 *scores,
                 size_t *winner)
{
    const struct weights w = {c->n, weight_enclose, c};
    custos_status st;
    uint64_t first;

    contest_set_gaps(c, scores);
    for (size_t i = 0; i < c->n; i++)
        c->weights[i] = slope_exp(&c->slope, c->gaps[i]);
    st = rng_words(rng, &first, 1);
    if (!st && !winner_scan(c, first, winner))
        st = inverse_refine(&w, rng, first, winner);
    wipe(&first, sizeof first);
    return st;
}
