/*
 * The exponential mechanism by inversion: one uniform number against the
 * running sums of the weights, in a full scan. (Rejection would be simpler,
 * but the number of its rounds depends on the scores.)
 *
 * Weights and sums are fixed point with a known error. When the number lies
 * closer to a sum than that error, more digits of both settle it.
 *
 * THEOREM  exponential-by-inversion
 *   Let W_i = exp(-rate gap_i), S_j = W_0 + .. + W_{j-1}, V = S_n, U uniform in
 *   [0, 1). The number of j in 1 .. n-1 with S_j <= U V is i with probability
 *   W_i / V. With rate = eps / 2D (monotone: eps / D) this is eps-DP.
 * SOURCE   McSherry, Talwar 2007, "Mechanism Design via Differential Privacy",
 *          Theorem 6; the fixed-point scan: doc/proofs/exponential-by-inversion.md
 * NEEDS    c->slope of that rate; n <= 2^32.
 * GIVES    *winner has this law exactly. Time depends on n alone, except that
 *          the scan is refined with probability below n^2 2^-50.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below
 *          n 2^-4000; coins alone.
 * TESTED   exponential_thresholds_are_exact, exponential_gives_up_at_last,
 *          law_exponential, exponential_keeps_epsilon
 */
#include "base/ck.h"
#include "mech/select.h"
#include "noise/expfix.h"
#include "num/ival.h"
#include "random/rng.h"

enum { WORDS_MAX = 64 }; /* words of U before refinement gives up */

/* What is known of U: the words drawn so far. low <= U <= high. */
struct prefix {
    rat low, high;
    long bits;
};

/* Appends 64 more bits to U. */
static void
prefix_grow(struct prefix *u, uint64_t more)
{
    rat part, unit;

    u->bits += 64;
    rat_init(&part);
    rat_init(&unit);
    rat_set_pow2(&unit, -u->bits);
    rat_set_i128(&part, (i128)more);
    rat_mul(&part, &part, &unit);
    rat_add(&u->low, &u->low, &part);
    rat_add(&u->high, &u->low, &unit);
    rat_clear(&unit);
    rat_clear(&part);
}

/* exp(-rate gap) between bounds. */
static void
weight_enclose(const struct contest *c, uint64_t gap, ival *w)
{
    rat exponent;

    rat_init(&exponent);
    rat_set_i128(&exponent, -(i128)gap);
    rat_mul(&exponent, &exponent, &c->rate);
    ival_set_rat(w, &exponent);
    ival_exp(w, w);
    rat_clear(&exponent);
}

/* The winner for this prefix of U, or false when a sum is too close. */
static bool
winner_settle(const struct contest *c, const struct prefix *u, size_t *winner)
{
    ival low, high, sum, weight;
    bool settled = true;

    ival_init(&low, u->bits + 128);
    ival_init(&high, u->bits + 128);
    ival_init(&sum, u->bits + 128);
    ival_init(&weight, u->bits + 128);
    for (size_t i = 0; i < c->n; i++) {
        weight_enclose(c, c->gaps[i], &weight);
        ival_add(&sum, &sum, &weight);
    }
    ival_set_rat(&low, &u->low);
    ival_mul(&low, &low, &sum);
    ival_set_rat(&high, &u->high);
    ival_mul(&high, &high, &sum);
    ival_set_i64(&sum, 0);
    *winner = 0;
    for (size_t i = 0; i + 1 < c->n; i++) {
        bool passed;

        weight_enclose(c, c->gaps[i], &weight);
        ival_add(&sum, &sum, &weight);
        passed = ival_certainly_less(&sum, &low);
        *winner += passed;
        settled = settled && (passed || ival_certainly_less(&high, &sum));
    }
    ival_clear(&weight);
    ival_clear(&sum);
    ival_clear(&high);
    ival_clear(&low);
    return settled;
}

/* The exact path, for the U that begins with these 64 bits. */
static custos_status
winner_refine(const struct contest *c, custos_rng *rng, uint64_t first,
              size_t *winner)
{
    struct prefix u = {.bits = 0};
    custos_status st = CUSTOS_EINTERNAL;
    bool settled = false;

    rat_init(&u.low);
    rat_init(&u.high);
    prefix_grow(&u, first);
    while (!settled && u.bits < 64L * WORDS_MAX) {
        uint64_t more;

        st = rng_words(rng, &more, 1);
        if (st)
            break;
        prefix_grow(&u, more);
        settled = winner_settle(c, &u, winner);
        st = settled ? CUSTOS_OK : CUSTOS_EINTERNAL;
    }
    rat_clear(&u.high);
    rat_clear(&u.low);
    return st;
}

/*
 * Scans the sums for U = first * 2^-64 + less. All sums and U V are known to
 * within `slack` of what is computed here; true when that suffices.
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
    custos_status st;
    uint64_t first;

    contest_set_gaps(c, scores);
    for (size_t i = 0; i < c->n; i++)
        c->weights[i] = slope_exp(&c->slope, c->gaps[i]);
    st = rng_words(rng, &first, 1);
    if (!st && !winner_scan(c, first, winner))
        st = winner_refine(c, rng, first, winner);
    wipe(&first, sizeof first);
    return st;
}
