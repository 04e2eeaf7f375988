/*
 * A threshold for counts with Gaussian noise: which deviation and threshold
 * release most at a promise.
 *
 * The unit's keys split into those that it holds alone, whose coming out
 * gives it away, and shared ones, whose counts move by 1. What a split needs
 * is one hockey-stick divergence of a sum of Gaussians; the worst split is
 * what the promise costs, not the sum of both parts.
 *
 * THEOREM  keys-gauss
 *   Discrete Gaussian noise of variance v >= 1 on the counts >= 1, of which
 *   those are released that reach the whole tau >= 1. Let p = P[1 + Y >= tau],
 *   L = -ln(1-p), and H_j(e) the hockey-stick divergence at e of the sum of j
 *   draws from itself moved by j. For units of at most k keys this is
 *   (eps, delta)-DP under add/remove if and only if delta is at least
 *   1 - (1-p)^a (1 - H_j(eps + aL)) and H_j(eps - aL) for all a + j = k; under
 *   change-one if delta is at least 1 - (1-p)^a (1 - H_(2k-a)(eps + (a-k)L))
 *   for a = 0 .. k. H_j is at most C P[Z >= m] - e^e P[Z >= m+j] / C where Z
 *   is discrete Gaussian of variance jv, m = floor(ev - j/2) + 1 and
 *   C = ((1+s)/(1-s))^(j-1), s = 3 exp(-pi^2 v); with C = 1 for j = 1 it is
 *   that.
 * SOURCE   Wilkins, Kifer, Zhang, Karrer 2022, arXiv:2202.01100
 *          (the continuous law); doc/proofs/keys-gauss.md for the discrete
 *          one, change-one and sums of discrete Gaussians.
 * NEEDS    counts of units, each unit in at most k keys; keys that are not
 *          kept are treated as absent.
 * GIVES    v and tau whose bound is certified at most delta; of the v tried,
 *          those with the least tau.
 * FAILS    CUSTOS_ERANGE.
 * TESTED   keys_gauss_delta_is_exact keys_gauss_bounds_all_neighbours
 *          keys_gauss_threshold_is_least keys_gauss_sum_is_enclosed
 *          gauss_sums_are_kept_rightly
 */
#include "base/error.h"
#include "mech/calibrate.h"
#include "mech/gauss_sums.h"
#include "mech/keys.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    BITS = 56,
    KEYS_MAX = 256,
    VARIANCE_BITS = 32,
    TRIES = 8,
    VARIANCE_LOG2_MAX = 104,
};

/* What does not change between the splits. */
struct scene {
    const rat *epsilon;
    struct gauss_sums sums;
    ival lost; /* ln(1-p) <= 0, at the threshold looked at */
};

/*
 * 1 - (1-p)^alone (1 - H_j(eps - shift ln(1-p))), with H_0 = 0. The epsilon
 * of H is rounded down, which makes it larger.
 */
static void
split_cost(ival *r, struct scene *s, uint64_t alone, uint64_t j, int64_t shift)
{
    long bits = ival_bits(r);
    ival x, none;
    rat e;

    ival_init(&x, bits);
    ival_init(&none, bits);
    rat_init(&e);
    ival_set_i64(&x, (int64_t)alone);
    ival_mul(&none, &s->lost, &x);
    ival_expm1(&none, &none); /* (1-p)^alone - 1 */
    ival_neg(r, &none);
    if (j > 0) {
        ival_set_i64(&x, -shift);
        ival_mul(&x, &x, &s->lost);
        ival_down(&x, &e);
        rat_add(&e, &e, s->epsilon);
        gauss_sums_divergence(&s->sums, &e, j, &x);
        ival_mul(&none, &none, &x); /* r = H + (1 - H) (1 - (1-p)^alone) */
        ival_add(&none, &none, &x);
        ival_add(r, r, &none);
    }
    ival_clear(&x);
    ival_clear(&none);
    rat_clear(&e);
}

/* The worse by its upper end. */
static void
keep_worse(ival *worst, const ival *x)
{
    rat a, b;

    rat_init(&a);
    rat_init(&b);
    ival_up(worst, &a);
    ival_up(x, &b);
    if (rat_cmp(&a, &b) < 0)
        ival_set(worst, x);
    rat_clear(&a);
    rat_clear(&b);
}

static void
scene_init(struct scene *s, const rat *epsilon, const rat *variance, long bits)
{
    s->epsilon = epsilon;
    gauss_sums_init(&s->sums, variance, bits);
    ival_init(&s->lost, bits);
}

static void
scene_at(struct scene *s, int64_t threshold)
{
    gauss_sums_tail(&s->sums, threshold - 1, &s->lost);
    ival_neg(&s->lost, &s->lost);
    ival_log1p(&s->lost, &s->lost);
}

static void
scene_clear(struct scene *s)
{
    gauss_sums_clear(&s->sums);
    ival_clear(&s->lost);
}

/* The orders in which neighbours are compared. */
enum way {
    LEAVES, /* the unit is in the first only */
    ENTERS, /* in the second only */
    MOVES,  /* in both, with other keys */
};

/*
 * The most that units need who hold from `least` to `most` keys alone: more
 * alone and more shared keys never need less.
 */
static void
block_cost(ival *r, struct scene *s, enum way way, uint64_t keys,
           uint64_t least, uint64_t most)
{
    int64_t low = (int64_t)least, high = (int64_t)most;

    if (way == LEAVES)
        split_cost(r, s, most, keys - least, low);
    else if (way == ENTERS)
        split_cost(r, s, 0, keys - least, -high);
    else
        split_cost(r, s, most, 2 * keys - least, low - (int64_t)keys);
}

/*
 * The worst of the units who hold from `least` to `most` keys alone, where it
 * is worse than what is known: a block that cannot be worse is skipped.
 */
static void
block_worst(ival *worst, struct scene *s, enum way way, uint64_t keys,
            uint64_t least, uint64_t most)
{
    uint64_t middle = least + (most - least) / 2;
    bool smaller;
    ival x;

    ival_init(&x, ival_bits(worst));
    block_cost(&x, s, way, keys, least, most);
    smaller = ival_certainly_less(&x, worst);
    if (least == most)
        keep_worse(worst, &x);
    ival_clear(&x);
    if (smaller || least == most)
        return;
    block_worst(worst, s, way, keys, middle + 1, most);
    block_worst(worst, s, way, keys, least, middle);
}

/* The worst of all splits, at the threshold that the scene is at. */
static void
scene_worst(struct scene *s, custos_adjacency adjacency, uint64_t keys,
            ival *delta)
{
    bool moves = adjacency == CUSTOS_CHANGE_ONE;
    enum way way = moves ? MOVES : LEAVES, end = moves ? MOVES : ENTERS;

    ival_set_i64(delta, 0);
    for (; way <= end; way++) {
        /* The worst mostly hold all alone or none: the rest is cut off. */
        block_worst(delta, s, way, keys, keys, keys);
        block_worst(delta, s, way, keys, 0, 0);
        block_worst(delta, s, way, keys, 0, keys);
    }
}

/* What is looked for. */
struct wish {
    custos_adjacency adjacency;
    uint64_t keys;
    const rat *epsilon, *delta;
};

/* Certainly within the promise, in large blocks where that suffices. */
static bool
block_fits(const struct wish *w, struct scene *s, enum way way, uint64_t least,
           uint64_t most)
{
    uint64_t middle = least + (most - least) / 2;
    bool fits;
    ival x;

    ival_init(&x, BITS);
    block_cost(&x, s, way, w->keys, least, most);
    fits = ival_certainly_less_rat(&x, w->delta);
    ival_clear(&x);
    if (fits || least == most)
        return fits;
    return block_fits(w, s, way, middle + 1, most) &&
           block_fits(w, s, way, least, middle);
}

/* Certainly 1 - (1-p)^k <= delta: the cheap part, which fails first. */
static bool
alone_fits(const struct wish *w, struct scene *s)
{
    bool fits;
    ival x;

    ival_init(&x, BITS);
    split_cost(&x, s, w->keys, 0, 0);
    fits = ival_certainly_less_rat(&x, w->delta);
    ival_clear(&x);
    return fits;
}

/* How much of a wish is looked at. */
enum parts { PART_ALONE, PART_ALL };

/* Whether a threshold is certainly within the promise. */
static bool
wish_fits(const struct wish *w, struct scene *s, int64_t threshold,
          enum parts parts)
{
    bool moves = w->adjacency == CUSTOS_CHANGE_ONE, fits;
    enum way way = moves ? MOVES : LEAVES, end = moves ? MOVES : ENTERS;

    scene_at(s, threshold);
    fits = alone_fits(w, s);
    for (; fits && parts == PART_ALL && way <= end; way++)
        fits = block_fits(w, s, way, 0, w->keys);
    return fits;
}

/* The least threshold in (low, high] that fits, where low does not and high
   does. */
static int64_t
threshold_between(const struct wish *w, struct scene *s, int64_t low,
                  int64_t high)
{
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (wish_fits(w, s, middle, PART_ALL))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * The variance at which all keys shared fit the promise alone, at least 1: a
 * sum of k draws is close to one of variance kv, moved by k.
 */
static custos_status
variance_first(const struct wish *w, rat *variance, custos_err *err)
{
    uint64_t moved = w->keys * (w->adjacency == CUSTOS_CHANGE_ONE ? 2 : 1);
    struct gauss_point p;
    custos_status st;
    rat sigma, one;

    st = calibrate_check_epsilon(w->epsilon, err);
    if (st)
        return st;
    gauss_point_init(&p);
    rat_init(&sigma);
    rat_init(&one);
    rat_set(&p.epsilon, w->epsilon);
    rat_set_i128(&one, (i128)moved);
    rat_mul(&p.sensitivity_squared, &one, &one);
    st = calibrate_sigma_near(GAUSS_ANALYTIC, &p, w->delta, &sigma, err);
    rat_div(variance, &p.variance, &one);
    rat_set_i64(&one, 1, 1);
    if (rat_cmp(variance, &one) < 0)
        rat_set(variance, &one);
    if (rat_log2_floor(variance) >= VARIANCE_LOG2_MAX)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "the threshold would pass 64 bits: no key could be "
                         "released");
    gauss_point_clear(&p);
    rat_clear(&sigma);
    rat_clear(&one);
    return st;
}

/*
 * A threshold that p alone allows, found by doubling from below the deviation;
 * half of it, when that was tried, is too small.
 */
static int64_t
threshold_reach(const struct wish *w, struct scene *s, int64_t *low)
{
    int64_t threshold = (int64_t)1
                        << (1 + rat_log2_floor(&s->sums.variance) / 2);

    *low = 0;
    while (!wish_fits(w, s, threshold, PART_ALONE)) {
        *low = threshold;
        threshold *= 2; /* ends: sigma is below 2^53, delta above 1e-400 */
    }
    return threshold;
}

/*
 * The least threshold among a few variances above `first`, and its scene;
 * false when there is none. The least that p alone allows rises with the
 * variance: where that is no better, no larger variance is.
 */
static bool
best_of_tries(const struct wish *w, const rat *first, int64_t *best,
              struct scene *at)
{
    int64_t low = 0;
    bool found = false, better = true;
    struct scene s;
    rat more;

    rat_init(&more);
    for (int i = 0; i < TRIES && better; i++) {
        rat_set_pow2(&more, i - 2 - TRIES); /* 1/1024, .. 1/8 more */
        rat_mul(&more, &more, first);
        rat_add(&more, &more, first);
        rat_round_up(&more, &more, VARIANCE_BITS);
        scene_init(&s, w->epsilon, &more, BITS);
        if (i == 0)
            *best = 2 * threshold_reach(w, &s, &low) + 1;
        better = *best > 1 && wish_fits(w, &s, *best - 1, PART_ALONE);
        if (!better || !wish_fits(w, &s, *best - 1, PART_ALL)) {
            scene_clear(&s);
            continue;
        }
        *best = threshold_between(w, &s, low, *best - 1);
        if (found)
            scene_clear(at);
        *at = s;
        found = true;
    }
    rat_clear(&more);
    return found;
}

custos_status
keys_gauss_find(custos_adjacency adjacency, uint64_t keys, const rat *epsilon,
                const rat *delta, struct keys_gauss *g, custos_err *err)
{
    const struct wish w = {adjacency, keys, epsilon, delta};
    custos_status st;
    struct scene s;
    rat first;
    ival x;

    if (keys > KEYS_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the Gaussian rule is for at most %d keys per "
                           "unit" HINT "use another rule",
                           (int)KEYS_MAX);
    rat_init(&first);
    st = variance_first(&w, &first, err);
    if (!st && !best_of_tries(&w, &first, &g->threshold, &s))
        st = custos_fail(err, CUSTOS_ERANGE, /* UNREACHABLE: 1/8 suffices */
                         "no Gaussian threshold keeps this promise" HINT
                         "use another rule");
    if (!st) {
        rat_set(&g->variance, &s.sums.variance);
        ival_init(&x, BITS);
        scene_at(&s, g->threshold);
        scene_worst(&s, adjacency, keys, &x);
        ival_up(&x, &g->delta);
        ival_clear(&x);
        scene_clear(&s);
    }
    rat_clear(&first);
    return st;
}
