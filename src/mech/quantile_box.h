/*
 * Quantiles with certified ends: boxes around quantiles, then noisy numbers of
 * values between edges that the boxes determine. Ends and values follow from
 * what is released (curator/quantile.c).
 */
#ifndef MECH_QUANTILE_BOX_H
#define MECH_QUANTILE_BOX_H

#include "mech/quantile.h"

enum { BOX_SIDE = 6, BOX_EDGES = 2 * BOX_SIDE }; /* edges around one box */

/* Numbers of values that are released for n boxes: one more than edges. */
static inline size_t
box_counts(size_t n)
{
    return BOX_EDGES * n + 1;
}

/* Steps that an answer may take for the limits of the ends of n ranks, at one
   level: enough for five of each rank at any scale of the noise, and for ten at most
   of them. Public, and counted in the reply's class. */
static inline uint64_t
box_limit_steps(size_t n)
{
    return (uint64_t)(n + 1) << 21;
}

/* Bytes that these limits take at most, at any scale of the noise: tables that all
   levels share, of at most 256 draws, and what each level needs. */
static inline uint64_t
box_limit_bytes(size_t n, size_t levels)
{
    uint64_t draws = box_counts(n) <= 256 ? box_counts(n) : 0;

    return (draws + 2) * 190000 + levels * (100 * n + 1000) * n;
}

/* All numbers that are released: two ends of each box, then the counts. */
static inline size_t
box_numbers(size_t n)
{
    return 2 * n + box_counts(n);
}

/*
 * How many positions the cuts of n boxes should be aimed from theirs, for
 * counts with this noise: a little more than the noise on a sum of all counts
 * reaches, so that edges just outside a box can be certified. May fail:
 * CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status box_around(const custos_mech *counts, size_t n,
                                         uint64_t *out, custos_err *err);

/* Draws a box. May fail: CUSTOS_ENOMEM, CUSTOS_EENTROPY, CUSTOS_EINTERNAL. */
CUSTOS_MUST_USE custos_status stretch_box(const custos_alloc *alloc,
                                          const struct stretch *s,
                                          const struct node *node,
                                          custos_rng *rng, struct cut *low,
                                          struct cut *high);

/*
 * The edges around the box [a, b] in a domain of the points lower .. upper. An
 * edge divides points below it from the others: lower <= edge <= upper + 1.
 * First the edges below, from the inner to the outer one, then those above.
 */
void box_edges(i128 a, i128 b, i128 lower, i128 upper, i128 out[BOX_EDGES]);

/* Sorts the BOX_EDGES edges of each of n boxes, ends as box_release gives them. */
void boxes_edges(const i128 *ends, size_t n, i128 lower, i128 upper, i128 *out);

/*
 * Releases box_numbers() numbers: for each rank its box a, b, in domain values;
 * then how many values are below the first edge of boxes_edges(), between each
 * edge and the next, and not below the last, each with the noise of `counts`,
 * which releases box_counts() wide ints. `quantile` has boxes. `sealed` is as
 * for custos_quantile_release. May fail: CUSTOS_EINVAL, CUSTOS_EOVERFLOW,
 * CUSTOS_ETAKEN, CUSTOS_ENOMEM, CUSTOS_EENTROPY, CUSTOS_EINTERNAL.
 */
CUSTOS_MUST_USE custos_status box_release(const custos_quantile *quantile,
                                          const custos_mech *counts,
                                          custos_rng *rng,
                                          custos_sealed *sealed, size_t cells,
                                          i128 *out, custos_err *err);

#endif
