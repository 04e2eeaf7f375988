/*
 * Boxes of all ranks, then the numbers of values between edges around them.
 *
 * THEOREM  quantile-counts
 *   Boxes drawn by quantile-box in the tree of quantile-tree, where the middle
 *   of a box goes to neither child, are epsilon-DP and epsilon^2/8L-zCDP
 *   together, as quantile-tree is. The edges are a function of the boxes, and
 *   every value is between two edges, so a unit with v values changes the
 *   counts by v in l1 and l2 under add/remove; under change-one by 2 v in l1
 *   and, squared, by 2 v^2 in l2. All together cost the sum of both.
 * SOURCE   doc/proofs/quantile-box.md
 * NEEDS    sorted values, at most v of each unit; `counts` made for these
 *          sensitivities.
 * GIVES    boxes in ascending order, which touch at most, and noisy counts.
 * FAILS    CUSTOS_EENTROPY, CUSTOS_ENOMEM; CUSTOS_EINTERNAL with probability
 *          below 2^-3900. None depends on the values.
 * TESTED   boxes_keep_epsilon boxes_are_in_order box_counts_add_up
 *          box_edges_are_as_written
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/quantile_box.h"
#include "mech/quantile_candidate.h"
#include "mech/sealed.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

/*
 * How far the edges are from the middle of a box: so many 20ths of half its
 * width, but at least so many steps; the last at least a part of the domain.
 * The innermost are the box's own ends and have no number here.
 */
static const struct {
    int twentieths, least;
} EDGE[BOX_SIDE] = {{20, 0},  {30, 1},   {44, 2},
                    {100, 4}, {800, 16}, {20000, 64}};

enum { PART_OF_DOMAIN = 256, AROUND_BITS = 192, AROUND_LOG2 = 24 };

/*
 * 1.1 times two deviations of D at the median: half the noise of each count, so
 * that is 1.1 t sqrt(2 k) for k counts with Laplace noise of scale t, and
 * 1.1 sigma sqrt(k) with Gaussian noise.
 */
custos_status
box_around(const custos_mech *counts, size_t n, uint64_t *out, custos_err *err)
{
    const custos_facts *f = custos_mech_facts(counts);
    bool certain = false, fits = false;
    custos_status st;
    i128 whole = 0;
    ival root;
    rat x, y;

    rat_init(&x);
    rat_init(&y);
    ival_init(&root, AROUND_BITS);
    st = rat_read_positive(f->scale, "scale", &x, err);
    if (!st) {
        rat_mul(&x, &x, &x);
        rat_set_i128(&y, (i128)box_counts(n) *
                             (f->law == CUSTOS_DISCRETE_GAUSSIAN ? 1 : 2));
        rat_mul(&x, &x, &y);
        rat_set_i64(&y, 121, 100);
        rat_mul(&x, &x, &y);
        ival_set_rat(&root, &x);
        ival_sqrt(&root, &root);
        fits = ival_ceil_up(&root, &whole, &certain) &&
               whole < (i128)1 << AROUND_LOG2;
        if (!fits)
            st = custos_fail(err, CUSTOS_ERANGE,
                             "the noise on counts is too large for quantiles");
    }
    *out = whole > 0 ? (uint64_t)whole : 1;
    ival_clear(&root);
    rat_clear(&x);
    rat_clear(&y);
    return st;
}

static i128
half_down(i128 x)
{
    return (x - (x & 1)) / 2;
}

void
box_edges(i128 a, i128 b, i128 lower, i128 upper, i128 out[BOX_EDGES])
{
    for (int k = 0; k < BOX_SIDE; k++) {
        /* twice the distance */
        i128 far = (b - a) * EDGE[k].twentieths / 20, low, high;
        i128 least = 2 * (i128)EDGE[k].least;

        if (k == BOX_SIDE - 1 && least < (upper - lower) / (PART_OF_DOMAIN / 2))
            least = (upper - lower) / (PART_OF_DOMAIN / 2);
        far = far > least ? far : least;
        low = half_down(a + b - far + 1);
        high = half_down(a + b + far) + 1;
        if (k == 0 && a < b) { /* without the ends: one may be a heap */
            low = a + 1;
            high = b;
        }
        out[k] = clamp_i128(low, lower, upper + 1);
        out[BOX_SIDE + k] = clamp_i128(high, lower, upper + 1);
    }
}

static int
edge_cmp(const void *a, const void *b)
{
    i128 x = *(const i128 *)a, y = *(const i128 *)b;

    return x < y ? -1 : x > y;
}

void
boxes_edges(const i128 *ends, size_t n, i128 lower, i128 upper, i128 *out)
{
    for (size_t i = 0; i < n; i++)
        box_edges(ends[2 * i], ends[2 * i + 1], lower, upper,
                  out + i * BOX_EDGES);
    qsort(out, n * BOX_EDGES, sizeof *out, edge_cmp);
}

/* Draws the boxes of ranks `first` .. `last`-1, as offsets from lower. */
static custos_status
tree_boxes(const custos_quantile *q, custos_rng *rng, size_t first, size_t last,
           struct stretch s, i128 *ends)
{
    size_t middle = branch_middle(first, last);
    struct stretch left = s, right = s;
    struct cut low, high;
    custos_status st;

    if (first == last)
        return CUSTOS_OK;
    st = stretch_box(&q->alloc, &s, &q->nodes[middle], rng, &low, &high);
    ends[2 * middle] = (i128)low.point;
    ends[2 * middle + 1] = (i128)high.point;
    left.to = s.from + low.left;
    left.high = low.point;
    right.from = s.from + high.left;
    right.low = high.point;
    if (!st)
        st = tree_boxes(q, rng, first, middle, left, ends);
    if (!st)
        st = tree_boxes(q, rng, middle + 1, last, right, ends);
    return st;
}

/*
 * Counts the values between ascending edges: out[k] is how many are at or above
 * k of the n edges. Each value takes the same steps: its place among the edges,
 * to which edges above all values are added, is found by halving.
 */
static void
count_between(const struct stretch *s, const uint64_t *edges, size_t halves,
              uint64_t *out)
{
    for (uint64_t i = s->from; i < s->to; i++) {
        uint64_t value = cell_value(s->cells[i]);
        size_t at = 0;

        for (size_t step = halves; step > 0; step /= 2)
            at += step & (size_t)~mask_less(value, edges[at + step - 1]);
        out[at]++;
    }
}

/* Adds the noise of `counts` to the numbers of values between the edges. */
static custos_status
release_counts(const custos_quantile *q, const custos_mech *counts,
               custos_rng *rng, const struct stretch *s, const i128 *edges,
               i128 *out, custos_err *err)
{
    size_t n = box_counts(q->ranks), halves = 1;
    uint64_t *padded, *between;
    custos_sealed *sealed = NULL;
    custos_status st;

    while (2 * halves < n)
        halves *= 2;
    padded = alloc_take(&q->alloc, 4 * halves, sizeof *padded);
    if (!padded)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    between = padded + 2 * halves;
    for (size_t i = 0; i < 2 * halves; i++)
        padded[i] = i + 1 < n ? (uint64_t)edges[i] : UINT64_MAX;
    count_between(s, padded, halves, between);
    for (size_t i = 0; i < n; i++)
        out[i] = (i128)between[i];
    alloc_give(&q->alloc, padded, 4 * halves, sizeof *padded);
    st = seal_i128(&q->alloc, out, n, &sealed, err);
    wipe(out, n * sizeof *out);
    if (!st)
        st = release_i128(counts, rng, sealed, out, n, err);
    custos_sealed_free(sealed);
    return st;
}

/* The whole release, from values that are prepared. */
static custos_status
release_boxes(const custos_quantile *q, const custos_mech *counts,
              custos_rng *rng, struct stretch s, i128 *out, custos_err *err)
{
    size_t n = BOX_EDGES * q->ranks;
    i128 *edges = alloc_take(&q->alloc, n, sizeof *edges);
    custos_status st;

    if (!edges)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = tree_boxes(q, rng, 0, q->ranks, s, out);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
    boxes_edges(out, q->ranks, 0, (i128)q->width, edges);
    if (!st)
        st = release_counts(q, counts, rng, &s, edges, out + 2 * q->ranks, err);
    for (size_t i = 0; i < 2 * q->ranks; i++)
        out[i] += q->lower;
    alloc_give(&q->alloc, edges, n, sizeof *edges);
    return st;
}

custos_status
box_release(const custos_quantile *quantile, const custos_mech *counts,
            custos_rng *rng, custos_sealed *sealed, size_t cells, i128 *out,
            custos_err *err)
{
    const custos_quantile *q = quantile;
    struct stretch s;
    custos_status st;

    if (!q || !q->boxed || !counts || !rng || !out)
        return custos_fail(err, CUSTOS_EINVAL,
                           "boxes need a quantile with boxes, counts, rng and "
                           "out");
    st = stretch_open(q, sealed, cells, &s, err);
    if (st)
        return st;
    st = release_boxes(q, counts, rng, s, out, err);
    if (st)
        wipe(out, box_numbers(q->ranks) * sizeof *out);
    sealed_wipe(sealed);
    return st;
}
