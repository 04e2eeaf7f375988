/*
 * The costs in theorems keys-gauss (keys_gauss.c) and keys-weighted
 * (keys_weight.c).
 */
#include "mech/keys_split.h"

#include "mech/gauss_delta.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

/*
 * The divergence at e of `shared` keys of units with different weights, under
 * change-one: the squared distance is at most twice `reach`, less what the
 * keys held alone take of it. As the keys that the other unit holds alone
 * cost less than delta, they lower e by less than -ln(1 - delta).
 */
static void
mixed_divergence(ival *r, const struct keys_scene *s, rat *e, uint64_t alone)
{
    struct gauss_point p;
    rat x;
    ival y;

    gauss_point_init(&p);
    rat_init(&x);
    ival_init(&y, ival_bits(r));
    ival_set_rat(&y, s->delta);
    ival_neg(&y, &y);
    ival_log1p(&y, &y);
    ival_down(&y, &x);
    rat_add(&p.epsilon, e, &x);
    rat_set(&p.variance, &s->sums.variance);
    rat_set_i128(&x, (i128)s->weight * (i128)s->weight * (i128)alone);
    rat_add(&p.sensitivity_squared, &s->reach, &s->reach);
    rat_sub(&p.sensitivity_squared, &p.sensitivity_squared, &x);
    if (rat_cmp_i64(&p.epsilon, 0) > 0)
        gauss_delta(GAUSS_ZCDP, &p, r);
    else
        ival_set_i64(r, 1);
    gauss_point_clear(&p);
    rat_clear(&x);
    ival_clear(&y);
}

static bool
is_mixed(const struct keys_scene *s)
{
    return s->adjacency == CUSTOS_CHANGE_ONE && rat_cmp_i64(&s->reach, 0) > 0;
}

/*
 * 1 - (1-p)^alone (1 - H_j(eps - shift ln(1-p))), with H_0 = 0. The argument
 * of H is rounded down, which makes H larger. The squared distance of mixed
 * weights is that for at least `few` keys held alone.
 */
static void
split_cost(ival *r, struct keys_scene *s, uint64_t alone, uint64_t few,
           uint64_t j, int64_t shift)
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
        if (is_mixed(s))
            mixed_divergence(&x, s, &e, few);
        else
            gauss_sums_divergence(&s->sums, &e, j, s->weight, &x);
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

void
keys_scene_init(struct keys_scene *s, custos_adjacency adjacency,
                const rat *epsilon, const rat *delta, const rat *variance,
                uint64_t reach, long bits)
{
    s->adjacency = adjacency;
    s->epsilon = epsilon;
    s->delta = delta;
    s->keys = s->weight = 1;
    rat_init(&s->reach);
    rat_set_i128(&s->reach, (i128)reach);
    gauss_sums_init(&s->sums, variance, bits);
    ival_init(&s->lost, bits);
}

void
keys_scene_at(struct keys_scene *s, int64_t threshold, uint64_t keys,
              uint64_t weight)
{
    s->keys = keys;
    s->weight = weight;
    gauss_sums_tail(&s->sums, threshold - (int64_t)weight, &s->lost);
    ival_neg(&s->lost, &s->lost);
    ival_log1p(&s->lost, &s->lost);
}

void
keys_scene_clear(struct keys_scene *s)
{
    gauss_sums_clear(&s->sums);
    rat_clear(&s->reach);
    ival_clear(&s->lost);
}

/* The orders in which neighbours are compared. */
enum way {
    LEAVES, /* the unit is only in the first data set */
    ENTERS, /* only in the second */
    MOVES,  /* in both, with other keys */
};

static enum way
way_first(const struct keys_scene *s)
{
    return s->adjacency == CUSTOS_CHANGE_ONE ? MOVES : LEAVES;
}

static enum way
way_last(const struct keys_scene *s)
{
    return s->adjacency == CUSTOS_CHANGE_ONE ? MOVES : ENTERS;
}

/*
 * An upper bound on the cost for units that hold from `least` to `most` keys
 * alone: more keys alone and more shared keys never cost less.
 */
static void
block_cost(ival *r, struct keys_scene *s, enum way way, uint64_t least,
           uint64_t most)
{
    int64_t low = (int64_t)least, high = (int64_t)most;
    uint64_t keys = s->keys;

    if (way == LEAVES)
        split_cost(r, s, most, least, keys - least, low);
    else if (way == ENTERS)
        split_cost(r, s, 0, least, keys - least, -high);
    else if (is_mixed(s))
        split_cost(r, s, most, least, 1, low);
    else
        split_cost(r, s, most, least, 2 * keys - least, low - (int64_t)keys);
}

/*
 * Raises `worst` to the worst cost of units that hold from `least` to `most`
 * keys alone. Skips blocks that cannot be worse.
 */
static void
block_worst(ival *worst, struct keys_scene *s, enum way way, uint64_t least,
            uint64_t most)
{
    uint64_t middle = least + (most - least) / 2;
    bool smaller;
    ival x;

    ival_init(&x, ival_bits(worst));
    block_cost(&x, s, way, least, most);
    smaller = ival_certainly_less(&x, worst);
    if (least == most)
        keep_worse(worst, &x);
    ival_clear(&x);
    if (smaller || least == most)
        return;
    block_worst(worst, s, way, middle + 1, most);
    block_worst(worst, s, way, least, middle);
}

void
keys_scene_worst(struct keys_scene *s, ival *worst)
{
    for (enum way way = way_first(s); way <= way_last(s); way++) {
        /*
         * Usually one of the first two is the worst, so that the third call
         * skips most blocks.
         */
        block_worst(worst, s, way, s->keys, s->keys);
        block_worst(worst, s, way, 0, 0);
        block_worst(worst, s, way, 0, s->keys);
    }
}

/*
 * Whether a block is certainly within the promise. Splits it only if the bound
 * on the complete block does not decide.
 */
static bool
block_fits(struct keys_scene *s, enum way way, uint64_t least, uint64_t most)
{
    uint64_t middle = least + (most - least) / 2;
    bool fits;
    ival x;

    ival_init(&x, s->sums.bits);
    block_cost(&x, s, way, least, most);
    fits = ival_certainly_less_rat(&x, s->delta);
    ival_clear(&x);
    if (fits || least == most)
        return fits;
    return block_fits(s, way, middle + 1, most) &&
           block_fits(s, way, least, middle);
}

bool
keys_scene_alone_fits(struct keys_scene *s)
{
    bool fits;
    ival x;

    ival_init(&x, s->sums.bits);
    split_cost(&x, s, s->keys, 0, 0, 0);
    fits = ival_certainly_less_rat(&x, s->delta);
    ival_clear(&x);
    return fits;
}

bool
keys_scene_fits(struct keys_scene *s)
{
    bool fits = keys_scene_alone_fits(s);

    for (enum way way = way_first(s); fits && way <= way_last(s); way++)
        fits = block_fits(s, way, 0, s->keys);
    return fits;
}
