/*
 * Neighbouring inputs for mechanisms that take numbers: answers of queries,
 * counts, or the values of rows. The patterns are those of StatDP (Ding et al.
 * 2018) and DP-Sniper (Bichsel et al. 2021), and the ends of the number range.
 *
 * A pair stands for both of its orders: audit_run looks at each neighbour as the
 * more likely one.
 */
#ifndef AUDIT_PATTERNS_H
#define AUDIT_PATTERNS_H

#include "audit/audit.h"

/* How two neighbours can differ. */
enum adjacency {
    ADJACENT_ONE,  /* one of the numbers changes, by at most the step */
    ADJACENT_EACH, /* all may change, each by at most the step */
};

/* Pairs with their numbers; all zero is empty. */
struct pairs {
    struct pair *pair;
    double **block; /* the numbers of pair i, a's first */
    size_t n, room;
};

/* Copies the numbers. Fails with CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status pairs_add(struct pairs *pairs, const char *name,
                                        struct data a, struct data b,
                                        custos_err *err);

void pairs_clear(struct pairs *pairs);

/*
 * Adds the patterns of `dimension` numbers (1 to AUDIT_WIDTH_MAX), around 1.
 * ADJACENT_ONE: one above, one below. ADJACENT_EACH: these and one above rest
 * below, one below rest above, half half, all above, all below, X shape, and the
 * third and fourth with the last number in the place of the first; of one number
 * only the first two, as the others are the same. May fail:
 * CUSTOS_ENOMEM, CUSTOS_EINVAL.
 */
CUSTOS_MUST_USE custos_status patterns_add(struct pairs *pairs,
                                           enum adjacency adjacency,
                                           size_t dimension, double step,
                                           custos_err *err);

/* The same for each of several dimensions; 0 ends the list. */
CUSTOS_MUST_USE custos_status patterns_sweep(struct pairs *pairs,
                                             enum adjacency adjacency,
                                             const size_t *dimensions,
                                             double step, custos_err *err);

/*
 * The ends of the range: the first number changes by the step; with one number
 * at +-2^53, where doubles still tell whole numbers apart, with more beside
 * numbers of +-2^63 that do not change. May fail: as patterns_add.
 */
CUSTOS_MUST_USE custos_status patterns_add_extremes(struct pairs *pairs,
                                                    size_t dimension,
                                                    double step,
                                                    custos_err *err);

/*
 * Rows with values from lower to upper, and one row more: none and one at either
 * end, duplicates, many at one end and one at the other. May fail: as
 * patterns_add.
 */
CUSTOS_MUST_USE custos_status patterns_add_rows(struct pairs *pairs,
                                                double lower, double upper,
                                                custos_err *err);

/* One record's value against another's: the first against each of the others.
   May fail: as patterns_add. */
CUSTOS_MUST_USE custos_status patterns_add_values(struct pairs *pairs,
                                                  const double *values,
                                                  size_t n, custos_err *err);

#endif
