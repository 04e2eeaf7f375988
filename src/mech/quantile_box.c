/*
 * A box around one quantile: two cuts, drawn together.
 *
 * The low cut is wanted `around` steps below the target of a node, the high cut
 * as far above it. The score of a pair is the larger of its two distances, so
 * that both cost what one costs.
 *
 * To draw a pair, sort all (side, left) by their distance, ties in a fixed
 * order: an event is a side and a number of values that go left. The score of
 * a pair is the distance of the later of its two events. The weight of all
 * pairs whose later event is k is
 *   exp(-rate distance_k) length_k (lengths of the other side's earlier events),
 * so that the later event is chosen by these weights, and the other cut
 * uniformly among the candidates of earlier events.
 *
 * THEOREM  quantile-box
 *   Draw a pair of candidates of quantile-cut with probability proportional to
 *   exp(-rate max(|den l - T + c|, |den h - T - c|)), where l and h values go
 *   left of them, T = num n + shift, and c and shift are constants. When x
 *   values in all are added or removed, the log-probability of every pair
 *   changes by at most 2 rate x max(num, den - num); when values are replaced
 *   and n stays, by at most 2 rate den times the number replaced.
 * SOURCE   doc/proofs/quantile-box.md
 * NEEDS    as quantile-cut; rate (|shift| + c + den) <= 2048.
 * GIVES    *low and *high have exactly this law, put in order. Time depends
 *          only on the number of values, and is bounded by 1/rate; except that
 *          a scan is refined with probability below
 *          (n + 1) 2^-41 + n^2 2^-52.
 * FAILS    CUSTOS_ENOMEM, which depends on the number of values alone;
 *          CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below n 2^-3990.
 *          These depend only on the coins.
 * TESTED   box_law_by_enumeration box_keeps_epsilon
 */
#include "mech/quantile_box.h"

#include "mech/quantile_weight.h"
#include "num/ival.h"

enum side { LOW, HIGH, SIDES };
enum way { DOWN, UP, WAYS };

/* The events of one side: `down` .. `up` - 1 have been taken, which have the
   candidates `low` .. `high` - 1. */
struct reach {
    int64_t down, up; /* the next of each way: down - 1, up */
    u128 low, high;
};

struct event {
    enum side side;
    enum way way;
    uint64_t left, distance;
    u128 start, end; /* its candidates: start .. end - 1 */
    u128 low, high;  /* those that the other side has taken: low .. high - 1 */
};

/* Walks over all 2 (n + 1) events in the order of their distances. */
struct box_walk {
    struct walk walk;
    const struct stretch *stretch;
    const struct node *node;
    struct reach side[SIDES];
    uint64_t next[SIDES][WAYS]; /* distances; UINT64_MAX: there is none */
    uint64_t first, last;       /* the least and the most that go left */
    uint64_t k;
};

/* The distance of what a side has next, in one way. Depends on n and the node. */
static uint64_t
distance_next(const struct box_walk *w, enum side side, enum way way)
{
    i128 n = (i128)(w->stretch->to - w->stretch->from);
    i128 around = (i128)w->node->around;
    i128 target = (i128)w->node->num * n + w->node->shift +
                  (side == LOW ? -around : around);
    int64_t left = way == UP ? w->side[side].up : w->side[side].down - 1;
    i128 off = (i128)w->node->den * left - target;

    if (left < 0 || left > n)
        return UINT64_MAX;
    return (uint64_t)(off < 0 ? -off : off);
}

static void
box_rewind(struct walk *walk)
{
    struct box_walk *w = (struct box_walk *)walk;
    int64_t n = (int64_t)(w->stretch->to - w->stretch->from);
    i128 den = (i128)w->node->den;
    i128 middle = (i128)w->node->num * n + w->node->shift;

    w->k = 0;
    for (enum side side = LOW; side < SIDES; side++) {
        struct reach *r = &w->side[side];
        i128 away = (i128)w->node->around;
        i128 target = side == LOW ? middle - away : middle + away;
        /* the least left with den left >= target */
        i128 up = target <= 0 ? 0 : (target + den - 1) / den;

        r->up = r->down = up > n + 1 ? n + 1 : (int64_t)up;
        r->low = r->high = candidates_below(w->stretch, (uint64_t)r->up);
        for (enum way way = DOWN; way < WAYS; way++)
            w->next[side][way] = distance_next(w, side, way);
    }
}

/*
 * The next event without its candidates. Depends on n and the node alone. What
 * follows it in its way is den further off.
 */
static inline struct event
box_order(struct box_walk *w)
{
    int64_t n = (int64_t)(w->stretch->to - w->stretch->from);
    struct event e = {.distance = w->next[LOW][DOWN]};
    struct reach *r;
    bool more;

    for (enum side side = LOW; side < SIDES; side++)
        for (enum way way = DOWN; way < WAYS; way++)
            if (w->next[side][way] < e.distance) {
                e.side = side;
                e.way = way;
                e.distance = w->next[side][way];
            }
    r = &w->side[e.side];
    e.left = (uint64_t)(e.way == UP ? r->up++ : --r->down);
    more = e.way == UP ? r->up <= n : r->down > 0;
    w->next[e.side][e.way] = more ? e.distance + w->node->den : UINT64_MAX;
    w->k++;
    return e;
}

static inline struct event
box_step(struct box_walk *w)
{
    struct event e = box_order(w);
    struct reach *r = &w->side[e.side], *other = &w->side[LOW + HIGH - e.side];

    if (e.way == UP) {
        e.start = r->high;
        e.end = r->high = candidates_below(w->stretch, e.left + 1);
    } else {
        e.end = r->low;
        e.start = r->low = candidates_below(w->stretch, e.left);
    }
    e.low = other->low;
    e.high = other->high;
    return e;
}

/*
 * Sets how many events matter, and between which numbers of values that go left
 * they are. The first event after one of the other side has the least distance
 * d of all pairs, and every event has a candidate, so the largest weight is at
 * least exp(-rate d).
 */
static void
box_limit(struct box_walk *w)
{
    uint64_t least = UINT64_MAX;

    box_rewind(&w->walk);
    w->first = w->stretch->to - w->stretch->from;
    w->last = 0;
    while (w->k < w->walk.all) {
        struct event e = box_order(w);
        const struct reach *other = &w->side[LOW + HIGH - e.side];

        if (least == UINT64_MAX && other->up > other->down)
            least = e.distance;
        if (least != UINT64_MAX && e.distance - least > w->node->far) {
            w->k--;
            break;
        }
        w->first = e.left < w->first ? e.left : w->first;
        w->last = e.left > w->last ? e.left : w->last;
    }
    w->walk.n = w->k;
}

static struct weight
box_next(struct walk *walk)
{
    struct box_walk *w = (struct box_walk *)walk;
    struct event e = box_step(w);

    return weight_times(
        weight_of(decay_of(&w->node->slope, e.distance), e.end - e.start),
        e.high - e.low);
}

static void
set_whole(ival *x, u128 n)
{
    rat q;

    rat_init(&q);
    rat_set_i128(&q, (i128)n);
    ival_set_rat(x, &q);
    rat_clear(&q);
}

/* The exact weight of event k; events are asked for in order. */
static void
box_enclose(const void *of, size_t k, ival *weight)
{
    struct box_walk *w = *(struct box_walk *const *)of;
    struct event e;
    ival length;
    rat x;

    if (w->k != k)
        box_rewind(&w->walk);
    while (w->k < k)
        (void)box_step(w);
    e = box_step(w);
    ival_init(&length, 128);
    rat_init(&x);
    rat_set_i128(&x, -(i128)e.distance);
    rat_mul(&x, &x, &w->node->slope.rate);
    ival_set_rat(weight, &x);
    ival_exp(weight, weight);
    set_whole(&length, e.end - e.start);
    ival_mul(weight, weight, &length);
    set_whole(&length, e.high - e.low);
    ival_mul(weight, weight, &length);
    ival_clear(&length);
    rat_clear(&x);
}

/* ----------------------------------------------------------- the pair -- */

/* The event that won: its number of values that go left, and those of the other
   cut, from `low` to `high` - 1. */
struct won {
    uint64_t left, low, high;
};

static struct won
event_find(struct box_walk *w, size_t winner)
{
    struct won won = {0, 0, 0};
    uint8_t far = winner >= w->walk.n; /* of probability below 2^-84 n */

    ct_open(&far, sizeof far);
    if (far) {
        w->walk.n = w->walk.all;
        w->first = 0;
        w->last = w->stretch->to - w->stretch->from;
    }
    box_rewind(&w->walk);
    for (uint64_t k = 0; k < w->walk.n; k++) {
        struct event e = box_order(w);
        const struct reach *other = &w->side[LOW + HIGH - e.side];
        uint64_t hit = ~mask_less(k, winner) & ~mask_less(winner, k);

        won.left |= e.left & hit;
        won.low |= (uint64_t)other->down & hit;
        won.high |= (uint64_t)other->up & hit;
    }
    return won;
}

/* A candidate for which at least `low` and fewer than `high` values go left, which are
   within w->first .. w->last + 1. */
static custos_status
candidate_draw(const struct box_walk *w, uint64_t low, uint64_t high,
               custos_rng *rng, struct cut *out)
{
    const struct stretch *s = w->stretch;
    u128 start = 0, end = 0, number = 0;
    custos_status st;

    for (uint64_t r = w->first; r <= w->last + 1; r++) {
        u128 below = candidates_below(s, r);

        start |= keep_by_mask(~(mask_less(r, low) | mask_less(low, r)), below);
        end |= keep_by_mask(~(mask_less(r, high) | mask_less(high, r)), below);
    }
    st = stretch_uniform(rng, end - start, &number);
    number += start;
    *out = (struct cut){candidate_point(s, number), w->first};
    for (uint64_t r = w->first + 1; r <= w->last; r++)
        out->left += 1 & ~(uint64_t)mask_less_i128(
                             (i128)number, (i128)candidates_below(s, r));
    return st;
}

/* Puts two cuts in order: by how many values go left, then by points. */
static void
cuts_sort(struct cut *low, struct cut *high)
{
    uint64_t less = mask_less(high->left, low->left);
    uint64_t same = ~less & ~mask_less(low->left, high->left);
    uint64_t swap = less | (same & mask_less(high->point, low->point));
    uint64_t point = (low->point ^ high->point) & swap;
    uint64_t left = (low->left ^ high->left) & swap;

    low->point ^= point;
    high->point ^= point;
    low->left ^= left;
    high->left ^= left;
}

custos_status
stretch_box(const custos_alloc *alloc, const struct stretch *s,
            const struct node *node, custos_rng *rng, struct cut *low,
            struct cut *high)
{
    uint64_t all = 2 * (s->to - s->from + 1);
    struct box_walk w = {
        .walk = {all, all, box_rewind, box_next}, .stretch = s, .node = node};
    struct box_walk *const of = &w;
    const struct weights exact = {all, box_enclose, &of};
    struct won won = {0, 0, 0};
    size_t winner = 0;
    custos_status st;

    *low = *high = (struct cut){0, 0};
    box_limit(&w);
    st = walk_choose(alloc, &w.walk, &exact, rng, &winner);
    if (!st) {
        won = event_find(&w, winner);
        st = candidate_draw(&w, won.left, won.left + 1, rng, low);
    }
    if (!st)
        st = candidate_draw(&w, won.low, won.high, rng, high);
    cuts_sort(low, high);
    wipe(&won, sizeof won);
    wipe(&w, sizeof w);
    return st;
}
