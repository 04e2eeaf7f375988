/*
 * The contents of a handle for partial sums.
 */
#ifndef MECH_SUMS_H
#define MECH_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "custos.h"
#include "mech/factor.h"
#include "noise/noise.h"
#include "num/rat.h"

struct custos_sums {
    custos_alloc alloc;
    custos_sums_method method;
    size_t n;
    custos_noise *noise;
    uint64_t *root;    /* square root: C, n entries */
    uint64_t *weights; /* square root: weights[t], see sums_error.c */
    custos_facts facts;
    char epsilon[CUSTOS_NUMBER_MAX];
    char delta[CUSTOS_NUMBER_MAX];
    char scale[CUSTOS_NUMBER_MAX];
    char sensitivity[CUSTOS_NUMBER_MAX];
    char grid[CUSTOS_NUMBER_MAX];
};

/*
 * How far a sequence of sums has come. A stream owns its arrays; a release of
 * all sums at once works in the sealed elements and in the draws instead.
 */
struct sums_run {
    size_t t; /* elements so far */
    i128 sum; /* of them; square root: of the noisy ones, see factor.h */
    /*
     * Binary tree: the draws of the blocks that make up the sum, by size. Every
     * element: the first is the sum of all draws.
     */
    i128 level[64];
    i128 *elements; /* square root: x, n cells */
    i128 *solved;   /* square root: C^-1 (C x + draws), n cells */
};

/*
 * THEOREM  sums-stream
 *   Let element t be chosen after the noisy sums before it were released, in
 *   any way that depends on them. For two runs whose elements are chosen alike
 *   except for one, which differs by at most D, the promise of the method
 *   holds for all sums together.
 * SOURCE   doc/proofs/sums-stream.md; Dwork, Naor, Pitassi, Rothblum 2010;
 *          Denisov, McMahan, Rush, Smith, Thakurta 2022, arXiv:2202.08312,
 *          theorem 2.1, for the continuous Gaussian.
 * NEEDS    draws independent, one for each element, in the order of elements.
 * GIVES    out[i] is the noisy sum that ends with values[i], clamped; without
 *          branches on values and draws. r may keep its arrays in `values` and
 *          `draws`: each is read before r writes to it.
 * FAILS    cannot.
 * TESTED   stream_noise_is_where_it_belongs, stream_is_the_release,
 *          sums_noise_is_where_it_belongs
 */
void sums_next(const struct custos_sums *s, struct sums_run *r,
               const i128 *values, const i128 *draws, int64_t *out, size_t n);

/* The parameters as numbers. */
struct sums_plan {
    rat epsilon, delta, sensitivity; /* as given */
    rat steps;     /* sensitivity of what gets the noise; l2: squared */
    rat parameter; /* of the noise law */
};

/* Fills s->weights from s->root; `work` has n cells. Cannot fail. */
void sums_weigh(struct custos_sums *s, i128 *work);

#endif
