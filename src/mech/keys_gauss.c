/*
 * A threshold for counts with Gaussian noise: finds the deviation and the
 * threshold that release most within a promise.
 *
 * A unit's keys are of two kinds: those that it holds alone, whose release
 * reveals the unit, and shared ones, whose counts move by 1. How many keys are
 * of each kind is called a split. Its cost is a hockey-stick divergence of a
 * sum of Gaussians. The delta of the promise is the cost of the worst split,
 * not a sum over both kinds.
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

/* What all splits share. */
struct scene {
    const rat *epsilon;
    struct gauss_sums sums;
    ival lost; /* ln(1-p) <= 0, at the current threshold */
};

/*
 * 1 - (1-p)^alone (1 - H_j(eps - shift ln(1-p))), with H_0 = 0. The argument
 * of H is rounded down, which makes H larger.
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

/* worst = the one of worst and x that has the larger upper end. */
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
    LEAVES, /* the unit is only in the first data set */
    ENTERS, /* only in the second */
    MOVES,  /* in both, with other keys */
};

/*
 * An upper bound on the cost for units that hold from `least` to `most` keys
 * alone: more keys alone and more shared keys never cost less.
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
 * Raises `worst` to the worst cost of units that hold from `least` to `most`
 * keys alone. Skips blocks that cannot be worse.
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

/* The worst cost of all splits, at the scene's threshold. */
static void
scene_worst(struct scene *s, custos_adjacency adjacency, uint64_t keys,
            ival *delta)
{
    bool moves = adjacency == CUSTOS_CHANGE_ONE;
    enum way way = moves ? MOVES : LEAVES, end = moves ? MOVES : ENTERS;

    ival_set_i64(delta, 0);
    for (; way <= end; way++) {
        /*
         * Usually one of the first two is the worst, so that the third call
         * skips most blocks.
         */
        block_worst(delta, s, way, keys, keys, keys);
        block_worst(delta, s, way, keys, 0, 0);
        block_worst(delta, s, way, keys, 0, keys);
    }
}

/* What the search must satisfy. */
struct wish {
    custos_adjacency adjacency;
    uint64_t keys;
    const rat *epsilon, *delta;
};

/*
 * Whether a block is certainly within the promise. Splits it only if the bound
 * on the complete block does not decide.
 */
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

/* Whether 1 - (1-p)^k <= delta is certain: a quick check, made first. */
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

/* Which part of a wish is checked. */
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

/*
 * The least threshold in (low, high] that fits; low does not fit and high
 * does.
 */
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
 * A variance v >= 1 at which a unit all of whose k keys are shared costs
 * roughly what the promise allows, or less. Such a unit shifts a sum of k draws
 * by k (under change-one, of 2k draws by 2k); the sum of k draws is close to
 * one draw of variance kv.
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
 * A threshold at which keys held alone keep the promise, found by doubling
 * from roughly the deviation. *low is the last one that did not, or 0.
 */
static int64_t
threshold_reach(const struct wish *w, struct scene *s, int64_t *low)
{
    int64_t threshold = (int64_t)1
                        << (1 + rat_log2_floor(&s->sums.variance) / 2);

    *low = 0;
    while (!wish_fits(w, s, threshold, PART_ALONE)) {
        *low = threshold;
        threshold *= 2; /* this ends: sigma < 2^53, delta >= 10^-528 */
    }
    return threshold;
}

/*
 * The least threshold among a few variances above `first`, and its scene;
 * false if there is none. The least threshold at which keys held alone keep
 * the promise rises with the variance: once it is not below the best one
 * found, larger variances are not tried.
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
        rat_set_pow2(&more, i - 2 - TRIES); /* 1/1024, .. 1/8 larger */
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
        st = custos_fail(err, CUSTOS_ERANGE, /* UNREACHABLE: the 8th try fits */
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
