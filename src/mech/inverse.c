/*
 * The known prefix of U grows by one word at a time, and sums are enclosed
 * with 128 bits more than it has, until every sum is certainly on one side of
 * U times the total. doc/proofs/exponential-by-inversion.md proves that this
 * ends.
 */
#include "mech/inverse.h"

#include "random/rng.h"

enum { WORDS_MAX = 64 }; /* words of U before refinement gives up */

/* The words of U drawn so far: low <= U <= high. */
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

/* The winner for this prefix of U; false if a sum is too close. */
static bool
winner_settle(const struct weights *w, const struct prefix *u, size_t *winner)
{
    ival low, high, sum, weight;
    bool settled = true;

    ival_init(&low, u->bits + 128);
    ival_init(&high, u->bits + 128);
    ival_init(&sum, u->bits + 128);
    ival_init(&weight, u->bits + 128);
    for (size_t i = 0; i < w->n; i++) {
        w->enclose(w->of, i, &weight);
        ival_add(&sum, &sum, &weight);
    }
    ival_set_rat(&low, &u->low);
    ival_mul(&low, &low, &sum);
    ival_set_rat(&high, &u->high);
    ival_mul(&high, &high, &sum);
    ival_set_i64(&sum, 0);
    *winner = 0;
    for (size_t i = 0; i + 1 < w->n; i++) {
        bool passed;

        w->enclose(w->of, i, &weight);
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

custos_status
inverse_refine(const struct weights *w, custos_rng *rng, uint64_t first,
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
        settled = winner_settle(w, &u, winner);
        st = settled ? CUSTOS_OK : CUSTOS_EINTERNAL;
    }
    rat_clear(&u.high);
    rat_clear(&u.low);
    return st;
}
