/*
 * First finds the power of two by bisecting the exponent, then the bits
 * between two neighbouring powers.
 */
#include "account/search.h"

#include "num/batch.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    BOUND_BITS = 128,
    BOUND_LOG2_MIN = -1400,
    BOUND_LOG2_MAX = 1300,
};

static bool
holds_at(search_fact *holds, const void *of, long exponent)
{
    bool held;
    rat x;

    rat_init(&x);
    rat_set_pow2(&x, exponent);
    held = holds(of, &x);
    rat_clear(&x);
    return held;
}

/* The side of the change on which the fact holds. */
enum side { ABOVE, BELOW };

/*
 * Narrows [low, high] to two neighbouring powers of two around the change. The
 * fact is known to hold at the end on its side.
 */
static void
narrow_powers(search_fact *holds, const void *of, enum side side, long *low,
              long *high)
{
    while (*high - *low > 1) {
        long middle = *low + (*high - *low) / 2;
        bool held = holds_at(holds, of, middle);

        *(held == (side == ABOVE) ? high : low) = middle;
    }
}

static void
narrow_bits(search_fact *holds, const void *of, enum side side, unsigned bits,
            rat *low, rat *high)
{
    rat middle, half;

    rat_init(&middle);
    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    for (unsigned i = 0; i < bits; i++) {
        rat_add(&middle, low, high);
        rat_mul(&middle, &middle, &half);
        rat_set(holds(of, &middle) == (side == ABOVE) ? high : low, &middle);
    }
    rat_clear(&middle);
    rat_clear(&half);
}

static bool
search_side(search_fact *holds, const void *of, enum side side,
            struct search_range in, rat *x)
{
    long low = in.low, high = in.high, sure = side == ABOVE ? high : low;
    rat ends[2];

    if (!holds_at(holds, of, sure))
        return false;
    narrow_powers(holds, of, side, &low, &high);
    rats_init(ends, 2);
    rat_set_pow2(&ends[0], low);
    rat_set_pow2(&ends[1], high);
    narrow_bits(holds, of, side, in.bits, &ends[0], &ends[1]);
    rat_set(x, &ends[side == ABOVE]);
    rats_clear(ends, 2);
    return true;
}

bool
search_least(search_fact *holds, const void *of, struct search_range in, rat *x)
{
    return search_side(holds, of, ABOVE, in, x);
}

bool
search_most(search_fact *holds, const void *of, struct search_range in, rat *x)
{
    return search_side(holds, of, BELOW, in, x);
}

bool
bound_up(const ival *x, rat *out)
{
    if (ival_is_at_most_zero(x)) {
        rat_set_i64(out, 0, 1);
        return true;
    }
    if (ival_is_below_pow2(x, BOUND_LOG2_MIN)) {
        rat_set_pow2(out, BOUND_LOG2_MIN);
        return true;
    }
    if (!ival_is_below_pow2(x, BOUND_LOG2_MAX))
        return false;
    ival_up(x, out);
    rat_round_up(out, out, BOUND_BITS);
    return true;
}

void
bound_down(const ival *x, rat *out)
{
    rat least;

    rat_init(&least);
    rat_set_pow2(&least, BOUND_LOG2_MIN);
    if (!ival_certainly_above_rat(x, &least)) {
        rat_set_i64(out, 0, 1);
    } else {
        CUSTOS_REQUIRE(ival_is_below_pow2(x, BOUND_LOG2_MAX));
        ival_down(x, out);
    }
    rat_clear(&least);
}
