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
 * FAILS    CUSTOS_ENOMEM, which depends on the number of values alone;
 *          CUSTOS_EENTROPY; CUSTOS_EINTERNAL with probability below n 2^-4000.
 *          These depend only on the coins.
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

/* Numbers of values that go left, from those that matter: `first` is the least. */
struct cut_walk {
    struct walk walk;
    const struct stretch *stretch;
    const struct node *node;
    uint64_t first, k;
    u128 below; /* candidates before the next ones */
};

/* How many values go left of the k-th candidates: those that are left out come
   last. */
static uint64_t
left_of(const struct cut_walk *w, uint64_t k)
{
    return (w->first + k) % w->walk.all;
}

static void
cut_rewind(struct walk *walk)
{
    struct cut_walk *w = (struct cut_walk *)walk;

    w->k = 0;
    w->below = candidates_below(w->stretch, w->first);
}

/* The candidates of one number of values that go left: from w->below on. */
static u128
cut_step(struct cut_walk *w, uint64_t *left)
{
    u128 end;

    *left = left_of(w, w->k++);
    if (*left == 0)
        w->below = 0;
    end = candidates_below(w->stretch, *left + 1);
    return end - w->below;
}

static struct weight
cut_next(struct walk *walk)
{
    struct cut_walk *w = (struct cut_walk *)walk;
    uint64_t left;
    u128 length = cut_step(w, &left);

    w->below += length;
    return weight_of(
        decay_of(&w->node->slope, distance_of(w->stretch, w->node, left)),
        length);
}

/* Leaves out numbers whose distance is node->far above den, which is more than the
   least distance. */
static void
cut_limit(struct cut_walk *w)
{
    const struct stretch *s = w->stretch;
    u128 far = (u128)w->node->far + w->node->den;
    uint64_t target = s->target, den = w->node->den, n = s->to - s->from;
    uint64_t last =
        far > (u128)n * den - target ? n : (uint64_t)((target + far) / den);

    w->first = far > target ? 0 : (target - (uint64_t)far) / den;
    w->walk.n = last - w->first + 1;
}

static void
weight_enclose(const void *of, size_t k, ival *weight)
{
    const struct cut_walk *w = of;
    const struct stretch *s = w->stretch;
    uint64_t left = left_of(w, k);
    u128 length = candidates_below(s, left + 1) - candidates_below(s, left);
    ival x;
    rat y;

    ival_init(&x, 128);
    rat_init(&y);
    rat_set_i128(&y, (i128)length);
    ival_set_rat(&x, &y);
    rat_set_i128(&y, -(i128)distance_of(s, w->node, left));
    rat_mul(&y, &y, &w->node->slope.rate);
    ival_set_rat(weight, &y);
    ival_exp(weight, weight);
    ival_mul(weight, weight, &x);
    ival_clear(&x);
    rat_clear(&y);
}

/* n w + add for n < 2^96 and add < 2^97: the last 64 bits, and those above. */
static u128
times_word(u128 n, uint64_t w, u128 add, uint64_t *last)
{
    u128 low = (u128)(uint64_t)n * w + (uint64_t)add;

    *last = (uint64_t)low;
    return (u128)(uint64_t)(n >> 64) * w + (add >> 64) + (low >> 64);
}

/*
 * THEOREM  uniform-by-digits
 *   For U uniform in [0, 1), floor(U n) is uniform on 0 .. n-1.
 * SOURCE   Knuth 1997, "The Art of Computer Programming" 2, section 3.4.1.
 * NEEDS    1 <= n < 2^96.
 * GIVES    *out has exactly this law. Words of U are drawn until further ones
 *          cannot change the floor: three words, except with probability
 *          n 2^-192.
 * FAILS    CUSTOS_EENTROPY.
 * TESTED   quantile_uniform_by_tapes
 */
custos_status
stretch_uniform(custos_rng *rng, u128 n, u128 *out)
{
    uint64_t words[3], over, limb[2];
    custos_status st = rng_words(rng, words, 3);
    u128 part, below;
    uint8_t open;

    part = times_word(n, words[2], 0, &limb[1]);
    part = times_word(n, words[1], part, &limb[0]);
    *out = times_word(n, words[0], part, &over);
    /* U n = *out + over 2^-64 + below 2^-192 + less than n 2^-192. */
    below = (u128)limb[0] << 64 | limb[1];
    open = (over == UINT64_MAX) & (below > ~(u128)0 - n);
    ct_open(&open, sizeof open);
    while (open) {
        st = rng_words(rng, words, 1); /* 0 on failure, which ends the loop */
        part = times_word(n, words[0], 0, &limb[0]) + below;
        *out += part < below;
        over = (uint64_t)(part >> 64);
        below = part << 64 | limb[0];
        open = (over == UINT64_MAX) & (below > ~(u128)0 - n);
        ct_open(&open, sizeof open);
    }
    wipe(words, sizeof words);
    return st;
}

/* Finds the candidates of the winner and draws one of them. */
static custos_status
cut_find(struct cut_walk *w, size_t winner, custos_rng *rng, struct cut *out)
{
    uint8_t far = winner >= w->walk.n; /* of probability below 2^-84 n */
    u128 start = 0, length = 0, within = 0;
    custos_status st;

    ct_open(&far, sizeof far);
    *out = (struct cut){0, 0};
    cut_rewind(&w->walk);
    for (uint64_t k = 0; k < (far ? w->walk.all : w->walk.n); k++) {
        uint64_t hit = ~mask_less(k, winner) & ~mask_less(winner, k), left;
        u128 some = cut_step(w, &left);

        start |= keep_by_mask(hit, w->below);
        length |= keep_by_mask(hit, some);
        out->left |= left & hit;
        w->below += some;
    }
    st = stretch_uniform(rng, length, &within);
    out->point = candidate_point(w->stretch, start + within);
    return st;
}

custos_status
stretch_cut(const custos_alloc *alloc, const struct stretch *stretch,
            const struct node *node, custos_rng *rng, struct cut *out)
{
    struct stretch aimed = *stretch;
    uint64_t all = stretch->to - stretch->from + 1;
    struct cut_walk w = {.walk = {all, all, cut_rewind, cut_next},
                         .stretch = &aimed,
                         .node = node};
    const struct weights exact = {all, weight_enclose, &w};
    size_t winner = 0;
    custos_status st;

    aimed.target = stretch_target(stretch, node);
    cut_limit(&w);
    *out = (struct cut){0, 0};
    st = walk_choose(alloc, &w.walk, &exact, rng, &winner);
    if (!st)
        st = cut_find(&w, winner, rng, out);
    wipe(&w, sizeof w);
    wipe(&aimed, sizeof aimed);
    return st;
}
