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
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below n 2^-3990.
 *          Both depend only on the coins.
 * TESTED   box_law_by_enumeration box_keeps_epsilon
 */
#include "mech/quantile_box.h"

#include "mech/quantile_weight.h"
#include "num/ival.h"

enum side { LOW, HIGH, SIDES };

/* Events are left out if their weight is below exp(-192) 2^192 of the largest
   weight, which is below 2^-84. */
enum { FAR = 192 };

/* The events of one side: `down` .. `up` - 1 have been taken. */
struct reach {
    i128 target;
    int64_t down, up; /* the next of each direction: down - 1, up */
    u128 length;      /* candidates of those taken */
};

struct event {
    enum side side;
    uint64_t left, distance;
    u128 length;
    struct reach other; /* what the other side has taken */
};

/* Walks over all 2 (n + 1) events in the order of their distances. */
struct box_walk {
    struct walk walk;
    const struct stretch *stretch;
    const struct node *node;
    struct reach side[SIDES];
    uint64_t first, last; /* the least and the most that go left */
    uint64_t k;
};

/* How many candidates there are for which `left` values go left. */
static u128
length_at(const struct stretch *s, uint64_t left)
{
    uint64_t n = s->to - s->from;
    u128 length = slot_at(s, SLOT_KINDS * left).length;

    if (left > 0)
        length += slot_at(s, SLOT_KINDS * left - 1).length;
    if (left < n)
        length += slot_at(s, SLOT_KINDS * left + 1).length;
    return length;
}

static uint64_t
distance_to(const struct node *node, i128 target, int64_t left)
{
    i128 off = (i128)node->den * left - target;

    return (uint64_t)(off < 0 ? -off : off); /* depends on n alone */
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
        i128 up;

        r->target = side == LOW ? middle - away : middle + away;
        /* the least left with den left >= target */
        up = r->target <= 0 ? 0 : (r->target + den - 1) / den;
        r->up = r->down = up > n + 1 ? n + 1 : (int64_t)up;
        r->length = 0;
    }
}

/* The next event without its lengths. Depends on n and the node alone. */
static struct event
box_order(struct box_walk *w)
{
    int64_t n = (int64_t)(w->stretch->to - w->stretch->from);
    struct event e = {.distance = UINT64_MAX};
    struct reach *r;
    bool up = false;

    for (enum side side = LOW; side < SIDES; side++) {
        r = &w->side[side];
        for (int way = 0; way < 2; way++) {
            int64_t left = way ? r->up : r->down - 1;
            uint64_t distance = distance_to(w->node, r->target, left);

            if (left < 0 || left > n || distance >= e.distance)
                continue;
            e.side = side;
            e.left = (uint64_t)left;
            e.distance = distance;
            up = way;
        }
    }
    r = &w->side[e.side];
    r->up += up;
    r->down -= !up;
    e.other = w->side[LOW + HIGH - e.side];
    w->k++;
    return e;
}

static struct event
box_step(struct box_walk *w)
{
    struct event e = box_order(w);

    e.length = length_at(w->stretch, e.left);
    w->side[e.side].length += e.length;
    return e;
}

/*
 * Sets how many events matter, and between which numbers of values that go left
 * they are. The first event after one of the other side has the least distance
 * d of all pairs, and every event has a candidate, so the largest weight is at
 * least exp(-rate d); lengths are below 2^96.
 */
static void
box_limit(struct box_walk *w)
{
    const u128 far = (u128)FAR << EXP_Z_BITS;
    uint64_t least = UINT64_MAX;

    box_rewind(&w->walk);
    w->first = w->stretch->to - w->stretch->from;
    w->last = 0;
    while (w->k < w->walk.all) {
        struct event e = box_order(w);

        if (least == UINT64_MAX && e.other.up > e.other.down)
            least = e.distance;
        if (least != UINT64_MAX &&
            exponent_fixed(&w->node->slope, e.distance - least) > far) {
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
        weight_of(decay_of(&w->node->slope, e.distance), e.length),
        e.other.length);
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
    set_whole(&length, e.length);
    ival_mul(weight, weight, &length);
    set_whole(&length, e.other.length);
    ival_mul(weight, weight, &length);
    ival_clear(&length);
    rat_clear(&x);
}

/* --------------------------------------------------- one of many cuts -- */

/* The candidates for which `from` to `to` values go left. */
struct band_walk {
    struct walk walk;
    const struct stretch *stretch;
    uint64_t from, to;
    uint64_t first, k; /* the first slot of the walk, the next one */
};

static u128
band_length(const struct band_walk *w, const struct slot *slot)
{
    uint64_t in =
        ~mask_less(slot->left, w->from) & ~mask_less(w->to, slot->left);

    return slot->length & ((u128)in << 64 | in);
}

static void
band_rewind(struct walk *walk)
{
    struct band_walk *w = (struct band_walk *)walk;

    w->k = w->first;
}

static struct weight
band_next(struct walk *walk)
{
    const struct weight one = {(uint64_t)1 << 63, WEIGHT_EXPONENT_ZERO};
    struct band_walk *w = (struct band_walk *)walk;
    struct slot slot = slot_at(w->stretch, w->k++);

    return weight_times(one, band_length(w, &slot));
}

static void
band_enclose(const void *of, size_t k, ival *weight)
{
    const struct band_walk *w = of;
    struct slot slot = slot_at(w->stretch, w->first + k);

    set_whole(weight, band_length(w, &slot));
}

/*
 * A candidate for which `from` to `to` values go left, all equally likely; it is
 * known that these are within box->first .. box->last.
 */
static custos_status
band_draw(const struct stretch *s, const struct box_walk *box, uint64_t from,
          uint64_t to, custos_rng *rng, struct cut *out)
{
    uint64_t first = SLOT_KINDS * box->first - (box->first > 0);
    uint64_t end = SLOT_KINDS * box->last + 2, n = slot_count(s);
    uint64_t slots = (end < n ? end : n) - first, within = 0;
    struct band_walk w = {
        {slots, slots, band_rewind, band_next}, s, from, to, first, 0};
    const struct weights exact = {slots, band_enclose, &w};
    struct slot won = {.points = 0};
    size_t winner = 0;
    custos_status st = walk_choose(&w.walk, &exact, rng, &winner);

    for (uint64_t k = 0; k < slots && !st; k++) {
        struct slot slot = slot_at(s, first + k);
        uint64_t hit = ~mask_less(k, winner) & ~mask_less(winner, k);

        won.start |= slot.start & hit;
        won.points |= slot.points & hit;
        won.left |= slot.left & hit;
    }
    if (!st)
        st = stretch_uniform(rng, won.points, &within);
    *out = (struct cut){won.start + within, won.left};
    wipe(&w, sizeof w);
    wipe(&won, sizeof won);
    return st;
}

/* ----------------------------------------------------------- the pair -- */

/* The event that won, and the band of the other cut. */
struct won {
    uint64_t left, from, to;
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
        struct event e = box_step(w);
        uint64_t hit = ~mask_less(k, winner) & ~mask_less(winner, k);

        won.left |= e.left & hit;
        won.from |= (uint64_t)e.other.down & hit;
        won.to |= (uint64_t)(e.other.up - 1) & hit;
    }
    return won;
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
stretch_box(const struct stretch *s, const struct node *node, custos_rng *rng,
            struct cut *low, struct cut *high)
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
    st = walk_choose(&w.walk, &exact, rng, &winner);
    if (!st) {
        won = event_find(&w, winner);
        st = band_draw(s, &w, won.left, won.left, rng, low);
    }
    if (!st)
        st = band_draw(s, &w, won.from, won.to, rng, high);
    cuts_sort(low, high);
    wipe(&won, sizeof won);
    wipe(&w, sizeof w);
    return st;
}
