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
#include "base/ck.h"
#include "mech/inverse.h"
#include "mech/quantile.h"
#include "noise/expfix.h"
#include "num/ival.h"
#include "random/rng.h"

enum {
    KINDS = 3,       /* slots for each value */
    Z_LOG2_MAX = 12, /* exp(-2^12) vanishes against the best weight */
    EXPONENT_ZERO = 8192,
    SLACK_BITS = 47, /* sums are known to one part in 2^47 */
};

/*
 * Candidates with one score: all shares of `points` points from `start`, or
 * some shares of one point.
 */
struct slot {
    uint64_t start, points;
    u128 length; /* number of candidates */
    uint64_t left;
};

/* mantissa 2^exponent 2^-EXPONENT_ZERO, up to a common factor. */
struct weight {
    uint64_t mantissa;
    uint64_t exponent;
};

static inline uint64_t
mask_less(uint64_t a, uint64_t b)
{
    return (uint64_t)mask_less_i128((i128)a, (i128)b);
}

static inline uint64_t
choose_by_mask(uint64_t mask, uint64_t yes, uint64_t no)
{
    return (yes & mask) | (no & ~mask);
}

static inline uint64_t
cell_value(u128 cell)
{
    return (uint64_t)cell;
}

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
 * The points between value i - 1 and value i, or between a value and a limit.
 */
static struct slot
slot_gap(const struct stretch *s, uint64_t i)
{
    uint64_t start = s->low, end = s->high + 1, some;
    struct slot gap;

    if (i > s->from)
        start = cell_value(s->cells[i - 1]) + 1;
    if (i < s->to)
        end = cell_value(s->cells[i]);
    some = mask_less(start, end);
    gap.start = start;
    gap.points = (end - start) & some;
    gap.length = (u128)gap.points << QUANTILE_SHARE_BITS;
    gap.left = i - s->from;
    return gap;
}

/*
 * A piece of the shares at value i: the one that cuts before it (behind = 0),
 * or, for the last of equal values, the one that cuts behind them all.
 */
static struct slot
slot_piece(const struct stretch *s, uint64_t i, uint64_t behind)
{
    u128 cell = s->cells[i];
    uint64_t first = (uint64_t)(cell >> 96), end = (uint32_t)(cell >> 64);
    uint64_t pieces, halves, number, length;
    unsigned p;

    first = choose_by_mask(mask_less(first, s->from), s->from, first);
    end = choose_by_mask(mask_less(s->to, end), s->to, end);
    pieces = end - first + 1;
    p = 63 - (unsigned)__builtin_clzll(pieces);
    halves = 2 * (pieces - ((uint64_t)1 << p));
    number = i + behind - first;
    length = ((uint64_t)1 << (QUANTILE_SHARE_BITS - p)) >>
             (mask_less(number, halves) & 1);
    /* Only the last of equal values has a piece behind it. */
    length &= (behind - 1) | ~mask_less(i + 1, end);
    return (struct slot){.start = cell_value(cell),
                         .points = 1,
                         .length = length,
                         .left = i + behind - s->from};
}

/* Slot k of 3 n + 1: a gap and two pieces for each value, then a last gap. */
static struct slot
slot_at(const struct stretch *s, uint64_t k)
{
    uint64_t i = s->from + k / KINDS, kind = k % KINDS;

    return kind == 0 ? slot_gap(s, i) : slot_piece(s, i, kind - 1);
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
 * rate * distance with EXP_Z_BITS fraction bits, below 2^12. The slope's
 * mantissa is too low by a relative error of at most 2^-63.
 */
static u128
exponent_fixed(const struct slope *s, uint64_t distance)
{
    const u128 most = ((u128)1 << (Z_LOG2_MAX + EXP_Z_BITS)) - 1;
    u128 product = (u128)distance * s->mantissa; /* z * 2^shift */
    long down = s->shift - EXP_Z_BITS;           /* public, at least -10 */
    u128 z = down >= 128 ? 0 : down >= 0 ? product >> down : product << -down;
    u128 lost = down >= 0 ? 0 : product >> (128 + down);
    u128 far =
        (u128)mask_less_i128(0, (i128)(z >> 1 & ~(most >> 1)) | (i128)lost);

    return (most & far) | (z & ~far);
}

/* exp(-rate distance) as mantissa 2^-halvings, to one part in 2^50. */
struct decay {
    uint64_t mantissa, halvings;
};

static struct decay
decay_at(const struct stretch *s, const struct node *node, uint64_t left)
{
    /* floor(2^32 / ln 2) and floor(2^90 ln 2) */
    const uint64_t per_log = UINT64_C(6196328018);
    const u128 log_of_two =
        (u128)UINT64_C(0x2c5c85f) << 64 | UINT64_C(0xdf473de6af278ece);
    u128 z = exponent_fixed(&node->slope, distance_of(s, node, left));
    uint64_t halvings = (uint64_t)(z >> (EXP_Z_BITS - 12)) * per_log >> 44;
    uint64_t rest = (uint64_t)(((z << 32) - halvings * log_of_two) >> 32);

    return (struct decay){exp_fixed(rest), halvings};
}

/* length exp(-rate distance). */
static inline struct weight
weight_of(struct decay d, u128 length)
{
    uint64_t high = (uint64_t)(length >> 64), low = (uint64_t)length;
    uint64_t wide = mask_less(0, high), some = mask_less(0, high | low);
    unsigned lead = (unsigned)__builtin_clzll(choose_by_mask(wide, high, low) |
                                              (1 & ~some));
    /* The length, shifted so that its first bit is the top one of 64. */
    uint64_t scaled = choose_by_mask(
        wide, high << lead | low >> 1 >> (63 - lead), low << lead);

    return (struct weight){
        .mantissa = mul_high(d.mantissa, scaled) & some,
        .exponent = (EXPONENT_ZERO + (64 & wide) - lead - d.halvings) & some,
    };
}

/*
 * Walks over the slots in order and computes their weights. The decay of a
 * weight depends only on how many values go left. That is the same for the
 * last slot of a value and the first two of the next, so it is computed once
 * for the three.
 */
struct walk {
    const struct stretch *stretch;
    const struct node *node;
    uint64_t k;
    struct decay now;
};

static struct walk
walk_begin(const struct stretch *s, const struct node *node)
{
    return (struct walk){s, node, 0, decay_at(s, node, 0)};
}

static inline struct weight
walk_next(struct walk *w)
{
    uint64_t i = w->k / KINDS, kind = w->k % KINDS;

    if (kind + 1 == KINDS)
        w->now = decay_at(w->stretch, w->node, i + 1);
    return weight_of(w->now, slot_at(w->stretch, w->k++).length);
}

static uint64_t
slot_count(const struct stretch *s)
{
    return KINDS * (s->to - s->from) + 1;
}

/*
 * The mantissa shifted for the common exponent `top`; 0 if shifted by 64 or
 * more.
 */
static uint64_t
weight_below(struct weight w, uint64_t top)
{
    uint64_t down = top - w.exponent;

    return w.mantissa >> (down & 63) & mask_less(down, 64);
}

/*
 * Scans the sums for a U of which `first` holds the first 64 bits. All sums,
 * and U times the total, are within `slack` of the values computed here; true
 * if that decides.
 */
static bool
winner_scan(const struct stretch *s, const struct node *node, uint64_t first,
            size_t *winner)
{
    struct walk w = walk_begin(s, node);
    uint64_t n = slot_count(s), top = 0;
    u128 total = 0, sum = 0, at, slack;
    size_t passed = 0, close = 0;

    for (uint64_t k = 0; k < n; k++) {
        uint64_t e = walk_next(&w).exponent;

        top = choose_by_mask(mask_less(top, e), e, top);
    }
    w = walk_begin(s, node);
    for (uint64_t k = 0; k < n; k++)
        total += weight_below(walk_next(&w), top);
    /* floor(first * total / 2^64); total < 2^97. */
    at = (u128)first * (uint64_t)(total >> 64) +
         ((u128)first * (uint64_t)total >> 64);
    slack = (total >> SLACK_BITS) + 2 * (u128)n + 8;
    w = walk_begin(s, node);
    for (uint64_t k = 0; k + 1 < n; k++) {
        size_t past, before;

        sum += weight_below(walk_next(&w), top);
        past = 1 & ~(size_t)mask_less_i128((i128)at, (i128)(sum + slack));
        before = 1 & (size_t)mask_less_i128((i128)(at + slack), (i128)sum);
        passed += past;
        close |= 1 ^ (past | before);
    }
    wipe(&w, sizeof w);
    *winner = passed;
    return !close;
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
    uint64_t first, n = slot_count(s), within = 0;
    const struct weights w = {n, weight_enclose, &scene};
    struct slot won = {.points = 0};
    size_t winner = 0;
    custos_status st = rng_words(rng, &first, 1);

    aimed.target = stretch_target(stretch, node);
    if (!st && !winner_scan(s, node, first, &winner))
        st = inverse_refine(&w, rng, first, &winner);
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
    wipe(&first, sizeof first);
    wipe(&aimed, sizeof aimed);
    wipe(&won, sizeof won);
    return st;
}
