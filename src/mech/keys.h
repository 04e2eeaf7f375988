/*
 * The contents of a handle that selects keys. Every rule draws a random
 * threshold for each key, without looking at the data, and releases the key if
 * its count of units, or the sum of their weights, reaches the threshold. (For
 * the rules with noise, the threshold is a constant minus the noise.) Of each
 * key, `floor` units of full weight do not count; `floor` is public.
 */
#ifndef MECH_KEYS_H
#define MECH_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "custos.h"
#include "num/ival.h"

enum { KEYS_BITS = 120 }; /* fraction bits of a chance in a table */

/*
 * A key of n units above the floor is released with probability
 * chance[n] 2^-KEYS_BITS if n < count, and 1 otherwise.
 */
struct keys_table {
    u128 *chance;
    size_t count;
};

/*
 * The Gaussian rule, for counts or sums of weights; its threshold is for these
 * minus the floor.
 */
struct keys_gauss {
    rat variance;
    rat delta; /* the delta it needs, rounded up */
    int64_t threshold;
};

struct custos_keys {
    custos_alloc alloc;
    size_t more_owners;
    custos_keys_facts facts;
    uint64_t floor; /* min_units - 1, times the weight of a unit of one key */
    uint64_t keys;  /* per unit */
    struct keys_table table;
    custos_threshold *laplace;
    custos_noise *noise;      /* owned: the noise of the Gaussian rule */
    const custos_noise *draw; /* the noise to draw; NULL: use the table */
    char epsilon[CUSTOS_NUMBER_MAX];
    char delta[CUSTOS_NUMBER_MAX];
    char scale[CUSTOS_NUMBER_MAX];
};

/*
 * The table of the optimal rule for one key. May fail: CUSTOS_ERANGE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status keys_table_make(const custos_alloc *alloc,
                                              const rat *epsilon,
                                              const rat *delta,
                                              struct keys_table *t,
                                              custos_err *err);
void keys_table_clear(const custos_alloc *alloc, struct keys_table *t);

/*
 * The threshold of a table for a number drawn from 0 .. 2^KEYS_BITS - 1: the
 * number of entries that are at most `drawn`. Reads all entries.
 */
uint64_t keys_table_threshold(const struct keys_table *t, u128 drawn);

/*
 * Finds the variance and the threshold of the Gaussian rule, and the delta
 * they need. steps: the weight of a unit with one key; with 1, all units have
 * weight 1 in each of their keys. g's numbers must be initialised. May fail:
 * CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status keys_gauss_find(custos_adjacency adjacency,
                                              uint64_t keys, uint64_t steps,
                                              const rat *epsilon,
                                              const rat *delta,
                                              struct keys_gauss *g,
                                              custos_err *err);

/* The steps of the weighted rule. */
enum { KEYS_STEPS_LOG2 = 12, KEYS_STEPS = 1 << KEYS_STEPS_LOG2 };

/*
 * The weight of a unit with `held` >= 1 keys in each of them: the largest
 * integer w with held w^2 <= steps^2 or, if steps is 1, 1.
 */
uint64_t keys_weight(uint64_t steps, uint64_t held);

#endif
