/*
 * Several quantiles at one price: makes a tree of pivots from the options,
 * then opens the values and cuts them, from the root down.
 *
 * THEOREM  quantile-tree
 *   m pivots in a balanced tree have L = ceil(log2(m+1)) levels. Let num/den
 *   be a pivot's rank among the values of its node, and v the largest number
 *   of values of a unit. Let each node's rate be epsilon / (2 L D), where
 *   D = v max(num, den - num) for add/remove and twice that for change-one (at
 *   the root v den). Then all pivots together are epsilon-DP and
 *   epsilon^2/8L-zCDP. This still holds if constants shift the wanted
 *   positions, and if constant values are inserted.
 * SOURCE   Kaplan, Schnapp, Stemmer 2022, arXiv:2110.05429;
 *          units of several values, change-one and equal values:
 *          doc/proofs/quantile-tree.md; zCDP of bounded range: Cesar, Rogers
 *          2021, arXiv:2004.07223.
 * NEEDS    sorted values, at most v of each unit.
 * GIVES    pivots in non-decreasing order, each by quantile-cut.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below 2^-3900.
 * TESTED   quantile_keeps_epsilon quantile_several_keep_epsilon
 *          quantile_several_never_fall quantile_rates_are_as_proved
 *          quantile_shifted_keeps_epsilon quantile_shifts_are_as_proved
 */
#include "mech/quantile.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "num/rat_round.h"

enum {
    DEN_LOG2_MAX = 30,
    WIDTH_LOG2_MAX = 62,
    EPSILON_MAX = 1024,
    SHIFT_LOG2_MAX = 29,
    BOX_LOG2_MAX = 24, /* shift and around of boxes are below 2^this */
    BOX_NEAR = 3,      /* a box reaches at least 3 / (rate den) positions: a
                          cut is rarely further off */
    BOX_EXPONENT_MAX = 2048,
};

/* The inputs from which the tree is made. */
struct plan {
    custos_quantile *q;
    const custos_quantile_options *o;
    rat *ranks;      /* o->ranks of them */
    rat epsilon;     /* of all levels together */
    rat level;       /* epsilon of one level */
    uint64_t around; /* of boxes, at least; 0: nodes have one cut */
};

/*
 * The ranks `first` .. `last`-1, which are between the ranks `low` and `high`
 * of the cuts next to them: ranks first - 1 and last, or 0 and 1 at the ends.
 */
struct branch {
    size_t first, last;
    const rat *low, *high;
    uint32_t depth;
};

/* node->num / node->den = (rank - low) / (high - low). */
static custos_status
node_set_rank(struct node *node, const rat *rank, const struct branch *b,
              custos_err *err)
{
    custos_status st = CUSTOS_OK;
    i128 num = 0, den = 0;
    rat x, y;

    rat_init(&x);
    rat_init(&y);
    rat_sub(&x, rank, b->low);
    rat_sub(&y, b->high, b->low);
    rat_div(&x, &x, &y);
    if (!rat_parts_i128(&x, &num, &den) || den > (i128)1 << DEN_LOG2_MAX)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "the ranks must have a common denominator of at "
                         "most 2^%d",
                         (int)DEN_LOG2_MAX);
    node->num = (uint64_t)num;
    node->den = (uint64_t)den;
    rat_clear(&x);
    rat_clear(&y);
    return st;
}

/*
 * The distance from rank * n to the position of the cut that bounds a branch
 * from below (`above` = 0) or above; 0 at the two ends, which have the indices
 * -1 and o->ranks. Boxes have a cut on each side.
 */
static void
place_beside(const struct plan *p, size_t i, bool above, rat *out)
{
    int64_t reach;
    rat x;

    rat_set_i64(out, 0, 1);
    if (i >= p->o->ranks)
        return;
    rat_init(&x);
    rat_set_i64(&x, -2 * (int64_t)p->o->pad, 1);
    rat_mul(out, &x, &p->ranks[i]);
    reach = (int64_t)p->q->nodes[i].reach;
    rat_set_i64(&x, p->q->nodes[i].place + (above ? -reach : reach), 1);
    rat_add(out, out, &x);
    rat_clear(&x);
}

/*
 * Sets place and reach. A box around rank 0 or 1 moves inside by its reach: its
 * outer cut would otherwise be wanted where there are no values.
 */
static custos_status
node_set_place(const struct plan *p, struct node *node, size_t i,
               custos_err *err)
{
    int64_t shift = p->o->shift ? p->o->shift[i] : 0;
    uint64_t near = 0;
    rat x, y;

    node->place = (int64_t)p->o->pad + shift;
    if (p->around == 0)
        return CUSTOS_OK;
    rat_init(&x);
    rat_init(&y);
    rat_set_i64(&x, BOX_NEAR, 1);
    rat_set_i128(&y, (i128)node->den);
    rat_mul(&y, &y, &node->slope.rate);
    rat_div(&x, &x, &y);
    if (!rat_floor_u64(&x, &near) || near >> BOX_LOG2_MAX)
        near = (uint64_t)1 << BOX_LOG2_MAX;
    node->reach = near + 1 > p->around ? near + 1 : p->around;
    node->around = node->den * node->reach;
    if (rat_sign(&p->ranks[i]) == 0)
        node->place += (int64_t)node->reach;
    else if (rat_cmp_i64(&p->ranks[i], 1) == 0)
        node->place -= (int64_t)node->reach;
    rat_clear(&x);
    rat_clear(&y);
    return node->reach >> BOX_LOG2_MAX
               ? custos_fail(err, CUSTOS_ERANGE,
                             "at this epsilon a box would reach over 2^%d "
                             "values",
                             (int)BOX_LOG2_MAX)
               : CUSTOS_OK;
}

/*
 * Let the neighbouring cuts be at positions l n + a and h n + b, and the
 * wanted position be q n + c. There are (h-l) n + b - a values between the
 * cuts, and num/den of them is (q-l) n + (b-a) num/den, so the shift is
 * c - a - (b-a) num/den. In steps of 1/den it is an integer: the shifts in a,
 * b and c are integers, and the padding is linear in the rank except at the
 * ends, where num (h-l) = den (q-l) cancels the fractions.
 */
static void
node_set_shift(const struct plan *p, struct node *node, size_t i,
               const struct branch *b)
{
    i128 whole = 0;
    rat low, high, at, x;

    rat_init(&low);
    rat_init(&high);
    rat_init(&at);
    rat_init(&x);
    place_beside(p, b->first - 1, false, &low);
    place_beside(p, b->last, true, &high);
    rat_set_i64(&x, -2 * (int64_t)p->o->pad, 1);
    rat_mul(&at, &x, &p->ranks[i]);
    rat_set_i64(&x, node->place, 1);
    rat_add(&at, &at, &x);
    rat_sub(&at, &at, &low);
    rat_sub(&high, &high, &low);
    rat_set_i128(&x, (i128)node->den);
    rat_mul(&at, &at, &x);
    rat_set_i128(&x, (i128)node->num);
    rat_mul(&high, &high, &x);
    rat_sub(&at, &at, &high);
    /* |.| <= 2^30 2^31 + 2^30 2^31 */
    CUSTOS_REQUIRE(rat_is_whole(&at) && rat_floor_i128(&at, &whole));
    node->shift = (int64_t)whole;
    rat_clear(&low);
    rat_clear(&high);
    rat_clear(&at);
    rat_clear(&x);
}

/* What quantile-box needs: rate (|shift| + around + den) <= 2048. */
static custos_status
node_check_box(const struct plan *p, const struct node *node, custos_err *err)
{
    i128 far = node->shift < 0 ? -(i128)node->shift : (i128)node->shift;
    bool over;
    rat x;

    if (p->around == 0)
        return CUSTOS_OK;
    rat_init(&x);
    rat_set_i128(&x, far + (i128)node->around + (i128)node->den);
    rat_mul(&x, &x, &node->slope.rate);
    over = rat_cmp_i64(&x, BOX_EXPONENT_MAX) > 0;
    rat_clear(&x);
    return over ? custos_fail(err, CUSTOS_ERANGE,
                              "epsilon is too large for boxes this wide")
                : CUSTOS_OK;
}

/* Sets the rate of theorem quantile-tree. */
static void
node_set_rate(const struct plan *p, struct node *node)
{
    uint64_t other = node->den - node->num;
    uint64_t most = node->num > other ? node->num : other;
    rat rate, x;

    rat_init(&rate);
    rat_init(&x);
    if (p->o->adjacency == CUSTOS_CHANGE_ONE)
        most = node->depth == 1 ? node->den : 2 * most;
    rat_set_i128(&rate, (i128)most * 2);
    rat_set_i128(&x, p->o->values_per_unit ? (i128)p->o->values_per_unit : 1);
    rat_mul(&x, &x, &rate);
    rat_div(&rate, &p->level, &x);
    /* 10^-528 / (2^64 2^33 11) <= rate <= 1024 */
    CUSTOS_REQUIRE(!slope_init(&node->slope, &rate));
    node->made = true;
    rat_clear(&rate);
    rat_clear(&x);
}

/*
 * A weight is exp(-rate distance) times the candidates of one cut, or those of
 * both cuts of a box; there are at most (width + 1) 2^33 of each. So a distance
 * of ln 2 (84 + log2 of these numbers) / rate above the least leaves less than
 * 2^-84 of the largest weight. ln 2 < 7/10.
 */
static void
node_set_far(const struct plan *p, struct node *node)
{
    int64_t bits = QUANTILE_SHARE_BITS + 64 - __builtin_clzll(p->q->width | 1);
    rat x;

    rat_init(&x);
    rat_set_i64(&x, 7 * (84 + (p->around ? 2 : 1) * (bits + 1)), 10);
    rat_div(&x, &x, &node->slope.rate);
    if (!rat_floor_u64(&x, &node->far) || node->far >> WIDTH_LOG2_MAX)
        node->far = (uint64_t)1 << WIDTH_LOG2_MAX;
    rat_clear(&x);
}

/*
 * The least distance of a side is at most den where its target is among the values,
 * and at most that many steps more where it is beyond them. From the least distance
 * of all on, each side and way has a step every den.
 */
uint64_t
cut_steps(const custos_quantile *q, const struct node *node)
{
    uint64_t shift = (uint64_t)(node->shift < 0 ? -node->shift : node->shift);
    uint64_t beyond = q->boxed ? shift + node->around : 0;
    uint64_t each = (node->far + node->den + beyond) / node->den + 2;

    return (q->boxed ? 4 : 2) * each;
}

/* Makes the pivot of a branch, and those of the branches below it. */
static custos_status
branch_make(const struct plan *p, struct branch b, custos_err *err)
{
    size_t middle = branch_middle(b.first, b.last);
    struct node *node = &p->q->nodes[middle];
    const rat *rank = &p->ranks[middle];
    custos_status st;

    node->depth = b.depth;
    st = node_set_rank(node, rank, &b, err);
    if (st)
        return st;
    node_set_rate(p, node);
    node_set_far(p, node);
    st = node_set_place(p, node, middle, err);
    if (st)
        return st;
    node_set_shift(p, node, middle, &b);
    st = node_check_box(p, node, err);
    if (!st && b.first < middle)
        st = branch_make(
            p, (struct branch){b.first, middle, b.low, rank, b.depth + 1}, err);
    if (!st && middle + 1 < b.last)
        st = branch_make(
            p, (struct branch){middle + 1, b.last, rank, b.high, b.depth + 1},
            err);
    return st;
}

static custos_status
ranks_read(const struct plan *p, custos_err *err)
{
    for (size_t i = 0; i < p->o->ranks; i++) {
        rat *r = &p->ranks[i];
        custos_status st = rat_read(p->o->rank[i], "rank", r, err);

        if (st)
            return st;
        if (rat_sign(r) < 0 || rat_cmp_i64(r, 1) > 0 ||
            (i > 0 && rat_cmp(&p->ranks[i - 1], r) >= 0))
            return custos_fail(err, CUSTOS_ERANGE,
                               "ranks must be strictly increasing and lie "
                               "between 0 and 1");
    }
    return CUSTOS_OK;
}

/* Sets epsilon, its part for each level, and the facts to report. */
static custos_status
price_read(struct plan *p, custos_err *err)
{
    custos_quantile *q = p->q;
    uint32_t levels = quantile_levels(p->o->ranks);
    custos_status st =
        rat_read_positive(p->o->epsilon, "epsilon", &p->epsilon, err);
    rat x;

    if (st)
        return st;
    if (rat_cmp_i64(&p->epsilon, EPSILON_MAX) > 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "epsilon of quantiles must be at most %d",
                           (int)EPSILON_MAX);
    rat_init(&x);
    rat_set_i64(&x, levels, 1);
    rat_div(&p->level, &p->epsilon, &x);
    rat_decimal(&p->epsilon, RAT_UP, q->epsilon);
    rat_set_i64(&x, 1, 8);
    rat_mul(&x, &x, &p->epsilon);
    rat_mul(&x, &x, &p->level);
    rat_decimal(&x, RAT_UP, q->rho);
    rat_clear(&x);
    q->facts =
        (custos_quantile_facts){q->epsilon, q->rho, "quantile-tree", levels};
    return CUSTOS_OK;
}

static custos_status
tree_make(struct plan *p, custos_err *err)
{
    custos_status st = price_read(p, err);
    rat zero, one;

    if (!st)
        st = ranks_read(p, err);
    if (st)
        return st;
    rat_init(&zero);
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    st = branch_make(p, (struct branch){0, p->o->ranks, &zero, &one, 1}, err);
    rat_clear(&zero);
    rat_clear(&one);
    return st;
}

static custos_status
options_check(const custos_quantile_options *o, custos_err *err)
{
    const uint64_t most = (uint64_t)1 << SHIFT_LOG2_MAX;

    if (o->adjacency != CUSTOS_ADD_REMOVE && o->adjacency != CUSTOS_CHANGE_ONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the adjacency must be add/remove or change-one");
    if (o->ranks == 0 || o->ranks > CUSTOS_QUANTILE_RANKS_MAX || !o->rank)
        return custos_fail(err, CUSTOS_EINVAL, "quantiles need 1 to %zu ranks",
                           CUSTOS_QUANTILE_RANKS_MAX);
    if (o->upper < o->lower ||
        ((uint64_t)o->upper - (uint64_t)o->lower) >> WIDTH_LOG2_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "the domain of quantiles needs lower <= upper and "
                           "must be less than 2^%d wide",
                           (int)WIDTH_LOG2_MAX);
    for (size_t i = 0; i < o->ranks; i++) {
        int64_t shift = o->shift ? o->shift[i] : 0;

        if (o->pad > most || shift > (int64_t)most || shift < -(int64_t)most)
            return custos_fail(err, CUSTOS_ERANGE,
                               "pad and shift must be at most 2^%d",
                               (int)SHIFT_LOG2_MAX);
    }
    return CUSTOS_OK;
}

custos_status
quantile_new_around(const custos_alloc *alloc,
                    const custos_quantile_options *options, uint64_t around,
                    custos_quantile **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_quantile_options o;
    struct plan p = {.o = &o, .around = around};
    custos_status st;

    if (!out || !options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set; out must not be "
                           "NULL");
    st = options_check(&o, err);
    if (st)
        return st;
    rat_init(&p.epsilon);
    rat_init(&p.level);
    p.q = alloc_take(&hooks, 1, sizeof *p.q);
    if (p.q) {
        *p.q = (custos_quantile){.alloc = hooks,
                                 .lower = o.lower,
                                 .width = (uint64_t)o.upper - (uint64_t)o.lower,
                                 .ranks = o.ranks,
                                 .boxed = around > 0};
        p.q->nodes = alloc_take(&hooks, o.ranks, sizeof *p.q->nodes);
        p.ranks = alloc_take(&hooks, o.ranks, sizeof *p.ranks);
    }
    for (size_t i = 0; p.ranks && i < o.ranks; i++)
        rat_init(&p.ranks[i]);
    st = p.q && p.q->nodes && p.ranks
             ? tree_make(&p, err)
             : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; p.ranks && i < o.ranks; i++)
        rat_clear(&p.ranks[i]);
    alloc_give(&hooks, p.ranks, o.ranks, sizeof *p.ranks);
    rat_clear(&p.epsilon);
    rat_clear(&p.level);
    if (st)
        custos_quantile_free(p.q);
    else
        *out = p.q;
    return st;
}

custos_status
custos_quantile_new(const custos_alloc *alloc,
                    const custos_quantile_options *options,
                    custos_quantile **out, custos_err *err)
{
    return quantile_new_around(alloc, options, 0, out, err);
}

void
custos_quantile_free(custos_quantile *quantile)
{
    custos_alloc hooks;

    if (!quantile)
        return;
    hooks = quantile->alloc;
    for (size_t i = 0; quantile->nodes && i < quantile->ranks; i++)
        if (quantile->nodes[i].made)
            slope_clear(&quantile->nodes[i].slope);
    alloc_give(&hooks, quantile->nodes, quantile->ranks,
               sizeof *quantile->nodes);
    alloc_give(&hooks, quantile, 1, sizeof *quantile);
}

const custos_quantile_facts *
custos_quantile_report(const custos_quantile *quantile)
{
    return quantile ? &quantile->facts : NULL;
}

/* Draws pivots `first` .. `last`-1 of one stretch, as offsets from lower. */
static custos_status
tree_cut(const custos_quantile *q, custos_rng *rng, size_t first, size_t last,
         struct stretch s, uint64_t *points)
{
    size_t middle = branch_middle(first, last);
    struct stretch left = s, right = s;
    struct cut cut;
    custos_status st;

    if (first == last)
        return CUSTOS_OK;
    st = stretch_cut(&q->alloc, &s, &q->nodes[middle], rng, &cut);
    points[middle] = cut.point;
    left.to = right.from = s.from + cut.left;
    left.high = right.low = cut.point;
    if (!st)
        st = tree_cut(q, rng, first, middle, left, points);
    if (!st)
        st = tree_cut(q, rng, middle + 1, last, right, points);
    return st;
}

custos_status
stretch_open(const custos_quantile *q, custos_sealed *sealed, size_t cells,
             struct stretch *s, custos_err *err)
{
    i128 *values;
    custos_status st;

    if (cells >> QUANTILE_CELLS_LOG2)
        return custos_fail(err, CUSTOS_EOVERFLOW, "cells must be below 2^%d",
                           (int)QUANTILE_CELLS_LOG2);
    st = sealed_open(sealed, SEALED_WIDE, cells, &values, err);
    if (st)
        return st;
    *s = (struct stretch){
        .cells = (const u128 *)(values + 1),
        .to = (uint64_t)clamp_i128(values[0], 0, (i128)cells - 1),
        .high = q->width,
    };
    stretch_prepare(values + 1, s->to, q->lower,
                    (i128)q->lower + (i128)q->width);
    return CUSTOS_OK;
}

custos_status
custos_quantile_release(const custos_quantile *quantile, custos_rng *rng,
                        custos_sealed *sealed, size_t cells, int64_t *out,
                        custos_err *err)
{
    uint64_t points[CUSTOS_QUANTILE_RANKS_MAX];
    const custos_quantile *q = quantile;
    struct stretch s;
    custos_status st;

    if (!q || q->boxed || !rng || !out)
        return custos_fail(err, CUSTOS_EINVAL,
                           "quantile, rng and out must not be NULL");
    st = stretch_open(q, sealed, cells, &s, err);
    if (st)
        return st;
    st = tree_cut(q, rng, 0, q->ranks, s, points);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    for (size_t i = 0; i < q->ranks && !st; i++)
        out[i] = (int64_t)((uint64_t)q->lower + points[i]);
    wipe(points, sizeof points);
    sealed_wipe(sealed);
    return st;
}
