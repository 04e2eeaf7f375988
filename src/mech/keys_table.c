/*
 * The optimal rule for one key, as a table of chances. Each entry follows
 * from the one before as it was stored, rounded down, so that what is stored
 * satisfies the inequalities of the definition itself, whatever was lost.
 *
 * THEOREM  keys-optimal
 *   Let pi_0 = 0 and pi_(n+1) = min(e^eps pi_n + delta,
 *   1 - e^-eps (1 - pi_n - delta), 1), rounded down. A key of n units comes
 *   out with probability pi_n, each by itself. For units of at most k keys
 *   this is (k eps, k delta)-DP under add/remove and (2k eps, 2k delta)-DP
 *   under change-one; without rounding no rule for one key that is
 *   (eps, delta)-DP gives any n a larger chance.
 * SOURCE   Desfontaines, Voss, Gipson, Mandayam 2022, arXiv:2006.03684,
 *          theorem 1; rounding, several keys and the floor:
 *          doc/proofs/keys-optimal.md
 * NEEDS    numbers of units by key, each unit in at most k keys; keys that
 *          do not come out are treated as absent.
 * GIVES    entries within 2^-119 of that minimum, from exact bounds of e^eps.
 * FAILS    CUSTOS_ERANGE (delta below 2^-100; more than 2^16 entries),
 *          CUSTOS_ENOMEM.
 * TESTED   keys_table_keeps_its_promise keys_table_is_optimal
 *          keys_law_of_the_table keys_of_several_keep_the_promise
 */
#include "base/alloc.h"
#include "base/error.h"
#include "mech/keys.h"
#include "num/rat_round.h"

enum {
    ENTRIES_MAX = 1 << 16,
    BITS = 256,
    EPSILON_MAX = 64, /* a larger one gains nothing that shows */
    DELTA_LOG2_MIN = -100,
};

struct step {
    rat grow;   /* e^eps, rounded down */
    rat shrink; /* e^-eps, rounded up */
    rat delta;  /* a multiple of unit, rounded down */
    rat one;
    rat unit; /* 2^KEYS_BITS */
};

static void
step_init(struct step *s, const rat *epsilon, const rat *delta)
{
    ival e;
    rat cut;

    rat_init(&s->grow);
    rat_init(&s->shrink);
    rat_init(&s->delta);
    rat_init(&s->one);
    rat_init(&s->unit);
    rat_set_i64(&s->one, 1, 1);
    rat_set_pow2(&s->unit, KEYS_BITS);
    rat_mul(&s->delta, delta, &s->unit);
    rat_floor(&s->delta, &s->delta);
    rat_div(&s->delta, &s->delta, &s->unit);
    ival_init(&e, BITS);
    rat_init(&cut);
    rat_set_i64(&cut, EPSILON_MAX, 1);
    ival_set_rat(&e, rat_cmp(epsilon, &cut) < 0 ? epsilon : &cut);
    ival_neg(&e, &e);
    ival_exp(&e, &e);
    ival_up(&e, &s->shrink);
    rat_div(&s->grow, &s->one, &s->shrink);
    rat_clear(&cut);
    ival_clear(&e);
}

static void
step_clear(struct step *s)
{
    rat_clear(&s->grow);
    rat_clear(&s->shrink);
    rat_clear(&s->delta);
    rat_clear(&s->one);
    rat_clear(&s->unit);
}

/* The entry after `from`; false when it is 1. */
static bool
step_next(const struct step *s, u128 from, u128 *to)
{
    rat pi, up, down;
    i128 whole = 0;
    bool below;

    rat_init(&pi);
    rat_init(&up);
    rat_init(&down);
    rat_set_i128(&pi, (i128)from);
    rat_div(&pi, &pi, &s->unit);
    rat_mul(&up, &s->grow, &pi);
    rat_add(&up, &up, &s->delta);
    rat_sub(&down, &s->one, &pi);
    rat_sub(&down, &down, &s->delta);
    rat_mul(&down, &down, &s->shrink);
    rat_sub(&down, &s->one, &down);
    if (rat_cmp(&down, &up) < 0)
        rat_set(&up, &down);
    below = rat_cmp(&up, &s->one) < 0;
    if (below) {
        rat_mul(&up, &up, &s->unit);
        CUSTOS_REQUIRE(rat_floor_i128(&up, &whole));
        *to = (u128)whole;
    }
    rat_clear(&pi);
    rat_clear(&up);
    rat_clear(&down);
    return below;
}

/* How many entries lie below 1; ENTRIES_MAX + 1 when there are more. */
static size_t
count_entries(const struct step *s)
{
    size_t count = 1;
    u128 at = 0;

    while (count <= ENTRIES_MAX && step_next(s, at, &at))
        count++;
    return count;
}

custos_status
keys_table_make(const custos_alloc *alloc, const rat *epsilon, const rat *delta,
                struct keys_table *t, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct step s;
    size_t count;

    if (rat_log2_floor(delta) < DELTA_LOG2_MIN)
        return custos_fail(err, CUSTOS_ERANGE,
                           "for the geometric rule delta over the keys of a "
                           "unit must be at least 2^-100: take another rule");
    step_init(&s, epsilon, delta);
    count = count_entries(&s);
    if (count > ENTRIES_MAX) {
        st = custos_fail(err, CUSTOS_ERANGE,
                         "for the geometric rule epsilon over the keys of a "
                         "unit is too small: take another rule");
        goto out;
    }
    t->chance = alloc_take(alloc, count, sizeof *t->chance);
    if (!t->chance) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    t->count = count;
    for (size_t n = 1; n < count; n++)
        CUSTOS_REQUIRE(step_next(&s, t->chance[n - 1], &t->chance[n]));
out:
    step_clear(&s);
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

    /* Both are below 2^127: the sign of the difference tells. */
    for (size_t n = 0; n < t->count; n++)
        reached += 1 ^ (uint64_t)((drawn - t->chance[n]) >> 127);
    return reached;
}
