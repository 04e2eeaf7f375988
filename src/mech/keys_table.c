/*
 * The optimal rule for one key, as a table of chances. Each entry is computed
 * from the stored, rounded-down entry before it, so the stored entries
 * themselves satisfy the inequalities of the definition, whatever was lost by
 * rounding.
 *
 * THEOREM  keys-optimal
 *   Let pi_0 = 0 and pi_(n+1) = min(e^eps pi_n + delta,
 *   1 - e^-eps (1 - pi_n - delta), 1), rounded down. A key of n units is
 *   released with probability pi_n, independently of the others. For units of
 *   at most k keys this is (k eps, k delta)-DP under add/remove and (2k eps,
 *   2k delta)-DP under change-one. Without rounding, no (eps, delta)-DP rule
 *   for one key gives any n a larger chance.
 * SOURCE   Desfontaines, Voss, Gipson, Mandayam 2022, arXiv:2006.03684,
 *          theorem 1; rounding, several keys and the floor:
 *          doc/proofs/keys-optimal.md
 * NEEDS    numbers of units by key, each unit in at most k keys; the caller
 *          shows nothing of a key that is not released, as if it were absent.
 * GIVES    entries within 2^-119 of that minimum, from exact bounds on e^eps.
 * FAILS    CUSTOS_ERANGE (delta below 2^-100; more than 2^16 entries),
 *          CUSTOS_ENOMEM.
 * TESTED   keys_table_keeps_its_promise keys_table_is_optimal
 *          keys_law_of_the_table keys_of_several_keep_the_promise
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mech/keys.h"
#include "num/rat_round.h"

enum {
    ENTRIES_MAX = 1 << 16,
    BITS = 256,
    EPSILON_MAX = 64, /* a larger epsilon makes no visible difference */
    DELTA_LOG2_MIN = -100,
};

#define ONE ((i128)1 << KEYS_BITS) /* the chance 1, in units of the table */

struct step {
    rat grow;   /* e^eps, rounded down */
    rat shrink; /* e^-eps, rounded up */
    i128 delta; /* in units, rounded down */
};

static void
step_init(struct step *s, const rat *epsilon, const rat *delta)
{
    ival e;
    rat cut, units;

    rat_init(&s->grow);
    rat_init(&s->shrink);
    rat_init(&cut);
    rat_init(&units);
    rat_set_pow2(&units, KEYS_BITS);
    rat_mul(&units, delta, &units);
    CUSTOS_REQUIRE(rat_floor_i128(&units, &s->delta));
    ival_init(&e, BITS);
    rat_set_i64(&cut, EPSILON_MAX, 1);
    ival_set_rat(&e, rat_cmp(epsilon, &cut) < 0 ? epsilon : &cut);
    ival_neg(&e, &e);
    ival_exp(&e, &e);
    ival_up(&e, &s->shrink);
    rat_set_i64(&cut, 1, 1);
    rat_div(&s->grow, &cut, &s->shrink);
    rat_clear(&cut);
    rat_clear(&units);
    ival_clear(&e);
}

static void
step_clear(struct step *s)
{
    rat_clear(&s->grow);
    rat_clear(&s->shrink);
}

/*
 * The entry after `from`; false if it is 1. All added numbers are integers in
 * units of the table, so rounding both bounds and taking the smaller is the
 * same as rounding the smaller one.
 */
static bool
step_next(const struct step *s, u128 from, u128 *to)
{
    i128 up = ONE, down = 0;

    if (!rat_floor_times(&s->grow, (i128)from, &up) || up > ONE)
        up = ONE;
    up += s->delta;
    /* 1 minus a number rounded up: shrink <= 1, so it fits */
    CUSTOS_REQUIRE(
        rat_floor_times(&s->shrink, (i128)from + s->delta - ONE, &down));
    down += ONE;
    *to = (u128)(down < up ? down : up);
    return *to < (u128)ONE;
}

/*
 * Writes all entries below 1 to `all`, which has room for ENTRIES_MAX. Returns
 * their number, or ENTRIES_MAX + 1 if there are more.
 */
static size_t
make_entries(const struct step *s, u128 *all)
{
    size_t count = 1;
    u128 at = 0;

    all[0] = 0;
    while (step_next(s, at, &at)) {
        if (count == ENTRIES_MAX)
            return ENTRIES_MAX + 1;
        all[count++] = at;
    }
    return count;
}

custos_status
keys_table_make(const custos_alloc *alloc, const rat *epsilon, const rat *delta,
                struct keys_table *t, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct step s;
    size_t count;
    u128 *all;

    if (rat_log2_floor(delta) < DELTA_LOG2_MIN)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the geometric rule needs a delta per key of at "
                           "least 2^-100" HINT "use another rule");
    all = alloc_take(alloc, ENTRIES_MAX, sizeof *all);
    if (!all)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    step_init(&s, epsilon, delta);
    count = make_entries(&s, all);
    step_clear(&s);
    if (count > ENTRIES_MAX)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon per key is too small for the geometric "
                         "rule" HINT "use another rule");
    else if (!(t->chance = alloc_take(alloc, count, sizeof *t->chance)))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st) {
        memcpy(t->chance, all, count * sizeof *all);
        t->count = count;
    }
    alloc_give(alloc, all, ENTRIES_MAX, sizeof *all);
    return st;
}

void
keys_table_clear(const custos_alloc *alloc, struct keys_table *t)
{
    alloc_give(alloc, t->chance, t->count, sizeof *t->chance);
}

uint64_t
keys_table_threshold(const struct keys_table *t, u128 drawn)
{
    uint64_t reached = 0;

    /* Both are below 2^127, so the sign of the difference decides. */
    for (size_t n = 0; n < t->count; n++)
        reached += 1 ^ (uint64_t)((drawn - t->chance[n]) >> 127);
    return reached;
}
