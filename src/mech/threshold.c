/*
 * Release of counts whose keys are private. The noise on a count protects its
 * value; the threshold protects the existence of the key.
 *
 * THEOREM  threshold-exact
 *   Let a unit add 1 to at most k keys. Add discrete Laplace noise of scale
 *   t = k/epsilon (add/remove) or 2k/epsilon (change-one) to every count >= 1
 *   and release the results that reach the integer tau >= 1. This is
 *   (epsilon, delta)-DP with delta = 1 - (1-p)^k, p = P[1 + Y >= tau] =
 *   q^(tau-1)/(1+q), q = exp(-1/t), and with no smaller delta.
 * SOURCE   doc/proofs/threshold-exact.md; after Korolova, Kenthapadi, Mishra,
 *          Ntoulas 2009, and Wilkins, Kifer, Zhang, Karrer 2022.
 * NEEDS    counts of units, each unit in at most k keys; the caller shows
 *          nothing of a key that is not released, as if it were absent.
 * GIVES    the least tau whose delta is certified to be at most the given one.
 * FAILS    CUSTOS_ERANGE from the parameters; CUSTOS_EENTROPY and
 *          CUSTOS_EINTERNAL from the coins.
 * TESTED   threshold_is_least threshold_delta_is_exact threshold_law
 */
#include "mech/threshold.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/interval.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "noise/noise.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    CHUNK = 64,
    BITS_FIRST = 192,
    BITS_LAST = 1536,
    DELTA_LOG2_MIN = -1400,
    KEYS_LOG2_MAX = 60,
    SCALE_SIZE_MAX = 512, /* a rational with more bits is rounded */
    SCALE_BITS = 128,
};

struct custos_threshold {
    custos_alloc alloc;
    custos_noise *noise;
    custos_threshold_facts facts;
    char epsilon[CUSTOS_NUMBER_MAX];
    char delta[CUSTOS_NUMBER_MAX];
    char scale[CUSTOS_NUMBER_MAX];
};

/* r = ln(1+q), q = exp(-1/t). */
static void
log_one_plus_q(ival *r, const rat *scale)
{
    rat x;

    rat_init(&x);
    rat_set_i64(&x, -1, 1);
    rat_div(&x, &x, scale);
    ival_set_rat(r, &x);
    ival_exp(r, r);
    ival_log1p(r, r);
    rat_clear(&x);
}

/*
 * The least integer tau >= 1 with q^(tau-1) <= (1+q) (1 - (1-delta)^(1/k)),
 * by logarithms; or tau + 1 if the largest precision does not decide.
 */
static i128
find_threshold(const rat *scale, const rat *delta, uint64_t keys)
{
    bool certain = false, fits = false;
    i128 steps = 0;

    for (long bits = BITS_FIRST; !certain; bits *= 2) {
        ival v, x;

        ival_init(&v, bits);
        ival_init(&x, bits);
        interval_share(&v, delta, keys);
        ival_log(&v, &v);
        log_one_plus_q(&x, scale);
        ival_add(&v, &v, &x);
        ival_neg(&v, &v);
        ival_set_rat(&x, scale);
        ival_mul(&v, &v, &x);
        fits = ival_ceil_up(&v, &steps, &certain);
        ival_clear(&v);
        ival_clear(&x);
        if (bits >= BITS_LAST) /* UNREACHABLE: the bound is no integer */
            break;
    }
    CUSTOS_REQUIRE(fits); /* scales are at most 2^60, delta at least 10^-528 */
    return (steps > 0 ? steps : 0) + 1;
}

/* The delta of a threshold, 1 - (1-p)^k, rounded up. */
static void
find_delta(const rat *scale, i128 threshold, uint64_t keys, rat *delta)
{
    ival p, x;
    rat q;

    ival_init(&p, BITS_LAST);
    ival_init(&x, BITS_LAST);
    rat_init(&q);
    rat_set_i128(&q, 1 - threshold);
    rat_div(&q, &q, scale);
    ival_set_rat(&p, &q);
    log_one_plus_q(&x, scale);
    ival_sub(&p, &p, &x);
    ival_exp(&p, &p);
    ival_neg(&p, &p);
    ival_log1p(&p, &p);
    rat_set_i128(&q, (i128)keys);
    ival_set_rat(&x, &q);
    ival_mul(&p, &p, &x);
    ival_expm1(&p, &p);
    ival_neg(&p, &p);
    if (ival_is_below_pow2(&p, DELTA_LOG2_MIN))
        rat_set_pow2(delta, DELTA_LOG2_MIN);
    else
        ival_up(&p, delta);
    ival_clear(&p);
    ival_clear(&x);
    rat_clear(&q);
}

/* The numbers of a threshold's options. */
struct numbers {
    rat epsilon, delta, scale;
};

static custos_status
read_numbers(const custos_threshold_options *o, uint64_t keys,
             struct numbers *n, i128 *threshold, custos_err *err)
{
    custos_status st =
        rat_read_positive(o->epsilon, "epsilon", &n->epsilon, err);

    if (!st)
        st = rat_read_open_unit(o->delta, "delta", &n->delta, err);
    if (st)
        return st;
    rat_set_i128(&n->scale,
                 (i128)keys * (o->adjacency == CUSTOS_CHANGE_ONE ? 2 : 1));
    rat_div(&n->scale, &n->scale, &n->epsilon);
    if (rat_log2_floor(&n->scale) < -20 || rat_log2_floor(&n->scale) >= 60)
        return custos_fail(err, CUSTOS_ERANGE,
                           "keys per unit over epsilon must lie between 2^-20 "
                           "and 2^60");
    if (rat_size(&n->scale) > SCALE_SIZE_MAX)
        rat_round_up(&n->scale, &n->scale, SCALE_BITS);
    *threshold = find_threshold(&n->scale, &n->delta, keys);
    if (*threshold > INT64_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the threshold would pass 64 bits: no key could "
                           "be released");
    find_delta(&n->scale, *threshold, keys, &n->delta);
    return CUSTOS_OK;
}

custos_status
custos_threshold_new(const custos_alloc *alloc,
                     const custos_threshold_options *options,
                     custos_threshold **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_threshold_options o;
    custos_threshold *t = NULL;
    struct numbers n;
    custos_status st;
    i128 threshold = 0;

    if (!out || !options_read(&o, sizeof o, options) ||
        (o.adjacency != CUSTOS_ADD_REMOVE && o.adjacency != CUSTOS_CHANGE_ONE))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size and an adjacency set; "
                           "out must not be NULL");
    if (o.keys_per_unit >> KEYS_LOG2_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "keys per unit must lie below 2^%d",
                           (int)KEYS_LOG2_MAX);
    rat_init(&n.epsilon);
    rat_init(&n.delta);
    rat_init(&n.scale);
    st = read_numbers(&o, o.keys_per_unit ? o.keys_per_unit : 1, &n, &threshold,
                      err);
    if (st)
        goto out;
    t = alloc_take(&hooks, 1, sizeof *t);
    if (!t) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    t->alloc = hooks;
    st = noise_new(&hooks, CUSTOS_DISCRETE_LAPLACE, &n.scale, &t->noise, err);
    if (st)
        goto out;
    rat_decimal(&n.epsilon, RAT_UP, t->epsilon);
    rat_decimal(&n.delta, RAT_UP, t->delta);
    rat_decimal(&n.scale, RAT_DOWN, t->scale);
    t->facts = (custos_threshold_facts){t->epsilon, t->delta, t->scale,
                                        "threshold-exact", (int64_t)threshold};
    *out = t;
    t = NULL;
out:
    custos_threshold_free(t);
    rat_clear(&n.epsilon);
    rat_clear(&n.delta);
    rat_clear(&n.scale);
    return st;
}

void
custos_threshold_free(custos_threshold *threshold)
{
    custos_alloc hooks;

    if (!threshold)
        return;
    hooks = threshold->alloc;
    custos_noise_free(threshold->noise);
    alloc_give(&hooks, threshold, 1, sizeof *threshold);
}

const custos_threshold_facts *
custos_threshold_report(const custos_threshold *threshold)
{
    return threshold ? &threshold->facts : NULL;
}

const custos_noise *
threshold_noise(const custos_threshold *t)
{
    return t->noise;
}

/* values[i] becomes the released count, or 0 if the key is not kept. */
static custos_status
cut_counts(const custos_threshold *t, custos_rng *rng, i128 *values, size_t n)
{
    custos_status st = CUSTOS_OK;
    i128 noise[CHUNK];

    for (size_t from = 0; from < n && !st; from += CHUNK) {
        size_t now = n - from < CHUNK ? n - from : CHUNK;

        st = noise_draw(t->noise, rng, noise, now);
        for (size_t i = 0; i < now; i++) {
            i128 *v = &values[from + i];
            i128 noisy = sat_add_i128(*v, noise[i]);
            i128 kept = -(i128)((noisy >= t->facts.threshold) & (*v >= 1));

            *v = clamp_i128(noisy, 0, INT64_MAX) & kept;
        }
    }
    wipe(noise, sizeof noise);
    return st;
}

custos_status
custos_threshold_release(const custos_threshold *threshold, custos_rng *rng,
                         custos_sealed *sealed, int64_t *counts, uint8_t *kept,
                         size_t n, custos_err *err)
{
    custos_status st;
    i128 *values;

    if (!threshold || !rng || !counts || !kept)
        return custos_fail(err, CUSTOS_EINVAL,
                           "threshold, rng, counts and kept must not be NULL");
    st = sealed_open(sealed, SEALED_INTS, n, &values, err);
    if (st)
        return st;
    st = cut_counts(threshold, rng, values, n);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    for (size_t i = 0; i < n && !st; i++) {
        counts[i] = (int64_t)values[i];
        kept[i] = values[i] != 0; /* the threshold is at least 1 */
    }
    sealed_wipe(sealed);
    return st;
}
