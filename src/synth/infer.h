/*
 * Marginals of a fitted model: of any set of columns, also one that no node of the
 * tree has.
 */
#ifndef SYNTH_INFER_H
#define SYNTH_INFER_H

#include "synth/model.h"

/*
 * The marginal of `set`, its cells into out. Where no node covers the set, the
 * others of its columns are eliminated along the part of the tree that has them.
 * May fail: CUSTOS_EOVERFLOW (a table on the way would have more than `limit`
 * cells), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status model_marginal(const struct model *m,
                                             struct colset set, size_t limit,
                                             double *out, custos_err *err);

#endif
