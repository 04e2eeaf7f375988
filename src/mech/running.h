/*
 * Running sums of many cells. The cells are divided into sequences of n; what
 * gets noise is C x for each sequence x, a vector of n whole numbers of steps
 * again, and the running sums are computed from that afterwards. Two kinds of C:
 *
 *   tree   number t (1 .. n) is the sum of a block of base^j elements that
 *          ends at t, where j is the number of trailing zeros of t in that
 *          base, at most levels - 1. The first t elements are a sum of blocks,
 *          as many as t has in the sum of its digits.
 *   root   the square root of the matrix of running sums (factor.h), in steps
 *          of 2^-m.
 */
#ifndef MECH_RUNNING_H
#define MECH_RUNNING_H

#include "base/arena.h"
#include "custos.h"
#include "mech/factor.h"

enum { RUNNING_MAX = 4096 }; /* of n */

enum running_kind { RUNNING_TREE, RUNNING_ROOT };

struct running {
    enum running_kind kind;
    size_t n;         /* elements of a sequence */
    size_t stride;    /* cells from one element to the next */
    size_t base;      /* tree: elements of a block of level 1 ... */
    size_t levels;    /* ... and levels, of which an element is in each once */
    uint64_t *root;   /* root: C, n entries */
    uint64_t *weight; /* by t - 1: the squared coefficients of the noise in
                         running sum t, summed, in units of 2^-32 */
};

/* Makes the tree of this base and number of levels, or the root; false without
   memory. Needs 1 <= n <= RUNNING_MAX; base >= 2, levels >= 1. */
CUSTOS_MUST_USE bool
running_tree(arena *a, size_t n, size_t stride, size_t base, size_t levels,
             struct running *out);
CUSTOS_MUST_USE bool
running_root(arena *a, size_t n, size_t stride, struct running *out);

/* A step of C x is 2^-bits. */
unsigned running_bits(const struct running *r);

/*
 * THEOREM  running-sums
 *   All entries of C are whole numbers of steps, none below 0; let l1 and
 *   l2_squared be the largest sum and sum of squares of a column. If a unit has
 *   m rows and a row adds 1 to one cell, adding or removing the unit changes C x
 *   by at most m l1 in l1 and m^2 l2_squared in l2 squared; replacing it, by at
 *   most twice that.
 * SOURCE   doc/proofs/running-sums.md
 * NEEDS    cells of whole numbers; the noise on the lattice of C x.
 * GIVES    *l1, *l2_squared, in steps.
 * FAILS    cannot.
 * TESTED   running_sensitivity_is_the_largest_change
 */
void
running_sensitivity(const struct running *r, uint64_t *l1, u128 *l2_squared);

/* The mean over t of weight[t]: what the variance of one draw is multiplied
   with. */
uint64_t running_mean_weight(const struct running *r);

/*
 * running_multiply: every sequence x of the n cells becomes C x.
 * running_add_up: every C x, which may have noise by now, becomes the running
 * sums of x, rounded to whole numbers. `line` has room for 2 r->n numbers.
 */
void
running_multiply(const struct running *r, i128 *cells, size_t n, i128 *line);
void running_add_up(const struct running *r, i128 *cells, size_t n, i128 *line);

/*
 * Releases C x with the noise of mech, and computes the running sums, rounded
 * to whole numbers. Opens `sealed` as any mechanism does; no step depends on
 * values. May fail: as release_i128; CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status running_release(const struct running *r,
                                              const custos_mech *mech,
                                              custos_rng *rng,
                                              custos_sealed *sealed, i128 *out,
                                              size_t cells, custos_err *err);

#endif
