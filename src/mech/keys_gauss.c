/*
 * A threshold for counts, or for sums of weights, with Gaussian noise: finds
 * the deviation and the threshold that release most within a promise. What a
 * unit costs is in keys_split.c.
 *
 * THEOREM  keys-gauss
 *   Add discrete Gaussian noise of variance v >= 1 to all counts >= 1 and
 *   release those that reach the integer tau >= 1. Let p = P[1 + Y >= tau],
 *   L = -ln(1-p), and H_j(e) the hockey-stick divergence at e between the sum
 *   of j draws and the same sum shifted by j. For units of at most k keys this
 *   is (eps, delta)-DP under add/remove if and only if delta is at least
 *   1 - (1-p)^a (1 - H_j(eps + aL)) and H_j(eps - aL) for all a + j = k; under
 *   change-one if delta is at least 1 - (1-p)^a (1 - H_(2k-a)(eps + (a-k)L))
 *   for a = 0 .. k. H_j(e) is at most C P[Z >= m] - exp(e) P[Z >= m+j] / C,
 *   where Z is discrete Gaussian of variance jv, m = floor(ev - j/2) + 1,
 *   C = ((1+s)/(1-s))^(j-1) and s = 3 exp(-pi^2 v). For j = 1, where C = 1,
 *   H_j(e) equals this bound.
 * SOURCE   Wilkins, Kifer, Zhang, Karrer 2022, arXiv:2202.01100
 *          (the continuous law); doc/proofs/keys-gauss.md for the discrete
 *          one, change-one and sums of discrete Gaussians.
 * NEEDS    counts of units, each unit in at most k keys; the caller shows
 *          nothing of a key that is not released, as if it were absent.
 * GIVES    v and tau whose bound is certified to be at most delta; among the v
 *          tried, the pair with the least tau.
 * FAILS    CUSTOS_ERANGE.
 * TESTED   keys_gauss_delta_is_exact keys_gauss_bounds_all_neighbours
 *          keys_gauss_threshold_is_least keys_gauss_sum_is_enclosed
 *          gauss_sums_are_kept_rightly
 */
#include "base/error.h"
#include "mech/calibrate.h"
#include "mech/keys.h"
#include "mech/keys_held.h"
#include "mech/keys_split.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    BITS = 56,
    KEYS_MAX = 256,
    GRAINS = 64, /* so finely, in parts of one unit, a threshold is found */
    VARIANCE_BITS = 32,
    TRIES = 8,
    VARIANCE_LOG2_MAX = 104,
};

/* What the search must satisfy. */
struct wish {
    custos_adjacency adjacency;
    uint64_t keys, steps; /* steps: the weight of a unit with one key */
    const rat *epsilon, *delta;
    int64_t grain; /* the search counts thresholds in multiples of this */
};

static bool
weighs(const struct wish *w)
{
    return w->steps > 1;
}

/* The fewest keys of a unit that need be looked at. With counts (weights of 1)
   no unit with fewer keys than it may have is worse. */
static uint64_t
fewest(const struct wish *w)
{
    return weighs(w) ? 1 : w->keys;
}

/* Which part of a wish is checked. */
enum parts {
    PART_ALONE, /* keys held alone */
    PART_ENDS,  /* units with the most keys and with the fewest: usually one of
                   these is the worst */
    PART_ALL,
};

static bool
wish_fits(const struct wish *w, struct keys_scene *s, int64_t threshold,
          enum parts parts)
{
    bool fits = true;

    for (uint64_t held = w->keys; fits && held >= fewest(w); held--) {
        if (parts == PART_ENDS && held < w->keys && held > fewest(w))
            held = fewest(w);
        keys_scene_at(s, threshold * w->grain, held,
                      keys_weight(w->steps, held));
        fits =
            parts == PART_ALONE ? keys_scene_alone_fits(s) : keys_scene_fits(s);
    }
    return fits;
}

/*
 * The least threshold in (low, high] at which these parts fit; at low they do
 * not, and at high they do.
 */
static int64_t
threshold_between(const struct wish *w, struct keys_scene *s, enum parts parts,
                  int64_t low, int64_t high)
{
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (wish_fits(w, s, middle, parts))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * A variance v >= 1 at which a unit all of whose k keys are shared costs
 * roughly what the promise allows, or less. With counts, such a unit shifts a
 * sum of k draws by k (under change-one, of 2k draws by 2k); the sum of k draws
 * is close to one draw of variance kv. With weights, it moves the sums by at
 * most `steps` in l2 norm (under change-one, by sqrt(2) times that).
 */
static custos_status
variance_first(const struct wish *w, rat *variance, custos_err *err)
{
    bool moves = w->adjacency == CUSTOS_CHANGE_ONE, mixed = moves && weighs(w);
    uint64_t moved = (weighs(w) ? 1 : w->keys) * (moves ? 2 : 1);
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
    rat_set_i128(&p.sensitivity_squared,
                 (i128)moved * (i128)(weighs(w) ? w->steps * w->steps : moved));
    st = calibrate_sigma_near(mixed ? GAUSS_ZCDP : GAUSS_ANALYTIC, &p, w->delta,
                              &sigma, err);
    rat_set_i128(&one, weighs(w) ? 1 : (i128)moved);
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
 * A threshold at which keys held alone keep the promise, found by doubling
 * from roughly the deviation. *low is the last one that did not, or 0.
 */
static int64_t
threshold_reach(const struct wish *w, struct keys_scene *s, int64_t *low)
{
    int64_t threshold =
        ((int64_t)1 << (1 + rat_log2_floor(&s->sums.variance) / 2)) / w->grain +
        (w->grain > 1);

    *low = 0;
    while (!wish_fits(w, s, threshold, PART_ALONE)) {
        *low = threshold;
        threshold *= 2; /* this ends: sigma < 2^53, delta >= 10^-528 */
    }
    return threshold;
}

static void
scene_start(const struct wish *w, const rat *variance, struct keys_scene *s)
{
    keys_scene_init(s, w->adjacency, w->epsilon, w->delta, variance,
                    weighs(w) ? w->steps * w->steps : 0, BITS);
}

/*
 * The least threshold in (low, high] that fits; false if there is none. At low
 * keys held alone do not fit.
 */
static bool
threshold_find(const struct wish *w, struct keys_scene *s, int64_t low,
               int64_t high, int64_t *out)
{
    if (!wish_fits(w, s, high, PART_ENDS))
        return false;
    *out = threshold_between(w, s, PART_ENDS, low, high);
    if (!weighs(w) || wish_fits(w, s, *out, PART_ALL))
        return true;
    if (!wish_fits(w, s, high, PART_ALL))
        return false;
    *out = threshold_between(w, s, PART_ALL, *out, high);
    return true;
}

/*
 * The least threshold among a few variances above `first`, and its scene;
 * false if there is none. The least threshold at which keys held alone keep
 * the promise rises with the variance: once it is not below the best one
 * found, larger variances are not tried.
 */
static bool
best_of_tries(const struct wish *w, const rat *first, int64_t *best,
              struct keys_scene *at)
{
    int64_t low = 0;
    bool found = false, better = true;
    struct keys_scene s;
    rat more;

    rat_init(&more);
    for (int i = 0; i < TRIES && better; i++) {
        rat_set_pow2(&more, i - 2 - TRIES); /* 1/1024, .. 1/8 larger */
        rat_mul(&more, &more, first);
        rat_add(&more, &more, first);
        rat_round_up(&more, &more, VARIANCE_BITS);
        scene_start(w, &more, &s);
        if (i == 0)
            *best = 2 * threshold_reach(w, &s, &low) + 1;
        better = *best > 1 && wish_fits(w, &s, *best - 1, PART_ALONE);
        if (!better || !threshold_find(w, &s, low, *best - 1, best)) {
            keys_scene_clear(&s);
            continue;
        }
        if (found)
            keys_scene_clear(at);
        *at = s;
        found = true;
    }
    rat_clear(&more);
    return found;
}

/* The delta that a threshold needs, rounded up: that of the worst unit. */
static void
delta_needed(const struct wish *w, struct keys_scene *s, int64_t threshold,
             rat *delta)
{
    ival x;

    ival_init(&x, BITS);
    ival_set_i64(&x, 0);
    for (uint64_t held = w->keys; held >= fewest(w); held--) {
        keys_scene_at(s, threshold, held, keys_weight(w->steps, held));
        keys_scene_worst(s, &x);
    }
    ival_up(&x, delta);
    ival_clear(&x);
}

custos_status
keys_gauss_find(custos_adjacency adjacency, uint64_t keys, uint64_t steps,
                const rat *epsilon, const rat *delta, struct keys_gauss *g,
                custos_err *err)
{
    const struct wish w = {
        .adjacency = adjacency,
        .keys = keys,
        .steps = steps,
        .epsilon = epsilon,
        .delta = delta,
        .grain = steps > GRAINS ? (int64_t)(steps / GRAINS) : 1,
    };
    const uint64_t most = weighs(&w) ? KEYS_WEIGHTED_MAX : KEYS_MAX;
    custos_status st;
    struct keys_scene s;
    rat first;

    if (keys > most)
        return custos_fail(err, CUSTOS_ERANGE,
                           "this rule is for at most %d keys per unit" HINT
                           "use another rule",
                           (int)most);
    rat_init(&first);
    st = variance_first(&w, &first, err);
    if (!st && !best_of_tries(&w, &first, &g->threshold, &s))
        st = custos_fail(err, CUSTOS_ERANGE, /* weights, with a large delta */
                         "no Gaussian threshold keeps this promise" HINT
                         "use another rule");
    if (!st) {
        rat_set(&g->variance, &s.sums.variance);
        g->threshold *= w.grain;
        delta_needed(&w, &s, g->threshold, &g->delta);
        keys_scene_clear(&s);
    }
    rat_clear(&first);
    return st;
}
