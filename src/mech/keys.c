/*
 * Decides which keys of the data may be shown: makes a rule from the options,
 * opens the counts of units and compares each with a random threshold. Whether
 * a key is kept stays a mask from beginning to end: no branch and no address
 * depends on anything that a neighbour could change.
 *
 * THEOREM  keys-floor
 *   Let a rule keep a promise for counts n of units, and never release a key
 *   with 0 units. Then the rule that sees max(n - f, 0) instead, for a public
 *   f, and adds f to each released count, keeps the same promise. So does the
 *   weighted rule with sums n, where a unit of one key adds D, and a multiple
 *   f of D.
 * SOURCE   doc/proofs/keys-optimal.md, last section;
 *          doc/proofs/keys-weighted.md, "The floor"
 * NEEDS    f does not depend on the data.
 * GIVES    keys of f (weighted: f / D) units or fewer are never released.
 * FAILS    cannot.
 * TESTED   keys_floor_shifts_the_law keys_weighted_law
 *          keys_weighted_bounds_all_neighbours
 */
#include "mech/keys.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/hold.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "mech/threshold.h"
#include "noise/noise.h"
#include "num/ival_more.h"
#include "num/rat_round.h"
#include "random/rng.h"

enum { CHUNK = 64, UNITS_LOG2_MAX = 62, KEYS_LOG2_MAX = 60 };

/* The options, as numbers. */
struct asked {
    rat epsilon, delta;
    uint64_t keys; /* per unit */
    custos_adjacency adjacency;
};

/*
 * Makes the table. Each key that one unit can change gets an equal share of
 * epsilon and delta.
 */
static custos_status
geometric_make(custos_keys *k, struct asked *a, custos_err *err)
{
    custos_status st;
    rat share, epsilon, delta;

    rat_init(&share);
    rat_init(&epsilon);
    rat_init(&delta);
    rat_set_i128(&share,
                 (i128)a->keys * (a->adjacency == CUSTOS_CHANGE_ONE ? 2 : 1));
    rat_div(&epsilon, &a->epsilon, &share);
    rat_div(&delta, &a->delta, &share);
    st = keys_table_make(&k->alloc, &epsilon, &delta, &k->table, err);
    if (!st) {
        const u128 middle = (u128)1 << (KEYS_BITS - 1);

        k->facts.theorem = "keys-optimal";
        /* Chances rise with the units: this many entries are below 1/2. */
        k->facts.half = keys_table_threshold(&k->table, middle - 1) + k->floor;
        k->facts.certain = k->table.count + k->floor;
    }
    rat_clear(&share);
    rat_clear(&epsilon);
    rat_clear(&delta);
    return st;
}

/*
 * Sets the facts of a rule that compares counts minus the floor with a
 * threshold.
 */
static custos_status
threshold_set(custos_keys *k, int64_t threshold, const char *theorem,
              custos_err *err)
{
    if (!ck_add_i64(threshold, (int64_t)k->floor, &k->facts.threshold))
        return custos_fail(err, CUSTOS_ERANGE,
                           "the threshold would pass 64 bits: no key could "
                           "be released");
    k->facts.theorem = theorem;
    k->facts.half =
        ((uint64_t)k->facts.threshold + k->facts.steps - 1) / k->facts.steps;
    return CUSTOS_OK;
}

static custos_status
laplace_make(custos_keys *k, const custos_keys_options *o, struct asked *a,
             custos_err *err)
{
    const custos_threshold_options to = {
        .size = sizeof to,
        .adjacency = o->adjacency,
        .keys_per_unit = a->keys,
        .epsilon = o->epsilon,
        .delta = o->delta,
    };
    const custos_threshold_facts *f;
    custos_status st = custos_threshold_new(&k->alloc, &to, &k->laplace, err);

    if (st)
        return st;
    f = custos_threshold_report(k->laplace);
    k->draw = threshold_noise(k->laplace);
    k->facts.delta = f->delta;
    k->facts.scale = f->scale;
    return threshold_set(k, f->threshold, f->theorem, err);
}

/* With or without weights. */
static custos_status
gaussian_make(custos_keys *k, struct asked *a, custos_err *err)
{
    bool weighs = k->facts.rule == CUSTOS_KEYS_WEIGHTED;
    struct keys_gauss g = {.threshold = 0};
    custos_status st;
    ival sigma;
    rat down, steps;

    rat_init(&steps);
    rat_set_i128(&steps, (i128)k->facts.steps);
    rat_init(&g.variance);
    rat_init(&g.delta);
    rat_init(&down);
    st = keys_gauss_find(a->adjacency, a->keys, k->facts.steps, &a->epsilon,
                         &a->delta, &g, err);
    if (!st)
        st = noise_new(&k->alloc, CUSTOS_DISCRETE_GAUSSIAN, &g.variance,
                       &k->noise, err);
    if (!st) {
        k->draw = k->noise;
        ival_init(&sigma, 128);
        ival_set_rat(&sigma, &g.variance);
        ival_sqrt(&sigma, &sigma);
        ival_down(&sigma, &down);
        ival_clear(&sigma);
        rat_div(&down, &down, &steps);
        rat_decimal(&down, RAT_DOWN, k->scale);
        rat_decimal(&g.delta, RAT_UP, k->delta);
        st = threshold_set(k, g.threshold,
                           weighs ? "keys-weighted" : "keys-gauss", err);
    }
    rat_clear(&steps);
    rat_clear(&g.variance);
    rat_clear(&g.delta);
    rat_clear(&down);
    return st;
}

static uint64_t
keys_steps(custos_keys_rule rule)
{
    return rule == CUSTOS_KEYS_WEIGHTED ? KEYS_STEPS : 1;
}

/* Makes the rule that the options ask for, in a handle without a rule. */
static custos_status
rule_make(custos_keys *k, const custos_keys_options *o, custos_err *err)
{
    struct asked a = {.keys = k->keys, .adjacency = o->adjacency};
    custos_status st;

    rat_init(&a.epsilon);
    rat_init(&a.delta);
    st = rat_read_positive(o->epsilon, "epsilon", &a.epsilon, err);
    if (!st)
        st = rat_read_open_unit(o->delta, "delta", &a.delta, err);
    if (st)
        goto out;
    rat_decimal(&a.epsilon, RAT_UP, k->epsilon);
    rat_decimal(&a.delta, RAT_UP, k->delta);
    k->scale[0] = '0';
    k->facts = (custos_keys_facts){.epsilon = k->epsilon,
                                   .delta = k->delta,
                                   .scale = k->scale,
                                   .rule = o->rule,
                                   .steps = keys_steps(o->rule),
                                   .least = k->floor / keys_steps(o->rule) + 1};
    if (o->rule == CUSTOS_KEYS_GEOMETRIC)
        st = geometric_make(k, &a, err);
    else if (o->rule == CUSTOS_KEYS_LAPLACE)
        st = laplace_make(k, o, &a, err);
    else
        st = gaussian_make(k, &a, err);
out:
    rat_clear(&a.epsilon);
    rat_clear(&a.delta);
    return st;
}

custos_status
custos_keys_new(const custos_alloc *alloc, const custos_keys_options *options,
                custos_keys **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_keys_options o;
    custos_keys *k;
    custos_status st;

    if (!out || !options_read(&o, sizeof o, options) ||
        (o.adjacency != CUSTOS_ADD_REMOVE &&
         o.adjacency != CUSTOS_CHANGE_ONE) ||
        o.rule < CUSTOS_KEYS_GEOMETRIC || o.rule > CUSTOS_KEYS_WEIGHTED)
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size, a rule and an "
                           "adjacency set; out must not be NULL");
    if (o.keys_per_unit >> KEYS_LOG2_MAX ||
        o.min_units >= (UINT64_C(1) << UNITS_LOG2_MAX) / keys_steps(o.rule))
        return custos_fail(err, CUSTOS_ERANGE,
                           "keys per unit must lie below 2^%d and min_units "
                           "below 2^%d",
                           (int)KEYS_LOG2_MAX,
                           o.rule == CUSTOS_KEYS_WEIGHTED
                               ? UNITS_LOG2_MAX - KEYS_STEPS_LOG2
                               : UNITS_LOG2_MAX);
    k = alloc_take(&hooks, 1, sizeof *k);
    if (!k)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    k->alloc = hooks;
    k->keys = o.keys_per_unit ? o.keys_per_unit : 1;
    k->floor = (o.min_units ? o.min_units - 1 : 0) * keys_steps(o.rule);
    st = rule_make(k, &o, err);
    if (st)
        custos_keys_free(k);
    else
        *out = k;
    return st;
}

custos_keys *
keys_hold(custos_keys *keys)
{
    keys->more_owners++;
    return keys;
}

void
custos_keys_free(custos_keys *keys)
{
    custos_alloc hooks;

    if (!keys || keys->more_owners-- > 0)
        return;
    hooks = keys->alloc;
    keys_table_clear(&hooks, &keys->table);
    custos_threshold_free(keys->laplace);
    custos_noise_free(keys->noise);
    alloc_give(&hooks, keys, 1, sizeof *keys);
}

const custos_keys_facts *
custos_keys_report(const custos_keys *keys)
{
    return keys ? &keys->facts : NULL;
}

uint64_t
custos_keys_weight(const custos_keys *keys, uint64_t held)
{
    if (!keys || held == 0 || held > keys->keys)
        return 0;
    return keys_weight(keys->facts.steps, held);
}

/* Draws the noise and the thresholds of `now` keys; with a table, no noise. */
static custos_status
chunk_draw(const custos_keys *k, custos_rng *rng, i128 *noise, i128 *thresholds,
           size_t now)
{
    uint64_t words[2 * CHUNK];
    custos_status st;

    if (k->draw) {
        for (size_t i = 0; i < now; i++)
            thresholds[i] = k->facts.threshold;
        return noise_draw(k->draw, rng, noise, now);
    }
    st = rng_words(rng, words, 2 * now);
    for (size_t i = 0; i < now; i++) {
        u128 drawn = (u128)words[2 * i] << 64 | words[2 * i + 1];

        drawn >>= 128 - KEYS_BITS;
        noise[i] = 0;
        thresholds[i] =
            (i128)keys_table_threshold(&k->table, drawn) + (i128)k->floor;
    }
    wipe(words, sizeof words);
    return st;
}

/* values[i] becomes the noisy count if it reached its threshold, else 0. */
static custos_status
keys_choose(const custos_keys *k, custos_rng *rng, i128 *values, size_t n)
{
    i128 noise[CHUNK], thresholds[CHUNK];
    custos_status st = CUSTOS_OK;

    for (size_t from = 0; from < n && !st; from += CHUNK) {
        size_t now = n - from < CHUNK ? n - from : CHUNK;

        st = chunk_draw(k, rng, noise, thresholds, now);
        for (size_t i = 0; i < now; i++) {
            i128 *v = &values[from + i];
            i128 noisy = sat_add_i128(*v, noise[i]);
            i128 out = mask_less_i128(noisy, thresholds[i]) |
                       mask_less_i128(*v, (i128)k->floor + 1);

            *v = clamp_i128(noisy, 0, INT64_MAX) & ~out;
        }
    }
    wipe(noise, sizeof noise);
    wipe(thresholds, sizeof thresholds);
    return st;
}

custos_status
custos_keys_release(const custos_keys *keys, custos_rng *rng,
                    custos_sealed *sealed, int64_t *counts, uint8_t *kept,
                    size_t n, custos_err *err)
{
    custos_status st;
    i128 *values;

    if (!keys || !rng || !kept)
        return custos_fail(err, CUSTOS_EINVAL,
                           "keys, rng and kept must not be NULL");
    if (counts && (!keys->draw || keys->facts.steps > 1))
        return custos_fail(err, CUSTOS_EINVAL,
                           "the geometric and the weighted rule release no "
                           "counts: pass NULL");
    st = sealed_open(sealed, SEALED_INTS, n, &values, err);
    if (st)
        return st;
    st = keys_choose(keys, rng, values, n);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    for (size_t i = 0; i < n && !st; i++) {
        /* A kept value is at least its threshold, which is at least 1. */
        kept[i] = (uint8_t)(1 & ~(unsigned)mask_less_i128(values[i], 1));
        if (counts)
            counts[i] = (int64_t)values[i];
    }
    sealed_wipe(sealed);
    return st;
}
