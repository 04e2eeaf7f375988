/*
 * One pivot: the exponential mechanism over points and ways to cut.
 *
 * A candidate is a point and one of 2^33 shares, numbered j. Values below the
 * point go left and values above it go right. If t values equal the point,
 * s(t, j) of them go left, and the share decides how many, from 0 to t.
 * (Otherwise a column of many equal values could not be cut at the right
 * position.) The score is the distance between the number of values that go
 * left and the wanted number.
 *
 * To define s(t, j), the 2^33 shares are divided into t + 1 pieces: with
 * 2^p <= t + 1 < 2^(p+1) and f = t + 1 - 2^p, into 2^p equal pieces, of which
 * the first f are halved. s(t, j) is the index of the piece that contains j.
 *
 * THEOREM  quantile-cut
 *   (a) When one value is added, s and the number of values that go left rise
 *   by 0 or 1. One side of the cut gets this value (or one equal to the
 *   point), and the sorted values of the other side stay the same.
 *   (b) Draw the candidate with probability proportional to
 *   exp(-rate |den left - num n - shift|), where n is the number of values,
 *   `left` the number that goes left and shift a constant. When x values in
 *   all are added or removed, the log-probability of every candidate changes
 *   by at most 2 rate x max(num, den - num); when values are replaced and n
 *   stays, by at most 2 rate den times the number replaced.
 * SOURCE   McSherry, Talwar 2007; Smith 2011; Kaplan, Schnapp, Stemmer 2022,
 *          arXiv:2110.05429; shares and the fixed-point scan:
 *          doc/proofs/quantile-cut.md
 * NEEDS    cells from stretch_prepare; num <= den <= 2^30; fewer than 2^32
 *          values; |shift| <= 2^62; rate den <= 1024.
 * GIVES    *out has exactly this law. Time depends only on the number of
 *          values, except that the scan is refined with probability below
 *          n 2^-43 + n^2 2^-55.
 * FAILS    CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below n 2^-4000.
 *          Both depend only on the coins.
 * TESTED   quantile_law_by_enumeration quantile_cut_moves_one_value
 *          quantile_keeps_epsilon quantile_thresholds_are_exact
 *          quantile_shifted_law_by_enumeration
 */
#include "mech/quantile_weight.h"

#include "num/ival.h"
#include "random/rng.h"

void
stretch_prepare(i128 *cells, uint64_t n, i128 low, i128 high)
{
    uint64_t last = 0, first_place = 0, end = n;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t value = (uint64_t)(clamp_i128(cells[i], low, high) - low);
        uint64_t more = mask_less(last, value);

        value = choose_by_mask(more, value, last); /* enforces sorted order */
        first_place = choose_by_mask(more, i, first_place);
        cells[i] = (i128)((u128)first_place << 96 | value);
        last = value;
    }
    for (uint64_t i = n; i-- > 0;) {
        u128 cell = (u128)cells[i];
        uint64_t less = mask_less(cell_value(cell), last);

        end = choose_by_mask(less, i + 1, end);
        last = cell_value(cell);
        cells[i] = (i128)(cell | (u128)end << 64);
    }
}

/*
 * num n + shift, clamped to 0 .. den n. Clamping changes all distances by the
 * same amount, and a factor common to all weights does not matter.
 */
static uint64_t
stretch_target(const struct stretch *s, const struct node *node)
{
    i128 n = (i128)(s->to - s->from);

    return (uint64_t)clamp_i128((i128)node->num * n + node->shift, 0,
                                (i128)node->den * n);
}

/* |den left - target|, below 2^63. */
static uint64_t
distance_of(const struct stretch *s, const struct node *node, uint64_t left)
{
    int64_t off = (int64_t)(node->den * left) - (int64_t)s->target;
    int64_t sign = (int64_t)(uint64_t)(mask_less_i128(off, 0));

    return (uint64_t)((off ^ sign) - sign);
}

/*
 * Walks over the slots in order and computes their weights. The decay of a
 * weight depends only on how many values go left. That is the same for the
 * last slot of a value and the first two of the next, so it is computed once
 * for the three.
 */
struct slot_walk {
    struct walk walk;
    const struct stretch *stretch;
    const struct node *node;
    uint64_t k;
    struct decay now;
};

static void
slots_rewind(struct walk *walk)
{
    struct slot_walk *w = (struct slot_walk *)walk;

    w->k = 0;
    w->now = decay_of(&w->node->slope, distance_of(w->stretch, w->node, 0));
}

static struct weight
slots_next(struct walk *walk)
{
    struct slot_walk *w = (struct slot_walk *)walk;
    uint64_t i = w->k / SLOT_KINDS, kind = w->k % SLOT_KINDS;

    if (kind + 1 == SLOT_KINDS)
        w->now =
            decay_of(&w->node->slope, distance_of(w->stretch, w->node, i + 1));
    return weight_of(w->now, slot_at(w->stretch, w->k++).length);
}

/* The argument of weight_enclose. */
struct scene {
    const struct stretch *stretch;
    const struct node *node;
};

static void
weight_enclose(const void *of, size_t k, ival *w)
{
    const struct scene *s = of;
    struct slot slot = slot_at(s->stretch, k);
    ival length;
    rat x;

    ival_init(&length, 128);
    rat_init(&x);
    rat_set_i128(&x, (i128)slot.length);
    ival_set_rat(&length, &x);
    rat_set_i128(&x, -(i128)distance_of(s->stretch, s->node, slot.left));
    rat_mul(&x, &x, &s->node->slope.rate);
    ival_set_rat(w, &x);
    ival_exp(w, w);
    ival_mul(w, w, &length);
    ival_clear(&length);
    rat_clear(&x);
}

/*
 * THEOREM  uniform-by-digits
 *   For U uniform in [0, 1), floor(U n) is uniform on 0 .. n-1.
 * SOURCE   Knuth 1997, "The Art of Computer Programming" 2, section 3.4.1.
 * NEEDS    1 <= n < 2^63.
 * GIVES    *out has exactly this law. Words of U are drawn until further ones
 *          cannot change the floor: two words, except with probability
 *          n 2^-128.
 * FAILS    CUSTOS_EENTROPY.
 * TESTED   quantile_uniform_by_tapes
 */
custos_status
stretch_uniform(custos_rng *rng, uint64_t n, uint64_t *out)
{
    uint64_t words[2], over, below;
    custos_status st = rng_words(rng, words, 2);
    u128 part = (u128)words[0] * n;
    uint8_t open;

    *out = (uint64_t)(part >> 64);
    /* U n = *out + over 2^-64 + below 2^-128 + less than n 2^-128. */
    over = (uint64_t)part;
    part = (u128)words[1] * n;
    below = (uint64_t)part;
    part = (u128)over + (uint64_t)(part >> 64);
    over = (uint64_t)part;
    *out += (uint64_t)(part >> 64);
    open = (over == UINT64_MAX) & (below > UINT64_MAX - n);
    ct_open(&open, sizeof open);
    while (open) {
        st = rng_words(rng, words, 1); /* 0 on failure, which ends the loop */
        part = (u128)words[0] * n;
        over = below + (uint64_t)(part >> 64);
        *out += over < below;
        below = (uint64_t)part;
        open = (over == UINT64_MAX) & (below > UINT64_MAX - n);
        ct_open(&open, sizeof open);
    }
    wipe(words, sizeof words);
    return st;
}

custos_status
stretch_cut(const struct stretch *stretch, const struct node *node,
            custos_rng *rng, struct cut *out)
{
    struct stretch aimed = *stretch, *s = &aimed;
    const struct scene scene = {s, node};
    uint64_t n = slot_count(s), within = 0;
    const struct weights exact = {n, weight_enclose, &scene};
    struct slot_walk w = {
        {n, n, slots_rewind, slots_next}, s, node, 0, {.mantissa = 0}};
    struct slot won = {.points = 0};
    size_t winner = 0;
    custos_status st;

    aimed.target = stretch_target(stretch, node);
    st = walk_choose(&w.walk, &exact, rng, &winner);
    for (uint64_t k = 0; k < n && !st; k++) {
        struct slot slot = slot_at(s, k);
        uint64_t hit = ~mask_less(k, winner) & ~mask_less(winner, k);

        won.start |= slot.start & hit;
        won.points |= slot.points & hit;
        won.left |= slot.left & hit;
    }
    if (!st)
        st = stretch_uniform(rng, won.points, &within);
    *out = (struct cut){won.start + within, won.left};
    wipe(&w, sizeof w);
    wipe(&aimed, sizeof aimed);
    wipe(&won, sizeof won);
    return st;
}
