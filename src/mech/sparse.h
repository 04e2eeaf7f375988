/*
 * The noise scales of the sparse vector technique, separate from the handle so
 * that tests can check the split of epsilon.
 */
#ifndef MECH_SPARSE_H
#define MECH_SPARSE_H

#include "custos.h"
#include "num/rat.h"

/* Discrete Laplace scales; value is 0 when no values are released. */
struct sparse_scales {
    rat epsilon;   /* e1 + e2 + e3 */
    rat steps;     /* D */
    rat threshold; /* D / e1 */
    rat query;     /* 2 c D / e2; monotone: c D / e2 */
    rat value;     /* c D / e3 */
};

void sparse_scales_init(struct sparse_scales *s);
void sparse_scales_clear(struct sparse_scales *s);

/* Needs options with answers >= 1. May fail: CUSTOS_EPARSE, CUSTOS_ERANGE. */
CUSTOS_MUST_USE custos_status sparse_scales_read(struct sparse_scales *s,
                                                 const custos_sparse_options *o,
                                                 custos_err *err);

#endif
