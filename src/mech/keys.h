/*
 * The contents of a selection of keys. Every rule draws a random threshold for
 * each key, without looking at the data, and releases the key when its number
 * of units reaches it. `floor` units of each key, a public number, do not
 * count.
 */
#ifndef MECH_KEYS_H
#define MECH_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "custos.h"
#include "num/ival.h"

enum { KEYS_BITS = 120 }; /* of a chance in a table */

/* chance[n] 2^-KEYS_BITS of a key of n units, n < count; from there on 1. */
struct keys_table {
    u128 *chance;
    size_t count;
};

/* The threshold of a rule with noise, of counts less the floor. */
struct keys_gauss {
    rat variance;
    rat delta; /* what it needs, rounded up */
    int64_t threshold;
};

struct custos_keys {
    custos_alloc alloc;
    size_t more_owners;
    custos_keys_facts facts;
    uint64_t floor; /* min_units - 1 */
    struct keys_table table;
    custos_threshold *laplace;
    custos_noise *noise;      /* owned: of the Gaussian rule */
    const custos_noise *draw; /* what is drawn from; NULL: the table */
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
 * The threshold of a table for a number drawn from 0 .. 2^KEYS_BITS - 1: how
 * many entries are at or below it, by looking at all of them.
 */
uint64_t keys_table_threshold(const struct keys_table *t, u128 drawn);

/*
 * The least threshold with Gaussian noise. g's numbers are initialised. May
 * fail: CUSTOS_ERANGE.
 */
CUSTOS_MUST_USE custos_status keys_gauss_find(custos_adjacency adjacency,
                                              uint64_t keys, const rat *epsilon,
                                              const rat *delta,
                                              struct keys_gauss *g,
                                              custos_err *err);

#endif
