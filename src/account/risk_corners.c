/*
 * The corners of the trade-off curve, for drawing the polyline through them. A
 * polyline through other points of a convex curve is above the curve between
 * them, which would promise too much.
 *
 * THEOREM  tradeoff-corners
 *   Let f be the maximum of lines y = b_k - m_k x, in falling order of m. Let
 *   points p_0, p_1, ..., in rising order of x, be such that p_k is under
 *   lines k and k + 1. Then the polyline through the points is nowhere above f.
 * SOURCE   between p_k and p_(k+1) both ends, and so all points, are under
 *          line k + 1; and f is at least each of its lines. The lines are
 *          those of tradeoff-of-promises, with e^eps rounded up, and y = 0.
 * NEEDS    nothing.
 * GIVES    corners whose polyline is the curve itself, except for rounding
 *          down.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   risk_corners_lie_under_the_curve, risk_corners_of_one_promise
 */
#include <stdlib.h>

#include "account/risk.h"
#include "base/alloc.h"
#include "base/error.h"
#include "num/batch.h"
#include "num/rat_round.h"

struct line {
    rat m, b; /* y = b - m x */
};

/* Steepest line first; among parallel lines, the highest first. */
static int
compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int m = rat_cmp(&y->m, &x->m);

    return m ? m : rat_cmp(&y->b, &x->b);
}

/* Both lines of every promise, and y = 0. */
static void
lines_init(struct line *lines, const custos_risk *r)
{
    rat one;

    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    for (size_t i = 0; i < 2 * r->n + 1; i++) {
        rat_init(&lines[i].m);
        rat_init(&lines[i].b);
    }
    for (size_t i = 0; i < r->n; i++) {
        struct line *steep = &lines[2 * i], *flat = &lines[2 * i + 1];

        ival_up(&r->promises[i].factor, &steep->m);
        rat_sub(&steep->b, &one, &r->promises[i].delta);
        rat_div(&flat->m, &one, &steep->m);
        rat_div(&flat->b, &steep->b, &steep->m);
    }
    rat_clear(&one);
}

static void
lines_clear(struct line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rat_clear(&lines[i].m);
        rat_clear(&lines[i].b);
    }
}

/* Where two lines of different slope meet. */
static void
intersect_lines(const struct line *a, const struct line *b, rat *x)
{
    rat m;

    rat_init(&m);
    rat_sub(&m, &a->m, &b->m);
    rat_sub(x, &a->b, &b->b);
    rat_div(x, x, &m);
    rat_clear(&m);
}

/*
 * Whether `top`, the line before `next`, is nowhere the largest on x > 0:
 * either `next` overtakes `top` at x <= 0, or it does so before `top`
 * overtakes `under`, the line before it.
 */
static bool
is_hidden(const struct line *under, const struct line *top,
          const struct line *next)
{
    rat x[2];
    bool hidden;

    if (rat_cmp(&top->m, &next->m) == 0)
        return false; /* parallel: `next` is lower, so it is not the largest */
    rats_init(x, 2);
    intersect_lines(top, next, &x[0]);
    if (under)
        intersect_lines(under, top, &x[1]);
    hidden = rat_cmp(&x[0], &x[1]) <= 0;
    rats_clear(x, 2);
    return hidden;
}

/* Keeps, in order, the lines that are largest somewhere; returns how many. */
static size_t
keep_largest(const struct line *lines, size_t n, const struct line **kept)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        while (k > 0 &&
               is_hidden(k > 1 ? kept[k - 2] : NULL, kept[k - 1], &lines[i]))
            k--;
        if (k == 0 || rat_cmp(&kept[k - 1]->m, &lines[i].m) != 0)
            kept[k++] = &lines[i];
    }
    return k;
}

/*
 * Writes the corner at x, on the line that starts there. x is rounded down,
 * because left of the exact corner this line is under the one before.
 */
static void
corner_write(const struct line *after, const rat *x, custos_risk_corner *out)
{
    rat at, y;

    rat_init(&at);
    rat_init(&y);
    rat_decimal(x, RAT_DOWN, out->fpr);
    CUSTOS_REQUIRE(!rat_read(out->fpr, "fpr", &at, NULL));
    rat_mul(&y, &after->m, &at);
    rat_sub(&y, &after->b, &y);
    rat_decimal(&y, RAT_DOWN, out->fnr);
    rat_clear(&at);
    rat_clear(&y);
}

/*
 * Writes the corners of k kept lines, from x = 0 to x = 1. The last line is
 * y = 0.
 */
static size_t
corners_write(const struct line **kept, size_t k, custos_risk_corner *out,
              size_t room)
{
    size_t n = 0;
    rat x;

    rat_init(&x);
    for (size_t i = 0; i <= k; i++) {
        custos_risk_corner unused;

        if (i == k)
            rat_set_i64(&x, 1, 1);
        else if (i > 0)
            intersect_lines(kept[i - 1], kept[i], &x);
        if (i < k && rat_cmp_i64(&x, 1) >= 0)
            continue; /* i == k writes the corner at x = 1 */
        corner_write(kept[i < k ? i : k - 1], &x, n < room ? &out[n] : &unused);
        n++;
    }
    rat_clear(&x);
    return n;
}

custos_status
custos_risk_corners(const custos_risk *risk, custos_risk_corner *corners,
                    size_t room, size_t *n, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    const struct line **kept;
    struct line *lines;
    size_t all;

    if (!risk || !n || (room > 0 && !corners))
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    all = 2 * risk->n + 1;
    lines = alloc_take(&risk->alloc, all, sizeof *lines);
    kept = alloc_take(&risk->alloc, all, sizeof(struct line *));
    if (lines && kept) {
        lines_init(lines, risk);
        qsort(lines, all, sizeof *lines, compare);
        *n = corners_write(kept, keep_largest(lines, all, kept), corners, room);
        lines_clear(lines, all);
    } else {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    alloc_give(&risk->alloc, kept, all, sizeof(struct line *));
    alloc_give(&risk->alloc, lines, all, sizeof *lines);
    return st;
}
