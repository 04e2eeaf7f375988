/*
 * How the price is split over parts.
 *
 * Relative to the largest value of a row, and in units of m/N (rows per unit
 * over all rows), the error of an aggregate is to first order a weighted sum of
 * the noises of its parts:
 *
 *   count         n
 *   sum           s                       (in multiples of its row_most)
 *   sum = S + cN  s h/(|c|+h) + n c/(|c|+h)
 *   avg           s + n u                 with u = |avg - c| / h <= 1
 *   share         t (1 - u) - r u         with u the share; its sum t, its
 *                                         count t + r
 *   variance      q + 2 u s + (w - 2 u^2) n,  u^2 <= w = (Q/N)/h^2 <= 1
 *   covariance    p + u s' + u' s + (...) n   for a pair of values
 *
 * where c is the centre of the range, h is half the range, and each of n, s, q
 * has standard deviation 1/epsilon, with the epsilon of its part. Squared and
 * summed over all aggregates, the error is the sum of A_i / epsilon_i^2. u and
 * w are not public, so the worst case (u = w = 1) is taken: the weights of a
 * variance are 1, 4, 1, those of a pair are 1. For a fixed sum of the epsilon_i, by Lagrange's method
 * the error is least if A_i / epsilon_i^3 is equal for all i, so epsilon_i is
 * proportional to the cube root of A_i. If each aggregate has one part, which
 * no other aggregate reads, as most counts and sums do, the price is split
 * equally.
 *
 * If the price is a rho, the noise of each part has variance D^2 / (2 rho_i),
 * the squared error is the sum of A_i / rho_i, and it is least if A_i / rho_i^2
 * is equal for all i: rho_i is proportional to the square root of A_i.
 *
 * The shares are exact rationals and add up to the price exactly.
 */
#include "num/batch.h"
#include "base/base.h"
#include "plan/work.h"

enum { UNIT = 16, ROOT_OF_UNIT = 64 }; /* stand for A = 1, and for its root */

static uint64_t
power_of(uint64_t x, int n)
{
    return n == 0 ? 1 : x * power_of(x, n - 1);
}

/* The whole part of 64 times the n-th root of a/16; at least 1. */
static unsigned
root_of(unsigned a, int n)
{
    uint64_t most = a * power_of(ROOT_OF_UNIT, n) / UNIT;
    unsigned root = 1;

    while (power_of(root + 1, n) <= most)
        root++;
    return root;
}

/* 16 (x / whole)^2, rounded down; 0 <= x <= whole. */
static unsigned
squared_share(i128 x, i128 whole)
{
    unsigned r = (unsigned)(x * 256 / whole);

    return r * r * UNIT / (256 * 256);
}

/* Of a count or a quantile. */
static void
weigh_rows(struct plan *p, const struct plan_aggregate *a)
{
    if (a->share >= 0)
        p->parts[a->share].weight += 2 * UNIT;
    else
        p->parts[a->rows].weight += UNIT;
}

/* A sum with a count was centred. */
static void
weigh_sum(struct plan *p, const struct plan_aggregate *a)
{
    struct part *sum = &p->parts[a->share >= 0 ? a->share : a->sum];
    i128 c = sum->centre < 0 ? -sum->centre : sum->centre;
    i128 far = c + sum->row_most;

    if (a->rows < 0) {
        sum->weight += UNIT;
        return;
    }
    sum->weight += squared_share(sum->row_most, far);
    p->parts[a->rows].weight += squared_share(c, far);
}

static void
weigh_mean(struct plan *p, const struct plan_aggregate *a)
{
    if (a->share >= 0) {
        p->parts[a->share].weight += UNIT;
        return;
    }
    p->parts[a->sum].weight += UNIT;
    if (!a->counted)
        p->parts[a->rows].weight += UNIT;
}

static void
weigh_variance(struct plan *p, const struct plan_aggregate *a)
{
    p->parts[a->sum].weight += 4 * UNIT;
    if (!a->counted)
        p->parts[a->rows].weight += UNIT;
    p->parts[a->squares].weight += UNIT;
}

/* Correlations and slopes divide by variances, whose noise counts as much as
   that of the products. */
static void
weigh_pair(struct plan *p, const struct plan_aggregate *a)
{
    const int parts[] = {a->rows,  a->sum,       a->squares,
                         a->sum_y, a->squares_y, a->product};

    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i] >= 0)
            p->parts[parts[i]].weight += UNIT;
}

static const struct {
    void (*weigh)(struct plan *p, const struct plan_aggregate *a);
} rules[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define WEIGHT(rule) rule
#include "sql/aggregates.def"
};

void
split_weigh(struct plan *p)
{
    for (size_t i = 0; i < p->n_aggregates; i++)
        rules[p->aggregates[i].kind].weigh(p, &p->aggregates[i]);
    for (size_t i = 0; i < p->n_parts; i++) {
        p->parts[i].weight_in_rho = root_of(p->parts[i].weight, 2);
        p->parts[i].weight = root_of(p->parts[i].weight, 3);
    }
}

/* Divides an epsilon over the parts of one owner by weight. */
static void
divide_price(struct plan *p, int owner, const rat *price)
{
    uint64_t all = 0;
    rat share;

    for (size_t i = 0; i < p->n_parts; i++)
        if (p->parts[i].owner == owner)
            all += p->parts[i].weight;
    if (p->space.selection && owner == -1)
        all += p->space.selection->weight;
    rat_init(&share);
    if (p->space.selection && owner == -1) {
        rat_set_i64(&share, p->space.selection->weight, all);
        rat_mul(&p->space.selection->epsilon, price, &share);
    }
    for (size_t i = 0; i < p->n_parts; i++)
        if (p->parts[i].owner == owner) {
            rat_set_i64(&share, p->parts[i].weight, all);
            rat_mul(&p->parts[i].epsilon, price, &share);
        }
    rat_clear(&share);
}

void
split_rho(const struct plan *p, size_t part, rat *share)
{
    uint64_t all = 0;

    for (size_t i = 0; i < p->n_parts; i++)
        all += p->parts[i].weight_in_rho;
    rat_set_i64(share, p->parts[part].weight_in_rho, all);
    rat_mul(share, share, &p->rho);
}

custos_status
split_make(struct work *w)
{
    struct plan *p = w->plan;
    rat rest;

    for (size_t i = 0; i < p->n_parts && p->in_rho; i++)
        split_rho(p, i, &p->parts[i].rho);
    if (p->in_rho)
        return CUSTOS_OK;
    rat_init(&rest);
    rat_sub(&rest, &p->epsilon, &w->own);
    divide_price(p, -1, &rest);
    for (size_t i = 0; i < p->n_aggregates; i++)
        if (p->aggregates[i].expr->epsilon.len > 0)
            divide_price(p, (int)i, &w->shares[i]);
    rat_clear(&rest);
    return CUSTOS_OK;
}
