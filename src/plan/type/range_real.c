/*
 * Ranges of doubles, as the engine computes them.
 *
 * THEOREM  real-enclosure
 *   Rounding to nearest is monotone and leaves doubles as they are. So if exact
 *   operands are in intervals whose ends are doubles, and [L, U] contains every
 *   exact result, then the rounded result is between the largest double <= L
 *   and the smallest double >= U. A whole number or decimal of at most 2^53
 *   steps and at most 22 digits after the point becomes a double by at most one
 *   rounding; any other number, to within a relative 2^-50.
 * SOURCE   doc/proofs/real-enclosure.md
 * NEEDS    IEEE 754 doubles, each operation rounded once, to nearest.
 * GIVES    ends of facts that hold for the engine's values, not only for exact
 *          ones.
 * FAILS    cannot.
 * TESTED   ranges_of_doubles_are_outward every_claim_holds
 */
#include "num/rat_round.h"
#include "plan/type/range.h"
#include "plan/work.h"

enum {
    MANTISSA = 53,
    LEAST_LOG2 = -1074,
    SLACK_LOG2 = -50,
    TEN_EXACT = 22 /* 10^22 is a double, 10^23 is not: 5^23 > 2^53 */
};

/* Rounds x down, or up, to a double: a multiple of 2^g with 53 bits. */
static void
to_double(rat *x, bool up)
{
    rat unit;
    long g;

    if (rat_sign(x) == 0)
        return;
    rat_init(&unit);
    rat_abs(&unit, x);
    g = rat_log2_floor(&unit) - (MANTISSA - 1);
    rat_set_pow2(&unit, g < LEAST_LOG2 ? LEAST_LOG2 : g);
    rat_div(x, x, &unit);
    if (up)
        rat_ceil(x, x);
    else
        rat_floor(x, x);
    rat_mul(x, x, &unit);
    rat_clear(&unit);
}

void
range_outward(struct fact *f)
{
    if (f->known != KNOWN_NOTHING || f->floor)
        to_double(&f->lower, false);
    if (f->known != KNOWN_NOTHING || f->ceiling)
        to_double(&f->upper, true);
}

/* Moves x outwards by a relative 2^-50. */
static void
move_outward(rat *x, bool up)
{
    rat by, slack;

    rat_init(&by);
    rat_init(&slack);
    rat_set_pow2(&slack, SLACK_LOG2);
    rat_abs(&by, x);
    rat_mul(&by, &by, &slack);
    if (up)
        rat_add(x, x, &by);
    else
        rat_sub(x, x, &by);
    rat_clear(&by);
    rat_clear(&slack);
}

void
range_slack(struct fact *f)
{
    move_outward(&f->lower, false);
    move_outward(&f->upper, true);
}

/* Does x have at most 2^53 steps of 10^-scale, and is 10^scale a double? */
static bool
is_short(const rat *x, int scale)
{
    bool fits;
    rat limit, steps;

    if (scale > TEN_EXACT)
        return false;
    rat_init(&limit);
    rat_init(&steps);
    grid_step((struct grid){10, scale}, &limit);
    rat_abs(&steps, x);
    rat_div(&steps, &steps, &limit);
    rat_set_pow2(&limit, MANTISSA);
    fits = rat_cmp(&steps, &limit) <= 0;
    rat_clear(&limit);
    rat_clear(&steps);
    return fits;
}

void
range_as_double(struct fact *f)
{
    if (f->known == KNOWN_NOTHING && !f->floor && !f->ceiling)
        return;
    if (!is_short(&f->lower, f->scale) || !is_short(&f->upper, f->scale))
        range_slack(f);
    range_outward(f);
}
