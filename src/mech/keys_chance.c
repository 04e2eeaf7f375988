/*
 * Bounds on the probability that a key with a given number of units is
 * released, for each rule. They are public: they depend only on the
 * parameters.
 *
 * THEOREM  keys-chance
 *   Let a key have n units, of which the first `floor` do not count, and let
 *   m = n - floor. (Weighted: n is the sum of the units' weights, and `floor`
 *   counts in the same unit.) The key is released with probability 0 if m <= 0.
 *   Otherwise the probability is the table's entry m, or, for a rule with
 *   noise Y, P[Y >= x] with x = tau - m. For discrete Laplace noise with
 *   q = exp(-1/t), that is q^x/(1+q) if x > 0 and 1 - q^(1-x)/(1+q) otherwise;
 *   for the discrete Gaussian it is G(x)/G(-inf).
 * SOURCE   the definitions; doc/proofs/interval-exact.md has the sums.
 * NEEDS    nothing.
 * GIVES    bounds that contain the probability; it does not fall with n.
 * FAILS    cannot.
 * TESTED   keys_chance_is_the_law keys_units_is_least keys_weighted_law
 */
#include "base/error.h"
#include "mech/keys.h"
#include "mech/keys_held.h"
#include "noise/noise.h"
#include "num/gauss_sum.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum { BITS = 64, UNITS_LOG2_MAX = 62, CHANCE_LOG2_MIN = -1000 };

/* r = P[Y >= x] for discrete Laplace; if x <= 0, from the complement. */
static void
laplace_reaches(ival *r, const rat *scale, i128 x)
{
    i128 power = x > 0 ? x : 1 - x;
    ival q;
    rat e;

    ival_init(&q, BITS);
    rat_init(&e);
    rat_set_i64(&e, -1, 1);
    rat_div(&e, &e, scale);
    ival_set_rat(&q, &e);
    ival_exp(&q, &q);
    ival_log1p(&q, &q); /* ln(1+q) */
    rat_set_i128(&e, -power);
    rat_div(&e, &e, scale);
    ival_set_rat(r, &e);
    ival_sub(r, r, &q);
    ival_exp(r, r);
    if (x <= 0) {
        ival_set_i64(&q, 1);
        ival_sub(r, &q, r);
    }
    ival_clear(&q);
    rat_clear(&e);
}

static void
gauss_reaches(ival *r, const rat *variance, i128 x)
{
    ival all;
    rat m;

    ival_init(&all, BITS);
    rat_init(&m);
    rat_set_i128(&m, x);
    gauss_sum(r, variance, &m);
    gauss_sum_all(&all, variance);
    ival_div(r, r, &all);
    ival_clear(&all);
    rat_clear(&m);
}

/*
 * Lower and upper bound on the chance, both in [0, 1], of a key of so many
 * units with this weight.
 */
static void
chance_enclose(const custos_keys *k, uint64_t units, uint64_t weight, rat *low,
               rat *high)
{
    i128 sum = (i128)units * (i128)weight;
    ival r;
    rat one;

    rat_set_i64(low, 0, 1);
    rat_set_i64(high, 0, 1);
    if (sum <= (i128)k->floor)
        return;
    rat_init(&one);
    if (!k->draw) {
        size_t m = units < k->facts.certain ? units - k->floor : 0;

        rat_set_i64(low, 1, 1);
        if (m > 0) {
            rat_set_i128(low, (i128)k->table.chance[m]);
            rat_set_pow2(&one, -KEYS_BITS);
            rat_mul(low, low, &one);
        }
        rat_set(high, low);
        rat_clear(&one);
        return;
    }
    ival_init(&r, BITS);
    (noise_law(k->draw) == CUSTOS_DISCRETE_GAUSSIAN ? gauss_reaches
                                                    : laplace_reaches)(
        &r, noise_parameter(k->draw), (i128)k->facts.threshold - sum);
    if (ival_is_below_pow2(&r, CHANCE_LOG2_MIN)) {
        rat_set_pow2(high, CHANCE_LOG2_MIN);
    } else {
        ival_down(&r, low);
        ival_up(&r, high);
        rat_set_i64(&one, 1, 1);
        if (rat_cmp(high, &one) > 0)
            rat_set(high, &one);
    }
    rat_clear(&one);
    ival_clear(&r);
}

custos_status
custos_keys_chance(const custos_keys *keys, const uint64_t *units, size_t n,
                   custos_chance *out, custos_err *err)
{
    rat a, b;

    if (!keys || (n > 0 && (!units || !out)))
        return custos_fail(err, CUSTOS_EINVAL,
                           "keys, units and out must not be NULL");
    rat_init(&a);
    rat_init(&b);
    for (size_t i = 0; i < n; i++) {
        chance_enclose(keys, units[i], keys->facts.steps, &a, &b);
        rat_decimal(&a, RAT_DOWN, out[i].low);
        rat_decimal(&b, RAT_UP, out[i].high);
    }
    rat_clear(&a);
    rat_clear(&b);
    return CUSTOS_OK;
}

/* Whether a key with so many units of this weight certainly has at least this
   chance. */
static bool
chance_reaches(const custos_keys *k, uint64_t units, uint64_t weight,
               const rat *chance)
{
    bool reached;
    rat a, b;

    rat_init(&a);
    rat_init(&b);
    chance_enclose(k, units, weight, &a, &b);
    reached = rat_cmp(&a, chance) >= 0;
    rat_clear(&a);
    rat_clear(&b);
    return reached;
}

/* The least number of units at which the chance is about 1/2; with one unit
   less it is at most 1/2. */
static uint64_t
units_of_half(const custos_keys *k, uint64_t weight)
{
    return k->facts.steps == 1
               ? k->facts.half
               : ((uint64_t)k->facts.threshold + weight - 1) / weight;
}

custos_status
keys_units_held(const custos_keys *keys, uint64_t held, const char *chance,
                uint64_t *units, custos_err *err)
{
    uint64_t low = 0, high = 1; /* low does not reach the chance, high does */
    uint64_t step = 1, weight = custos_keys_weight(keys, held);
    custos_status st;
    rat p, half;

    if (weight == 0 || !units)
        return custos_fail(err, CUSTOS_EINVAL,
                           "keys and units must not be NULL");
    rat_init(&p);
    st = rat_read_open_unit(chance, "chance", &p, err);
    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    if (!st && rat_cmp(&p, &half) > 0) {
        high = units_of_half(keys, weight);
        low = high - 1;
    }
    rat_clear(&half);
    while (!st && !chance_reaches(keys, high, weight, &p)) {
        low = high;
        high += step;
        step *= 2;
        if (high >> UNITS_LOG2_MAX)
            st = custos_fail(err, CUSTOS_ERANGE,
                             "no number of units below 2^%d gives this chance",
                             (int)UNITS_LOG2_MAX);
    }
    while (!st && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (chance_reaches(keys, middle, weight, &p))
            high = middle;
        else
            low = middle;
    }
    if (!st)
        *units = high;
    rat_clear(&p);
    return st;
}

custos_status
custos_keys_units(const custos_keys *keys, const char *chance, uint64_t *units,
                  custos_err *err)
{
    return keys_units_held(keys, 1, chance, units, err);
}
